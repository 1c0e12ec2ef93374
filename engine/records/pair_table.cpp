#include "engine/records/pair_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <optional>
#include <stdexcept>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/records/archive.hpp"
#include "engine/records/bad_records.hpp"
#include "engine/records/columns.hpp"
#include "engine/records/csv.hpp"
#include "engine/records/packing.hpp"
#include "engine/records/period_tally.hpp"
#include "engine/records/pgn.hpp"

namespace banzuke {
namespace {

/// Reads one file of pair totals into the tally.
class PairFile {
 public:
  PairFile(const NamedText& file, const PairTableOptions& options, PeriodTally& tally,
           BadRecordList& bad_records)
      : csv_(file, options.separator),
        columns_(find_columns(csv_, options.columns, options.period)),
        draws_(options.draws),
        period_(options.period),
        tally_(tally),
        bad_records_(bad_records) {}

  bool has_results() const { return columns_.has_results(); }

  void read() {
    note_unused_columns();
    const std::int64_t before = tally_.games_total();
    const std::int64_t bad_before = bad_records_.size();
    bool rows = false;
    while (csv_.next()) {
      rows = true;
      const std::optional<int> number = period_of_row();
      if (!number) continue;
      PairTally& tally = tally_.in(*number);
      const std::uint32_t player1 = player(tally, columns_.player1);
      const std::uint32_t player2 = player(tally, columns_.player2);
      tally.add(player1, player2, count(), csv_.file(), csv_.line());
    }
    if (!rows) {
      throw InputError("the file has a header and no rows", "", "give a file with games",
                       {csv_.file(), 0});
    }
    if (tally_.games_total() == before && bad_records_.size() == bad_before) {
      throw InputError("the file has no games", "all counts are 0", "give a file with games",
                       {csv_.file(), 0});
    }
  }

 private:
  std::optional<int> period_of_row() {
    if (period_ == Period::none) return 0;
    const std::string_view text = trimmed(csv_.fields()[*columns_.date]);
    const auto date = parse_date(text);
    const auto number = date ? period_of(period_, *date) : std::nullopt;
    if (!number) {
      const std::string column = in_quotes(csv_.header()[*columns_.date]);
      const std::string_view unit = period_ == Period::year ? "year" : "month";
      bad_records_.take(text.empty() ? fmt::format("column {} holds no date", column)
                                     : fmt::format("column {} holds {}", column, in_quotes(text)),
                        date || text.empty() ? fmt::format("period = \"{}\" needs the {}",
                                                           period_word(period_), unit)
                                             : "not a date that can be read in one way only",
                        "write dates with the year first, as in 2016-05-03", csv_.where());
    }
    return number;
  }

  std::uint32_t player(PairTally& tally, std::size_t column) {
    const std::string_view name = csv_.fields()[column];
    if (trimmed(name).empty()) {
      throw InputError(fmt::format("column {} holds no name", in_quotes(csv_.header()[column])), "",
                       "give the player a name or delete the row", csv_.where());
    }
    return tally.player(name);
  }

  PairCount count() const {
    PairCount count;
    if (columns_.games) {
      count.scheduled = whole(*columns_.games);
      return count;
    }
    count.half_wins1 = halves(*columns_.wins1);
    count.half_wins2 = halves(*columns_.wins2);
    if (columns_.draws) count.draws = whole(*columns_.draws);
    if (((count.half_wins1 | count.half_wins2) & 1) != 0) check_half_wins(count);
    return count;
  }

  std::int64_t whole(std::size_t column) const {
    const std::int64_t twice = halves(column);
    if (twice % 2 != 0) {
      fail(column, "not a whole number", "write a whole number of games");
    }
    return twice / 2;
  }

