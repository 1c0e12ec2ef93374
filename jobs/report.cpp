#include "jobs/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <ostream>
#include <utility>

#include "engine/base/text.hpp"
#include "jobs/markup.hpp"

namespace banzuke {
namespace {

/// The cells of a section as people see them: [row][column].
std::vector<std::vector<std::string>> shown_cells(const Table::View& view,
                                                  const Table::Section& section,
                                                  const TableRequest& request) {
  std::vector<std::vector<std::string>> cells;
  const Table::Row* above = nullptr;
  for (const Table::Row& row : section.rows) {
    cells.emplace_back();
    bool is_new = above == nullptr;
    for (std::size_t c = 0; c < view.columns.size(); ++c) {
      const bool once = view.columns[c].once;
      if (once && !is_new) is_new = !(row.cells[c] == above->cells[c]);
      cells.back().push_back(once && !is_new ? "" : row.cells[c].for_people(request.decimals));
    }
    above = &row;
  }
  return cells;
}

/// Columns side by side, padded with blanks.
void print_aligned(const Table::View& view, const Table::Section& section,
                   const TableRequest& request, std::ostream& out) {
  const auto rows = shown_cells(view, section, request);
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < view.columns.size(); ++c) {
    std::size_t width = display_width(printable(view.columns[c].heading));
    for (const auto& row : rows) width = std::max(width, display_width(row[c]));
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < widths.size(); ++c) {
      const std::string cell = cell_of(c);
      const std::string blank(widths[c] - display_width(cell), ' ');
      text += c == 0 ? "" : "  ";
      text += view.columns[c].align == Table::Align::left ? cell + blank : blank + cell;
    }
    out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
  };
  line([&](std::size_t c) { return printable(view.columns[c].heading); });
  for (const auto& row : rows) line([&](std::size_t c) { return row[c]; });
}

void print_text(const Report& report, const Table::View& view, const TableRequest& request,
                std::ostream& out) {
  bool is_first = true;
  const auto part = [&] { out << (std::exchange(is_first, false) ? "" : "\n"); };
  const auto say = [&](const std::vector<std::string>& lines) {
    for (const std::string& line : lines) out << line << '\n';
  };
  if (!report.title.empty()) {
    part();
    say(report.title);
  }
  for (const Table::Section& section : view.sections) {
    part();
    if (!section.title.empty()) out << fmt::format("=== {} ===\n", section.title);
    say(section.heading);
    // Where there are no rows the heading says why.
    if (!section.rows.empty() || section.heading.empty()) {
      print_aligned(view, section, request, out);
    }
    if (!section.notes.empty()) part();
    say(section.notes);
  }
  if (!report.notes.empty() || !view.legend.empty()) part();
  say(view.legend);
  say(report.notes);
}

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

/// RFC 4180, with the names of the columns as first line.
void print_csv(const Table::View& view, const TableRequest& request, std::ostream& out) {
  for (std::size_t c = 0; c < view.columns.size(); ++c) {
    out << (c == 0 ? "" : ",") << csv_cell(view.columns[c].name);
  }
  out << '\n';
  for (const Table::Section& section : view.sections) {
    for (const Table::Row& row : section.rows) {
      for (std::size_t c = 0; c < view.columns.size(); ++c) {
        out << (c == 0 ? "" : ",") << csv_cell(row.cells[c].for_csv(request.decimals));
      }
      out << '\n';
    }
  }
}

using Json = nlohmann::ordered_json;

/// Null for what is missing; what JSON has no number for is a text, as in CSV.
Json json_cell(const Cell& cell, const TableRequest& request) {
  if (cell.is_missing()) return nullptr;
  if (const auto* text = std::get_if<std::string>(&cell.value())) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&cell.value())) return *whole;
  const std::string text = cell.for_csv(request.decimals);
  const auto number = parse_double(text);
  if (number && std::isfinite(*number)) return *number;
  return text;
}

std::vector<std::string> heading_of(const Table::Section& section) {
  std::vector<std::string> lines = joined_notes(section.heading);
  if (!section.title.empty()) lines.insert(lines.begin(), section.title);
  return lines;
}

void collect_notes(const Report& report, std::vector<std::string>& notes) {
  for (std::string& note : joined_notes(report.notes)) notes.push_back(std::move(note));
  for (const Report& further : report.further) collect_notes(further, notes);
}

void print_json(const Report& report, const Table::View& view, const TableRequest& request,
                std::ostream& out) {
  Json json;
  json["title"] = joined_notes(report.title);
  json["finished"] = report.done == report.total;
  json["done"] = report.done;
  json["total"] = report.total;
  json["counted"] = report.counted;
  for (const auto& [name, value] : report.facts) json[name] = value;
  json["columns"] = Json::array();
  for (const Table::Column& column : view.columns) {
    json["columns"].push_back({{"name", column.name},
                               {"heading", column.heading},
                               {"units", column.units},
                               {"meaning", column.meaning}});
  }
  json["sections"] = Json::array();
  json["rows"] = Json::array();
  for (const Table::Section& section : view.sections) {
    if (!section.heading.empty() || !section.notes.empty()) {
      json["sections"].push_back({{"heading", heading_of(section)},
                                  {"rows", section.rows.size()},
                                  {"notes", joined_notes(section.notes)}});
    }
    for (const Table::Row& row : section.rows) {
      Json cells = Json::object();
      for (std::size_t c = 0; c < view.columns.size(); ++c) {
        cells[view.columns[c].name] = json_cell(row.cells[c], request);
      }
      json["rows"].push_back(std::move(cells));
    }
  }
  std::vector<std::string> notes;
  collect_notes(report, notes);
  json["notes"] = notes;
  // Names that are not UTF-8 cannot come from a file of ours; a damaged one must not end in a
  // throw.
  out << json.dump(1, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace

bool shows_layout(const TableRequest& request) {
  return is_for_people(request.format) && request.columns.empty() && !request.sort &&
         !request.point;
}

namespace {

void print_with_further(const Report& report, const TableRequest& request, std::ostream& out) {
  const Table& table = shows_layout(request) && report.layout ? *report.layout : report.table;
  const Table::View view = table.view(request);
  switch (request.format) {
    case TableFormat::csv:
      return print_csv(view, request, out);
    case TableFormat::json:
      return print_json(report, view, request, out);
    case TableFormat::text:
      print_text(report, view, request, out);
      break;
    case TableFormat::markdown:
    case TableFormat::latex: {
      Exhibit exhibit{joined_notes(report.title), {}, view.legend};
      for (const Table::Section& section : view.sections) {
        exhibit.tables.push_back({heading_of(section), view.columns,
                                  shown_cells(view, section, request),
                                  joined_notes(section.notes)});
      }
      for (std::string& note : joined_notes(report.notes)) exhibit.notes.push_back(std::move(note));
      if (request.format == TableFormat::latex) {
        print_latex(exhibit, out);
      } else {
        print_markdown(exhibit, out);
      }
    }
  }
  if (!shows_layout(request)) return;
  for (const Report& further : report.further) {
    out << '\n';
    print_with_further(further, request, out);
  }
}

}  // namespace

void print(const Report& report, const TableRequest& request, std::ostream& out) {
  if (request.format == TableFormat::latex) out << "% \\usepackage{booktabs}\n";
  print_with_further(report, request, out);
}

}  // namespace banzuke
