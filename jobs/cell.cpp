#include "jobs/cell.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/base/text.hpp"

namespace banzuke {

Cell Cell::text(std::string text) {
  Cell cell;
  cell.value_ = std::move(text);
  return cell;
}

Cell Cell::whole(std::int64_t value) {
  Cell cell;
  cell.value_ = value;
  return cell;
}

Cell Cell::fixed(double value, int decimals) {
  Cell cell;
  cell.value_ = value;
  cell.digits_ = decimals;
  return cell;
}

Cell Cell::percent(double share, int decimals) {
  Cell cell = fixed(share, decimals);
  cell.scale_ = 100.0;
  return cell;
}

Cell Cell::significant(double value, int digits) {
  Cell cell = fixed(value, digits);
  cell.style_ = Style::significant;
  return cell;
}

Cell Cell::scientific(double value, int digits, bool with_sign) {
  Cell cell = fixed(value, digits);
  cell.style_ = with_sign ? Style::signed_scientific : Style::scientific;
  return cell;
}

Cell Cell::full(double value) {
  Cell cell = fixed(value, 0);
  cell.style_ = Style::full;
  return cell;
}

Cell Cell::count(double value) {
  const bool is_whole = std::abs(value) < 0x1.0p53 && value == std::floor(value);
  return is_whole ? whole(static_cast<std::int64_t>(value)) : full(value);
}

Cell Cell::with_error(double error) && {
  error_ = error;
  return std::move(*this);
}

Cell Cell::with_suffix(std::string suffix) && {
  suffix_ = std::move(suffix);
  return std::move(*this);
}

Cell Cell::shown_as(std::string shown) && {
  shown_ = std::move(shown);
  return std::move(*this);
}

std::string Cell::number_text(double value, std::optional<int> decimals) const {
  value *= scale_;
  if (decimals) return banzuke::fixed(value, *decimals);
  switch (style_) {
    case Style::significant:
      return fmt::format("{:.{}g}", value, digits_);
    case Style::scientific:
      return fmt::format("{:.{}e}", value, digits_);
    case Style::signed_scientific:
      return fmt::format("{:+.{}e}", value, digits_);
    case Style::full:
      return shortest(value);
    case Style::fixed:
      break;
  }
  return banzuke::fixed(value, digits_);
}

std::string Cell::for_people(std::optional<int> decimals) const {
  if (shown_) return printable(*shown_);
  if (const auto* text = std::get_if<std::string>(&value_)) return printable(*text);
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) {
    return fmt::format("{}{}", *whole, suffix_);
  }
  const auto* number = std::get_if<double>(&value_);
  if (!number) return "";
  if (std::isnan(*number)) return "-" + suffix_;
  std::string text = number_text(*number, decimals);
  if (std::isfinite(*number) && std::isfinite(error_)) {
    text += " ± " + number_text(error_, decimals);
  }
  return text + suffix_;
}

std::string Cell::for_csv(std::optional<int> decimals) const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  if (const auto* whole = std::get_if<std::int64_t>(&value_)) return fmt::format("{}", *whole);
  const auto* number = std::get_if<double>(&value_);
  if (!number || std::isnan(*number)) return "";
  return decimals ? banzuke::fixed(*number, *decimals) : shortest(*number);
}

bool Cell::is_missing() const {
  if (const auto* number = std::get_if<double>(&value_)) return std::isnan(*number);
  return std::holds_alternative<std::monostate>(value_);
}

bool Cell::less(const Cell& a, const Cell& b) {
  const auto kind = [](const Cell& cell) {
    if (cell.is_missing()) return 2;
    return std::holds_alternative<std::string>(cell.value_) ? 1 : 0;
  };
  if (kind(a) != kind(b)) return kind(a) < kind(b);
  if (kind(a) == 1) return std::get<std::string>(a.value_) < std::get<std::string>(b.value_);
  if (kind(a) == 2) return false;
  const auto number = [](const Cell& cell) {
    const auto* whole = std::get_if<std::int64_t>(&cell.value_);
    return whole ? static_cast<double>(*whole) : std::get<double>(cell.value_);
  };
  return number(a) < number(b);
}

std::string printable(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    out += byte < 0x20 || byte == 0x7F ? fmt::format("\\x{:02x}", byte) : std::string(1, c);
  }
  return out;
}

std::string fixed(double value, int decimals) {
  if (std::isnan(value)) return "-";
  std::string text = fmt::format("{:.{}f}", value, decimals);
  const bool is_zero = text.find_first_not_of("-0.") == std::string::npos;
  return is_zero && text[0] == '-' ? text.substr(1) : text;  // no "-0.0"
}

}  // namespace banzuke
