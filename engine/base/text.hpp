#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace banzuke {

/// The whole of `text` as a number in C notation, independent of the locale; nothing if any
/// character is left over. `inf` and `nan` are numbers here; callers check what they allow.
std::optional<double> parse_double(std::string_view text);
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Shortest text that reads back as the same double; integers without a point.
std::string shortest(double value);

/// `text` in double quotes for a message: control characters replaced, cut (at a UTF-8 boundary)
/// after about 60 bytes.
std::string in_quotes(std::string_view text);
/// The same for a path, whole: its end is what tells it from others.
std::string path_in_quotes(std::string_view path);

/// The name among `known` nearest to `name` by edit distance with transpositions, when it is near
/// enough to be a likely slip (a third of the length, at least 2); nothing otherwise.
std::optional<std::string> nearest_name(std::string_view name, std::span<const std::string> known);

std::string join(std::span<const std::string> parts, std::string_view separator);
std::string_view trimmed(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);
bool is_valid_utf8(std::string_view text);
/// Number of columns `text` takes on a terminal: code points, East Asian wide ones count two.
std::size_t display_width(std::string_view text);

}  // namespace banzuke
