#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace banzuke::bradley_terry {

/// Results added up over unordered pairs of players, as arrays of equal length: first < second,
/// sorted by (first, second), each pair once. Wins may be half-integers (a draw as half a win to
/// each); wins_first + wins_second is the pair's number of games, an integer.
struct PairData {
  std::uint32_t players = 0;
  std::vector<std::uint32_t> first, second;
  std::vector<double> wins_first, wins_second;

  std::size_t size() const { return first.size(); }
  double games(std::size_t pair) const { return wins_first[pair] + wins_second[pair]; }
};

/// Who meets whom how often, without results; the same order as PairData.
struct Schedule {
  std::uint32_t players = 0;
  std::vector<std::uint32_t> first, second;
  std::vector<std::uint32_t> games;

  std::size_t size() const { return first.size(); }
};

/// A row of input: any orientation, repeated pairs welcome.
struct PairResult {
  std::uint32_t first = 0, second = 0;
  double wins_first = 0, wins_second = 0;
};

/// Orients, sorts and adds up rows; pairs without a game vanish. Throws std::invalid_argument when
/// a player is out of range or meets itself, when wins are negative, not finite or no multiple of
/// a half, or when a pair's games are no integer below 2^32.
PairData make_pair_data(std::uint32_t players, std::span<const PairResult> rows);

Schedule schedule_of(const PairData& pairs);

/// The pairs between kept players only, who are renumbered in order. `keep` has one entry a player,
/// zero to leave the player out.
PairData restricted(const PairData& pairs, std::span<const std::uint8_t> keep);
Schedule restricted(const Schedule& schedule, std::span<const std::uint8_t> keep);

/// Number of games of each player.
std::vector<double> games_of_players(const PairData& pairs);
std::vector<double> games_of_players(const Schedule& schedule);

/// The player with the most games; of several the first. Zero when there is no player.
std::uint32_t player_with_most_games(const PairData& pairs);
std::uint32_t player_with_most_games(const Schedule& schedule);

}  // namespace banzuke::bradley_terry
