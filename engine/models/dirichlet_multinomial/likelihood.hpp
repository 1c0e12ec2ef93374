#pragma once
#include "engine/models/dirichlet_multinomial/tail_counts.hpp"

namespace banzuke::dirichlet_multinomial {

/// Derivatives of the log-likelihood L with respect to t = log alpha.
struct Score {
  double first = 0;
  double second = 0;
  double third = 0;
};

/// Σ_m W_m r (and its first two derivatives in t) with r = m / (scale + m), dr/dt = -r (1 - r),
/// where scale is proportional to alpha.
Score tail_score(const Tail& tail, double scale);

/// The score of the symmetric likelihood L = Σ C_m log(alpha+m) - Σ T_m log(k alpha+m). As
/// Σ C_m = Σ T_m, dL/dt = Σ T_m m/(k alpha+m) - Σ C_m m/(alpha+m): nothing cancels for large alpha.
Score score(const TailCounts& counts, double alpha);

/// L(alpha) - L(∞) = Σ C_m log(1 + m/alpha) - Σ T_m log(1 + m/(k alpha)).
double log_likelihood_excess(const TailCounts& counts, double alpha);

/// L(∞) = -log(k) Σ N_i: all ranks alike for everybody.
double log_likelihood_at_infinity(const TailCounts& counts);

/// What dL/dt tends to for alpha -> 0: #{(i, j): y_ij > 0} - #{i: N_i > 0}. Zero when every player
/// was always in one rank.
double score_at_zero(const TailCounts& counts);

/// k A2 = k Σ y(y-1) - Σ N(N-1): L is above L(∞) for large alpha when it is positive.
double overdispersion(const TailCounts& counts);

/// The moment estimate: E Σ_j y_j(y_j-1) = N(N-1)(alpha+1)/(k alpha+1). NaN when it is not
/// positive and finite.
double moment_alpha(const TailCounts& counts);

}  // namespace banzuke::dirichlet_multinomial
