#pragma once
#include <iosfwd>
#include <string>
#include <vector>

#include "jobs/table.hpp"

namespace banzuke {

/// A report in plain texts, to be set in a markup language.
struct Exhibit {
  struct Part {
    std::vector<std::string> heading;
    std::vector<Table::Column> columns;
    std::vector<std::vector<std::string>> cells;  ///< [row][column]
    std::vector<std::string> notes;
  };
  std::vector<std::string> title;
  std::vector<Part> tables;
  std::vector<std::string> notes;
};

/// Pipe tables (GitHub Flavored Markdown), notes as a list.
void print_markdown(const Exhibit& exhibit, std::ostream& out);
/// A float for each table, with rules of the package booktabs, captions and notes.
void print_latex(const Exhibit& exhibit, std::ostream& out);

/// Lines without empty ones; those that begin with a blank are joined to the line before.
std::vector<std::string> joined_notes(const std::vector<std::string>& lines);

}  // namespace banzuke
