#include "jobs/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "engine/base/text.hpp"

namespace banzuke {
namespace {

std::string csv_cell(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + '"';
}

}  // namespace

void Table::print_text(std::ostream& out) const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = display_width(columns_[c].heading);
    for (const auto& row : rows_) width = std::max(width, display_width(printable(row[c])));
    widths.push_back(width);
  }
  const auto line = [&](const auto& cell_of) {
    std::string text;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      const std::string cell = printable(cell_of(c));
      const std::string blank(widths[c] - display_width(cell), ' ');
      text += c == 0 ? "" : "  ";
      text += columns_[c].align == Align::left ? cell + blank : blank + cell;
    }
    out << text.substr(0, text.find_last_not_of(' ') + 1) << '\n';
  };
  line([&](std::size_t c) -> const std::string& { return columns_[c].heading; });
  for (const auto& row : rows_) line([&](std::size_t c) -> const std::string& { return row[c]; });
}

void Table::print_csv(std::ostream& out) const {
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    out << (c == 0 ? "" : ",") << csv_cell(columns_[c].heading);
  }
  out << '\n';
  for (const auto& row : rows_) {
    for (std::size_t c = 0; c < columns_.size(); ++c)
      out << (c == 0 ? "" : ",") << csv_cell(row[c]);
    out << '\n';
  }
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return out;
}

std::string csv_number(double value) {
  return std::isnan(value) ? "" : shortest(value);
}

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return "-";
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text[0] == '-' ? text.substr(1) : text;  // no "-0.0"
}

}  // namespace banzuke
