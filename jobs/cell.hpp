#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace banzuke {

/// One cell of a table: its value for programs, and how people are shown it.
class Cell {
 public:
  Cell() = default;  ///< holds nothing
  static Cell text(std::string text);
  static Cell whole(std::int64_t value);
  static Cell whole(std::uint64_t value) { return whole(static_cast<std::int64_t>(value)); }
  /// A number, shown with so many decimals.
  static Cell fixed(double value, int decimals);
  /// A share, shown as a percentage.
  static Cell percent(double share, int decimals);
  static Cell significant(double value, int digits);
  static Cell scientific(double value, int digits, bool with_sign = false);
  /// A number that is most often whole, and then has no decimals.
  static Cell count(double value);
  /// A number, shown in full.
  static Cell full(double value);

  /// Shows "value ± error", where the error is finite.
  Cell with_error(double error) &&;
  /// Shows the suffix behind the number.
  Cell with_suffix(std::string suffix) &&;
  /// Shows this whatever the value is.
  Cell shown_as(std::string shown) &&;

  /// "-" where the number is NaN; control characters of a text as \x0a.
  std::string for_people(std::optional<int> decimals) const;
  /// In full precision or with so many decimals; empty for NaN.
  std::string for_csv(std::optional<int> decimals) const;

  /// The value: nothing, a number, a whole number, or a text.
  using Value = std::variant<std::monostate, double, std::int64_t, std::string>;
  const Value& value() const { return value_; }
  bool is_missing() const;
  /// For sorting: numbers, then texts, then what is missing.
  static bool less(const Cell& a, const Cell& b);
  bool operator==(const Cell& other) const { return value_ == other.value_; }

 private:
  enum class Style { fixed, significant, scientific, signed_scientific, full };
  std::string number_text(double value, std::optional<int> decimals) const;

  Value value_;
  Style style_ = Style::fixed;
  int digits_ = 0;
  double scale_ = 1.0;
  double error_ = std::numeric_limits<double>::quiet_NaN();
  std::string suffix_;
  std::optional<std::string> shown_;
};

/// A text for a line of a terminal: control characters as \x0a, the rest as it is.
std::string printable(std::string_view text);
/// A number with some decimals for people; "-" for NaN.
std::string fixed(double value, int decimals);

}  // namespace banzuke
