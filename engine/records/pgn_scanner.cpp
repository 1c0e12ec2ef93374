#include "engine/records/pgn_scanner.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <utility>

#include "engine/records/byte_scan.hpp"

namespace banzuke {

void PgnRecord::reset() {
  for (PgnTag* tag : {&white, &black, &result, &date, &utc_date}) {
    tag->value = {};
    tag->line = 0;
  }
  marker.value = {};
  line = 0;
  has_moves = false;
  identity = 0;
  identified = false;
  if (problem.line > 0) problem = {};
}

void PgnRecord::keep() {
  for (PgnText* text :
       std::initializer_list<PgnText*>{&white, &black, &result, &date, &utc_date, &marker}) {
    text->keep();
  }
}

void PgnScanner::begin(const std::string& name) {
  name_ = name;
  record_.reset();
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
  const char* at = piece.data();
  const char* const end = at + piece.size();
  if (!kept_.empty()) at = feed_kept(at, end);
  if (at != end) kept_.assign(scan(at, end, false), end);
}

/// Of a new piece only as much is copied as completes the token at the end of the last one.
const char* PgnScanner::feed_kept(const char* at, const char* end) {
  for (std::ptrdiff_t step = 512; at != end; step *= 2) {
    const std::ptrdiff_t before = std::ssize(kept_);
    const std::ptrdiff_t added = std::min(step, end - at);
    kept_.append(at, static_cast<std::size_t>(added));
    const char* const begin = kept_.data();
    const std::ptrdiff_t consumed = scan(begin, begin + before + added, false) - begin;
    if (consumed >= before) {
      kept_.clear();
      return at + (consumed - before);
    }
    kept_.erase(0, static_cast<std::size_t>(consumed));
    at += added;
  }
  return end;
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
  record_.keep();
  settle_opened();
  count_to(at);
  before_ = byte_before(at);
  return at;
}

const char* PgnScanner::skip_byte_order_mark(const char* at, const char* end, bool last) {
  const std::string_view text(at, static_cast<std::size_t>(end - at));
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

void PgnScanner::open_record() {
  if (record_.line == 0) record_.line = line_;
}

void PgnScanner::close_record() {
  keep_marker();
  if (record_.line > 0 || record_.has_moves) {
    open_record();
    take_(record_);
  }
  record_.reset();
  state_ = State::tags;
  line_is_blank_ = true;
  depth_ = 0;
}

void PgnScanner::set_problem(PgnProblem problem) {
  if (record_.problem.line == 0) record_.problem = std::move(problem);
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
  return is_pgn_line_end(byte_before(at));
}

void PgnScanner::note(Oddity& oddity, long line) const {
  if (oddity.count++ == 0) oddity.first = {name_, line};
}

}  // namespace banzuke
