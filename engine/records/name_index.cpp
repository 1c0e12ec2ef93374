#include "engine/records/name_index.hpp"

#include "engine/records/byte_hash.hpp"

namespace banzuke {

std::size_t NameIndex::slot_of(std::string_view name, std::uint64_t hash) const {
  const std::size_t mask = slots_.size() - 1;
  const auto upper = static_cast<std::uint32_t>(hash >> 32);
  std::size_t at = static_cast<std::size_t>(hash) & mask;
  while (slots_[at].entry != 0) {
    if (slots_[at].hash == upper) {
      const std::string& there = names_[slots_[at].entry - 1];
      if (there.size() == name.size() && equal_bytes(there.data(), name.data(), name.size())) break;
    }
    at = (at + 1) & mask;
  }
  return at;
}

std::optional<std::uint32_t> NameIndex::find(std::string_view name) const {
  const std::uint32_t entry = slots_[slot_of(name, byte_hash(name))].entry;
  if (entry == 0) return std::nullopt;
  return entry - 1;
}

std::uint32_t NameIndex::find_or_add(std::string_view name) {
  const std::uint64_t hash = byte_hash(name);
  Slot& slot = slots_[slot_of(name, hash)];
  if (slot.entry != 0) return slot.entry - 1;
  names_.emplace_back(name);
  const auto count = static_cast<std::uint32_t>(names_.size());
  slot = {static_cast<std::uint32_t>(hash >> 32), count};
  // Sparse, so that most names are found at the first step.
  if (4 * names_.size() > slots_.size()) grow();
  return count - 1;
}

void NameIndex::grow() {
  slots_.assign(2 * slots_.size(), {});
  const std::size_t mask = slots_.size() - 1;
  for (std::uint32_t i = 0; i < names_.size(); ++i) {
    const std::uint64_t hash = byte_hash(names_[i]);
    std::size_t at = static_cast<std::size_t>(hash) & mask;
    while (slots_[at].entry != 0) at = (at + 1) & mask;
    slots_[at] = {static_cast<std::uint32_t>(hash >> 32), i + 1};
  }
}

}  // namespace banzuke
