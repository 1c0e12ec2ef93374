#pragma once
#include <cstdint>

#include "engine/models/reflection/probabilities.hpp"
#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

/// The variance of one game's score that the normal approximation of f(y) takes.
enum class ScoreVariance {
  second_moment,  ///< sum_j x_j d_j^2, the study's
  variance,       ///< less the squared mean
};

/// Normal approximation of the score given x, integrated over the skill to 1e-9: a score without
/// ties. At most five different payoffs. p_positive conditions on f(x) > 0; the study's doubled
/// joint probability is 2 p_positive p_skill_positive.
Probabilities normal_approximation(const Game& game, std::int64_t games, ScoreVariance variance);

/// 1/2 + arctan(sqrt(N / (A + 1))) / pi: skill and score jointly normal. Needs a centred game.
Probabilities arctan_law(const Game& game, std::int64_t games);

/// The same with the skewness of both, and the lattice step for ties. Needs a centred game.
Probabilities arctan_skew_law(const Game& game, std::int64_t games);

}  // namespace banzuke::reflection
