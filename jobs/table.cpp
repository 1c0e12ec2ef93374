#include "jobs/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

namespace banzuke {

void Table::begin_section(std::vector<std::string> heading, std::vector<std::string> notes,
                          std::string title) {
  sections_.push_back({std::move(title), std::move(heading), std::move(notes), {}});
}

void Table::add(std::vector<Cell> cells, bool for_data) {
  if (cells.size() != columns_.size()) {
    throw std::logic_error(
        fmt::format("a row of {} cells in a table of {} columns", cells.size(), columns_.size()));
  }
  if (sections_.empty()) begin_section({});
  sections_.back().rows.push_back({std::move(cells), point_, for_data});
}

std::size_t Table::find(const std::string& name) const {
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].name == name) return c;
    names.push_back(columns_[c].name);
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (columns_[c].heading == name) return c;
  }
  // "name, rating" is as clear as "name,rating".
  if (const std::string bare(trimmed(name)); bare != name) return find(bare);
  const auto near = nearest_name(name, names);
  throw InputError(fmt::format("there is no column {}", in_quotes(name)),
                   fmt::format("the columns are {}", join(names, ", ")),
                   near ? fmt::format("did you mean {}?", in_quotes(*near)) : "name one of them");
}

Table::View Table::view(const TableRequest& request) const {
  const bool people = is_for_people(request.format);
  std::vector<std::size_t> usual;
  if (people && !shown_.empty()) {
    for (const std::string& name : shown_) usual.push_back(find(name));
  } else {
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      if (columns_[c].in_csv) usual.push_back(c);
    }
  }
  View view;
  std::vector<std::size_t> chosen = usual;
  if (!request.columns.empty()) {
    chosen.clear();
    for (const std::string& name : request.columns) {
      const std::size_t c = find(name);
      chosen.push_back(c);
      if (people && std::find(usual.begin(), usual.end(), c) == usual.end()) {
        const bool has_units = columns_[c].units != "1";
        view.legend.push_back(fmt::format("{}: {}{}.", columns_[c].heading, columns_[c].meaning,
                                          has_units ? ", " + columns_[c].units : ""));
      }
    }
  }
  for (const std::size_t c : chosen) view.columns.push_back(columns_[c]);

  const bool descending = request.sort && request.sort->starts_with('-');
  const std::optional<std::size_t> key =
      request.sort ? std::optional(find(request.sort->substr(descending ? 1 : 0))) : std::nullopt;
  for (const Section& section : sections_) {
    std::vector<const Row*> rows;
    for (const Row& row : section.rows) {
      const bool is_asked_for = !request.point || row.point == *request.point;
      if (is_asked_for && !(people && row.for_data)) rows.push_back(&row);
    }
    if (request.point && rows.empty()) continue;
    if (key) {
      std::stable_sort(rows.begin(), rows.end(), [&](const Row* a, const Row* b) {
        const Cell &first = a->cells[*key], &second = b->cells[*key];
        // What is missing comes last either way.
        return descending && !first.is_missing() && !second.is_missing()
                   ? Cell::less(second, first)
                   : Cell::less(first, second);
      });
    }
    if (request.top && rows.size() > *request.top) rows.resize(*request.top);
    view.sections.push_back({section.title, section.heading, section.notes, {}});
    for (const Row* row : rows) {
      view.sections.back().rows.push_back({{}, row->point, row->for_data});
      for (const std::size_t c : chosen) {
        view.sections.back().rows.back().cells.push_back(row->cells[c]);
      }
    }
  }
  if (request.point && view.sections.empty()) {
    throw InputError("this table is not by point", "its rows are of all points together",
                     "leave --point out");
  }
  return view;
}

bool is_for_people(TableFormat format) {
  return format != TableFormat::csv && format != TableFormat::json;
}

}  // namespace banzuke
