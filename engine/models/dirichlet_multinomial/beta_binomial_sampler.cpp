#include "engine/models/dirichlet_multinomial/beta_binomial_sampler.hpp"

#include <algorithm>
#include <stdexcept>

#include "engine/models/dirichlet_multinomial/gamma_functions.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

constexpr std::uint32_t smallest_n = 12;
constexpr double smallest_shape = 1.1;
constexpr double largest_shape = 1e12;  // keeps the rounding of the tables below 1e-10
constexpr double smallest_acceptance = 0.25;

const NormalZiggurat& shared_ziggurat() {
  static const NormalZiggurat ziggurat;
  return ziggurat;
}

std::vector<double> log_weights(double a, std::uint32_t max_n) {
  std::vector<double> weights(std::size_t{max_n} + 1);
  for (std::size_t y = 0; y < max_n; ++y) {
    const auto at = static_cast<double>(y);
    weights[y + 1] = weights[y] + det_log((a + at) / (1 + at));
  }
  return weights;
}

/// The j-th derivative of g_a, j = 1, 2, 3.
double slope(double a, double y) {
  return digamma(a + y) - digamma(1 + y);
}
double curvature(double a, double y) {
  return trigamma(a + y) - trigamma(1 + y);
}
double third(double a, double y) {
  return tetragamma(a + y) - tetragamma(1 + y);
}

/// g_a(y) - g_a(0) at real y, from the table and one step.
double weight_at(const std::vector<double>& weights, double a, double y) {
  const auto whole = static_cast<std::size_t>(y);
  const auto at = static_cast<double>(whole);
  return weights[whole] + (log_gamma_step(a + at, y - at) - log_gamma_step(1 + at, y - at));
}

}  // namespace

BetaBinomialSampler::BetaBinomialSampler(double a, double b, std::uint32_t max_n)
    : a_(a), b_(b), ziggurat_(&shared_ziggurat()) {
  if (!(a > 0 && b > 0 && a <= largest_shape && b <= largest_shape)) {
    throw std::invalid_argument("a beta-binomial law needs parameters above 0, at most 10^12");
  }
  weight_a_ = log_weights(a, max_n);
  if (a != b) weight_b_ = log_weights(b, max_n);
  // Σ_y exp(g_a(y) + g_b(n-y)) = Γ(a) Γ(b) Γ(a+b+n) / (Γ(a+b) n!), and the tables leave out the
  // first two factors.
  const std::vector<double> log_mass = log_weights(a + b, max_n);
  none_.resize(std::size_t{max_n} + 1);
  hat_.resize(std::size_t{max_n} + 1);
  none_[0] = 1;
  for (std::size_t n = 0; n <= max_n; ++n) {
    const auto size = static_cast<double>(n);
    if (n < max_n) none_[n + 1] = none_[n] * ((b + size) / (a + b + size));
    if (n >= smallest_n && std::min(a, b) > smallest_shape) hat_[n] = hat(size, log_mass[n]);
    if (!hat_[n].usable && none_[n] < 1e-290) {
      throw std::invalid_argument("a beta-binomial law too uneven for this sampler");
    }
  }
}

/// A bound on l'' from above, which is concave: the tangents at both ends of a small bracket of
/// its maximum lie above it.
double BetaBinomialSampler::curvature_bound(double n) const {
  const auto second = [&](double y) { return curvature(a_, y) + curvature(b_, n - y); };
  const auto derivative = [&](double y) { return third(a_, y) - third(b_, n - y); };
  if (a_ == b_) return second(0.5 * n);
  double low = 0, high = n;
  double low_slope = derivative(low), high_slope = derivative(high);
  if (low_slope <= 0) return second(low);
  if (high_slope >= 0) return second(high);
  for (int i = 0; i < 10; ++i) {
    const double middle = 0.5 * (low + high);
    const double at = derivative(middle);
    if (at > 0) {
      low = middle;
      low_slope = at;
    } else {
      high = middle;
      high_slope = at;
    }
  }
  const double width = high - low;
  return std::min(second(low) + low_slope * width, second(high) - high_slope * width);
}

/// Where l' vanishes, or the end of [0, n] towards which l rises: bracketed Newton.
double BetaBinomialSampler::mode(double n) const {
  if (a_ == b_) return 0.5 * n;
  double low = 0, high = n;
  const auto derivative = [&](double y) { return slope(a_, y) - slope(b_, n - y); };
  if (derivative(low) <= 0) return low;
  if (derivative(high) >= 0) return high;
  double y = n * (a_ - 1) / (a_ + b_ - 2);
  for (int i = 0; i < 100; ++i) {
    const double at = derivative(y);
    (at > 0 ? low : high) = y;
    double next = y - at / (curvature(a_, y) + curvature(b_, n - y));
    if (!(next > low && next < high)) next = 0.5 * (low + high);
    const double step = next - y;
    y = next;
    if (step * step < 1e-20 * n * n) break;
  }
  return y;
}

BetaBinomialSampler::Hat BetaBinomialSampler::hat(double n, double log_mass) const {
  const double variance = -1 / curvature_bound(n);
  if (!(variance > 0 && variance < 1e300)) return {};
  const double sigma = __builtin_sqrt(variance);
  const double scale = __builtin_sqrt(variance + 0.5 * sigma);
  const double y0 = mode(n);
  // 1e-9 covers the rounding of the tables: the hat must not dip below the law.
  const double log_peak =
      weight_at(weight_a_, a_, y0) + weight_at(weight_b(), b_, n - y0) + 0.25 / sigma + 1e-9;
  constexpr double root_two_pi = 2.50662827463100050242;
  const bool usable = det_exp(log_mass - log_peak) >= smallest_acceptance * root_two_pi * scale;
  return {y0 + 0.5, scale, n + 1, log_peak, usable};
}

std::uint32_t BetaBinomialSampler::invert(std::uint32_t n, double u) const {
  const auto size = static_cast<double>(n);
  double mass = none_[n];
  double y = 0;
  while (u > mass && y < size) {
    u -= mass;
    mass *= (size - y) * (a_ + y) / ((y + 1) * (b_ + size - y - 1));
    y += 1;
  }
  return static_cast<std::uint32_t>(y);
}

}  // namespace banzuke::dirichlet_multinomial
