#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::bradley_terry {

/// What a player would be like as the reference of everybody's ratings.
struct Reference {
  std::uint32_t player = 0;
  double games = 0;
  std::uint32_t opponents = 0;
  double rank = 0;  ///< part of the other players whose ability is lower
  /// Root mean square, and median, of the other players' standard errors relative to this one,
  /// natural-log units. The first is least for the player best known relative to the mean of all:
  /// sum_i Var(i - r) = sum_i V_ii + n V_rr with V the pseudo-inverse of the information.
  double mean_error = 0, median_error = 0;
  /// Chance that a season's results have the player win everything or lose everything: then nobody
  /// can be rated relative to this player.
  double isolation = 0;
};

struct ReferenceAdvice {
  std::vector<Reference> best;  ///< by mean_error, the best first
  Reference chosen;
  double ratio = 1;          ///< median_error of the chosen one over that of the best
  bool is_estimate = false;  ///< errors from random probes, see FisherErrors
};

/// The best references: of those in the middle half by ability with isolation below 1e-6 (of all
/// players where there are none) the `count` of the smallest mean_error, and the figures of the
/// chosen one. Throws std::invalid_argument when `chosen` is no player or shapes do not fit.
ReferenceAdvice advise_reference(const Schedule& schedule, std::span<const double> abilities,
                                 std::uint32_t chosen, std::size_t count = 3);

}  // namespace banzuke::bradley_terry
