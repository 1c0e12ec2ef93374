#include "engine/records/csv.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "engine/base/text.hpp"

namespace banzuke {
namespace {

constexpr std::string_view separators = ",;\t|";

std::string separator_name(char separator) {
  switch (separator) {
    case ',':
      return "commas";
    case ';':
      return "semicolons";
    case '\t':
      return "tabs";
    default:
      return "bars";
  }
}

std::string separator_setting(char separator) {
  return separator == '\t' ? "separator = \"tab\"" : fmt::format("separator = \"{}\"", separator);
}

/// The line that holds byte `at`; LF, CRLF and CR each end one.
long line_of(std::string_view text, std::size_t at) {
  long line = 1;
  for (std::size_t i = 0; i < at; ++i) {
    const bool ends =
        text[i] == '\n' || (text[i] == '\r' && (i + 1 >= text.size() || text[i + 1] != '\n'));
    if (ends) ++line;
  }
  return line;
}

/// A stretch of `text` that holds its first bytes that are not UTF-8; empty if there are none.
/// Eight ASCII bytes a step; stretches with others run to the end of their line, which no UTF-8
/// sequence crosses.
std::string_view invalid_stretch(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::uint64_t word = 0;
    while (at + sizeof word <= text.size()) {
      std::memcpy(&word, text.data() + at, sizeof word);
      if ((word & 0x8080808080808080u) != 0) break;
      at += sizeof word;
    }
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view stretch = text.substr(at, end - at);
    if (!is_valid_utf8(stretch)) return stretch;
    at = end + 1;
  }
  return {};
}

/// Where the first byte sequence of `text` that is not UTF-8 begins.
std::size_t first_invalid(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    const auto lead = static_cast<unsigned char>(text[at]);
    const std::size_t length = lead < 0x80 ? 1 : lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
    if (!is_valid_utf8(text.substr(at, length))) break;
    at += length;
  }
  return at;
}

void check_encoding(const std::string& name, std::string_view text) {
  constexpr std::string_view little = "\xFF\xFE";
  constexpr std::string_view big = "\xFE\xFF";
  if (text.starts_with(little) || text.starts_with(big)) {
    throw InputError("the text is UTF-16", "it begins with a UTF-16 byte order mark",
                     "save the file as UTF-8", {name, 1});
  }
  if (const auto nul = text.find('\0'); nul != std::string_view::npos) {
    throw InputError("a NUL byte", "UTF-16 text, or not a text file",
                     "save the file as CSV in UTF-8", {name, line_of(text, nul)});
  }
  if (const std::string_view stretch = invalid_stretch(text); !stretch.empty()) {
    const auto at = static_cast<std::size_t>(stretch.data() - text.data()) + first_invalid(stretch);
    throw InputError("the text is not UTF-8",
                     fmt::format("byte 0x{:02X}; Latin-1, Shift_JIS or another encoding",
                                 static_cast<unsigned>(static_cast<unsigned char>(text[at]))),
                     "save the file as UTF-8", {name, line_of(text, at)});
  }
}

}  // namespace

CsvReader::CsvReader(const NamedText& file, char separator)
    : name_(file.name), text_(file.text), separator_(separator) {
  if (separators.find(separator) == std::string_view::npos) {
    throw InputError(fmt::format("separator = {} cannot be used", in_quotes({&separator, 1})), "",
                     "use a comma, a semicolon, a tab or a bar", {name_, 0});
  }
  check_encoding(name_, text_);
  if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
  while (skip_line_end()) {
  }
  check_separator_of_header();
  if (!read_row()) {
    throw InputError("the file is empty", "", "give a CSV file with a header line", {name_, 0});
  }
  header_line_ = row_line_;
  header_.assign(fields_.begin(), fields_.end());
}

void CsvReader::check_separator_of_header() const {
  std::array<std::size_t, separators.size()> counts{};
  bool quoted = false;
  for (std::size_t at = at_; at < text_.size(); ++at) {
    const char c = text_[at];
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == '\n' || c == '\r') break;
    if (c == separator_) return;
    if (const auto which = separators.find(c); which != std::string_view::npos) ++counts[which];
  }
  const auto most = std::max_element(counts.begin(), counts.end());
  if (*most == 0) return;
  const char found = separators[static_cast<std::size_t>(most - counts.begin())];
  throw InputError(fmt::format("the header is separated by {}, not by {}", separator_name(found),
                               separator_name(separator_)),
                   "",
                   fmt::format("set {} in the config, or save the file with {}",
                               separator_setting(found), separator_name(separator_)),
                   {name_, line_});
}

