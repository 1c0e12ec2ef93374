#include "engine/records/pgn_scanner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/records/byte_scan.hpp"

namespace banzuke {
namespace {

/// A tag that is longer is malformed.
constexpr std::ptrdiff_t tag_limit = 65536;
/// The longest word that can be a game termination marker, and a little more.
constexpr std::ptrdiff_t word_limit = 8;

/// Tags that tell one game of two players from another: of the seven tag roster, and what servers
/// and tournament programs add.
constexpr std::array<std::string_view, 13> identity_tags{
    "Event",   "Site",    "Date",          "Round", "Board",  "Time",     "UTCDate",
    "UTCTime", "EndTime", "GameStartTime", "Link",  "GameId", "StartTime"};

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\v' || c == '\f';
}
bool is_line_end(char c) {
  return c == '\n' || c == '\r';
}

bool is_symbol(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_blank(*at)) ++at;
  return at;
}

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

/// Whether text inside a comment looks like a tag that no program writes into comments.
bool is_tag_of_a_game(std::string_view text) {
  return text.starts_with("[White \"") || text.starts_with("[Black \"") ||
         text.starts_with("[Event \"");
}

/// Whether a tag's value says anything: "?", "-", "????.??.??" and blanks do not.
bool says_something(std::string_view value) {
  return value.find_first_not_of("?.- ") != std::string_view::npos;
}

}  // namespace

void PgnScanner::begin(const std::string& name) {
  name_ = name;
  record_ = {};
  kept_.clear();
  state_ = State::tags;
  outer_ = State::tags;
  before_ = '\n';
  line_ = 1;
  opened_line_ = 0;
  depth_ = 0;
  line_is_blank_ = true;
  at_start_ = true;
  ends_inside_word_ = false;
}

void PgnScanner::feed(std::string_view piece) {
  if (kept_.empty()) {
    const char* const end = piece.data() + piece.size();
    kept_.assign(scan(piece.data(), end, false), end);
    return;
  }
  kept_.append(piece);
  const char* const begin = kept_.data();
  const char* const rest = scan(begin, begin + kept_.size(), false);
  kept_.erase(0, static_cast<std::size_t>(rest - begin));
}

void PgnScanner::end() {
  scan(kept_.data(), kept_.data() + kept_.size(), true);
  kept_.clear();
  if (state_ == State::comment) {
    set_problem({"a comment begins here and does not end", "the file ends inside it",
                 "close it with a brace, or complete the file", opened_line_});
    open_record();
  }
  close_record();
}

const char* PgnScanner::scan(const char* at, const char* end, bool last) {
  begin_ = at;
  counted_ = at;
  starved_ = false;
  begins_inside_word_ = std::exchange(ends_inside_word_, false);
  if (at_start_) at = skip_byte_order_mark(at, end, last);
  while (at != end && !starved_) {
    switch (state_) {
      case State::tags:
        at = scan_tags(at, end, last);
        break;
      case State::movetext:
        at = scan_movetext(at, end, last);
        break;
      case State::comment:
        at = scan_comment(at, end, last);
        break;
      case State::rest_of_line:
        at = find_byte<AnyOf<'\n', '\r'>>(at, end);
        if (at != end) state_ = outer_;
        break;
    }
  }
  keep_marker();
  settle_opened();
  count_to(at);
  before_ = byte_before(at);
  return at;
}

const char* PgnScanner::skip_byte_order_mark(const char* at, const char* end, bool last) {
  const std::string_view text = view(at, end);
  if (text.size() < 3 && !last) {
    starved_ = true;
    return at;
  }
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF")) {
    throw InputError("the text is UTF-16", "it begins with a UTF-16 byte order mark",
                     "save the file as UTF-8", {name_, 1});
  }
  at_start_ = false;
  if (!text.starts_with("\xEF\xBB\xBF")) return at;
  begin_ = counted_ = at + 3;  // so that the first line begins after the mark
  return at + 3;
}

const char* PgnScanner::scan_tags(const char* at, const char* end, bool last) {
  count_to(at);  // from here on `line_` is kept exact: only this loop steps over line ends
  while (true) {
    at = skip_blanks(at, end);
    if (at == end) return at;
    const char c = *at;
    if (is_line_end(c)) {
      const bool second_half = c == '\n' && byte_before(at) == '\r';
      counted_ = ++at;
      if (second_half) continue;
      ++line_;
      if (line_is_blank_ && record_.line > 0) {
        state_ = State::movetext;
        return at;
      }
      line_is_blank_ = true;
    } else if (c == '[') {
      const char* const next = scan_tag(at, end, last);
      if (starved_) return at;
      line_is_blank_ = false;
      at = next;
      if (state_ != State::tags) return at;
    } else if (c == ';' || (c == '%' && begins_line(at)) || c == '{') {
      line_is_blank_ = false;
      outer_ = State::tags;
      state_ = c == '{' ? State::comment : State::rest_of_line;
      if (c == '{') opened_ = at;
      return at + 1;
    } else {
      state_ = State::movetext;
      return at;
    }
  }
}

