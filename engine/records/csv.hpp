#pragma once
#include <cstddef>
#include <deque>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/records/named_text.hpp"

namespace banzuke {

/// A strict reader of CSV (RFC 4180) over a text in memory, one row at a time.
///
/// The text is UTF-8, with or without a byte order mark; lines end in LF, CRLF or CR, the last one
/// may end without. The first line that is not blank is the header, and every row has as many
/// fields. Quoted fields may hold separators, line ends and doubled quotes. Blank lines are
/// skipped. Anything else is an InputError with the line, counted from 1 in the file as it is.
class CsvReader {
 public:
  /// Checks the encoding of the whole text and reads the header. `separator` is one of
  /// comma, semicolon, tab and bar.
  /// Throws InputError: an empty file, not UTF-8, another separator in the header.
  explicit CsvReader(const NamedText& file, char separator = ',');

  const std::vector<std::string>& header() const { return header_; }
  long header_line() const { return header_line_; }

  /// Goes to the next row; false at the end of the text.
  bool next();

  /// The fields of this row, as many as the header has; valid until `next` is called again.
  std::span<const std::string_view> fields() const { return fields_; }
  /// The line in which this row begins.
  long line() const { return row_line_; }
  const std::string& file() const { return name_; }
  Location where() const { return {name_, row_line_}; }

 private:
  bool read_row();
  std::string_view quoted_field();
  std::string_view plain_field();
  /// Steps over one line end (LF, CRLF or CR), if one is here.
  bool skip_line_end();
  bool at_field_end() const;
  void check_separator_of_header() const;

  std::string name_;
  std::string_view text_;
  char separator_;
  std::size_t at_ = 0;
  long line_ = 1;
  long row_line_ = 0;
  long header_line_ = 0;
  std::vector<std::string> header_;
  std::vector<std::string_view> fields_;
  /// Fields with doubled quotes, undoubled; reused from row to row.
  std::deque<std::string> undoubled_;
  std::size_t undoubled_used_ = 0;
};

}  // namespace banzuke
