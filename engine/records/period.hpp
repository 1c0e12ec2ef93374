#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace banzuke {

/// What games are cut into by their dates.
enum class Period { none, year, half_year, quarter, month };

/// A day as far as it is known; a part that is 0 is unknown, and so is every part after it.
struct Date {
  int year = 0, month = 0, day = 0;
};

/// A date written with the year first: four digits, then two for the month and two for the day,
/// divided by points, hyphens or slashes, where the month or the day may be missing or question
/// marks; a time of day may follow, after a blank or a T. Nothing if the text is anything else, or
/// a day that no calendar has.
std::optional<Date> parse_date(std::string_view text);

/// The number of the period that holds the date: it ascends in time and is 0 for Period::none.
/// Nothing if the date is not known well enough.
std::optional<int> period_of(Period period, const Date& date);

/// The period's name: 2016, 2016-H1, 2016-Q1 or 2016-01; empty for Period::none.
std::string period_label(Period period, int number);

/// The period as a word in the config and in messages: none, year, half_year, quarter or month.
std::string_view period_word(Period period);

}  // namespace banzuke
