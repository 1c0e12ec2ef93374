#pragma once
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

#include "engine/models/dirichlet_multinomial/score_scan.hpp"
#include "engine/models/dirichlet_multinomial/tail_counts.hpp"

namespace banzuke::dirichlet_multinomial {

/// What kind of answer the likelihood of alpha has.
enum class Verdict : std::uint8_t {
  finite,    ///< one finite maximum, which is the highest point
  infinite,  ///< the supremum is L(∞): ranks vary no more than by chance
  zero,      ///< the supremum is at alpha -> 0: every player was always in one rank
  flat,      ///< no player has two games: the likelihood does not depend on alpha
  bimodal,   ///< two maxima compete (see SymmetricFit::second_alpha); alpha is the higher one
};
std::string_view name(Verdict verdict);

struct Interval {
  double lower = std::numeric_limits<double>::quiet_NaN();
  double upper = std::numeric_limits<double>::quiet_NaN();
};

/// Maximum-likelihood fit of a symmetric Dirichlet prior. Log-likelihoods leave out the
/// multinomial coefficients.
struct SymmetricFit {
  Verdict verdict = Verdict::flat;
  /// The maximum: finite, +∞ or 0 as the verdict says, NaN when flat.
  double alpha = std::numeric_limits<double>::quiet_NaN();
  /// 1/sqrt(observed information of log alpha); NaN without a finite maximum.
  double standard_error_log_alpha = std::numeric_limits<double>::quiet_NaN();
  double log_likelihood = 0;              ///< its supremum
  double log_likelihood_at_infinity = 0;  ///< -log(k) Σ N_i
  /// The next lower maximum, +∞ among the candidates; NaN when there is none.
  double second_alpha = std::numeric_limits<double>::quiet_NaN();
  double second_log_likelihood = std::numeric_limits<double>::quiet_NaN();
  Interval wald;     ///< alpha exp(±z se); NaN without a finite maximum
  Interval profile;  ///< hull of {L ≥ sup L - z²/2}: lower may be 0, upper +∞; NaN when flat
  double overdispersion = 0;  ///< k A2 = k Σ y(y-1) - Σ N(N-1)
  int ranks = 0;
  double players = 0;
  double games = 0;
  int iterations = 0;  ///< evaluations of the exact score
};

struct FitOptions {
  double confidence = 0.95;  ///< of both intervals, in (0, 1)
};

/// Bracketed Newton in log alpha from the moment start, after a scan for further maxima.
/// `bimodal`: two finite maxima, or a finite one and L(∞) within 1.92 (95 %) of each other.
/// Throws std::invalid_argument for fewer than two ranks or a confidence outside (0, 1).
SymmetricFit fit_symmetric(const TailCounts& counts, const FitOptions& options = {});

/// The same with the condensed games tail at hand, where many data sets share the numbers of games.
SymmetricFit fit_symmetric(const TailCounts& counts, const CondensedTail& games,
                           const FitOptions& options = {});

/// One sentence for people: the verdict and what it rests on.
std::string sentence(const SymmetricFit& fit);

}  // namespace banzuke::dirichlet_multinomial
