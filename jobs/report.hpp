#pragma once
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "jobs/table.hpp"

namespace banzuke {

/// What a job has to say of a result file: a table with its title and notes, printed in any
/// format by print().
struct Report {
  std::vector<std::string> title;  ///< lines; says UNFINISHED where it is
  Table table;
  /// The same laid out for the eye; see shows_layout().
  std::optional<Table> layout = {};
  /// Lines below the table. An empty one parts others, one that begins with a blank belongs to the
  /// line before.
  std::vector<std::string> notes = {};
  std::vector<Report> further = {};  ///< below the layout
  std::uint64_t done = 0;            ///< of total
  std::uint64_t total = 0;
  std::string counted = "replicates";  ///< what done and total count
  /// What else programs are told, by name.
  std::vector<std::pair<std::string, std::string>> facts = {};
};

/// Whether people are shown a report as it is laid out: they ask for no columns, order or point.
bool shows_layout(const TableRequest& request);

/// Prints a report as asked for. Throws InputError for a column or point that is not there.
void print(const Report& report, const TableRequest& request, std::ostream& out);

}  // namespace banzuke
