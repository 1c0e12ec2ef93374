#include "engine/records/ratings_table.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <string_view>
#include <unordered_map>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/records/columns.hpp"
#include "engine/records/csv.hpp"

namespace banzuke {
namespace {

double number(const CsvReader& csv, std::size_t column, bool blank_allowed) {
  const std::string_view text = trimmed(csv.fields()[column]);
  if (text.empty() && blank_allowed) return std::numeric_limits<double>::quiet_NaN();
  const auto value = parse_double(text);
  if (value && std::isfinite(*value)) return *value;
  throw InputError(fmt::format("column {} holds {}", in_quotes(csv.header()[column]),
                               in_quotes(csv.fields()[column])),
                   text.empty() ? "a number is missing"
                   : value      ? "not finite"
                                : "not a number",
                   blank_allowed ? "write a number, or leave the cell blank" : "write a number",
                   csv.where());
}

}  // namespace

RatingsTable read_columns(const NamedText& file, const std::string& name_column,
                          std::span<const NumericColumn> numeric_columns, char separator) {
  CsvReader csv(file, separator);
  const std::size_t names = find_column(csv, name_column);
  std::vector<std::size_t> at;
  for (const NumericColumn& column : numeric_columns) {
    at.push_back(find_column(csv, column.name));
  }
  RatingsTable table;
  table.columns.resize(at.size());
  std::unordered_map<std::string, long> line_of;
  while (csv.next()) {
    const std::string name(csv.fields()[names]);
    if (trimmed(name).empty()) {
      throw InputError(fmt::format("column {} holds no name", in_quotes(name_column)), "",
                       "give the player a name or delete the row", csv.where());
    }
    if (const auto [entry, added] = line_of.emplace(name, csv.line()); !added) {
      throw InputError(fmt::format("{} is listed twice", in_quotes(name)),
                       fmt::format("first in line {}", entry->second), "delete one of the rows",
                       csv.where());
    }
    for (std::size_t c = 0; c < at.size(); ++c) {
      table.columns[c].push_back(number(csv, at[c], numeric_columns[c].blank_allowed));
    }
    table.names.push_back(name);
    table.lines.push_back(csv.line());
  }
  if (table.names.empty()) {
    throw InputError("the file has a header and no rows", "", "give a file with ratings",
                     {csv.file(), 0});
  }
  return table;
}

}  // namespace banzuke
