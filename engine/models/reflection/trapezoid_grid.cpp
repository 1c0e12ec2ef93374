#include "engine/models/reflection/trapezoid_grid.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/elementary.hpp"

namespace banzuke::reflection {
namespace {

/// log E e^(tF).
double skill_cumulant(const Game& game, double t) {
  double sum = 0.0;
  for (std::size_t j = 0; j < game.outcomes(); ++j) {
    sum -= game.alpha[j] * det_log1p(-t * game.coefficient[j]);
  }
  return sum;
}

/// log E e^(tS) where the number of games is Poisson given the gammas: an upper bound of that of S
/// with the number of games fixed, by Jensen's inequality.
double score_cumulant(const Game& game, double lambda, double t) {
  double sum = 0.0;
  for (std::size_t j = 0; j < game.outcomes(); ++j) {
    sum -= game.alpha[j] * det_log1p(-lambda * (det_exp(t * game.coefficient[j]) - 1.0));
  }
  return sum;
}

/// The smallest x over some t > 0 with cumulant(t) - t x <= -tail: each t gives a valid bound.
/// `sigma2` is a variance, 1/`scale` the largest t.
template <class Cumulant>
double chernoff(Cumulant&& cumulant, double tail, double sigma2, double scale) {
  const double root = std::sqrt(2.0 * tail / sigma2);
  double best = 0.0;
  bool found = false;
  for (int i = 4; i <= 16; ++i) {
    const double r = 0.125 * i * root;
    const double t = r / (1.0 + r * scale);
    const double x = (cumulant(t) + tail) / t;
    if (!found || x < best) best = x;
    found = true;
  }
  return best;
}

double largest_coefficient(const Game& game) {
  return std::max(game.coefficient.front(), -game.coefficient.back());
}

double skill_variance(const Game& game) {
  return game.concentration * game.second;
}

double score_variance(const Game& game, double games, double lambda) {
  return games * game.second * (1.0 + lambda);
}

std::int64_t even_above(double x) {
  return 2 * (static_cast<std::int64_t>(std::floor(0.5 * x)) + 1);
}

}  // namespace

double skill_window(const Game& game, double tail) {
  const double sigma2 = skill_variance(game);
  const double scale = largest_coefficient(game);
  const double above =
      chernoff([&](double t) { return skill_cumulant(game, t); }, tail, sigma2, scale);
  const double below =
      chernoff([&](double t) { return skill_cumulant(game, -t); }, tail, sigma2, scale);
  return std::max(above, below);
}

double skill_difference_window(const Game& game, double tail) {
  return chernoff([&](double t) { return skill_cumulant(game, t) + skill_cumulant(game, -t); },
                  tail, 2.0 * skill_variance(game), largest_coefficient(game));
}

std::int64_t score_window(const Game& game, std::int64_t games, double tail) {
  const auto n = static_cast<double>(games);
  const double lambda = n / game.concentration;
  const double sigma2 = score_variance(game, n, lambda);
  const double scale = largest_coefficient(game) * (1.0 + lambda);
  const double above =
      chernoff([&](double t) { return score_cumulant(game, lambda, t); }, tail, sigma2, scale);
  const double below =
      chernoff([&](double t) { return score_cumulant(game, lambda, -t); }, tail, sigma2, scale);
  // One step more: half-integer scores are moved by less than one step.
  return even_above(std::min(std::max(above, below), n * largest_coefficient(game)) + 1.0);
}

std::int64_t score_difference_window(const Game& game, std::int64_t games, double tail) {
  const auto n = static_cast<double>(games);
  const double lambda = n / game.concentration;
  const double bound = chernoff(
      [&](double t) { return score_cumulant(game, lambda, t) + score_cumulant(game, lambda, -t); },
      tail, 2.0 * score_variance(game, n, lambda), largest_coefficient(game) * (1.0 + lambda));
  const double range = n * (game.coefficient.front() - game.coefficient.back());
  return even_above(std::min(bound, range) + 1.0);
}

std::int64_t total_window(double concentration, std::int64_t games, double tail) {
  const auto n = static_cast<double>(games);
  const double lambda = n / concentration;
  // Bernstein's form exp(-M^2 / (2 (sigma^2 + b M))) with the scales of the Poisson and the gamma.
  const double b = tail * (1.0 + 2.0 * lambda) / 3.0;
  const double sigma2 = n * (1.0 + lambda);
  return static_cast<std::int64_t>(std::ceil(b + std::sqrt(b * b + 2.0 * tail * sigma2))) + 2;
}

double scale_window(double m, double tail) {
  const double b = tail / m * (2.0 / 3.0);
  return b + std::sqrt(b * b + 2.0 * tail / m);
}

}  // namespace banzuke::reflection
