#pragma once
#include <limits>
#include <span>

#include "engine/models/dirichlet_multinomial/likelihood.hpp"

namespace banzuke::dirichlet_multinomial {

/// A finite maximum of the likelihood in t = log alpha, with the monotone piece around it.
struct Mode {
  double t = 0;
  double excess = 0;  ///< L(t) - L(∞)
  Score score;
  double left = -std::numeric_limits<double>::infinity();  ///< minimum next to it, or the end
  double right = std::numeric_limits<double>::infinity();
};

/// Smallest t of {t: L(t) - L(∞) ≥ level}, given the modes in ascending order. With no mode as high
/// as `level` the set is reached from infinity only. -∞ when L stays above the level as alpha -> 0.
double lower_crossing(const TailCounts& counts, std::span<const Mode> modes, double level,
                      int& evaluations);

/// Largest t of the set; +∞ when level ≤ 0.
double upper_crossing(const TailCounts& counts, std::span<const Mode> modes, double level,
                      int& evaluations);

}  // namespace banzuke::dirichlet_multinomial
