#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/piece_source.hpp"
#include "engine/records/named_text.hpp"
#include "engine/records/period.hpp"

namespace banzuke {

/// Which column of the file plays which role, by exact name; empty = by the recognised headers.
struct ColumnMap {
  std::string player1 = {}, player2 = {}, games = {}, wins1 = {}, wins2 = {}, draws = {};
  std::string date = {};  ///< looked for only where games are cut into periods
};

/// What becomes of draws: half a win for each, or left out.
enum class Draws { half, drop };

/// What becomes of a record that cannot be used: of a PGN file, or a row without a date that tells
/// its period.
enum class BadRecords { error, skip };

/// How names are written in PGN files.
enum class PgnEncoding { utf8, latin1 };

struct PairTableOptions {
  ColumnMap columns = {};
  Draws draws = Draws::half;
  char separator = ',';  ///< comma, semicolon, tab or bar
  BadRecords bad_records = BadRecords::error;
  PgnEncoding pgn_encoding = PgnEncoding::utf8;
  Period period = Period::none;  ///< what the games are cut into by their dates
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

/// The games of one period.
struct PeriodTable {
  std::string label;  ///< period_label: 2016, 2016-H1, 2016-Q1 or 2016-01
  PairTable table;    ///< with the players of this period only
};

/// Whether the file is read as PGN, by the ending of its name (.pgn in any case, before that of
/// its compression); otherwise it is CSV.
bool is_pgn(std::string_view file);

/// Adds up files of games: CSV files of pair totals or of scheduled games, PGN files, and archives
/// of them; docs/input.md describes them. All functions throw InputError with file and line.
class PairTableReader {
 public:
  explicit PairTableReader(const PairTableOptions& options);
  ~PairTableReader();
  PairTableReader(const PairTableReader&) = delete;
  PairTableReader& operator=(const PairTableReader&) = delete;

  /// A whole file. The text of a CSV file must live as long as the reader.
  void read(const NamedText& file);

  /// A file of any kind, packed or not, whose bytes `source` gives. It is read to its end. PGN need
  /// not fit into memory, CSV must.
  void read(const std::string& file, const PieceSource& source);

  /// A PGN file in pieces of any size, so that it need not fit into memory.
  void begin_pgn(const std::string& file);
  void feed_pgn(std::string_view piece);
  void end_pgn();

  /// The table of all files, with Period::none. Ends the reading.
  PairTable table();
  /// The tables of the periods that have games, ascending in time; with Period::none a single one
  /// without a label. Notes on one period begin with its label, those on the files stand with the
  /// first table. Ends the reading.
  std::vector<PeriodTable> tables();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The same for files that are in memory.
PairTable read_pair_table(std::span<const NamedText> files, const PairTableOptions& options);

}  // namespace banzuke
