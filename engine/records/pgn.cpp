#include "engine/records/pgn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.hpp"

namespace banzuke {
namespace {

std::uint64_t mixed(std::uint64_t x) {
  x = (x ^ (x >> 32)) * 0x9E3779B97F4A7C15u;
  return x ^ (x >> 29);
}

bool is_ascii(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c & '\x80') == 0; });
}

std::string from_latin1(std::string_view text) {
  std::string utf8;
  for (const char c : text) {
    const auto code = static_cast<unsigned char>(c);
    if (code < 0x80) {
      utf8 += c;
    } else {
      utf8 += static_cast<char>(0xC0 | (code >> 6));
      utf8 += static_cast<char>(0x80 | (code & 0x3F));
    }
  }
  return utf8;
}

std::string place(const Location& where) {
  return fmt::format("{}:{}", where.file, where.line);
}

std::string counted(std::int64_t n, std::string_view one, std::string_view many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

}  // namespace

PgnReader::PgnReader(const PairTableOptions& options, PeriodTally& tally,
                     BadRecordList& bad_records)
    : encoding_(options.pgn_encoding),
      period_(options.period),
      tally_(tally),
      bad_records_(bad_records),
      scanner_([this](PgnRecord& record) { take(record); }, options.period != Period::none) {}

void PgnReader::end() {
  scanner_.end();
  if (records_ == records_before_) {
    throw InputError("the file has no games", "no tag and no moves in it",
                     "give a PGN file with games", {scanner_.file(), 0});
  }
}

void PgnReader::take(PgnRecord& record) {
  ++records_;
  if (record.problem.line > 0) return bad(record.problem);
  const std::optional<int> period = period_of_game(record);
  PairTally* const tally = period ? &tally_.in(*period) : nullptr;
  const auto white = known_player(record.white, tally);
  const auto black = known_player(record.black, tally);
  if (!white && !check_name(record.white, "White", record)) return;
  if (!black && !check_name(record.black, "Black", record)) return;
  const Outcome outcome = outcome_of(record);
  if (outcome == Outcome::unknown) return;
  if (white && black ? *white == *black : record.white.value == record.black.value) {
    return bad({fmt::format("{} plays against itself", in_quotes(record.white.value)), "",
                "correct the name or delete the game", record.line});
  }
  const bool unfinished = outcome == Outcome::unfinished;
  if (unfinished) count(unfinished_, record.line);
  if (tally == nullptr) return unfinished ? void() : bad_date(record);
  const std::uint32_t first = white ? *white : tally->player(record.white.value);
  const std::uint32_t second = black ? *black : tally->player(record.black.value);
  if (unfinished) return;
  // Games that no tag tells apart need no more memory than their pair does.
  const bool marked = tally->add_game(first, second, static_cast<GameResult>(outcome),
                                      !record.identified, scanner_.file(), record.line);
  if (marked) count(indistinct_, record.line);
  if (record.identified && is_repeated(record, *period, first, second, outcome)) {
    count(repeated_, record.line);
  }
}

std::optional<std::uint32_t> PgnReader::known_player(const PgnTag& tag,
                                                     const PairTally* tally) const {
  // Files of other formats may have names that PGN does not take, so what is plain is asked too.
  if (tally == nullptr || !tag.is_plain || encoding_ != PgnEncoding::utf8) return std::nullopt;
  if (tag.value.empty() || tag.value[0] == ' ' || tag.value[0] == '?') return std::nullopt;
  return tally->known_player(tag.value);
}

std::optional<int> PgnReader::period_of_game(const PgnRecord& record) const {
  if (period_ == Period::none) return 0;
  // Both are of the game's beginning. EventDate is not: an event may go on for years.
  for (const PgnTag* tag : {&record.date, &record.utc_date}) {
    if (tag->line == 0) continue;
    const auto date = parse_date(tag->value);
    if (!date) continue;
    if (const auto number = period_of(period_, *date)) return number;
  }
  return std::nullopt;
}

