#include "engine/models/reflection/conditional_score.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/base/elementary_trig.hpp"

namespace banzuke::reflection {
namespace {

constexpr double pi = 0x1.921fb54442d18p+1;
constexpr double cutoff = 37.0;

ScoreSign score_sign_of(CpuPath path) {
  if (!is_available(path)) {
    throw std::invalid_argument(std::string("this machine cannot run the CPU path ") +
                                name_of(path));
  }
  switch (path) {
    case CpuPath::avx2:
      return score_sign_avx2();
    case CpuPath::avx512:
      return score_sign_avx512();
    case CpuPath::portable:
      break;
  }
  return score_sign_portable();
}

/// Bernstein's inequality: a score |N f| or more from its mean has less than e^-cutoff.
bool is_certain(double games, double f, double variance, double largest) {
  const double reach = variance + (2.0 / 3.0) * largest * std::abs(f);
  return games * f * f > 2.0 * cutoff * reach;
}

/// Bound of |S| where the sign is uncertain: |N f| and the deviation from it are each below
/// Bernstein's distance for the largest variance there is.
double score_reach(const Game& game, double games) {
  const double range = game.coefficient.front() - game.coefficient.back();
  const double largest = std::max(game.coefficient.front(), -game.coefficient.back());
  const double b = (2.0 / 3.0) * range * cutoff;
  const double deviation = b + std::sqrt(b * b + 0.5 * cutoff * range * range * games);
  return std::min(2.0 * deviation, games * largest) + 1.0;
}

}  // namespace

bool ConditionalScore::is_feasible(const Game& game, std::int64_t games) {
  constexpr double most_entries = 4e6;
  return 0.5 * score_reach(game, static_cast<double>(games)) *
             static_cast<double>(game.outcomes()) <
         most_entries;
}

ConditionalScore::ConditionalScore(const Game& game, std::int64_t games, CpuPath path)
    : kernel_(score_sign_of(path)),
      coefficient_(game.coefficient),
      largest_(std::max(game.coefficient.front(), -game.coefficient.back())) {
  if (!game.lattice) throw std::invalid_argument("scores need payoffs on a lattice");
  if (!is_feasible(game, games)) throw std::invalid_argument("the lattice of scores is too fine");
  const auto n_games = static_cast<double>(games);
  const double reach = score_reach(game, n_games);
  const auto half = static_cast<std::size_t>(std::floor(0.5 * reach)) + 1;  // n = 2 half
  const std::size_t padded = (half + 7) / 8 * 8;
  const double fraction = score_fraction(game, games);
  const bool ties = fraction == 0.0;
  const double shift = ties ? 0.0 : 0.5 - fraction;
  const std::size_t k = game.outcomes();
  versed_.assign(k * padded, 0.0);
  sine_.assign(k * padded, 0.0);
  turn_.assign(padded, 0.0);
  sign_weight_.assign(padded, 0.0);
  const auto n = static_cast<double>(2 * half);
  for (std::size_t l = 0; l < half; ++l) {
    const double theta = (static_cast<double>(2 * l + 1) * pi) / n;
    const SinCos at_half = det_sincos(0.5 * theta);
    sign_weight_[l] = 2.0 / n * ((ties ? at_half.cos : 1.0) / at_half.sin);
    turn_[l] = theta * shift;
    for (std::size_t j = 0; j < k; ++j) {
      const SinCos x = det_sincos(0.5 * theta * game.coefficient[j]);
      versed_[j * padded + l] = -2.0 * x.sin * x.sin;
      sine_[j * padded + l] = 2.0 * x.sin * x.cos;
    }
  }
  nodes_ = {k,
            padded,
            coefficient_.data(),
            versed_.data(),
            sine_.data(),
            turn_.data(),
            sign_weight_.data(),
            ties ? 2.0 / n : 0.0,
            2.0 * pi / n,
            n_games,
            cutoff};
}

ScoreProbabilities ConditionalScore::operator()(const double* x) const {
  double f = 0.0;
  double square = 0.0;
  for (std::size_t j = 0; j < coefficient_.size(); ++j) {
    f += x[j] * coefficient_[j];
    square += x[j] * coefficient_[j] * coefficient_[j];
  }
  const double variance = square - f * f;
  if (is_certain(nodes_.games, f, variance, largest_)) return {f > 0.0 ? 1.0 : 0.0, 0.0};
  const ScoreSigns signs = kernel_(nodes_, x, variance);
  return {0.5 * ((1.0 - signs.zero) + signs.sign), signs.zero};
}

}  // namespace banzuke::reflection
