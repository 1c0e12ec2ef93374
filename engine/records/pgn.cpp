#include "engine/records/pgn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/text.hpp"

namespace banzuke {
namespace {

constexpr std::size_t skipped_shown = 20;

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

PgnReader::PgnReader(const PairTableOptions& options, PairTally& tally)
    : bad_records_(options.bad_records),
      encoding_(options.pgn_encoding),
      tally_(tally),
      scanner_([this](PgnRecord& record) { take(record); }) {}

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
  if (!check_name(record.white, "White", record) || !check_name(record.black, "Black", record)) {
    return;
  }
  const Outcome outcome = outcome_of(record);
  if (outcome == Outcome::unknown) return;
  if (record.white.value == record.black.value) {
    return bad({fmt::format("{} plays against itself", in_quotes(record.white.value)), "",
                "correct the name or delete the game", record.line});
  }
  const std::uint32_t white = tally_.player(record.white.value);
  const std::uint32_t black = tally_.player(record.black.value);
  if (outcome == Outcome::unfinished) return count(unfinished_, record.line);
  note_if_repeated(record, white, black, outcome);
  PairCount game;
  game.half_wins1 = outcome == Outcome::white_wins ? 2 : 0;
  game.half_wins2 = outcome == Outcome::black_wins ? 2 : 0;
  game.draws = outcome == Outcome::draw ? 1 : 0;
  tally_.add(white, black, game, scanner_.file(), record.line);
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
    tag.value = from_latin1(tag.value);
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
  if (text == "1-0") return Outcome::white_wins;
  if (text == "0-1") return Outcome::black_wins;
  if (text == "1/2-1/2") return Outcome::draw;
  if (text == "*" || text == "?") return Outcome::unfinished;
  return Outcome::unknown;
}

PgnReader::Outcome PgnReader::outcome_of(const PgnRecord& record) {
  const Outcome marker = outcome_of_text(record.marker);
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
  const Location where{scanner_.file(), problem.line};
  if (bad_records_ == BadRecords::error) {
    throw InputError(
        problem.problem, problem.why,
        problem.remedy + "; or set bad_records = \"skip\" under [games] to leave out such records",
        where);
  }
  ++skipped_;
  if (skipped_list_.size() < skipped_shown) {
    skipped_list_.push_back(InputError(problem.problem, problem.why, "", where).what());
  }
}

void PgnReader::note_if_repeated(const PgnRecord& record, std::uint32_t white, std::uint32_t black,
                                 Outcome outcome) {
  const std::uint64_t players = std::uint64_t{white} << 32 | black;
  const auto result = static_cast<std::uint64_t>(outcome) + 1;
  if (seen_.add(mixed(mixed(players) + 4 * record.identity + result))) return;
  count(record.identified ? repeated_ : indistinct_, record.line);
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
  if (skipped_ > 0) {
    tally_.note(fmt::format("{} skipped, as bad_records = \"skip\" asks for",
                            counted(skipped_, "bad record is", "bad records are")));
    for (const std::string& entry : skipped_list_) tally_.note("skipped: " + entry);
    const auto more = skipped_ - static_cast<std::int64_t>(skipped_list_.size());
    if (more > 0) tally_.note(fmt::format("skipped: and {} more", more));
  }
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
