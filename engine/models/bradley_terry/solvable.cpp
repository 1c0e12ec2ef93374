#include "engine/models/bradley_terry/solvable.hpp"

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

}  // namespace

Solvable::Solvable(const Schedule& schedule, std::span<const std::uint8_t> certain,
                   std::uint32_t anchor) {
  std::vector<std::uint32_t> parent(schedule.players);
  std::iota(parent.begin(), parent.end(), 0U);
  const auto root = [&parent](std::uint32_t i) {
    while (parent[i] != i) i = parent[i] = parent[parent[i]];
    return i;
  };
  for (std::size_t k = 0; k < schedule.size(); ++k)
    if (certain[k]) parent[root(schedule.second[k])] = root(schedule.first[k]);
  group_.assign(schedule.players, 0);
  std::vector<std::uint32_t> number(schedule.players, 0);
  for (std::uint32_t i = 0; i < schedule.players; ++i)
    if (root(i) == i) number[i] = groups_++;
  for (std::uint32_t i = 0; i < schedule.players; ++i) group_[i] = number[root(i)];
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
  std::vector<std::uint64_t> first_won(links_.size(), all), second_won(links_.size(), all);
  for (std::size_t m = 0; m < links_.size(); ++m) {
    if (!one_sided[links_[m].pair]) continue;
    const std::int32_t* const of_pair = wins.data() + links_[m].pair * lanes;
    const std::int32_t games = links_[m].games;
    std::uint8_t first_wins[64] = {}, second_wins[64] = {};
    for (std::size_t l = 0; l < lanes; ++l) {
      first_wins[l] = of_pair[l] > 0;
      second_wins[l] = of_pair[l] < games;
    }
    const std::uint64_t first = bits_of(first_wins), second = bits_of(second_wins);
    first_won[m] = first;
    second_won[m] = second;
  }
  // below: reached from the anchor by wins; above: reaching it. Both only grow.
  std::vector<std::uint64_t> below(groups_, 0), above(groups_, 0);
  below[anchor_group_] = above[anchor_group_] = all;
  const auto sweep = [&](std::size_t m) {
    const std::uint32_t i = links_[m].first, j = links_[m].second;
    if ((below[i] & below[j] & above[i] & above[j]) == all) return std::uint64_t{0};
    const std::uint64_t b_j = below[i] & first_won[m] & ~below[j];
    const std::uint64_t b_i = below[j] & second_won[m] & ~below[i];
    const std::uint64_t a_i = above[j] & first_won[m] & ~above[i];
    const std::uint64_t a_j = above[i] & second_won[m] & ~above[j];
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
      for (std::size_t m = 0; m < links_.size(); ++m) changed |= sweep(m);
    else
      for (std::size_t m = links_.size(); m-- > 0;) changed |= sweep(m);
    if (!changed) break;
    // Nothing can change any more where everybody is reached both ways in all lanes.
    std::uint64_t everybody = all;
    for (std::uint32_t g = 0; g < groups_; ++g) everybody &= below[g] & above[g];
    if (everybody == all) break;
  }
  for (std::size_t i = 0; i < group_.size(); ++i) alive[i] = below[group_[i]] & above[group_[i]];
}

}  // namespace banzuke::bradley_terry
