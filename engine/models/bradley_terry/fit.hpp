#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::bradley_terry {

/// When an estimate counts as found: the likelihood equations hold to `max_gradient` games *and*
/// the last Newton step moved nobody by more than `max_step` (natural-log units; that step is
/// still taken). Near-separable data reach a tiny gradient hundreds of Elo from the maximum, so
/// the step decides; but there the gradient's own rounding error can move the step by more than
/// the tolerance. The rounding floor: once the gradient is within max_gradient, every player's
/// gradient is within its rounding error bound and the step no longer shrinks (not below half the
/// one before), the estimate is accepted and the step reached is reported.
struct Tolerance {
  static constexpr double max_gradient = 1e-9;                   ///< games
  static constexpr double max_step = 1e-8 / 173.71779276130073;  ///< 1e-8 Elo in natural units
  static constexpr int max_passes = 300;
};

enum class FitStatus : std::uint8_t {
  ok,              ///< within the tolerance
  rounding_floor,  ///< accepted at the rounding floor; max_step says how exact it is
  not_converged,
};

struct Fit {
  std::vector<double> abilities;  ///< natural-log scale, one a player; exactly 0 for the ground
  double log_likelihood = 0;      ///< sum of w ln p + l ln q over pairs, no binomial coefficients
  double deviance = 0;            ///< 2 (saturated - fitted log-likelihood), over pair totals
  double max_gradient = 0;        ///< games, before the last step
  double max_step = 0;            ///< largest component of the last step, natural-log units
  int iterations = 0;             ///< evaluations of the gradient
  FitStatus status = FitStatus::not_converged;
};

/// Maximum-likelihood abilities of all players, relative to `ground`: Newton's method from
/// logit((W + 1/2) / (L + 1/2)), see docs/methods/bradley_terry.md. The same bits on every CPU.
/// Throws std::invalid_argument unless there are two players and the win graph is strongly
/// connected (restrict the data to rated_component first).
Fit fit(const PairData& pairs, std::uint32_t ground);

/// Sum over pairs of w ln p + l ln q at given abilities, by -(w + l) log1p(e^-|d|) - |d| (wins of
/// the weaker).
double log_likelihood(const PairData& pairs, std::span<const double> abilities);

/// Deviance over pair totals: 2 sum w ln(w / (n p)) + l ln(l / (n q)).
double deviance(const PairData& pairs, std::span<const double> abilities);

/// Observed wins minus expected wins of each player as a sum of w q - l p: the gradient, in games.
std::vector<double> gradient(const PairData& pairs, std::span<const double> abilities);

}  // namespace banzuke::bradley_terry
