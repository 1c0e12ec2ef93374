#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/dirichlet_multinomial/payoff.hpp"

namespace banzuke::dirichlet_multinomial {

/// Bayes' rule for finitely many kinds of player: weight_i likelihood_i, normalised. Throws
/// std::invalid_argument unless sizes agree, values are not negative and some product is positive.
std::vector<double> discrete_posterior(std::span<const double> weights,
                                       std::span<const double> likelihoods);

/// A prior that knows finitely many rank distributions.
struct DiscretePrior {
  std::vector<double> weights;             ///< any positive scale
  std::vector<std::vector<double>> kinds;  ///< a rank distribution each, summing to 1

  /// Posterior probabilities of the kinds after rank counts, in logs, so that long careers do not
  /// underflow. Throws std::invalid_argument for a malformed prior or counts no kind can give.
  std::vector<double> posterior(std::span<const std::uint32_t> counts) const;
  /// Posterior mean of the rank distribution.
  std::vector<double> mean(std::span<const std::uint32_t> counts) const;
  /// Posterior mean of a payoff: that of each kind, weighted.
  double mean_payoff(std::span<const std::uint32_t> counts, const Payoff& payoff) const;
};

}  // namespace banzuke::dirichlet_multinomial
