#pragma once
#include <vector>

#include "engine/models/dirichlet_multinomial/tail_counts.hpp"

namespace banzuke::dirichlet_multinomial {

/// A tail as a few weighted points: m < 16 one by one, beyond that bins [a, 1.25 a) with the
/// two-point Gauss rule of the bin (its moments 0 … 3 are kept).
struct CondensedTail {
  std::vector<double> at;
  std::vector<double> weight;
  double first_moment = 0;   ///< Σ m W_m
  double second_moment = 0;  ///< Σ m² W_m
};
CondensedTail condense(const Tail& tail);

/// An interval of t = log alpha in which the score changes its sign once (or an odd number of
/// times: two roots closer than the step of the scan are not seen).
struct RootBracket {
  double low = 0;
  double high = 0;
  bool is_maximum = false;  ///< the score falls from + to -
};

/// What a scan of the score over all alpha found.
struct ScoreScan {
  std::vector<RootBracket> roots;  ///< ascending, maxima and minima in turn
  bool rises_to_infinity = false;  ///< the score is positive for all large alpha
};

/// Scans the sign of the score in steps of 1/4 in log alpha over the range outside of which the
/// sign is certain:
/// - below, dL/dt ≥ (C_0 - T_0) - alpha k Σ T_m/m > 0;
/// - above, alpha dL/dt = Σ T_m m/k - Σ C_m m up to max(Σ T_m (m/k)², Σ C_m m²)/alpha.
/// Condensed sums decide while they are larger than the bound on their error, which follows from
/// the remainder of the Gauss rule; exact sums decide otherwise. Needs score_at_zero > 0.
ScoreScan scan_score(const TailCounts& counts, const CondensedTail& ranks,
                     const CondensedTail& games);

}  // namespace banzuke::dirichlet_multinomial
