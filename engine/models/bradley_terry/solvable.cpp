#include "engine/models/bradley_terry/solvable.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

namespace banzuke::bradley_terry {
namespace {

static_assert(std::endian::native == std::endian::little);

/// 64 bytes of 0 or 1 as bits. The product moves byte i's bit to place 56 + i; no two of its terms
/// meet, so that nothing is carried.
std::uint64_t bits_of(const std::uint8_t* bytes) {
  std::uint64_t bits = 0;
  for (std::size_t part = 0; part < 8; ++part) {
    std::uint64_t eight = 0;
    std::memcpy(&eight, bytes + 8 * part, 8);
    bits |= eight * 0x0102040810204080U >> 56 << (8 * part);
  }
  return bits;
}

/// Disjoint sets of numbers, named by one of them.
class Sets {
 public:
  explicit Sets(std::uint32_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), 0U);
  }
  std::uint32_t of(std::uint32_t i) {
    while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
    return i;
  }
  /// Whether they were apart.
  bool join(std::uint32_t a, std::uint32_t b) {
    a = of(a);
    b = of(b);
    parent_[b] = a;
    return a != b;
  }

 private:
  std::vector<std::uint32_t> parent_;
};

}  // namespace

Solvable::Solvable(const Schedule& schedule, std::span<const std::uint8_t> certain,
                   std::uint32_t anchor) {
  Sets sets(schedule.players);
  for (std::size_t k = 0; k < schedule.size(); ++k)
    if (certain[k]) sets.join(schedule.first[k], schedule.second[k]);
  group_.assign(schedule.players, 0);
  std::vector<std::uint32_t> number(schedule.players, 0);
  for (std::uint32_t i = 0; i < schedule.players; ++i)
    if (sets.of(i) == i) number[i] = groups_++;
  for (std::uint32_t i = 0; i < schedule.players; ++i) group_[i] = number[sets.of(i)];
  anchor_group_ = group_[anchor];
  for (std::size_t k = 0; k < schedule.size(); ++k) {
    const std::uint32_t a = group_[schedule.first[k]], b = group_[schedule.second[k]];
    if (a != b)
      links_.push_back(
          {a, b, static_cast<std::uint32_t>(k), static_cast<std::int32_t>(schedule.games[k])});
  }
}

void Solvable::rated(std::span<const std::int32_t> wins, std::size_t lanes,
                     std::span<const std::uint8_t> one_sided,
                     std::span<std::uint64_t> alive) const {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - lanes);
  // Both players of most pairs win in every lane.
  Sets sets(groups_);
  std::uint32_t apart = groups_;
  for (const Link& link : links_)
    if (!one_sided[link.pair] && sets.join(link.first, link.second)) --apart;
  if (apart <= 1) {
    std::fill(alive.begin(), alive.end(), all);
    return;
  }
  struct Bridge {
    std::uint32_t first, second;
    std::uint64_t first_won, second_won;
  };
  std::vector<Bridge> bridges;
  for (const Link& link : links_) {
    const std::uint32_t first = sets.of(link.first), second = sets.of(link.second);
    if (first == second) continue;
    const std::int32_t* const of_pair = wins.data() + link.pair * lanes;
    std::uint8_t first_wins[64] = {}, second_wins[64] = {};
    for (std::size_t l = 0; l < lanes; ++l) {
      first_wins[l] = of_pair[l] > 0;
      second_wins[l] = of_pair[l] < link.games;
    }
    bridges.push_back({first, second, bits_of(first_wins), bits_of(second_wins)});
  }
  // below: reached from the anchor by wins; above: reaching it. Both only grow.
  std::vector<std::uint64_t> below(groups_, 0), above(groups_, 0);
  const std::uint32_t anchor = sets.of(anchor_group_);
  below[anchor] = above[anchor] = all;
  const auto sweep = [&](const Bridge& bridge) {
    const std::uint32_t i = bridge.first, j = bridge.second;
    const std::uint64_t b_j = below[i] & bridge.first_won & ~below[j];
    const std::uint64_t b_i = below[j] & bridge.second_won & ~below[i];
    const std::uint64_t a_i = above[j] & bridge.first_won & ~above[i];
    const std::uint64_t a_j = above[i] & bridge.second_won & ~above[j];
    below[j] |= b_j;
    below[i] |= b_i;
    above[i] |= a_i;
    above[j] |= a_j;
    return b_j | b_i | a_i | a_j;
  };
  // Alternating directions carry news along chains either way.
  for (bool forward = true;; forward = !forward) {
    std::uint64_t changed = 0;
    if (forward)
      for (std::size_t m = 0; m < bridges.size(); ++m) changed |= sweep(bridges[m]);
    else
      for (std::size_t m = bridges.size(); m-- > 0;) changed |= sweep(bridges[m]);
    if (!changed) break;
  }
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const std::uint32_t group = sets.of(group_[i]);
    alive[i] = below[group] & above[group];
  }
}

}  // namespace banzuke::bradley_terry
