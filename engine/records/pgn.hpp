#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/records/bad_records.hpp"
#include "engine/records/pair_table.hpp"
#include "engine/records/period_tally.hpp"
#include "engine/records/pgn_scanner.hpp"

namespace banzuke {

/// Reads games in PGN into a tally: players and results, never the moves. One reader takes all PGN
/// files of a run, so that copies of a game are seen across files and each note is made once.
/// docs/input.md says what counts, what is left out, and what is a bad record.
class PgnReader {
 public:
  /// Of `options`, `pgn_encoding` and `period` are used. The tally and the list outlive the reader.
  PgnReader(const PairTableOptions& options, PeriodTally& tally, BadRecordList& bad_records);

  void begin(const std::string& file) { scanner_.begin(file), records_before_ = records_; }
  /// Pieces of any size, in order. Throws InputError: a bad record, unless they are skipped.
  void feed(std::string_view piece) { scanner_.feed(piece); }
  /// Ends the file. Throws InputError as `feed` does, and for a file without any record.
  void end();

  /// Gives the tally the notes on all files.
  void finish();

 private:
  /// The first three as in GameResult.
  enum class Outcome : std::uint8_t { white_wins, black_wins, draw, unfinished, unknown };

  /// Games seen, as a set of digests.
  class Seen {
   public:
    /// True if the digest is new.
    bool add(std::uint64_t digest);

   private:
    std::vector<std::uint64_t> slots_;  ///< open addressing, 0 = free; size a power of two
    std::size_t used_ = 0;
  };

  void take(PgnRecord& record);
  /// The player if the name needs no more checks because it had them before.
  std::optional<std::uint32_t> known_player(const PgnTag& tag, const PairTally* tally) const;
  bool check_name(PgnTag& tag, std::string_view role, const PgnRecord& record);
  Outcome outcome_of(const PgnRecord& record);
  std::optional<int> period_of_game(const PgnRecord& record) const;
  void bad_date(const PgnRecord& record);
  static Outcome outcome_of_text(std::string_view text);
  void bad(const PgnProblem& problem);
  bool is_repeated(const PgnRecord& record, int period, std::uint32_t white, std::uint32_t black,
                   Outcome outcome);
  using Oddity = PgnScanner::Oddity;
  void count(Oddity& oddity, long line) const;

  PgnEncoding encoding_;
  Period period_;
  PeriodTally& tally_;
  BadRecordList& bad_records_;
  PgnScanner scanner_;
  Seen seen_;
  std::int64_t records_ = 0, records_before_ = 0;
  Oddity unfinished_, repeated_, indistinct_, without_result_, disagreeing_;
};

}  // namespace banzuke
