#include "engine/models/reflection/closed_form.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

namespace banzuke::reflection {
namespace {

constexpr double pi = 0x1.921fb54442d18p+1;
constexpr std::int64_t anchor_distance = 256;

/// Neumaier's compensated sum (1974).
class Sum {
 public:
  void add(double x) {
    const double t = sum_ + x;
    rest_ += std::abs(sum_) >= std::abs(x) ? (sum_ - t) + x : (x - t) + sum_;
    sum_ = t;
  }
  double value() const { return sum_ + rest_; }

 private:
  double sum_ = 0.0;
  double rest_ = 0.0;
};

/// Gamma(x + 1/2) / Gamma(x + 1) for x >= 0: Stirling's series of the ratio (DLMF 5.11.13) above
/// 64, the functional equation below.
double gamma_ratio(double x) {
  double factor = 1.0;
  while (x < 64.0) {
    factor *= (x + 1.0) / (x + 0.5);
    x += 1.0;
  }
  const double y = 1.0 / x;
  double series = -334477.0 / 2147483648.0;
  series = series * y + 39325.0 / 33554432.0;
  series = series * y + 869.0 / 4194304.0;
  series = series * y - 399.0 / 262144.0;
  series = series * y - 21.0 / 32768.0;
  series = series * y + 5.0 / 1024.0;
  series = series * y + 1.0 / 128.0;
  series = series * y - 1.0 / 8.0;
  return factor * (1.0 + y * series) / std::sqrt(x);
}

/// gamma_ratio(first), gamma_ratio(first + 1), …, by recurrence between direct values.
class GammaRatios {
 public:
  explicit GammaRatios(double first) : x_(first), value_(gamma_ratio(first)) {}
  double value() const { return value_; }
  void next() {
    value_ *= (x_ + 0.5) / (x_ + 1.0);
    x_ += 1.0;
    if (++steps_ % anchor_distance == 0) value_ = gamma_ratio(x_);
  }

 private:
  double x_;
  double value_;
  std::int64_t steps_ = 0;
};

/// Beta-binomial probabilities of M decided games out of N, up to a factor.
struct Decided {
  std::int64_t first = 0;
  std::vector<double> weight;
  std::int64_t start = 0;  ///< where the recurrence began
};

Decided decided_games(std::int64_t games, double decisive, double neutral) {
  if (neutral == 0.0) return {games, {1.0}, games};
  constexpr double negligible = 1e-24;
  const auto n = static_cast<double>(games);
  const auto start = static_cast<std::int64_t>(n * (decisive / (decisive + neutral)));
  const auto ratio = [&](std::int64_t at) {
    const auto m = static_cast<double>(at);
    return ((n - m) * (decisive + m)) / ((m + 1.0) * (neutral + (n - m - 1.0)));
  };
  std::vector<double> above{1.0};
  for (std::int64_t m = start; m < games; ++m) {
    above.push_back(above.back() * ratio(m));
    if (above.back() < negligible) break;
  }
  std::vector<double> below;
  double weight = 1.0;
  for (std::int64_t m = start - 1; m >= 0; --m) {
    weight /= ratio(m);
    below.push_back(weight);
    if (weight < negligible) break;
  }
  Decided decided;
  decided.start = start;
  decided.first = start - static_cast<std::int64_t>(below.size());
  decided.weight.assign(below.rbegin(), below.rend());
  decided.weight.insert(decided.weight.end(), above.begin(), above.end());
  return decided;
}

}  // namespace

bool is_symmetric_three(const Game& game) {
  const auto& c = game.coefficient;
  const std::size_t k = game.outcomes();
  return (k == 2 || (k == 3 && c[1] == 0.0)) && c.front() == -c.back() &&
         game.alpha.front() == game.alpha.back();
}

Probabilities closed_form(const Game& game, std::int64_t games) {
  if (!is_symmetric_three(game)) {
    throw std::invalid_argument("the closed form needs payoffs (d, 0, -d)");
  }
  const double alpha = game.alpha.front();
  const Decided decided =
      decided_games(games, 2.0 * alpha, game.outcomes() == 3 ? game.alpha[1] : 0.0);
  const std::int64_t last = decided.first + static_cast<std::int64_t>(decided.weight.size()) - 1;
  const double alpha_ratio = gamma_ratio(alpha) * alpha;

  Sum total;
  Sum half;    // sum of weight * (1/4 + R)
  Sum tie;     // sum of weight * t over even M
  Sum excess;  // R, the sum of r_0 … r_{m-1}
  double distance = 0.0;
  double lowest = 0.25;
  double highest = 0.25;
  GammaRatios of_m(0.0);
  GammaRatios of_a(alpha);
  bool entered = false;
  for (std::int64_t m = 0; 2 * m <= last; ++m) {
    const double a = alpha + static_cast<double>(m);
    const double increment = of_m.value() * alpha_ratio / (4.0 * pi * a);
    const auto visit = [&](std::int64_t decided_here, double q) {
      if (decided_here < decided.first || decided_here > last) return;
      const double weight = decided.weight[static_cast<std::size_t>(decided_here - decided.first)];
      total.add(weight);
      half.add(weight * q);
      distance += weight * std::abs(static_cast<double>(decided_here - decided.start));
      lowest = entered ? lowest : q;
      highest = q;
      entered = true;
      if (decided_here % 2 == 0) {
        tie.add(weight * (of_m.value() * alpha_ratio / (std::sqrt(pi) * (a * of_a.value()))));
      }
    };
    visit(2 * m, 0.25 + excess.value());
    excess.add(increment);
    visit(2 * m + 1, 0.25 + excess.value());
    of_m.next();
    of_a.next();
  }
  const double p_zero = tie.value() / total.value();
  const double p_half = 2.0 * half.value() / total.value();
  const double both = 0.5 * (p_half - 0.5 * p_zero);
  // Each step of the recurrence rounds the weight at most four times; an error that all share
  // cancels, so it enters by the range of Q over the window. The rest rounds like gamma_ratio.
  constexpr double unit = 0x1p-53;
  const double error = 64.0 * unit + 2.0 * 4.0 * unit * (distance / total.value()) *
                                         ((highest - lowest) + 0.5 * p_zero);
  return from_joint(both, 0.5 * p_zero, 0.5, 0.5 * (1.0 - p_zero), p_zero, error);
}

}  // namespace banzuke::reflection
