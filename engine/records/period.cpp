#include "engine/records/period.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace banzuke {
namespace {

/// The next `digits` bytes as a number, 0 if they are question marks; they are taken off `text`.
std::optional<int> part(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  const std::string_view here = text.substr(0, digits);
  text.remove_prefix(digits);
  int value = 0;
  const bool unknown = here.find_first_not_of('?') == std::string_view::npos;
  for (const char c : here) {
    if (unknown) break;
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + (c - '0');
  }
  // A year, month or day 0 does not exist; some programs mean "unknown", others something else.
  if (!unknown && value == 0) return std::nullopt;
  return value;
}

int days_in(int year, int month) {
  constexpr std::array<int, 12> days{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return days[static_cast<std::size_t>(month - 1)] + (month == 2 && leap ? 1 : 0);
}

bool is_time(std::string_view text) {
  return !text.empty() && text[0] >= '0' && text[0] <= '9' &&
         text.find_first_not_of("0123456789:.+-Z ") == std::string_view::npos;
}

int periods_a_year(Period period) {
  switch (period) {
    case Period::month:
      return 12;
    case Period::quarter:
      return 4;
    case Period::half_year:
      return 2;
    default:
      return 1;
  }
}

}  // namespace

std::optional<Date> parse_date(std::string_view text) {
  Date date;
  const auto year = part(text, 4);
  if (!year) return std::nullopt;
  date.year = *year;
  if (text.empty()) return date;
  const char divider = text[0];
  if (divider != '.' && divider != '-' && divider != '/') return std::nullopt;
  text.remove_prefix(1);
  const auto month = part(text, 2);
  if (!month || *month > 12) return std::nullopt;
  if (date.year != 0) date.month = *month;
  if (text.empty()) return date;
  if (text[0] != divider) return std::nullopt;
  text.remove_prefix(1);
  const auto day = part(text, 2);
  if (!day || *day > 31) return std::nullopt;
  if (date.month != 0) date.day = *day;
  if (date.day != 0 && date.day > days_in(date.year, date.month)) return std::nullopt;
  if (!text.empty() && ((text[0] != 'T' && text[0] != ' ') || !is_time(text.substr(1)))) {
    return std::nullopt;
  }
  return date;
}

std::optional<int> period_of(Period period, const Date& date) {
  if (period == Period::none) return 0;
  if (date.year == 0 || (period != Period::year && date.month == 0)) return std::nullopt;
  const int count = periods_a_year(period);
  return date.year * count + std::max(0, date.month - 1) * count / 12;
}

std::string period_label(Period period, int number) {
  const int count = periods_a_year(period);
  const int year = number / count;
  const int in_year = number % count + 1;
  switch (period) {
    case Period::none:
      return {};
    case Period::year:
      return fmt::format("{:04}", year);
    case Period::half_year:
      return fmt::format("{:04}-H{}", year, in_year);
    case Period::quarter:
      return fmt::format("{:04}-Q{}", year, in_year);
    case Period::month:
      break;
  }
  return fmt::format("{:04}-{:02}", year, in_year);
}

std::string_view period_word(Period period) {
  constexpr std::array<std::string_view, 5> words{"none", "year", "half_year", "quarter", "month"};
  return words[static_cast<std::size_t>(period)];
}

}  // namespace banzuke
