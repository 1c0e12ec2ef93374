#include <fmt/format.h>

#include <array>

#include "engine/records/byte_hash.hpp"
#include "engine/records/byte_scan.hpp"
#include "engine/records/pgn_scanner.hpp"

namespace banzuke {
namespace {

const char* skip_blanks(const char* at, const char* end) {
  while (at != end && is_pgn_blank(*at)) ++at;
  return at;
}

std::string_view view(const char* begin, const char* end) {
  return {begin, static_cast<std::size_t>(end - begin)};
}

PgnTagName tag_name(std::string_view name) {
  std::array<char, 8> room{};
  if (name.size() >= room.size()) return pgn_tag_name(name.data(), name.size());
  name.copy(room.data(), room.size());
  return pgn_tag_name(room.data(), name.size());
}

/// Whether a tag's value says anything: "?", "-", "????.??.??" and blanks do not.
bool says_something(std::string_view value) {
  for (const char c : value) {
    if (c != '?' && c != '.' && c != '-' && c != ' ') return true;
  }
  return false;
}

/// Any backslash that escapes nothing stands for itself.
void unescape(PgnTag& tag) {
  tag.own.assign(tag.value);
  for (std::size_t i = 0; (i = tag.own.find('\\', i)) != std::string::npos; ++i) {
    const bool is_escape =
        i + 1 < tag.own.size() && (tag.own[i + 1] == '"' || tag.own[i + 1] == '\\');
    if (is_escape) tag.own.erase(i, 1);
  }
  tag.value = tag.own;
}

}  // namespace

inline PgnTag* PgnScanner::used_tag(PgnTagName name) {
  switch (name) {
    case PgnTagName::white:
      return &record_.white;
    case PgnTagName::black:
      return &record_.black;
    case PgnTagName::result:
      return &record_.result;
    case PgnTagName::date:
      return with_dates_ ? &record_.date : nullptr;
    case PgnTagName::utc_date:
      return with_dates_ ? &record_.utc_date : nullptr;
    default:
      return nullptr;
  }
}

void PgnScanner::identify(PgnTagName name, std::string_view raw) {
  if (!says_something(raw)) return;
  // A sum, so that the order of the tags does not matter.
  record_.identity += (byte_hash(raw) ^ static_cast<std::uint64_t>(name)) * 0x9E3779B97F4A7C15u;
  record_.identified = true;
}

void PgnScanner::second_tag(PgnTagName name, const PgnTag& first) {
  set_problem({fmt::format("the record has a second tag {}", pgn_tag_text(name)),
               fmt::format("the first is in line {}", first.line),
               "keep one of them, and put an empty line before each tag section", line_});
}

inline PgnTag* PgnScanner::keep_tag(PgnTagName name, std::string_view raw) {
  if (name >= PgnTagName::event) identify(name, raw);
  PgnTag* const tag = used_tag(name);
  if (tag == nullptr) return nullptr;
  if (tag->line > 0) {
    second_tag(name, *tag);
    return nullptr;
  }
  tag->line = line_;
  tag->value = raw;
  return tag;
}

const char* PgnScanner::scan_tags(const char* at, const char* end, bool last) {
  count_to(at);  // from here on `line_` is kept exact: only this loop steps over line ends
  while (true) {
    at = skip_blanks(at, end);
    if (at == end) return at;
    const char c = *at;
    if (is_pgn_line_end(c)) {
      const bool second_half = c == '\n' && byte_before(at) == '\r';
      counted_ = ++at;
      if (second_half) continue;
      ++line_;
      if (line_is_blank_ && record_.line > 0) {
        state_ = State::movetext;
        const char* const next = scan_bare_marker(at, end);
        if (next == nullptr) return at;
        at = next;
      }
      line_is_blank_ = true;
    } else if (c == '[') {
      if (PlainPgnTag tag; read_plain_tag(at, end, tag)) {
        open_record();
        if (PgnTag* const kept = keep_tag(tag.name, tag.value)) kept->is_plain = true;
        counted_ = at = tag.next;
        ++line_;
        line_is_blank_ = true;
        continue;
      }
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
  const bool may_wait = !last && end - at < pgn_tag_limit;
  const char* const limit = end - at < pgn_tag_limit ? end : at + pgn_tag_limit;
  const auto wait = [&](const char* here) { return starved_ = here == limit && may_wait; };
  open_record();
  const char* const name_begin = skip_blanks(at + 1, limit);
  const char* p = name_begin;
  while (p != limit && is_pgn_symbol(*p)) ++p;
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
    if (p == limit || is_pgn_line_end(*p)) break;
    if (*p == '\\') {
      escapes = true;
      p = limit - p < 2 || is_pgn_line_end(p[1]) ? p + 1 : p + 2;
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
  const PgnTagName known = tag_name(name);
  if (loose_quotes && used_tag(known) != nullptr) note(loose_quotes_, line_);
  if (PgnTag* const tag = keep_tag(known, view(value_begin, value_end))) {
    tag->is_plain = false;
    if (escapes) unescape(*tag);
  }
  return p + 1;
}

const char* PgnScanner::malformed_tag(std::string_view name, const char* at, std::string_view why) {
  if (name.empty()) {
    set_problem({"a bracket that begins no tag", std::string(why),
                 "correct the tag, or put other text into a comment in braces", line_});
  } else if (used_tag(tag_name(name)) != nullptr) {
    set_problem(
        {fmt::format("the tag {} is malformed", name), std::string(why), "correct the tag", line_});
  } else {
    note(malformed_tags_, line_);
  }
  outer_ = State::tags;
  state_ = State::rest_of_line;
  return at + 1;
}

}  // namespace banzuke
