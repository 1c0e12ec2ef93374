#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/store/result_file.hpp"

namespace banzuke::bt_recovery {

/// How often true ratings lie within k uncertainties of the estimate, and the error of that share.
struct Share {
  double value = 0;
  /// Players of one data set share games, so data sets are counted, not intervals:
  /// sqrt(sum (hits_r - value intervals_r)^2) / sum intervals_r. For one player alone this is the
  /// binomial sqrt(p (1 - p) / n).
  double error = 0;
};

/// What one kind of uncertainty is worth to a group of players.
struct Belief {
  std::uint64_t intervals = 0;
  double mean = 0;             ///< of the uncertainties
  Share within_1, within_196;  ///< ± u (normal law: 68.27 %) and ± 1.96 u (95.00 %)
};

/// A group of players over all data sets done.
struct Group {
  std::string by;     ///< "all", "games", "distance"
  std::string label;  ///< "10 to 19"
  std::uint64_t players = 0;
  std::uint64_t cases = 0;  ///< players times data sets
  std::uint64_t rated = 0;
  double bias = 0;     ///< mean of estimate - truth
  double outward = 0;  ///< the same, counted away from the anchor's rating
  double sd = 0;       ///< of a player's estimates about their mean; mean over the rated cases
  Belief fisher = {}, monte_carlo = {};
  double inner_rated = 0;  ///< mean share of inner replicates that could rate the player
};

/// Groups with players of a point: all, by games a player, by distance from the anchor. A reference
/// player belongs to none.
std::vector<Group> groups_of(const ResultFile& file, const Bundle& set_up, std::size_t point);

}  // namespace banzuke::bt_recovery