  /// Twice the count in `column`.
  std::int64_t halves(std::size_t column) const {
    const std::string_view text = csv_.fields()[column];
    if (!text.empty() && text.size() <= 9) {
      std::int64_t value = 0;
      std::size_t digits = 0;
      while (digits < text.size() && text[digits] >= '0' && text[digits] <= '9') {
        value = 10 * value + (text[digits++] - '0');
      }
      if (digits == text.size()) return 2 * value;
    }
    return halves_of_number(column);
  }

  std::int64_t halves_of_number(std::size_t column) const {
    constexpr std::string_view remedy = "write a whole number of games";
    const std::string_view text = trimmed(csv_.fields()[column]);
    if (text.empty()) fail(column, "a count is missing", "write 0 where there were no games");
    const auto value = parse_double(text);
    if (!value) {
      fail(column, "not a number",
           text.find(',') == std::string_view::npos
               ? remedy
               : "write decimals with a point, and no separators of thousands");
    }
    if (!std::isfinite(*value)) fail(column, "not finite", remedy);
    if (*value < 0) fail(column, "a count cannot be negative", remedy);
    if (*value > static_cast<double>(PairTally::max_games)) {
      fail(column, fmt::format("the limit of a pair is {} games", PairTally::max_games), remedy);
    }
    const double twice = 2 * *value;
    if (twice != std::floor(twice)) fail(column, "not a whole number", remedy);
    return static_cast<std::int64_t>(twice);
  }

  /// Half wins are draws entered as halves; they need both sides to agree and no draws column.
  void check_half_wins(const PairCount& count) const {
    const std::size_t column = count.half_wins1 % 2 != 0 ? *columns_.wins1 : *columns_.wins2;
    if (columns_.draws) {
      fail(column, "not a whole number, though the draws have a column of their own",
           "count wins without draws, or rename the column of draws");
    }
    if ((count.half_wins1 + count.half_wins2) % 2 != 0) {
      fail(column, "the wins of the two players do not add up to a whole number of games",
           "give half a win to both for each draw");
    }
    if (draws_ == Draws::drop) {
      fail(column, "draws entered as halves cannot be taken out again",
           "set draws = \"half\" under [games], or count wins without draws");
    }
  }

  [[noreturn]] void fail(std::size_t column, std::string_view why, std::string_view remedy) const {
    throw InputError(fmt::format("column {} holds {}", in_quotes(csv_.header()[column]),
                                 in_quotes(csv_.fields()[column])),
                     why, remedy, csv_.where());
  }

  void note_unused_columns() {
    std::vector<std::string> unused;
    for (std::size_t column = 0; column < csv_.header().size(); ++column) {
      const bool used = column == columns_.player1 || column == columns_.player2 ||
                        columns_.games == column || columns_.wins1 == column ||
                        columns_.wins2 == column || columns_.draws == column ||
                        columns_.date == column;
      if (!used) unused.push_back(csv_.header()[column]);
    }
    if (unused.empty()) return;
    tally_.note(fmt::format("{}: not used: column{} {}", csv_.file(), unused.size() == 1 ? "" : "s",
                            header_text(unused)));
  }

  CsvReader csv_;
  GameColumns columns_;
  Draws draws_;
  Period period_;
  PeriodTally& tally_;
  BadRecordList& bad_records_;
};

}  // namespace

bool is_pgn(std::string_view file) {
  const Packing packing = packing_of(file);
  if (packing.container == Container::none) file = packing.inner;
  constexpr std::string_view ending = ".pgn";
  if (file.size() < ending.size()) return false;
  file.remove_prefix(file.size() - ending.size());
  return std::equal(file.begin(), file.end(), ending.begin(), [](char a, char b) {
    return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b);
  });
}

struct PairTableReader::State {
  explicit State(const PairTableOptions& the_options)
      : options(the_options),
        tally(options.period, options.draws),
        bad_records(options.bad_records),
        pgn(options, tally, bad_records) {}

