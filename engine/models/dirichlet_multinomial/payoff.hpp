#pragma once
#include <span>
#include <vector>

namespace banzuke::dirichlet_multinomial {

/// What finishing ranks are worth: Σ w_j x_j, or Σ w_j x_j / Σ v_j x_j, with x the distribution
/// over ranks, best rank first.
struct Payoff {
  std::vector<double> numerator;         ///< w
  std::vector<double> denominator = {};  ///< v ≥ 0, not all 0; empty for a linear payoff

  bool is_ratio() const { return !denominator.empty(); }
  /// The payoff of rank frequencies or of any weights proportional to them. NaN when all are 0,
  /// ±∞ for a ratio by 0.
  double of(std::span<const double> weights) const;
};

/// Throws std::invalid_argument unless the payoff is finite, has `ranks` weights and a denominator
/// that is empty or not negative and not all 0.
void check(const Payoff& payoff, std::size_t ranks);

/// The grade d at which nothing is gained or lost on average, where rank j gains points[j] and the
/// last rank loses step (d + offset):
///   d = Σ points_j x_j / (step x_k) - offset.
/// Throws std::invalid_argument unless step > 0 and there is a point value for each rank but the
/// last.
Payoff stable_grade(std::span<const double> points, double step, double offset);

/// The stable dan of Tenhou's phoenix room: 90 and 45 points, a loss of 15 (dan + 2), so
/// X = (6 x1 + 3 x2 - 2 x4) / x4.
Payoff stable_dan();

}  // namespace banzuke::dirichlet_multinomial
