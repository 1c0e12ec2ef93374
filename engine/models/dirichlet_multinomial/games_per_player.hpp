#pragma once
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "engine/random/stream.hpp"

namespace banzuke::dirichlet_multinomial {

/// The same number of games for everybody.
struct FixedGames {
  std::uint32_t games = 0;
};

/// Games of the players in turn; the list starts again where it ends (so that a list of the right
/// length, say from a data file, is taken as it is).
struct ListedGames {
  std::vector<std::uint32_t> games;
};

/// exp(log median + sigma z), z standard normal, rounded to the nearest integer (halves up) and
/// clamped to [1, max].
struct LognormalGames {
  double median = 0;
  double sigma = 0;
  std::uint32_t max = 8000;
};

/// Each player's number drawn with equal chances from a list.
struct ResampledGames {
  std::vector<std::uint32_t> from;
};

using GamesPerPlayer = std::variant<FixedGames, ListedGames, LognormalGames, ResampledGames>;

/// Throws std::invalid_argument for an empty list, a median or max below 1, a negative sigma, or
/// more games than `max_games_of_a_player`.
void check(const GamesPerPlayer& distribution);

/// The largest number the distribution can give.
std::uint32_t largest(const GamesPerPlayer& distribution);

/// Games of `out.size()` players, the first of which is entity `address.entity`; entity = player.
/// One block a player: a uniform of 52 bits is mapped by the normal quantile or to an index.
/// `address.replicate` is 0 when games are drawn once for a point.
void draw_games(const GamesPerPlayer& distribution, StreamAddress address,
                std::span<std::uint32_t> out);

}  // namespace banzuke::dirichlet_multinomial
