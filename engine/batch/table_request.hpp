#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace banzuke {

enum class TableFormat { text, csv, markdown, json, latex };

/// How a user wants a table of results.
struct TableRequest {
  TableFormat format = TableFormat::text;
  std::optional<std::string> point = {};  ///< label of the one point to show; all where absent
  std::optional<std::string> sort = {};   ///< column to sort by, `-` in front: largest first
  std::vector<std::string> columns = {};  ///< these, in this order; the table's own where empty
  std::optional<int> decimals = {};       ///< of every number that is not whole
  std::optional<std::size_t> top = {};    ///< only so many rows of each table
};

}  // namespace banzuke
