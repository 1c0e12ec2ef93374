#include "engine/records/pgn_tag.hpp"

#include <algorithm>

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

bool read_plain_tag(const char* at, const char* end, PlainPgnTag& tag) {
  constexpr std::ptrdiff_t longest_name = 16;
  constexpr std::ptrdiff_t after_value = 4;  // quote, bracket, line end
  const char* const name = at + 1;
  if (end - name < longest_name + after_value) return false;
  const char* const name_end = find_byte<AnyOf<' '>>(name, name + longest_name);
  if (name_end == name + longest_name || name_end[1] != '"') return false;
  tag.name = pgn_tag_name(name, static_cast<std::size_t>(name_end - name));
  if (tag.name == PgnTagName::other &&
      (name == name_end || !std::all_of(name, name_end, is_pgn_symbol))) {
    return false;
  }
  const char* const value = name_end + 2;
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
