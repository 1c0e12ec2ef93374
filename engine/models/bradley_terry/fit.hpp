#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/pair_data.hpp"
#include "engine/models/bradley_terry/tolerance.hpp"

namespace banzuke::bradley_terry {

enum class FitStatus : std::uint8_t {
  ok,              ///< within Tolerance
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
