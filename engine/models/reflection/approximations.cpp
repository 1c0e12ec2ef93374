#include "engine/models/reflection/approximations.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/base/elementary_trig.hpp"
#include "engine/models/reflection/conditional_quadrature.hpp"
#include "engine/models/reflection/skill_quadrature.hpp"

namespace banzuke::reflection {
namespace {

constexpr double pi = 0x1.921fb54442d18p+1;
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

void require_centred(const Game& game) {
  if (!game.centred) throw std::invalid_argument("the arctan laws need payoffs of mean 0");
}

}  // namespace

Probabilities normal_approximation(const Game& game, std::int64_t games, ScoreVariance variance) {
  if (game.outcomes() > most_quadrature_outcomes) {
    throw std::invalid_argument("the normal approximation takes at most five different payoffs");
  }
  const auto n = static_cast<double>(games);
  const auto& c = game.coefficient;
  const auto score = [&](const double* x) -> ScoreProbabilities {
    double f = 0.0;
    double square = 0.0;
    for (std::size_t j = 0; j < c.size(); ++j) {
      f += x[j] * c[j];
      square += x[j] * c[j] * c[j];
    }
    if (variance == ScoreVariance::variance) square -= f * f;
    const double z = std::sqrt(n) * f / std::sqrt(std::max(square, 1e-300));
    return {det_normal_cdf(std::clamp(z, -37.0, 37.0)), 0.0};
  };
  const int nodes = game.outcomes() <= 4 ? 16 : 12;
  const SkillMeans m = SkillQuadrature(game, n, nodes, 14).mean(score);
  return from_joint(m.both, 0.0, m.skill, m.score, 0.0, unknown);
}

Probabilities arctan_law(const Game& game, std::int64_t games) {
  require_centred(game);
  const double ratio = static_cast<double>(games) / (game.concentration + 1.0);
  const double p = 0.5 + det_atan2(std::sqrt(ratio), 1.0) / pi;
  return from_joint(0.5 * p, 0.0, 0.5, 0.5, 0.0, unknown);
}

Probabilities arctan_skew_law(const Game& game, std::int64_t games) {
  require_centred(game);
  const auto n = static_cast<double>(games);
  const double a = game.concentration;
  // Moments of f(x) and of the score S, both of mean 0.
  const double f2 = game.second / (a + 1.0);
  const double f3 = 2.0 * game.third / ((a + 1.0) * (a + 2.0));
  const double s2 = n * game.second * (1.0 + (n - 1.0) / (a + 1.0));
  const double s3 = n * (n - 1.0) * (n - 2.0) * f3 + 3.0 * n * (n - 1.0) * game.third / (a + 1.0) +
                    n * game.third;
  const double rho = n * f2 / std::sqrt(f2 * s2);
  const double angle = det_atan2(rho, std::sqrt(std::max(0.0, 1.0 - rho * rho)));
  const double root = 6.0 * std::sqrt(2.0 * pi);
  const double skill_shift = -f3 / (f2 * std::sqrt(f2)) / root;
  const double score_shift = -s3 / (s2 * std::sqrt(s2)) / root;
  const double skill = 0.5 + skill_shift;
  const double half = 0.5 * (0.5 + angle / pi) + 0.5 * (skill_shift + score_shift);
  // P(S = 0 | f(x) > 0) is a lattice step of the score's density at 0.
  const bool ties = game.lattice && score_fraction(game, games) == 0.0;
  const double zero = ties ? 1.0 / std::sqrt(2.0 * pi * s2) : 0.0;
  Probabilities p;
  p.p_half = half / skill;
  p.p_positive = p.p_half - 0.5 * zero;
  p.p_zero = zero;
  p.p_skill_positive = skill;
  p.p_score_positive = 0.5 + score_shift - 0.5 * zero;
  p.p_score_zero = zero;
  p.p_reverse = p.p_positive * skill / p.p_score_positive;
  p.error = unknown;
  return p;
}

}  // namespace banzuke::reflection
