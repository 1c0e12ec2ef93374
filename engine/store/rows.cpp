#include "engine/store/rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace banzuke {
namespace {

std::size_t aligned(std::size_t bytes) {
  return (bytes + 7) / 8 * 8;
}

std::size_t section_bytes(const Layout& layout, std::size_t field, std::size_t count) {
  return aligned(count * layout.width(field) * bytes_of(layout.fields[field].type));
}

template <class Value>
std::span<Value> typed(const RowBlock& block, std::size_t field) {
  return {reinterpret_cast<Value*>(block.section(field)),
          block.count() * block.layout().width(field)};
}

}  // namespace

std::size_t RowBlock::bytes(const Layout& layout, std::size_t count) {
  std::size_t total = aligned(count);
  for (std::size_t i = 0; i < layout.fields.size(); ++i) total += section_bytes(layout, i, count);
  return total;
}

RowBlock::RowBlock(const Layout& layout, std::size_t point, std::uint64_t first, std::size_t count,
                   std::byte* data)
    : layout_(&layout), point_(point), first_(first), count_(count), data_(data) {
  if (point >= layout.points.size() || first > layout.rows() || count > layout.rows() - first) {
    throw std::out_of_range(
        fmt::format("rows {}+{} of point {} are not in a layout of {} points and {} rows", first,
                    count, point, layout.points.size(), layout.rows()));
  }
  if (reinterpret_cast<std::uintptr_t>(data) % 8 != 0) {
    throw std::invalid_argument("a block of rows must be aligned to 8 bytes");
  }
}

void RowBlock::fill() const {
  std::ranges::fill(all(), std::byte{0});
  for (std::size_t i = 0; i < layout_->fields.size(); ++i) {
    if (layout_->fields[i].type == FieldType::float64) {
      std::ranges::fill(doubles(i), std::numeric_limits<double>::quiet_NaN());
    } else if (layout_->fields[i].type == FieldType::float32) {
      std::ranges::fill(floats(i), std::numeric_limits<float>::quiet_NaN());
    }
  }
}

std::byte* RowBlock::section(std::size_t field) const {
  std::byte* start = data_;
  for (std::size_t i = 0; i < field; ++i) start += section_bytes(*layout_, i, count_);
  return start;
}

void RowBlock::require(std::size_t field, FieldType type) const {
  const Field& actual = layout_->fields.at(field);
  if (actual.type != type) {
    throw std::logic_error(fmt::format("field {} is of type {}, not {}", actual.name,
                                       name_of(actual.type), name_of(type)));
  }
}

std::span<double> RowBlock::doubles(std::size_t field) const {
  require(field, FieldType::float64);
  return typed<double>(*this, field);
}

std::span<float> RowBlock::floats(std::size_t field) const {
  require(field, FieldType::float32);
  return typed<float>(*this, field);
}

std::span<std::int64_t> RowBlock::integers(std::size_t field) const {
  require(field, FieldType::int64);
  return typed<std::int64_t>(*this, field);
}

std::span<std::int32_t> RowBlock::integers32(std::size_t field) const {
  require(field, FieldType::int32);
  return typed<std::int32_t>(*this, field);
}

std::span<std::uint8_t> RowBlock::octets(std::size_t field) const {
  require(field, FieldType::uint8);
  return typed<std::uint8_t>(*this, field);
}

std::span<std::uint8_t> RowBlock::status() const {
  return {reinterpret_cast<std::uint8_t*>(section(layout_->fields.size())), count_};
}

}  // namespace banzuke
