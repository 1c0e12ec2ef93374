#include <algorithm>

#include "engine/records/byte_scan.hpp"
#include "engine/records/pgn_scanner.hpp"

namespace banzuke {
namespace {

/// The longest word that can be a game termination marker, and a little more.
constexpr std::ptrdiff_t word_limit = 8;

bool is_space(char c) {
  return is_pgn_blank(c) || is_pgn_line_end(c);
}

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Whether text inside a comment looks like a tag that no program writes into comments.
bool is_tag_of_a_game(std::string_view text) {
  return text.starts_with("[White \"") || text.starts_with("[Black \"") ||
         text.starts_with("[Event \"");
}

}  // namespace

const char* PgnScanner::scan_movetext(const char* at, const char* end, bool last) {
  const char* stretch = at;  // begins outside comments
  const char* p = at;
  while (true) {
    p = find_byte<MovetextStops>(p, end);
    if (p == end) break;
    const char c = *p;
    if (c == '{' || c == ';' || (c == '%' && begins_line(p))) {
      add_movetext(stretch, p);
      outer_ = State::movetext;
      state_ = c == '{' ? State::comment : State::rest_of_line;
      if (c == '{') opened_ = p;
      return p + 1;
    }
    if (c == '[' && (depth_ == 0 || begins_line(p))) {
      add_movetext(stretch, p);
      count_to(p);
      close_record();
      return p;
    }
    if (c == '(' || c == ')') {
      add_movetext(stretch, p);
      record_.has_moves = true;
      depth_ = std::max(0, depth_ + (c == '(' ? 1 : -1));
      stretch = p + 1;
    }
    ++p;
  }
  if (!last) {
    // A word at the end may go on in the next piece.
    const char* word = end;
    while (word != stretch && end - word <= word_limit && !is_space(word[-1])) {
      --word;
    }
    if (end - word <= word_limit) {
      end = word;
      starved_ = true;
    } else {
      ends_inside_word_ = true;
    }
  }
  add_movetext(stretch, end);
  return end;
}

/// Movetext without moves, the usual case in files of results: a marker in a line of its own, an
/// empty line, and the next record. Returns nothing where there is anything else.
const char* PgnScanner::scan_bare_marker(const char* at, const char* end) {
  constexpr std::ptrdiff_t longest = 7;
  if (end - at < longest + 3) return nullptr;
  const std::ptrdiff_t size = at[3] == '\n' ? 3 : at[7] == '\n' ? 7 : 1;
  if (at[size] != '\n' || at[size + 1] != '\n' || at[size + 2] != '[') return nullptr;
  const std::string_view word(at, static_cast<std::size_t>(size));
  const bool is_win = size == 3 && at[1] == '-' && at[0] + at[2] == '0' + '1' &&
                      (at[0] == '0' || at[0] == '1');  // no branch on who won
  if (!is_win && word != "1/2-1/2" && word != "*") return nullptr;
  record_.marker.value = word;
  record_.has_moves = true;
  line_ += 2;
  counted_ = at + size + 2;
  close_record();
  return counted_;
}

const char* PgnScanner::scan_comment(const char* at, const char* end, bool last) {
  constexpr std::ptrdiff_t longest_name = 8;
  while (true) {
    at = find_byte<AnyOf<'}', '['>>(at, end);
    if (at == end) return at;
    if (*at == '}') {
      state_ = outer_;
      opened_ = nullptr;
      return at + 1;
    }
    if (begins_line(at)) {
      if (end - at < longest_name && !last) {
        starved_ = true;
        return at;
      }
      if (is_tag_of_a_game(view(at, end))) {
        settle_opened();
        count_to(at);
        note(tags_in_comments_, line_);
      }
    }
    ++at;
  }
}

void PgnScanner::add_movetext(const char* begin, const char* end) {
  while (end != begin && is_space(end[-1])) --end;
  if (begin == end) return;
  if (record_.line == 0) {
    count_to(begin);
    open_record();
  }
  record_.has_moves = true;
  if (depth_ == 0) text_ = view(begin, end);
}

void PgnScanner::keep_marker() {
  if (text_.empty()) return;
  const char* const begin = text_.data();
  const char* const end = begin + text_.size();
  const char* word = end;
  while (word != begin && end - word < word_limit && !is_space(word[-1])) --word;
  const bool begun_before = word == begin && begin == begin_ && begins_inside_word_;
  const bool fits = end - word < word_limit && !begun_before;
  record_.marker.value = fits ? view(word, end) : std::string_view();
  text_ = {};
}

}  // namespace banzuke
