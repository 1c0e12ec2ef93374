#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::bradley_terry {

/// Who can be rated in up to 64 replicates at once, one bit a replicate: the strongly connected
/// component of each replicate's win graph that holds the anchor, exactly.
class Solvable {
 public:
  /// `certain[k]` is not 0 where both players of pair k win in every replicate; such players are
  /// merged once and for all.
  Solvable(const Schedule& schedule, std::span<const std::uint8_t> certain, std::uint32_t anchor);

  /// wins[pair][lanes]: wins of the pair's first player. one_sided[pair] may be 0 where both
  /// players win in every lane. alive[player] gets bit `lane` where the player is in the component.
  void rated(std::span<const std::int32_t> wins, std::size_t lanes,
             std::span<const std::uint8_t> one_sided, std::span<std::uint64_t> alive) const;

 private:
  struct Link {
    std::uint32_t first, second;  ///< groups
    std::uint32_t pair;
    std::int32_t games;
  };
  std::vector<std::uint32_t> group_;  ///< of each player
  std::uint32_t groups_ = 0;
  std::uint32_t anchor_group_ = 0;
  std::vector<Link> links_;  ///< the pairs between groups
};

}  // namespace banzuke::bradley_terry
