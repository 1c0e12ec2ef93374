#include "jobs/markup.hpp"

#include <algorithm>
#include <ostream>
#include <string_view>
#include <utility>

#include "engine/base/text.hpp"

namespace banzuke {
namespace {

std::string markdown(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>|~#&").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

constexpr std::pair<std::string_view, std::string_view> latex_forms[] = {
    {"\\", "\\textbackslash{}"},
    {"&", "\\&"},
    {"%", "\\%"},
    {"$", "\\$"},
    {"#", "\\#"},
    {"_", "\\_"},
    {"{", "\\{"},
    {"}", "\\}"},
    {"~", "\\textasciitilde{}"},
    {"^", "\\textasciicircum{}"},
    {"[", "{[}"},
    {"]", "{]}"},
    {"<", "$<$"},
    {">", "$>$"},
    {"\"", "\\char34{}"},  // \textquotedbl is not in LaTeX's default encoding
    {"`", "{`}"},          // alone, lest ?` become one character
    {"|", "\\textbar{}"},
    {"±", "$\\pm$"},
    {"×", "$\\times$"},
    {"→", "$\\to$"},
    {"–", "--"},
    {"…", "\\dots{}"},
    {"α", "$\\alpha$"},
    {"≤", "$\\le$"},
    {"≥", "$\\ge$"}};

std::string latex(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const auto form =
        std::find_if(std::begin(latex_forms), std::end(latex_forms),
                     [&](const auto& candidate) { return text.starts_with(candidate.first); });
    if (form == std::end(latex_forms)) {
      if (text.front() == '-' && out.ends_with('-')) out += "{}";  // no dash of two hyphens
      out += text.front();
      text.remove_prefix(1);
    } else {
      out += form->second;
      text.remove_prefix(form->first.size());
    }
  }
  return out;
}

/// A number below zero with a minus sign, not a hyphen.
std::string latex_cell(const std::string& text) {
  const bool is_negative = text.size() > 1 && text[0] == '-' && text[1] >= '0' && text[1] <= '9';
  return is_negative ? "$-$" + latex(std::string_view(text).substr(1)) : latex(text);
}

}  // namespace

void print_markdown(const Exhibit& exhibit, std::ostream& out) {
  bool is_first = true;
  const auto part = [&] { out << (std::exchange(is_first, false) ? "" : "\n"); };
  const auto list = [&](const std::vector<std::string>& notes) {
    if (!notes.empty()) part();
    for (const std::string& note : notes) out << "- " << markdown(note) << '\n';
  };
  for (const std::string& line : exhibit.title) {
    part();
    out << "**" << markdown(line) << "**\n";
  }
  for (const Exhibit::Part& table : exhibit.tables) {
    for (const std::string& line : table.heading) {
      part();
      out << markdown(line) << '\n';
    }
    if (!table.cells.empty() || table.heading.empty()) {
      part();
      for (const Table::Column& column : table.columns) {
        out << "| " << markdown(printable(column.heading)) << ' ';
      }
      out << "|\n";
      for (const Table::Column& column : table.columns) {
        out << (column.align == Table::Align::left ? "|:---" : "|---:");
      }
      out << "|\n";
    }
    for (const auto& row : table.cells) {
      for (const std::string& cell : row) out << "| " << markdown(cell) << ' ';
      out << "|\n";
    }
    list(table.notes);
  }
  list(exhibit.notes);
}

void print_latex(const Exhibit& exhibit, std::ostream& out) {
  for (std::size_t t = 0; t < exhibit.tables.size(); ++t) {
    const Exhibit::Part& table = exhibit.tables[t];
    std::vector<std::string> caption;
    if (t == 0) caption = exhibit.title;
    caption.insert(caption.end(), table.heading.begin(), table.heading.end());
    out << "\\begin{table}\n\\centering\n";
    if (!caption.empty()) out << "\\caption{" << latex(join(caption, ". ")) << "}\n";
    out << "\\begin{tabular}{";
    for (const Table::Column& column : table.columns) {
      out << (column.align == Table::Align::left ? 'l' : 'r');
    }
    out << "}\n\\toprule\n";
    const auto line = [&](const auto& cell_of) {
      for (std::size_t c = 0; c < table.columns.size(); ++c) {
        out << (c == 0 ? "" : " & ") << cell_of(c);
      }
      out << " \\\\\n";
    };
    line([&](std::size_t c) { return latex(printable(table.columns[c].heading)); });
    out << "\\midrule\n";
    for (const auto& row : table.cells) line([&](std::size_t c) { return latex_cell(row[c]); });
    out << "\\bottomrule\n\\end{tabular}\n";
    std::vector<std::string> notes = table.notes;
    if (t + 1 == exhibit.tables.size()) {
      notes.insert(notes.end(), exhibit.notes.begin(), exhibit.notes.end());
    }
    for (const std::string& note : notes) {
      out << "\\par\\raggedright\\footnotesize " << latex(note) << "\n";
    }
    out << "\\end{table}\n";
  }
}

std::vector<std::string> joined_notes(const std::vector<std::string>& lines) {
  std::vector<std::string> notes;
  for (const std::string& line : lines) {
    std::string text = line;
    std::replace(text.begin(), text.end(), '\n', ' ');
    const std::string_view bare = trimmed(text);
    if (bare.empty()) continue;
    if (line.starts_with(' ') && !notes.empty()) {
      notes.back() += notes.back().ends_with(':') || notes.back().ends_with('.') ? " " : "; ";
      notes.back() += bare;
    } else {
      notes.emplace_back(bare);
    }
  }
  return notes;
}

}  // namespace banzuke