void PgnReader::bad_date(const PgnRecord& record) {
  const PgnTag& tag = record.date.line > 0 ? record.date : record.utc_date;
  if (tag.line == 0) {
    return bad({"the game has no date",
                fmt::format("period = \"{}\" needs the tag Date or UTCDate", period_word(period_)),
                "add the tag, or delete the record", record.line});
  }
  bad({fmt::format("the date {} does not tell the {}", in_quotes(tag.value),
                   period_ == Period::year ? "year" : "month"),
       fmt::format("period = \"{}\"; dates are written 2016.05.03", period_word(period_)),
       "correct the tag, or delete the record", tag.line});
}

bool PgnReader::check_name(PgnTag& tag, std::string_view role, const PgnRecord& record) {
  if (tag.line == 0) {
    const bool no_tags = record.white.line == 0 && record.black.line == 0 &&
                         record.result.line == 0 && record.has_moves;
    bad({fmt::format("the record has no {}", role),
         no_tags ? "moves, or other text, without the tags of a game" : "",
         "add the tag, or delete the record", record.line});
    return false;
  }
  const auto plain = [](char c) { return c >= ' ' && c <= '~'; };
  const bool is_plain = std::all_of(tag.value.begin(), tag.value.end(), plain);
  if (is_plain && !tag.value.empty() && tag.value[0] != ' ' && tag.value[0] != '?') return true;
  const std::string_view name = trimmed(tag.value);
  if (name.empty() || name == "?") {
    bad({fmt::format("{} is {}", role, in_quotes(tag.value)), "nobody is named",
         "give the player a name or delete the record", tag.line});
    return false;
  }
  if (is_ascii(tag.value)) {
    const auto control = std::find_if(tag.value.begin(), tag.value.end(),
                                      [](char c) { return c < ' ' && c != '\t'; });
    if (control == tag.value.end()) return true;
    bad({fmt::format("the name {} holds a control character", in_quotes(tag.value)), "",
         "correct the name", tag.line});
    return false;
  }
  if (encoding_ == PgnEncoding::latin1) {
    tag.own = from_latin1(tag.value);
    tag.value = tag.own;
  } else if (!is_valid_utf8(tag.value)) {
    bad({fmt::format("the name {} is not UTF-8", in_quotes(tag.value)),
         "the PGN standard has Latin-1, most programs write UTF-8",
         "set pgn_encoding = \"latin-1\" under [games] if that is it, or save the file as UTF-8",
         tag.line});
    return false;
  }
  return true;
}

PgnReader::Outcome PgnReader::outcome_of_text(std::string_view text) {
  if (text.size() == 3) {
    // No branch on who won.
    const bool is_decisive =
        text[1] == '-' && text[0] + text[2] == '0' + '1' && (text[0] == '0' || text[0] == '1');
    if (is_decisive) return static_cast<Outcome>('1' - text[0]);
  }
  if (text == "1/2-1/2") return Outcome::draw;
  if (text == "*" || text == "?") return Outcome::unfinished;
  return Outcome::unknown;
}

PgnReader::Outcome PgnReader::outcome_of(const PgnRecord& record) {
  const Outcome marker = outcome_of_text(record.marker.value);
  if (record.result.line > 0) {
    const Outcome tag = outcome_of_text(record.result.value);
    if (tag == Outcome::unknown) {
      bad({fmt::format("the result {} is not understood", in_quotes(record.result.value)),
           "results are 1-0, 0-1, 1/2-1/2, and * or ? for an unfinished game", "correct the result",
           record.result.line});
    } else if (marker != Outcome::unknown && marker != tag) {
      count(disagreeing_, record.result.line);
    }
    return tag;
  }
  if (marker == Outcome::unknown) {
    bad({"the record has no result", "neither a tag Result nor a marker at the end of the moves",
         "add the tag, or delete the record", record.line});
  } else {
    count(without_result_, record.line);
  }
  return marker;
}