const char* PgnScanner::scan_tag(const char* at, const char* end, bool last) {
  const bool may_wait = !last && end - at < tag_limit;
  const char* const limit = end - at < tag_limit ? end : at + tag_limit;
  const auto wait = [&](const char* here) { return starved_ = here == limit && may_wait; };
  open_record();
  const char* const name_begin = skip_blanks(at + 1, limit);
  const char* p = name_begin;
  while (p != limit && is_symbol(*p)) ++p;
  const std::string_view name = view(name_begin, p);
  p = skip_blanks(p, limit);
  if (wait(p)) return at;
  if (name.empty() || p == limit || *p != '"') {
    return malformed_tag(name, at, "a tag is written [Name \"value\"]");
  }
  const char* const value_begin = ++p;
  const char* value_end = nullptr;
  bool loose_quotes = false;
  bool escapes = false;
  while (true) {
    p = find_byte<AnyOf<'"', '\\', '\n', '\r'>>(p, limit);
    if (p == limit || is_line_end(*p)) break;
    if (*p == '\\') {
      escapes = true;
      p = limit - p < 2 || is_line_end(p[1]) ? p + 1 : p + 2;
      continue;
    }
    value_end = p;
    p = skip_blanks(p + 1, limit);
    if (p == limit || *p == ']') break;
    loose_quotes = true;  // a quote that closes nothing belongs to the value
  }
  if (wait(p)) return at;
  if (p == limit || *p != ']') {
    return malformed_tag(name, at,
                         p == limit && limit != end ? "it is longer than 65536 bytes"
                                                    : "no quote and bracket close it in its line");
  }
  if (loose_quotes && tag_called(name) != nullptr) note(loose_quotes_, line_);
  keep_tag(name, view(value_begin, value_end), escapes);
  return p + 1;
}

void PgnScanner::keep_tag(std::string_view name, std::string_view raw, bool escapes) {
  const auto entry = std::find(identity_tags.begin(), identity_tags.end(), name);
  if (entry != identity_tags.end() && says_something(raw)) {
    const auto which = static_cast<std::uint64_t>(entry - identity_tags.begin()) + 1;
    // A sum, so that the order of the tags does not matter.
    record_.identity += (std::hash<std::string_view>{}(raw) ^ which) * 0x9E3779B97F4A7C15u;
    record_.identified = true;
  }
  PgnTag* const used = tag_called(name);
  if (used == nullptr) return;
  PgnTag& tag = *used;
  if (tag.line > 0) {
    set_problem({fmt::format("the record has a second tag {}", name),
                 fmt::format("the first is in line {}", tag.line),
                 "keep one of them, and put an empty line before each tag section", line_});
    return;
  }
  tag.line = line_;
  tag.value.assign(raw);
  if (!escapes) return;
  for (std::size_t i = 0; (i = tag.value.find('\\', i)) != std::string::npos; ++i) {
    // Any other backslash stands for itself.
    const bool is_escape =
        i + 1 < tag.value.size() && (tag.value[i + 1] == '"' || tag.value[i + 1] == '\\');
    if (is_escape) tag.value.erase(i, 1);
  }
}

PgnTag* PgnScanner::tag_called(std::string_view name) {
  if (name == "White") return &record_.white;
  if (name == "Black") return &record_.black;
  if (name == "Result") return &record_.result;
  if (with_dates_ && name == "Date") return &record_.date;
  if (with_dates_ && name == "UTCDate") return &record_.utc_date;
  return nullptr;
}

const char* PgnScanner::malformed_tag(std::string_view name, const char* at, std::string_view why) {
  if (name.empty()) {
    set_problem({"a bracket that begins no tag", std::string(why),
                 "correct the tag, or put other text into a comment in braces", line_});
  } else if (tag_called(name) != nullptr) {
    set_problem(
        {fmt::format("the tag {} is malformed", name), std::string(why), "correct the tag", line_});
  } else {
    note(malformed_tags_, line_);
  }
  outer_ = State::tags;
  state_ = State::rest_of_line;
  return at + 1;
}

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
    while (word != stretch && end - word <= word_limit && !is_blank(word[-1]) &&
           !is_line_end(word[-1])) {
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

void PgnScanner::open_record() {
  if (record_.line == 0) record_.line = line_;
}

void PgnScanner::close_record() {
  keep_marker();
  if (record_.line > 0 || record_.has_moves) {
    open_record();
    take_(record_);
  }
  // Strings keep their memory for the next record.
  for (PgnTag* tag :
       {&record_.white, &record_.black, &record_.result, &record_.date, &record_.utc_date}) {
    tag->value.clear();
    tag->line = 0;
  }
  record_.marker.clear();
  record_.line = 0;
  record_.has_moves = false;
  record_.identity = 0;
  record_.identified = false;
  if (record_.problem.line > 0) record_.problem = {};
  state_ = State::tags;
  line_is_blank_ = true;
  depth_ = 0;
}

void PgnScanner::set_problem(PgnProblem problem) {
  if (record_.problem.line == 0) record_.problem = std::move(problem);
}

void PgnScanner::add_movetext(const char* begin, const char* end) {
  while (end != begin && (is_blank(end[-1]) || is_line_end(end[-1]))) --end;
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
  const auto word = text_.find_last_of(" \t\v\f\r\n") + 1;
  const bool begun_before = word == 0 && text_.data() == begin_ && begins_inside_word_;
  const bool fits = text_.size() - word < static_cast<std::size_t>(word_limit) && !begun_before;
  record_.marker = fits ? text_.substr(word) : std::string_view();
  text_ = {};
}

void PgnScanner::settle_opened() {
  if (opened_ == nullptr) return;
  count_to(opened_);
  opened_line_ = line_;
  opened_ = nullptr;
}

void PgnScanner::count_to(const char* at) {
  if (at <= counted_) return;
  line_ += count_line_ends(counted_, at, byte_before(counted_));
  counted_ = at;
}

bool PgnScanner::begins_line(const char* at) const {
  return is_line_end(byte_before(at));
}

void PgnScanner::note(Oddity& oddity, long line) const {
  if (oddity.count++ == 0) oddity.first = {name_, line};
}

}  // namespace banzuke
