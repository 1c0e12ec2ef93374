#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "engine/store/layout.hpp"

namespace banzuke {

/// A view of computed rows in memory: rows first … first+count-1 of one point (a row is a
/// replicate, or a segment of them: see Layout), in packed bytes owned by somebody else. For each
/// field of the layout, in order, count × width values (row-major [row][element]), then count
/// status bytes; every section starts at a multiple of 8 bytes from the start. Jobs write through
/// it; the store commits it; ranks send its bytes.
class RowBlock {
 public:
  /// Bytes a block of `count` rows takes, a multiple of 8.
  static std::size_t bytes(const Layout& layout, std::size_t count);

  /// `data` is aligned to 8 bytes and holds bytes(layout, count); `layout` outlives the view.
  /// Throws std::out_of_range when the rows are not in the layout.
  RowBlock(const Layout& layout, std::size_t point, std::uint64_t first, std::size_t count,
           std::byte* data);

  /// Writes the fill values: NaN, 0 and status missing.
  void fill() const;

  std::size_t point() const { return point_; }
  std::uint64_t first() const { return first_; }
  std::size_t count() const { return count_; }
  const Layout& layout() const { return *layout_; }

  /// The values of a field; throw std::logic_error when the field has another type.
  std::span<double> doubles(std::size_t field) const;
  std::span<float> floats(std::size_t field) const;
  std::span<std::int64_t> integers(std::size_t field) const;
  std::span<std::int32_t> integers32(std::size_t field) const;
  std::span<std::uint8_t> octets(std::size_t field) const;
  std::span<std::uint8_t> status() const;

  std::byte* section(std::size_t field) const;
  std::span<std::byte> all() const { return {data_, bytes(*layout_, count_)}; }

 private:
  void require(std::size_t field, FieldType type) const;

  const Layout* layout_;
  std::size_t point_;
  std::uint64_t first_;
  std::size_t count_;
  std::byte* data_;
};

}  // namespace banzuke
