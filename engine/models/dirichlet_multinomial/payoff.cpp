#include "engine/models/dirichlet_multinomial/payoff.hpp"

#include <array>
#include <cmath>
#include <stdexcept>

namespace banzuke::dirichlet_multinomial {
namespace {

double dot(std::span<const double> a, std::span<const double> b) {
  double sum = 0;
  for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
  return sum;
}

}  // namespace

double Payoff::of(std::span<const double> weights) const {
  double sum = 0;
  for (const double weight : weights) sum += weight;
  const double below = is_ratio() ? dot(denominator, weights) : sum;
  return dot(numerator, weights) / below;
}

void check(const Payoff& payoff, std::size_t ranks) {
  const bool ratio = payoff.is_ratio();
  if (payoff.numerator.size() != ranks || (ratio && payoff.denominator.size() != ranks)) {
    throw std::invalid_argument("a payoff needs one weight for each rank");
  }
  for (const double w : payoff.numerator) {
    if (!std::isfinite(w)) throw std::invalid_argument("a payoff weight is not finite");
  }
  double sum = 0;
  for (const double v : payoff.denominator) {
    if (!(v >= 0 && std::isfinite(v))) {
      throw std::invalid_argument("a denominator weight is negative or not finite");
    }
    sum += v;
  }
  if (ratio && sum == 0) throw std::invalid_argument("all denominator weights are 0");
}

Payoff stable_grade(std::span<const double> points, double step, double offset) {
  if (points.empty() || !(step > 0)) {
    throw std::invalid_argument("a stable grade needs points and a positive step");
  }
  Payoff payoff;
  for (const double gain : points) payoff.numerator.push_back(gain / step);
  payoff.numerator.push_back(-offset);
  payoff.denominator.assign(payoff.numerator.size(), 0.0);
  payoff.denominator.back() = 1;
  return payoff;
}

Payoff stable_dan() {
  return stable_grade(std::array{90.0, 45.0, 0.0}, 15, 2);
}

}  // namespace banzuke::dirichlet_multinomial
