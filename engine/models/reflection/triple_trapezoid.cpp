#include "engine/models/reflection/triple_trapezoid.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "engine/base/elementary_trig.hpp"
#include "engine/models/reflection/characteristic_field.hpp"
#include "engine/models/reflection/trapezoid_grid.hpp"

namespace banzuke::reflection {
namespace {

constexpr double pi = 0x1.921fb54442d18p+1;
constexpr double tail = 33.0;    ///< an alias has at most e^-33 = 5e-15
constexpr double cutoff = 36.0;  ///< a node left out has at most e^-36 = 2e-16

/// The sums over s end where s^-A is below the cutoff: too far out for less than this A.
constexpr double least_concentration = 6.0;

struct SkillSums {
  double origin_real;
  double origin_imaginary;
  double real;  ///< sum over s > 0, sign weights
  double imaginary;
};

SkillSums sums_of(const CharacteristicField::Row& row, const std::vector<double>& weights) {
  SkillSums sums{0.0, 0.0, 0.0, 0.0};
  for (std::size_t lane = row.begin; lane < row.end; ++lane) {
    sums.real += weights[lane] * row.real[lane];
    sums.imaginary += weights[lane] * row.imaginary[lane];
  }
  if (row.begin == 0 && row.end > 0) {
    sums.origin_real = row.real[0];
    sums.origin_imaginary = row.imaginary[0];
  }
  return sums;
}

/// Rounding of a node's exponent is about epsilon sqrt(2 cutoff A k); nodes round independently.
double error_bound(const Game& game) {
  constexpr double aliases = 8.0 * 4.7e-15;
  constexpr double rounding = 0x1p-53;
  const auto k = static_cast<double>(game.outcomes());
  return aliases + rounding * (40.0 + 0.5 * std::sqrt(2.0 * cutoff * game.concentration * k));
}

void require_lattice(const Game& game) {
  if (!game.lattice) throw std::invalid_argument("the trapezoid needs payoffs on a lattice");
}

/// Calls visit(theta) for the nodes theta = (2l + 1) pi / n that can matter; false if there are
/// more than most_nodes nodes under them.
template <class Visit>
bool for_each_theta(const CharacteristicField& field, std::int64_t n, Visit&& visit) {
  const double spacing = 2.0 * pi / static_cast<double>(n);
  std::int64_t steps = 0;
  for (std::int64_t l = 0; l < n / 2;) {
    if (++steps > most_nodes / 64) return false;
    const double theta = (static_cast<double>(2 * l + 1) * pi) / static_cast<double>(n);
    double gap = 0.0;
    if (field.reaches(theta, gap)) {
      visit(theta);
      if (field.nodes() > most_nodes) return false;
      ++l;
    } else {
      l += 1 + static_cast<std::int64_t>(std::floor(std::min(gap / spacing, 1e12)));
    }
  }
  return true;
}

}  // namespace

std::optional<Probabilities> triple_trapezoid(const Game& game, std::int64_t games, CpuPath path) {
  require_lattice(game);
  if (game.concentration < least_concentration) return std::nullopt;
  const std::int64_t n = score_window(game, games, tail);
  const double fraction = score_fraction(game, games);
  const bool ties = fraction == 0.0;
  // Off the lattice of ties the score is moved to half-integers: the sign does not change.
  const double shift = ties ? 0.0 : 0.5 - fraction;
  CharacteristicField field(game, games,
                            {2.0 * pi / skill_window(game, tail),
                             total_window(game.concentration, games, tail), 0.0, cutoff},
                            path);

  const SkillSums at_zero = sums_of(field.row(0.0, 0.0), field.sign_weights());
  const double unit = at_zero.origin_real;
  const double skill_sign = at_zero.imaginary / unit;
  double score_sign = 0.0;
  double both_signs = 0.0;
  double zero = 0.0;
  double skill_sign_at_zero = 0.0;
  const bool complete = for_each_theta(field, n, [&](double theta) {
    const SinCos half = det_sincos(0.5 * theta);
    const double kernel = (ties ? half.cos : 1.0) / half.sin;
    const double turn = theta * shift;
    const SkillSums plus = sums_of(field.row(theta, turn), field.sign_weights());
    const SkillSums minus = sums_of(field.row(-theta, -turn), field.sign_weights());
    score_sign += kernel * plus.origin_imaginary;
    both_signs += kernel * (0.5 * (minus.real - plus.real));
    zero += plus.origin_real;
    skill_sign_at_zero += 0.5 * (plus.imaginary + minus.imaginary);
  });
  if (!complete) return std::nullopt;
  const double weight = 2.0 / (static_cast<double>(n) * unit);
  score_sign *= weight;
  both_signs *= weight;
  zero = ties ? zero * weight : 0.0;
  skill_sign_at_zero = ties ? skill_sign_at_zero * weight : 0.0;

  const double both =
      0.25 * ((1.0 - zero) + score_sign + (skill_sign - skill_sign_at_zero) + both_signs);
  const double tie = 0.5 * (zero + skill_sign_at_zero);
  const double skill = 0.5 * (1.0 + skill_sign);
  const double score = 0.5 * ((1.0 - zero) + score_sign);
  return from_joint(both, tie, skill, score, zero, error_bound(game) / skill);
}

std::optional<HeadToHead> head_to_head(const Game& game, std::int64_t games, CpuPath path) {
  require_lattice(game);
  if (game.concentration < least_concentration) return std::nullopt;
  const std::int64_t n = score_difference_window(game, games, tail);
  const double m = game.concentration + static_cast<double>(games);
  CharacteristicField field(
      game, games,
      {2.0 * pi / skill_difference_window(game, tail),
       total_window(game.concentration, games, tail), 2.0 * pi / scale_window(m, tail), cutoff},
      path);
  const double unit = field.row(0.0, 0.0).real[0];
  const double unit2 = unit * unit;
  double both_signs = 0.0;
  double zero = 0.0;
  const bool complete = for_each_theta(field, n, [&](double theta) {
    const SinCos half = det_sincos(0.5 * theta);
    double sum = 0.0;
    for (const double sign : {-1.0, 1.0}) {
      const CharacteristicField::Row row = field.row(sign * theta, 0.0);
      for (std::size_t lane = row.begin; lane < row.end; ++lane) {
        const double norm =
            row.real[lane] * row.real[lane] + row.imaginary[lane] * row.imaginary[lane];
        sum -= sign * field.sign_weights()[lane] * norm;
        if (lane == 0 && sign > 0) zero += norm;
      }
    }
    both_signs += half.cos / half.sin * (0.5 * sum);
  });
  if (!complete) return std::nullopt;
  const double weight = 2.0 / (static_cast<double>(n) * unit2);
  both_signs *= weight;
  HeadToHead result;
  result.p_tie = zero * weight;
  result.p_positive = 0.5 * (1.0 - result.p_tie) + 0.5 * both_signs;
  result.p_half = 0.5 + 0.5 * both_signs;
  result.error = 2.0 * error_bound(game);
  return result;
}

}  // namespace banzuke::reflection
