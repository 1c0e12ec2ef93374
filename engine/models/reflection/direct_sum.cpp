#include "engine/models/reflection/direct_sum.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/elementary_trig.hpp"

namespace banzuke::reflection {
namespace {

constexpr double pi = 0x1.921fb54442d18p+1;
constexpr double cutoff = 40.0;

struct Sums {
  double total = 0.0;
  double skill = 0.0;
  double both = 0.0;
  double tie = 0.0;
  double score = 0.0;
  double score_zero = 0.0;
};

/// All results y of N games, by recursion over the outcomes.
class Results {
 public:
  Results(const Game& game, std::int64_t games)
      : game_(game), games_(games), fraction_(score_fraction(game, games)), shape_(game.alpha) {
    visit(0, games, 1.0, 0.0);
  }

  const Sums& sums() const { return sums_; }

 private:
  void visit(std::size_t j, std::int64_t left, double weight, double score) {
    const double alpha = game_.alpha[j];
    const double c = game_.coefficient[j];
    if (j + 1 == game_.outcomes()) {
      for (std::int64_t i = 0; i < left; ++i) weight *= factor(alpha, i);
      shape_[j] = alpha + static_cast<double>(left);
      add(weight, score + c * static_cast<double>(left));
      return;
    }
    for (std::int64_t y = 0; y <= left; ++y) {
      shape_[j] = alpha + static_cast<double>(y);
      visit(j + 1, left - y, weight, score + c * static_cast<double>(y));
      weight *= factor(alpha, y);
    }
  }

  /// Ratio of (alpha)_{i+1} / (i+1)! to (alpha)_i / i!, scaled so that products stay in range.
  double factor(double alpha, std::int64_t i) const {
    const auto n = static_cast<double>(i);
    return (alpha + n) / ((n + 1.0) * (1.0 + game_.concentration / static_cast<double>(games_)));
  }

  void add(double weight, double score) {
    const double skill = probability_of_positive(game_.coefficient, shape_);
    sums_.total += weight;
    sums_.skill += weight * skill;
    // On a lattice the score is an integer and the known fraction; else ties are equal to rounding.
    double sign = score;
    if (game_.lattice) {
      sign = std::nearbyint(score - fraction_) + fraction_;
    } else if (std::abs(score) < 1e-9 * static_cast<double>(games_)) {
      sign = 0.0;
    }
    if (sign > 0) {
      sums_.score += weight;
      sums_.both += weight * skill;
    } else if (sign == 0) {
      sums_.score_zero += weight;
      sums_.tie += weight * skill;
    }
  }

  const Game& game_;
  std::int64_t games_;
  double fraction_;
  std::vector<double> shape_;
  Sums sums_;
};

}  // namespace

double probability_of_positive(const std::vector<double>& coefficient,
                               const std::vector<double>& shape) {
  double mean = 0.0;
  double variance = 0.0;
  double largest = 0.0;
  for (std::size_t j = 0; j < shape.size(); ++j) {
    mean += shape[j] * coefficient[j];
    variance += shape[j] * coefficient[j] * coefficient[j];
    largest = std::max(largest, std::abs(coefficient[j]));
  }
  // The line Re s = tau lies where e^K is small; the pole at 0 is passed on one side or the other.
  const double distance = std::min(1.0 / std::sqrt(variance), 0.5 / largest);
  const double tau = mean > 0 ? -distance : distance;
  // The integrand, Gaussian near the origin, stays bounded for |Im u| < pi/4: the rule errs by
  // e^(-pi^2 / (2 h)).
  constexpr double h = 0.125;
  double sum = 0.0;
  double peak = 0.0;
  for (int i = 0; i < 100000; ++i) {
    const double e = det_exp(h * i);
    const double sinh = 0.5 * (e - 1.0 / e);
    const double cosh = 0.5 * (e + 1.0 / e);
    const double y = distance * sinh;
    double exponent = 0.0;
    double angle = 0.0;
    for (std::size_t j = 0; j < shape.size(); ++j) {
      const double real = -tau * coefficient[j];
      const double imaginary = -y * coefficient[j];
      exponent -= 0.5 * shape[j] * det_log1p(2.0 * real + (real * real + imaginary * imaginary));
      angle -= shape[j] * det_atan2(imaginary, 1.0 + real);
    }
    const SinCos direction = det_sincos(angle);
    const double norm = tau * tau + y * y;
    const double magnitude = det_exp(exponent);
    // Re(e^{K} / s) dy/du.
    const double term =
        magnitude * (direction.cos * tau + direction.sin * y) / norm * (distance * cosh);
    sum += i == 0 ? 0.5 * term : term;
    peak = std::max(peak, magnitude);
    if (exponent < det_log(peak) - cutoff) break;
  }
  const double integral = sum * (h / pi);
  return tau > 0 ? integral : 1.0 + integral;
}

double count_results(const Game& game, std::int64_t games) {
  double count = 1.0;
  for (std::size_t j = 1; j < game.outcomes(); ++j) {
    const auto i = static_cast<double>(j);
    count *= (static_cast<double>(games) + i) / i;
  }
  return count;
}

Probabilities direct_sum(const Game& game, std::int64_t games) {
  const Sums sums = Results(game, games).sums();
  return from_joint(sums.both / sums.total, sums.tie / sums.total, sums.skill / sums.total,
                    sums.score / sums.total, sums.score_zero / sums.total, 3e-13);
}

}  // namespace banzuke::reflection
