#pragma once
#include <cstdint>
#include <vector>

#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::bradley_terry {

/// Abilities of players drawn from the normal law with mean 0 and this standard deviation:
/// player i's is a function of (seed, point, i) alone.
std::vector<double> normal_abilities(std::uint64_t seed, std::uint32_t point, std::uint32_t players,
                                     double standard_deviation);

/// Every pair meets `games` times.
Schedule round_robin(std::uint32_t players, std::uint32_t games);

/// `games` games, each between a pair drawn anew with equal chances among the pairs of players
/// whose numbers differ by at most `reach`; with players in order of ability: the pairs close in
/// rank. reach = players - 1 allows every pair. Throws std::invalid_argument with fewer than two
/// players, a reach of 0 or beyond the players, and 2^31 games or more.
Schedule random_schedule(std::uint64_t seed, std::uint32_t point, std::uint32_t players,
                         std::uint64_t games, std::uint32_t reach);

}  // namespace banzuke::bradley_terry
