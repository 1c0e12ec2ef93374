#include "engine/records/pgn_tag.hpp"

#include <algorithm>

#include "engine/records/byte_hash.hpp"
#include "engine/records/byte_scan.hpp"

namespace banzuke {

std::string_view pgn_tag_text(PgnTagName name) {
  switch (name) {
    case PgnTagName::white:
      return "White";
    case PgnTagName::black:
      return "Black";
    case PgnTagName::result:
      return "Result";
    case PgnTagName::date:
      return "Date";
    default:
      return "UTCDate";
  }
}

PgnTagName pgn_tag_name(const char* name, std::size_t length) {
  if (length == 0) return PgnTagName::other;
  std::uint64_t word = load_bytes<std::uint64_t>(name);
  if (length < 8) {
    const std::uint64_t all = ~std::uint64_t{0};
    const std::size_t unused = 64 - 8 * length;
    word &= std::endian::native == std::endian::little ? all >> unused : all << unused;
  }
  const std::string_view whole(name, length);
  const auto if_whole = [&](std::string_view text, PgnTagName tag) {
    return whole == text ? tag : PgnTagName::other;
  };
  switch (word) {
    case packed_bytes("White"):
      return PgnTagName::white;
    case packed_bytes("Black"):
      return PgnTagName::black;
    case packed_bytes("Result"):
      return PgnTagName::result;
    case packed_bytes("Event"):
      return PgnTagName::event;
    case packed_bytes("Site"):
      return PgnTagName::site;
    case packed_bytes("Date"):
      return PgnTagName::date;
    case packed_bytes("Round"):
      return PgnTagName::round;
    case packed_bytes("Board"):
      return PgnTagName::board;
    case packed_bytes("Time"):
      return PgnTagName::time;
    case packed_bytes("UTCDate"):
      return PgnTagName::utc_date;
    case packed_bytes("UTCTime"):
      return PgnTagName::utc_time;
    case packed_bytes("EndTime"):
      return PgnTagName::end_time;
    case packed_bytes("Link"):
      return PgnTagName::link;
    case packed_bytes("GameId"):
      return PgnTagName::game_id;
    case packed_bytes("GameStartTime"):
      return if_whole("GameStartTime", PgnTagName::game_start_time);
    case packed_bytes("StartTime"):
      return if_whole("StartTime", PgnTagName::start_time);
    default:
      return PgnTagName::other;
  }
}

namespace {

constexpr std::ptrdiff_t longest_name = 16;
constexpr std::ptrdiff_t after_value = 4;  // quote, bracket, line end

/// Where the value begins, after [Name and a quote; nothing if the tag is not a plain one.
const char* plain_value(const char* at, PgnTagName& name) {
  const std::uint64_t word = load_bytes<std::uint64_t>(at);
  if (word == packed_bytes("[White \"")) {
    name = PgnTagName::white;
    return at + 8;
  }
  if (word == packed_bytes("[Black \"")) {
    name = PgnTagName::black;
    return at + 8;
  }
  if (word == packed_bytes("[Result ") && at[8] == '"') {
    name = PgnTagName::result;
    return at + 9;
  }
  const char* const begin = at + 1;
  const char* const end = find_byte<AnyOf<' '>>(begin, begin + longest_name);
  if (end == begin + longest_name || end[1] != '"') return nullptr;
  name = pgn_tag_name(begin, static_cast<std::size_t>(end - begin));
  const bool is_named =
      name != PgnTagName::other || (begin != end && std::all_of(begin, end, is_pgn_symbol));
  return is_named ? end + 2 : nullptr;
}

}  // namespace

bool read_plain_tag(const char* at, const char* end, PlainPgnTag& tag) {
  if (end - at < 1 + longest_name + 2) return false;
  const char* const value = plain_value(at, tag.name);
  if (value == nullptr) return false;
  const char* const stop =
      find_byte<ValueStops>(value, end - at < pgn_tag_limit ? end : at + pgn_tag_limit);
  if (end - stop < after_value || *stop != '"' || stop[1] != ']') return false;
  const bool carriage_return = stop[2] == '\r';
  if (stop[carriage_return ? 3 : 2] != '\n') return false;
  tag.value = {value, static_cast<std::size_t>(stop - value)};
  tag.next = stop + (carriage_return ? 4 : 3);
  return true;
}

}  // namespace banzuke
