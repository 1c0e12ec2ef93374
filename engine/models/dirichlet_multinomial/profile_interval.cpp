#include "engine/models/dirichlet_multinomial/profile_interval.hpp"

#include <algorithm>

#include "engine/base/elementary.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Bounds of log alpha that keep alpha and its reciprocal well inside the range of doubles.
constexpr double smallest_t = -600, largest_t = 600;
/// Up to this distance from the mode L is integrated from the score; beyond it logs are summed.
constexpr double near_mode = 0.25;

struct Height {
  double above = 0;  ///< L(t) - level
  double slope = 0;
};

/// L(t) - L(mode) by the two-point Hermite rule with second derivatives; remainder
/// h^7 L^(7) / 100,800. Divisions only, where a sum of logs costs several times as much.
double integrated(const Mode& mode, double t, const Score& at) {
  const double h = t - mode.t;
  const Score& from = mode.score;
  return h * (0.5 * (from.first + at.first) +
              h * (0.1 * (from.second - at.second) + h / 120 * (from.third + at.third)));
}

/// The point where `height` passes 0 between `inside` (≥ 0) and `outside` (< 0, may be infinite):
/// Newton from `t`, kept inside the bracket.
template <class HeightAt>
double solve(HeightAt height, double inside, double outside, double t) {
  const double direction = outside > inside ? 1.0 : -1.0;
  double stride = std::max(0.5, direction * (t - inside));
  for (int i = 0; i < 200; ++i) {
    if (t <= smallest_t) return -infinity;
    if (t >= largest_t) return infinity;
    const Height at = height(t);
    (at.above >= 0 ? inside : outside) = t;
    double next = t - at.above / at.slope;
    const double low = std::min(inside, outside), high = std::max(inside, outside);
    if (!(next > low && next < high && at.slope * direction < 0)) {
      const bool open = outside == infinity || outside == -infinity;
      next = open ? t + direction * stride : 0.5 * (low + high);
      stride *= 2;
    } else {
      const double step = next - t;
      // Newton's next error is about step²/(2 distance to the mode): below 1e-10.
      if (step * step < 2e-10 * direction * (next - inside) || step * step < 1e-26) return next;
    }
    if (high - low < 1e-14 * std::max(1.0, high < 0 ? -low : high)) return next;
    t = next;
  }
  return t;
}

double crossing(const TailCounts& counts, const Mode& mode, double direction, double level,
                int& evaluations) {
  const double information = std::max(1e-9, -mode.score.second);
  // A guess: the bound is for modes so flat that the quadratic says nothing.
  const double width = std::min(5.0, __builtin_sqrt(2 * (mode.excess - level) / information));
  // Third-order start: L ≈ -I h²/2 + L''' h³/6.
  const double skewed = 1 + direction * width * mode.score.third / (6 * information);
  const double start = mode.t + direction * width * std::clamp(skewed, 0.5, 2.0);
  const auto height = [&](double t) {
    const double alpha = det_exp(t);
    const Score at = score(counts, alpha);
    ++evaluations;
    const double h = t - mode.t;
    const double above = h < near_mode && h > -near_mode
                             ? (mode.excess - level) + integrated(mode, t, at)
                             : log_likelihood_excess(counts, alpha) - level;
    return Height{above, at.first};
  };
  const double limit = direction > 0 ? mode.right : mode.left;
  if (!(direction * (limit - start) > 0)) {
    return solve(height, mode.t, limit, 0.5 * (mode.t + limit));
  }
  return solve(height, mode.t, limit, start);
}

/// The crossing on the piece that rises to L(∞), from the asymptote L - L(∞) ≈ k A2/(2 k alpha).
double crossing_from_infinity(const TailCounts& counts, std::span<const Mode> modes, double level,
                              int& evaluations) {
  const auto height = [&](double t) {
    const double alpha = det_exp(t);
    ++evaluations;
    return Height{log_likelihood_excess(counts, alpha) - level, score(counts, alpha).first};
  };
  const double asymptote = overdispersion(counts) / (2 * counts.ranks * level);
  double inside = asymptote > 1e-9 ? det_log(asymptote) : 0.0;
  while (height(inside).above < 0 && inside < largest_t) inside += 1;
  const double limit = modes.empty() ? -infinity : modes.back().right;
  const double start = limit < inside - 0.5 ? inside - 0.5 : 0.5 * (limit + inside);
  return solve(height, inside, limit, start);
}

}  // namespace

double lower_crossing(const TailCounts& counts, std::span<const Mode> modes, double level,
                      int& evaluations) {
  for (const Mode& mode : modes) {
    if (mode.excess >= level) return crossing(counts, mode, -1, level, evaluations);
  }
  return crossing_from_infinity(counts, modes, level, evaluations);
}

double upper_crossing(const TailCounts& counts, std::span<const Mode> modes, double level,
                      int& evaluations) {
  if (level <= 0) return infinity;
  for (auto mode = modes.rbegin(); mode != modes.rend(); ++mode) {
    if (mode->excess >= level) return crossing(counts, *mode, 1, level, evaluations);
  }
  return infinity;
}

}  // namespace banzuke::dirichlet_multinomial
