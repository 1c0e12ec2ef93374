#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace banzuke {

/// Names in order of first appearance, each with its number. Names are compared byte by byte.
class NameIndex {
 public:
  std::optional<std::uint32_t> find(std::string_view name) const;
  /// The number of the name, which is added if it is new.
  std::uint32_t find_or_add(std::string_view name);

  const std::vector<std::string>& names() const { return names_; }

 private:
  struct Slot {
    std::uint32_t hash = 0;   ///< its upper half
    std::uint32_t entry = 0;  ///< index in `names_` + 1, 0 = free
  };

  std::size_t slot_of(std::string_view name, std::uint64_t hash) const;
  void grow();

  std::vector<std::string> names_;
  std::vector<Slot> slots_ = std::vector<Slot>(256);  ///< open addressing; size a power of two
};

}  // namespace banzuke
