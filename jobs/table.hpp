#pragma once
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

namespace banzuke {

/// A table of ready-made texts, printed aligned or as CSV.
class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string heading;
    Align align = Align::right;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// One cell a column.
  void add(std::vector<std::string> row) { rows_.push_back(std::move(row)); }

  /// A line a row, whatever the cells hold: see printable().
  void print_text(std::ostream& out) const;
  /// RFC 4180, with the headings as first line.
  void print_csv(std::ostream& out) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A number in full precision for CSV; empty for NaN.
std::string csv_number(double value);
/// A text for a line of a terminal: control characters as \x0a, the rest as it is.
std::string printable(std::string_view text);
/// A number with some decimals for people; "-" for NaN.
std::string fixed(double value, int decimals);

}  // namespace banzuke
