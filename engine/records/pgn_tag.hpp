#pragma once
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace banzuke {

/// The tags that are looked at. From `event` on they tell one game of two players from another:
/// some of the seven tag roster, and what servers and tournament programs add.
enum class PgnTagName : std::uint8_t {
  other,
  white,
  black,
  result,
  event,
  site,
  date,
  round,
  board,
  time,
  utc_date,
  utc_time,
  end_time,
  game_start_time,
  link,
  game_id,
  start_time
};

/// The first eight bytes of `text` as load_bytes sees them in memory, zeros after its end.
constexpr std::uint64_t packed_bytes(std::string_view text) {
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < text.size() && i < 8; ++i) {
    const std::uint64_t byte = static_cast<unsigned char>(text[i]);
    word |= byte << 8 * (std::endian::native == std::endian::little ? i : 7 - i);
  }
  return word;
}

/// The tag with this name. Eight bytes from `name` on must be readable.
PgnTagName pgn_tag_name(const char* name, std::size_t length);

/// A stretch of the text that was fed, copied only where it must outlive it.
struct PgnText {
  std::string_view value;  ///< in the text that was fed, or in `own`
  std::string own;

  PgnText() = default;
  PgnText(const PgnText&) = delete;
  PgnText& operator=(const PgnText&) = delete;

  void keep() {
    if (!value.empty() && value.data() != own.data()) value = own.assign(value);
  }
};

/// The name of one of the tags whose value is used.
std::string_view pgn_tag_text(PgnTagName name);

/// The value of a tag, unescaped, and the line it stands in; line 0: the record has no such tag.
struct PgnTag : PgnText {
  long line = 0;
  bool is_plain = false;  ///< known to hold no control characters
};

inline bool is_pgn_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}
inline bool is_pgn_line_end(char c) {
  return c == '\n' || c == '\r';
}
/// What the letters of a tag's name may be.
inline bool is_pgn_symbol(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

/// A tag as nearly all programs write them: [Name "value"] that fills its line, one blank, no
/// escapes and no control characters.
struct PlainPgnTag {
  PgnTagName name = PgnTagName::other;
  std::string_view value;
  const char* next = nullptr;  ///< after the line's end
};

/// Reads the tag that begins at `at` if it is a plain one and lies within [at, end) with its line
/// end; false if it may be anything else.
bool read_plain_tag(const char* at, const char* end, PlainPgnTag& tag);

/// A tag that is longer is malformed.
constexpr std::ptrdiff_t pgn_tag_limit = 65536;

}  // namespace banzuke
