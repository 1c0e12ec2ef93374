#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/records/named_text.hpp"

namespace banzuke {

/// Which column of the file plays which role, by exact name; empty = by the recognised headers.
struct ColumnMap {
  std::string player1 = {}, player2 = {}, games = {}, wins1 = {}, wins2 = {}, draws = {};
};

/// What becomes of draws: half a win for each, or left out.
enum class Draws { half, drop };

struct PairTableOptions {
  ColumnMap columns = {};
  Draws draws = Draws::half;
  char separator = ',';  ///< comma, semicolon, tab or bar
};

/// Pair totals of games: who played whom how often and, unless it is a schedule, who won.
struct PairTable {
  std::vector<std::string> names;  ///< order of first appearance; also players without a game
  /// Pairs with at least one game: first < second, sorted by (first, second), each once.
  std::vector<std::uint32_t> first, second;
  /// Wins a pair, a draw as half a win for each under Draws::half; empty for a schedule.
  std::vector<double> wins_first, wins_second;
  /// Games a pair, at most 2^31 - 1; without the draws under Draws::drop.
  std::vector<std::int64_t> games;
  /// Draws read, kept or dropped. A row of half wins without a draws column counts one, which is
  /// the least it can hold.
  std::int64_t draws_total = 0;
  std::int64_t half_rows = 0;      ///< rows of such half wins: draws_total is a lower bound if > 0
  std::int64_t games_total = 0;    ///< all games read, dropped draws too
  bool has_results = false;        ///< false: a schedule
  std::vector<std::string> notes;  ///< what the user should know, one sentence each
};

/// Reads CSV files of pair totals or of scheduled games and adds them up; docs/input.md describes
/// the headers, counts and draws. Throws InputError with file and line.
PairTable read_pair_table(std::span<const NamedText> files, const PairTableOptions& options);

}  // namespace banzuke
