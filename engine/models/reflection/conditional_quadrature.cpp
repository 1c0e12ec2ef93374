#include "engine/models/reflection/conditional_quadrature.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/models/reflection/skill_quadrature.hpp"

namespace banzuke::reflection {
namespace {

constexpr double most_lines = 2500.0;
constexpr double rounding_floor = 2e-14;

double difference(const Probabilities& a, const Probabilities& b) {
  return std::max({std::abs(a.p_positive - b.p_positive), std::abs(a.p_zero - b.p_zero),
                   std::abs(a.p_half - b.p_half), std::abs(a.p_skill_positive - b.p_skill_positive),
                   std::abs(a.p_reverse - b.p_reverse)});
}

}  // namespace

Probabilities conditional_quadrature(const Game& game, std::int64_t games, double target,
                                     CpuPath path) {
  if (game.outcomes() > most_quadrature_outcomes) {
    throw std::invalid_argument("conditional quadrature takes at most five different payoffs");
  }
  const ConditionalScore score(game, games, path);
  const std::size_t dimensions = SkillQuadrature::smooth_dimensions(game);
  Probabilities last;
  bool have_last = false;
  double error = 1.0;
  for (int nodes = 8, panel = 12;; nodes += nodes / 2, panel += 2) {
    double lines = 1.0;
    for (std::size_t d = 0; d < dimensions; ++d) lines *= nodes;
    if (have_last && (lines > most_lines || nodes > 120)) break;
    const SkillQuadrature quadrature(game, static_cast<double>(games), nodes, panel);
    const SkillMeans m = quadrature.mean([&score](const double* x) { return score(x); });
    const Probabilities now = from_joint(m.both, m.tie, m.skill, m.score, m.score_zero, 0.0);
    if (have_last) error = 2.0 * difference(now, last) + rounding_floor;
    last = now;
    if (have_last && error <= target) break;
    have_last = true;
  }
  last.error = error;
  return last;
}

}  // namespace banzuke::reflection