  /// A run takes one kind of file.
  void check_kind(const std::string& file, bool results) {
    const auto kind = [](bool has) { return has ? "has results" : "is a schedule"; };
    if (has_results && *has_results != results) {
      throw InputError(
          fmt::format("the file {}, but {} {}", kind(results), first_file, kind(*has_results)),
          "a run takes either schedules or results", "leave out one kind of file", {file, 0});
    }
    if (!has_results) first_file = file;
    has_results = results;
  }

  void read_csv(const NamedText& file) {
    PairFile csv(file, options, tally, bad_records);
    check_kind(file.name, csv.has_results());
    for (const NamedText& earlier : csv_files) {
      if (file.text == earlier.text) {
        tally.note(fmt::format("{} and {} have the same content, and both are counted",
                               earlier.name, file.name));
        break;
      }
    }
    csv_files.push_back(file);
    csv.read();
  }

  /// One file as it is after unpacking; `file` is for messages.
  void read_unpacked(const std::string& file, bool as_pgn, const PieceSource& source) {
    std::string_view piece = source();
    check_not_packed(piece, file);
    if (as_pgn) {
      check_kind(file, true);
      pgn.begin(file);
      for (; !piece.empty(); piece = source()) pgn.feed(piece);
      return pgn.end();
    }
    std::string& text = texts.emplace_back();
    for (; !piece.empty(); piece = source()) text.append(piece);
    read_csv({file, text});
  }

  PairTableOptions options;
  PeriodTally tally;
  BadRecordList bad_records;
  PgnReader pgn;
  std::optional<bool> has_results;
  std::string first_file;
  std::vector<NamedText> csv_files;
  std::deque<std::string> texts;  ///< of CSV files that came as streams
};

PairTableReader::PairTableReader(const PairTableOptions& options)
    : state_(std::make_unique<State>(options)) {}
PairTableReader::~PairTableReader() = default;

void PairTableReader::read(const NamedText& file) {
  if (!is_pgn(file.name)) return state_->read_csv(file);
  begin_pgn(file.name);
  feed_pgn(file.text);
  end_pgn();
}

void PairTableReader::read(const std::string& file, const PieceSource& source) {
  const Packing packing = packing_of(file);
  const PieceSource content = decompressed(file, packing.compression, source);
  if (packing.container == Container::none) {
    return state_->read_unpacked(file, is_pgn(file), content);
  }
  ArchiveReader archive(file, packing.container, content);
  bool is_empty = true;
  while (archive.next()) {
    is_empty = false;
    state_->read_unpacked(archive.name(), is_pgn(archive.name()), [&] { return archive.read(); });
  }
  for (std::string& note : archive.notes()) state_->tally.note(std::move(note));
  if (is_empty) {
    throw InputError("the archive has no file that ends in .pgn or .csv", "",
                     "give an archive with files of games", {file, 0});
  }
}

void PairTableReader::begin_pgn(const std::string& file) {
  state_->check_kind(file, true);
  state_->pgn.begin(file);
}

void PairTableReader::feed_pgn(std::string_view piece) {
  state_->pgn.feed(piece);
}

void PairTableReader::end_pgn() {
  state_->pgn.end();
}

PairTable PairTableReader::table() {
  if (state_->options.period != Period::none) {
    throw std::logic_error("PairTableReader::table: the games are cut into periods");
  }
  return std::move(tables()[0].table);
}

std::vector<PeriodTable> PairTableReader::tables() {
  if (!state_->has_results) {
    throw InputError("no file of games", "", "name at least one under [games] files");
  }
  if (state_->tally.games_total() == 0) {
    throw InputError("no game is left", "all records are unfinished games or skipped",
                     "give files with games", {state_->first_file, 0});
  }
  for (std::string& note : state_->bad_records.notes()) state_->tally.note(std::move(note));
  state_->pgn.finish();
  return state_->tally.tables(*state_->has_results);
}

PairTable read_pair_table(std::span<const NamedText> files, const PairTableOptions& options) {
  PairTableReader reader(options);
  for (const NamedText& file : files) reader.read(file);
  return reader.table();
}

}  // namespace banzuke