bool CsvReader::skip_line_end() {
  if (at_ >= text_.size()) return false;
  if (text_[at_] == '\n') {
    ++at_;
  } else if (text_[at_] == '\r') {
    at_ += at_ + 1 < text_.size() && text_[at_ + 1] == '\n' ? 2u : 1u;
  } else {
    return false;
  }
  ++line_;
  return true;
}

bool CsvReader::at_field_end() const {
  return at_ >= text_.size() || text_[at_] == separator_ || text_[at_] == '\n' ||
         text_[at_] == '\r';
}

bool CsvReader::next() {
  if (!read_row()) return false;
  if (fields_.size() != header_.size()) {
    const auto fields = [](std::size_t n) {
      return fmt::format("{} field{}", n, n == 1 ? "" : "s");
    };
    throw InputError(fmt::format("the row has {}, the header {}", fields(fields_.size()),
                                 fields(header_.size())),
                     "",
                     fmt::format("give every row one field for each column, and put fields that "
                                 "contain {} in double quotes",
                                 separator_name(separator_)),
                     where());
  }
  return true;
}

bool CsvReader::read_row() {
  while (true) {
    while (skip_line_end()) {
    }
    if (at_ >= text_.size()) return false;
    fields_.clear();
    undoubled_used_ = 0;
    row_line_ = line_;
    const std::size_t begin = at_;
    while (true) {
      fields_.push_back(at_ < text_.size() && text_[at_] == '"' ? quoted_field() : plain_field());
      if (at_ >= text_.size() || text_[at_] != separator_) break;
      ++at_;
    }
    const bool blank = fields_.size() == 1 && text_[begin] != '"' &&
                       fields_[0].find_first_not_of(" \t") == std::string_view::npos;
    skip_line_end();
    if (!blank) return true;
  }
}

std::string_view CsvReader::plain_field() {
  const char* const begin = text_.data() + at_;
  const char* const end = text_.data() + text_.size();
  const char* p = begin;
  const char separator = separator_;
  while (p != end && *p != separator && *p != '\n' && *p != '\r' && *p != '"') ++p;
  at_ += static_cast<std::size_t>(p - begin);
  if (p != end && *p == '"') {
    throw InputError("a double quote inside a field that does not begin with one", "",
                     "put the whole field in double quotes, without blanks around them, and write "
                     "the quotes in it twice",
                     {name_, line_});
  }
  return {begin, static_cast<std::size_t>(p - begin)};
}

std::string_view CsvReader::quoted_field() {
  const long opened = line_;
  const std::size_t begin = ++at_;
  std::size_t piece = begin;
  std::string* undoubled = nullptr;
  while (true) {
    while (at_ < text_.size() && text_[at_] != '"') {
      if (!skip_line_end()) ++at_;
    }
    if (at_ >= text_.size()) {
      throw InputError("a quoted field begins here and does not end", "",
                       "close it with a double quote, and write quotes inside it twice",
                       {name_, opened});
    }
    ++at_;
    if (at_ >= text_.size() || text_[at_] != '"') break;
    if (undoubled == nullptr) {
      if (undoubled_used_ == undoubled_.size()) undoubled_.emplace_back();
      undoubled = &undoubled_[undoubled_used_++];
      undoubled->clear();
    }
    // Up to and with the first of the two quotes.
    undoubled->append(text_.substr(piece, at_ - piece));
    piece = ++at_;
  }
  if (!at_field_end()) {
    throw InputError(
        "text after the quote that closes a field",
        opened == line_ ? std::string() : fmt::format("the field began in line {}", opened),
        "write quotes inside a quoted field twice, and nothing between its end and the next "
        "separator",
        {name_, line_});
  }
  const std::string_view last = text_.substr(piece, at_ - 1 - piece);
  if (undoubled == nullptr) return last;
  undoubled->append(last);
  return *undoubled;
}

}  // namespace banzuke
