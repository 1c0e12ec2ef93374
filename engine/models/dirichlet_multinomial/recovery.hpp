#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/models/dirichlet_multinomial/career_sampler.hpp"
#include "engine/models/dirichlet_multinomial/games_per_player.hpp"
#include "engine/models/dirichlet_multinomial/symmetric_fit.hpp"

namespace banzuke::dirichlet_multinomial {

/// One point of a recovery study: a population whose alpha is known.
struct RecoveryRule {
  int ranks = 0;     ///< k, 2 to 64
  double alpha = 0;  ///< true concentration of each rank
  std::uint32_t players = 0;
  GamesPerPlayer games;
  bool redraw_games = false;  ///< anew in every replicate instead of once for the point
  double confidence = 0.95;
};

/// What one replicate leaves behind.
struct RecoveryRecord {
  Verdict verdict = Verdict::flat;
  double alpha = 0;                     ///< +∞ when infinite, 0 when zero, NaN when flat
  double standard_error_log_alpha = 0;  ///< NaN without a finite maximum
  Interval wald;
  Interval profile;
  double log_likelihood = 0;  ///< without multinomial coefficients
  double log_likelihood_at_infinity = 0;
  double games = 0;  ///< Σ N_i
  double players = 0;
  int iterations = 0;
};

/// A point made ready: tables of the sampler and, when they are drawn once, the games. Read-only
/// afterwards, so that threads share it.
class RecoveryPoint {
 public:
  /// Throws std::invalid_argument for a rule out of range.
  RecoveryPoint(const RecoveryRule& rule, std::uint64_t seed, std::uint32_t point);

  const RecoveryRule& rule() const { return rule_; }
  /// The games of the players; empty when drawn anew in every replicate.
  std::span<const std::uint32_t> games() const { return games_; }

  /// Simulates all careers of a replicate and fits them: a pure function of (rule, seed, point,
  /// replicate). Takes about 0.3 MiB of memory while it runs.
  RecoveryRecord simulate_and_fit(std::uint32_t replicate) const;

 private:
  RecoveryRule rule_;
  std::uint64_t seed_;
  std::uint32_t point_;
  CareerSampler sampler_;
  std::vector<std::uint32_t> games_;
  Tail games_tail_;
  CondensedTail condensed_games_;
};

/// A share with its binomial standard error sqrt(p (1-p)/n); NaN for n = 0.
struct Share {
  double count = 0;
  double of = 0;
  double value = 0;
  double standard_error = 0;
};

/// How well a point's alpha was recovered. Means and deviations are over replicates with a finite
/// maximum; relative errors are of alpha-hat, deviations of log alpha-hat.
struct RecoverySummary {
  double replicates = 0;
  Share infinite;  ///< of all replicates; so are the other verdicts
  Share zero;
  Share flat;
  Share bimodal;
  double finite = 0;  ///< replicates with a finite alpha-hat > 0
  double mean_alpha = 0;
  double relative_bias = 0;
  double relative_bias_error = 0;  ///< Monte Carlo standard error
  double relative_rmse = 0;
  double sd_log_alpha = 0;
  double sd_log_alpha_error = 0;   ///< from the fourth moment
  double mean_standard_error = 0;  ///< of log alpha
  double mean_standard_error_error = 0;
  Share wald_coverage;     ///< of replicates with a Wald interval
  Share profile_coverage;  ///< of replicates with a profile interval (all but flat ones)
};

/// Pure function of the records, in their order.
RecoverySummary summarise(double true_alpha, std::span<const RecoveryRecord> records);

}  // namespace banzuke::dirichlet_multinomial
