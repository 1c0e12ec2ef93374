#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::testing {

/// A data set made up by numbers alone: the same on every machine.
struct GeneratedSeason {
  bradley_terry::Schedule schedule;
  std::vector<double> truth;  ///< natural-log abilities
};

/// What a season looks like. Players meet others near them in rating; some play much more.
struct SeasonShape {
  std::uint32_t players = 0;
  std::size_t pairs = 0;
  std::uint64_t games = 0;
  double elo_deviation = 300;  ///< of the ratings, which are about normal
  double neighbours = 0.15;    ///< mean distance in rank of two opponents, as a part of all players
};

/// Throws std::invalid_argument if the shape has fewer pairs than players or more than there are,
/// or fewer games than pairs.
GeneratedSeason generate_season(const SeasonShape& shape, std::uint64_t seed);

inline SeasonShape season_a() {
  return {158, 2500, 45'000, 300, 0.25};
}
inline SeasonShape season_b() {
  return {2000, 60'000, 1'000'000, 300, 0.1};
}
inline SeasonShape season_c() {
  return {20'000, 1'000'000, 10'000'000, 300, 0.05};
}

/// Near-separable: a ladder over 6,700 Elo in which neighbours alone meet, a few games each.
GeneratedSeason generate_ladder(std::uint32_t players, std::uint32_t games);

/// The season's results in one replicate, drawn from the truth.
bradley_terry::PairData play(const GeneratedSeason& season, std::uint64_t seed);

}  // namespace banzuke::testing
