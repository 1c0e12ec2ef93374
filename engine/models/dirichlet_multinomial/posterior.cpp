#include "engine/models/dirichlet_multinomial/posterior.hpp"

#include <algorithm>
#include <boost/math/quadrature/exp_sinh.hpp>
#include <boost/math/tools/roots.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace banzuke::dirichlet_multinomial {
namespace {

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double pi = 3.14159265358979323846;

struct GammaSum {
  std::vector<double> lambda, beta;
};

/// P(Σ lambda_j G_j ≤ 0) for independent G_j ~ Gamma(beta_j): Gil-Pelaez inversion of
/// φ(t) = Π (1 - i lambda_j t)^(-beta_j), as Imhof (1961) does for quadratic forms:
/// 1/2 - (1/π) ∫_0^∞ sin θ(t) / (t ρ(t)) dt, θ = Σ beta_j atan(lambda_j t),
/// log ρ = Σ beta_j log(1 + lambda_j² t²)/2.
struct Probability {
  double value = 0;
  double error = 0;  ///< as the quadrature estimates it
};
Probability probability_not_positive(GammaSum sum) {
  double largest = 0, smallest = 0, variance = 0;
  for (std::size_t j = 0; j < sum.lambda.size(); ++j) {
    largest = std::max(largest, sum.lambda[j]);
    smallest = std::min(smallest, sum.lambda[j]);
    variance += sum.beta[j] * sum.lambda[j] * sum.lambda[j];
  }
  if (smallest >= 0) return {largest > 0 ? 0.0 : 1.0, 0.0};
  if (largest <= 0) return {1.0, 0.0};
  for (double& lambda : sum.lambda) lambda /= std::sqrt(variance);
  const auto integrand = [&](double t) {
    double theta = 0, log_rho = 0;
    for (std::size_t j = 0; j < sum.lambda.size(); ++j) {
      const double x = sum.lambda[j] * t;
      theta += sum.beta[j] * std::atan(x);
      log_rho += 0.5 * sum.beta[j] * std::log1p(x * x);
    }
    return log_rho > 700 ? 0.0 : std::sin(theta) / t * std::exp(-log_rho);
  };
  boost::math::quadrature::exp_sinh<double> quadrature;
  double error = 0;
  const double integral = quadrature.integrate(integrand, 1e-11, &error);
  return {std::clamp(0.5 - integral / pi, 0.0, 1.0), error / pi};
}

/// The payoff is at most `value` where this sum is not positive.
GammaSum gamma_sum(const std::vector<double>& beta, const Payoff& payoff, double value) {
  GammaSum sum{{}, beta};
  for (std::size_t j = 0; j < beta.size(); ++j) {
    const double below = payoff.is_ratio() ? payoff.denominator[j] : 1.0;
    sum.lambda.push_back(payoff.numerator[j] - value * below);
  }
  return sum;
}

/// E and sd of Σ (w_j - …) x_j and of ratios by one rank.
void set_moments(const std::vector<double>& beta, const Payoff& payoff, PayoffEstimate& out) {
  const double sum = std::accumulate(beta.begin(), beta.end(), 0.0);
  if (!payoff.is_ratio()) {
    double second = 0;
    for (std::size_t j = 0; j < beta.size(); ++j) {
      const double off = payoff.numerator[j] - out.adjusted;
      second += beta[j] / sum * off * off;
    }
    out.mean = out.adjusted;
    out.standard_deviation = std::sqrt(second / (sum + 1));
    return;
  }
  out.mean = out.standard_deviation = not_a_number;
  const auto positive = [](double v) { return v > 0; };
  if (std::count_if(payoff.denominator.begin(), payoff.denominator.end(), positive) != 1) return;
  const auto at = static_cast<std::size_t>(
      std::find_if(payoff.denominator.begin(), payoff.denominator.end(), positive) -
      payoff.denominator.begin());
  // x_j / x_at = G_j / G_at with independent gammas: E = b_j/(b-1), E[G_i G_j]/((b-1)(b-2)).
  const double b = beta[at];
  if (!(b > 1)) return;
  double first = 0, squares = 0;
  for (std::size_t j = 0; j < beta.size(); ++j) {
    if (j == at) continue;
    const double w = payoff.numerator[j];
    first += w * beta[j];
    squares += w * w * beta[j];
  }
  const double v = payoff.denominator[at];
  out.mean = (payoff.numerator[at] + first / (b - 1)) / v;
  if (!(b > 2)) return;
  const double variance =
      (first * first + squares) / ((b - 1) * (b - 2)) - first / (b - 1) * first / (b - 1);
  out.standard_deviation = std::sqrt(variance) / v;
}

}  // namespace

DirichletPosterior::DirichletPosterior(std::span<const double> prior,
                                       std::span<const std::uint32_t> counts)
    : beta_(prior.begin(), prior.end()) {
  if (prior.size() != counts.size()) {
    throw std::invalid_argument("a prior and counts of different numbers of ranks");
  }
  check_concentration();
  for (std::size_t j = 0; j < counts.size(); ++j) beta_[j] += counts[j];
}