void PgnReader::bad(const PgnProblem& problem) {
  bad_records_.take(problem.problem, problem.why, problem.remedy, {scanner_.file(), problem.line});
}

bool PgnReader::is_repeated(const PgnRecord& record, int period, std::uint32_t white,
                            std::uint32_t black, Outcome outcome) {
  const std::uint64_t players = std::uint64_t{white} << 32 | black;
  // Players are numbered within their period.
  const auto rest = 8 * static_cast<std::uint64_t>(period) + static_cast<std::uint64_t>(outcome);
  return !seen_.add(mixed(mixed(players) + 4 * record.identity + rest + 1));
}

bool PgnReader::Seen::add(std::uint64_t digest) {
  if (digest == 0) digest = 1;
  if (2 * (used_ + 1) > slots_.size()) {
    const std::vector<std::uint64_t> old = std::exchange(
        slots_, std::vector<std::uint64_t>(std::max<std::size_t>(1024, 2 * slots_.size())));
    used_ = 0;
    for (const std::uint64_t entry : old) {
      if (entry != 0) add(entry);
    }
  }
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = static_cast<std::size_t>(digest) & mask;
  while (slots_[slot] != 0) {
    if (slots_[slot] == digest) return false;
    slot = (slot + 1) & mask;
  }
  slots_[slot] = digest;
  ++used_;
  return true;
}

void PgnReader::count(Oddity& oddity, long line) const {
  if (oddity.count++ == 0) oddity.first = {scanner_.file(), line};
}

void PgnReader::finish() {
  if (unfinished_.count > 0) {
    tally_.note(
        fmt::format("{} left out (result * or ?; first: {})",
                    counted(unfinished_.count, "unfinished game is", "unfinished games are"),
                    place(unfinished_.first)));
  }
  if (repeated_.count > 0) {
    tally_.note(fmt::format(
        "{} an earlier one in players, result, event, site, date, round and "
        "time; all are counted (first: {})",
        counted(repeated_.count, "game equals", "games equal"), place(repeated_.first)));
  }
  if (indistinct_.count > 0) {
    tally_.note(fmt::format(
        "{} an earlier one in players and result, and no event, site, date or "
        "round tells games from copies; all are counted (first: {})",
        counted(indistinct_.count, "game equals", "games equal"), place(indistinct_.first)));
  }
  if (without_result_.count > 0) {
    tally_.note(fmt::format(
        "{} no tag Result; the marker at the end of the moves is taken "
        "(first: {})",
        counted(without_result_.count, "game has", "games have"), place(without_result_.first)));
  }
  if (disagreeing_.count > 0) {
    tally_.note(fmt::format(
        "{} another result at the end of the moves than in the tag; the tag is "
        "taken (first: {})",
        counted(disagreeing_.count, "game has", "games have"), place(disagreeing_.first)));
  }
  if (const Oddity& tags = scanner_.malformed_tags(); tags.count > 0) {
    tally_.note(fmt::format("{} malformed and not needed (first: {})",
                            counted(tags.count, "tag is", "tags are"), place(tags.first)));
  }
  if (const Oddity& quotes = scanner_.loose_quotes(); quotes.count > 0) {
    tally_.note(
        fmt::format("{} quotes inside that are not written \\\"; they are taken as part of "
                    "the name (first: {})",
                    counted(quotes.count, "tag has", "tags have"), place(quotes.first)));
  }
  if (const Oddity& lines = scanner_.tags_in_comments(); lines.count > 0) {
    tally_.note(fmt::format(
        "{} like a tag of a game and is read as comment (first: {}): if a "
        "closing brace is missing before it, games are lost",
        counted(lines.count, "line inside a comment looks", "lines inside comments look"),
        place(lines.first)));
  }
}

}  // namespace banzuke
