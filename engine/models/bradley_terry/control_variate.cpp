#include "engine/models/bradley_terry/control_variate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "engine/models/bradley_terry/moments.hpp"

namespace banzuke::bradley_terry {
namespace {

constexpr std::uint64_t fewest = 10;
/// x^2 within this of a linear function of x, as for a player of one game, adds nothing.
constexpr double collinear = 1e-10;
/// What rounding leaves of a residual variance, relative to the variance.
constexpr double rounding = 1e-12;

/// Residuals are mostly cubic in x, large where x is: the extra variance that the usual formula
/// misses, times the number of replicates (docs/methods/bradley_terry.md).
constexpr double cubic_excess = 54;

using Pair = std::array<double, 2>;

double product(const Pair& a, const Pair& b) {
  return a[0] * b[0] + a[1] * b[1];
}

/// Regression on x and x^2 - variance, whose means are known to be 0.
class Regression {
 public:
  Regression(double n, double x, double x2, double x3, double x4, double variance)
      : n_(n), surplus_{x, x2 - variance} {
    const double a = x2 - x * x, b = x3 - x * x2, c = x4 - x2 * x2;
    const double determinant = a * c - b * b;
    if (determinant > collinear * a * c)
      inverse_ = {{{c / determinant, -b / determinant}, {-b / determinant, a / determinant}}};
    else
      inverse_ = {{{1 / a, 0}, {0, 0}}};
    leverage_ = (1 + product(surplus_, slope(surplus_))) / n;
  }

  /// Coefficients from the covariances with x and x^2.
  Pair slope(const Pair& covariance) const {
    return {product(inverse_[0], covariance), product(inverse_[1], covariance)};
  }
  /// Mean where both controls are 0.
  double mean(double plain, const Pair& slope) const { return plain - product(slope, surplus_); }
  /// Squared standard error of that mean, for a quantity with this variance (divisor n).
  double error(double variance, const Pair& covariance) const {
    const double residual = variance - product(slope(covariance), covariance);
    return std::max(residual, rounding * variance) * n_ / (n_ - 3) * leverage_ *
           (1 + cubic_excess / n_);
  }

 private:
  double n_, leverage_ = 0;
  Pair surplus_;
  std::array<Pair, 2> inverse_{};
};

ControlledSummary plain_summary(const CrossMoments& s, ControlUse use) {
  const auto n = static_cast<double>(s.count);
  MomentSums sums{s.count, 0, 0, 0, 0};
  if (s.count > 0) {
    const double mean = s.d / n;
    sums.mean = mean;
    sums.m2 = std::max(0.0, s.d2 - s.d * mean);
    sums.m4 = s.d4 - mean * (4 * s.d3 - mean * (6 * s.d2 - 3 * s.d * mean));
  }
  const Summary summary = summary_of(sums, 0);
  return {use, s.count, summary.bias, summary.sd / std::sqrt(n), summary.sd, summary.sd_error,
          1,   1};
}

}  // namespace

void CrossMoments::add(double deviation, double control) {
  if (std::isnan(deviation)) return;
  const double deviation2 = deviation * deviation, control2 = control * control;
  ++count;
  x += control;
  x2 += control2;
  x3 += control2 * control;
  x4 += control2 * control2;
  d += deviation;
  d2 += deviation2;
  d3 += deviation2 * deviation;
  d4 += deviation2 * deviation2;
  dx += deviation * control;
  dx2 += deviation * control2;
  d2x += deviation2 * control;
  d2x2 += deviation2 * control2;
}

void CrossMoments::merge(const CrossMoments& other) {
  count += other.count;
  for (double CrossMoments::*sum :
       {&CrossMoments::x, &CrossMoments::x2, &CrossMoments::x3, &CrossMoments::x4, &CrossMoments::d,
        &CrossMoments::d2, &CrossMoments::d3, &CrossMoments::d4, &CrossMoments::dx,
        &CrossMoments::dx2, &CrossMoments::d2x, &CrossMoments::d2x2})
    this->*sum += other.*sum;
}

ControlledSummary controlled_summary(const CrossMoments& sums, double variance,
                                     std::uint64_t replicates) {
  ControlledSummary out = plain_summary(sums, ControlUse::used);
  const auto n = static_cast<double>(sums.count);
  const double x = sums.x / n, x2 = sums.x2 / n, x3 = sums.x3 / n, x4 = sums.x4 / n;
  const double d = sums.d / n, d2 = sums.d2 / n, d3 = sums.d3 / n, d4 = sums.d4 / n;
  out.use = sums.count != replicates                      ? ControlUse::not_always_rated
            : sums.count < fewest                         ? ControlUse::too_few
            : !(variance > 0 && x2 > x * x && d2 > d * d) ? ControlUse::constant
                                                          : ControlUse::used;
  if (out.use != ControlUse::used) return out;
  const double plain_bias_error = out.bias_error * out.bias_error;
  const double plain_error = 4 * out.sd * out.sd * out.sd_error * out.sd_error;

  const Regression regression(n, x, x2, x3, x4, variance);
  const Pair of_d{sums.dx / n - d * x, sums.dx2 / n - d * x2};
  const Pair of_square{sums.d2x / n - d2 * x, sums.d2x2 / n - d2 * x2};
  const double mean = regression.mean(d, regression.slope(of_d));
  const double square = regression.mean(d2, regression.slope(of_square));
  const double mean_error = regression.error(d2 - d * d, of_d);
  // The mean's square is too large by its error; what is left varies as d^2 - 2 mean d does.
  const double estimate = square - mean * mean + mean_error;
  if (!(estimate > 0)) {
    out.use = ControlUse::too_few;
    return out;
  }
  const double spread = (d4 - d2 * d2) - 4 * mean * ((d3 - d2 * d) - mean * (d2 - d * d));
  const Pair of_centred{of_square[0] - 2 * mean * of_d[0], of_square[1] - 2 * mean * of_d[1]};
  const double error =
      regression.error(std::max(0.0, spread), of_centred) + 2 * mean_error * mean_error;
  out.bias = mean;
  out.bias_error = std::sqrt(mean_error);
  out.sd = std::sqrt(std::max(0.0, estimate));
  out.sd_error = std::sqrt(error) / (2 * out.sd);
  out.bias_reduction = plain_bias_error / mean_error;
  out.variance_reduction = plain_error / error;
  return out;
}

ControlledSummary controlled_summary(std::span<const double> deviations,
                                     std::span<const double> controls, double variance) {
  if (deviations.size() != controls.size())
    throw std::invalid_argument("one control a replicate is needed");
  CrossMoments sums;
  for (std::size_t r = 0; r < deviations.size(); ++r) sums.add(deviations[r], controls[r]);
  return controlled_summary(sums, variance, deviations.size());
}

}  // namespace banzuke::bradley_terry