DirichletPosterior::DirichletPosterior(double alpha, std::span<const std::uint32_t> counts)
    : beta_(counts.size(), alpha) {
  check_concentration();
  for (std::size_t j = 0; j < counts.size(); ++j) beta_[j] += counts[j];
}

void DirichletPosterior::check_concentration() const {
  if (beta_.size() < 2) throw std::invalid_argument("a prior needs at least two ranks");
  for (const double beta : beta_) {
    if (!(beta > 0 && std::isfinite(beta))) {
      throw std::invalid_argument("a prior concentration is not positive and finite");
    }
  }
}

std::vector<double> DirichletPosterior::mean() const {
  const double sum = std::accumulate(beta_.begin(), beta_.end(), 0.0);
  std::vector<double> out;
  for (const double beta : beta_) out.push_back(beta / sum);
  return out;
}

std::vector<double> DirichletPosterior::standard_deviation() const {
  const double sum = std::accumulate(beta_.begin(), beta_.end(), 0.0);
  std::vector<double> out;
  for (const double beta : beta_) {
    const double mean = beta / sum;
    out.push_back(std::sqrt(mean * (1 - mean) / (sum + 1)));
  }
  return out;
}

double DirichletPosterior::probability_at_most(const Payoff& payoff, double value) const {
  check(payoff, beta_.size());
  return probability_not_positive(gamma_sum(beta_, payoff, value)).value;
}

double DirichletPosterior::quantile(const Payoff& payoff, double p) const {
  check(payoff, beta_.size());
  if (!(p > 0 && p < 1)) throw std::invalid_argument("a quantile needs 0 < p < 1");
  const auto excess = [&](double value) { return probability_at_most(payoff, value) - p; };
  const auto [least, most] = std::minmax_element(payoff.numerator.begin(), payoff.numerator.end());
  if (!payoff.is_ratio() && *least == *most) return *least;
  // Grow a bracket from the payoff of the mean; steps start at the scale of the weights.
  const double centre = payoff.of(beta_);
  double low = centre, high = centre;
  double step = 0.01 * std::max({std::abs(*least), std::abs(*most), 1e-300});
  double at_low = excess(low), at_high = at_low;
  while (at_low > 0 && step < 1e300) {
    high = low;
    at_high = at_low;
    low -= step;
    at_low = excess(low);
    step *= 2;
  }
  while (at_high < 0 && step < 1e300) {
    low = high;
    at_low = at_high;
    high += step;
    at_high = excess(high);
    step *= 2;
  }
  if (!(at_low <= 0 && at_high >= 0)) return not_a_number;
  // What the quadrature cannot settle to 1 % of the tail is not told as if it were known.
  const auto settled = [&](double value) {
    const double error = probability_not_positive(gamma_sum(beta_, payoff, value)).error;
    return error < 0.01 * std::min(p, 1 - p) ? value : not_a_number;
  };
  if (at_low == 0) return settled(low);
  if (at_high == 0) return settled(high);
  std::uintmax_t iterations = 100;
  const auto [a, b] =
      boost::math::tools::toms748_solve(excess, low, high, at_low, at_high,
                                        boost::math::tools::eps_tolerance<double>(40), iterations);
  return settled(0.5 * (a + b));
}

PayoffEstimate payoff_moments(double alpha, std::span<const std::uint32_t> counts,
                              const Payoff& payoff) {
  check(payoff, counts.size());
  const DirichletPosterior posterior(alpha, counts);
  const std::vector<double> frequencies(counts.begin(), counts.end());
  PayoffEstimate out;
  out.raw = payoff.of(frequencies);
  out.adjusted = payoff.of(posterior.concentration());
  set_moments(posterior.concentration(), payoff, out);
  return out;
}

PayoffEstimate estimate_payoff(double alpha, std::span<const std::uint32_t> counts,
                               const Payoff& payoff, double credibility) {
  if (!(credibility > 0 && credibility < 1)) {
    throw std::invalid_argument("a credibility lies between 0 and 1");
  }
  PayoffEstimate out = payoff_moments(alpha, counts, payoff);
  const DirichletPosterior posterior(alpha, counts);
  out.credible = {posterior.quantile(payoff, 0.5 - 0.5 * credibility),
                  posterior.quantile(payoff, 0.5 + 0.5 * credibility)};
  return out;
}

std::vector<std::size_t> ranking(double alpha, int ranks, std::span<const std::uint32_t> counts,
                                 const Payoff& payoff) {
  const auto k = static_cast<std::size_t>(ranks);
  check(payoff, k);
  if (counts.size() % k != 0) throw std::invalid_argument("rank counts must be players x ranks");
  std::vector<double> values;
  for (std::size_t i = 0; i < counts.size(); i += k) {
    values.push_back(payoff.of(DirichletPosterior(alpha, counts.subspan(i, k)).concentration()));
  }
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] > values[b]; });
  return order;
}

}  // namespace banzuke::dirichlet_multinomial
