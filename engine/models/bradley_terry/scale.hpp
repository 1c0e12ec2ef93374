#pragma once

namespace banzuke::bradley_terry {

/// Elo points of one natural-log unit of ability, 400 / ln 10: Elo = theta * elo_per_natural.
inline constexpr double elo_per_natural = 173.71779276130073;

}  // namespace banzuke::bradley_terry
