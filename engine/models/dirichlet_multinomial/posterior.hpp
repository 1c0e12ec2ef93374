#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/dirichlet_multinomial/payoff.hpp"
#include "engine/models/dirichlet_multinomial/symmetric_fit.hpp"

namespace banzuke::dirichlet_multinomial {

/// A Dirichlet law of a player's rank distribution x. Probabilities and quantiles are for people,
/// computed on demand: libm and Boost.Math are used, and the last bits may differ between
/// platforms.
class DirichletPosterior {
 public:
  /// The posterior of Dirichlet(prior) after rank counts: Dirichlet(prior + counts). Throws
  /// std::invalid_argument unless the sizes agree, are at least 2, and the prior is positive and
  /// finite.
  DirichletPosterior(std::span<const double> prior, std::span<const std::uint32_t> counts);
  /// With a symmetric prior.
  DirichletPosterior(double alpha, std::span<const std::uint32_t> counts);

  const std::vector<double>& concentration() const { return beta_; }
  std::vector<double> mean() const;
  std::vector<double> standard_deviation() const;  ///< sqrt(m (1 - m) / (Σ beta + 1))

  /// P(payoff ≤ value), by inversion of a characteristic function: absolute error below 1e-9.
  double probability_at_most(const Payoff& payoff, double value) const;
  /// The value with P(payoff ≤ value) = p, 0 < p < 1, by bracketing that function. NaN where the
  /// inversion does not settle P to 1 % of its tail: for alphas of many millions, and for ratios
  /// by ranks that may have next to no probability.
  double quantile(const Payoff& payoff, double p) const;

 private:
  void check_concentration() const;
  std::vector<double> beta_;
};

/// A player's payoff after his counts.
struct PayoffEstimate {
  double raw = 0;       ///< of the counts alone; NaN or ±∞ without games or last places
  double adjusted = 0;  ///< of the posterior mean of x: X̂ of the study
  /// Posterior mean and standard deviation. For a linear payoff exact, the mean equals `adjusted`;
  /// for a ratio with a single rank in its denominator exact too (moments of a beta prime law), NaN
  /// where they do not exist (beta ≤ 1, ≤ 2); NaN for other ratios.
  double mean = 0;
  double standard_deviation = 0;
  Interval credible;  ///< equal-tailed; NaN as quantile() says
};

/// All but the credible interval, which stays NaN; of + - * / and sqrt alone. Throws as `check` and
/// DirichletPosterior do.
PayoffEstimate payoff_moments(double alpha, std::span<const std::uint32_t> counts,
                              const Payoff& payoff);

/// With the interval. Throws as payoff_moments does, and std::invalid_argument for a credibility
/// outside (0, 1).
PayoffEstimate estimate_payoff(double alpha, std::span<const std::uint32_t> counts,
                               const Payoff& payoff, double credibility = 0.95);

/// Indices of the players (counts: players × ranks) by falling adjusted payoff, ties in the order
/// given.
std::vector<std::size_t> ranking(double alpha, int ranks, std::span<const std::uint32_t> counts,
                                 const Payoff& payoff);

}  // namespace banzuke::dirichlet_multinomial
