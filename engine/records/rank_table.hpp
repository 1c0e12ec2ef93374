#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/records/named_text.hpp"

namespace banzuke {

struct RankTableOptions {
  /// Number of ranks the file must have; 0 = what its first player has.
  int ranks = 0;
  /// CSV: the columns of the ranks, best rank first; empty = `first`, `second`, … where the header
  /// has them, else every column but the name's.
  std::vector<std::string> columns = {};
  char separator = ',';  ///< CSV: comma, semicolon, tab or bar
};

/// How often each player finished in each rank.
struct RankTable {
  int ranks = 0;                      ///< 2 to 64
  std::vector<std::string> names;     ///< in the order of the file, each once
  std::vector<std::uint32_t> counts;  ///< players × ranks, row by row, best rank first
};

/// Most games of one player a table takes.
inline constexpr std::uint32_t max_rank_games = (1u << 22) - 1;

/// Reads `{"name": [c1, c2, c3], …}`: UTF-8, k whole counts a player. Throws InputError with file,
/// line and name: not JSON, another shape, fractional or negative counts, duplicate names, a
/// different number of ranks, too many games, nobody.
RankTable read_rank_json(const NamedText& file, const RankTableOptions& options = {});

/// Reads CSV with a header: the players' column is called `name` or `player`, or is the first one.
/// Throws InputError as read_rank_json does.
RankTable read_rank_csv(const NamedText& file, const RankTableOptions& options = {});

/// By the ending of the file's name, `.json` or `.csv`; throws InputError for any other.
RankTable read_rank_table(const NamedText& file, const RankTableOptions& options = {});

}  // namespace banzuke
