#pragma once
#include <span>
#include <string>
#include <vector>

#include "engine/records/named_text.hpp"

namespace banzuke {

/// A column of numbers to read.
struct NumericColumn {
  std::string name;
  bool blank_allowed = false;  ///< a blank cell is NaN; otherwise it is an error
};

/// Named rows of numbers: published ratings, uncertainties, counts.
struct RatingsTable {
  std::vector<std::string> names;            ///< in the order of the file, each once
  std::vector<std::vector<double>> columns;  ///< columns[c][row], in the order asked for
  std::vector<long> lines;                   ///< the line of each row, for later messages
};

/// Reads a CSV file with a column of names and columns of numbers, by exact column name; other
/// columns are left alone. Throws InputError with file and line: a missing column, a name that is
/// empty or there twice, a cell that is not a finite number, no rows.
RatingsTable read_columns(const NamedText& file, const std::string& name_column,
                          std::span<const NumericColumn> numeric_columns, char separator = ',');

}  // namespace banzuke
