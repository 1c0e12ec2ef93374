#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace banzuke {

/// A named array of a bundle, row-major. An empty shape is a scalar (one value).
struct Array {
  std::vector<std::size_t> shape;
  std::variant<std::vector<double>, std::vector<std::int64_t>, std::vector<std::string>> values;
  std::vector<std::string> dimensions;  ///< one name per axis, or none
  std::string units;
  std::string long_name;

  bool operator==(const Array&) const = default;  // NaN differs from NaN here
};

/// A run's set-up and inputs: named arrays in the order they were set. Computed once on rank 0,
/// stored in the result file, and sent to all ranks as bytes.
/// Names are identifiers: letters, digits and `_`, not starting with a digit.
class Bundle {
 public:
  /// Replaces an array of the same name in its place. Throws std::invalid_argument when the name
  /// is no identifier, the shape does not fit the values or the dimension names, or a text
  /// contains a NUL byte.
  void set(std::string name, Array array);
  void set(std::string name, double value, std::string units = {}, std::string long_name = {});
  void set(std::string name, std::int64_t value, std::string units = {},
           std::string long_name = {});
  void set(std::string name, std::string value, std::string long_name = {});
  void set(std::string name, const char* value, std::string long_name = {});
  /// Vectors; `dimension` names their axis.
  void set(std::string name, std::vector<double> values, std::string dimension = {},
           std::string units = {}, std::string long_name = {});
  void set(std::string name, std::vector<std::int64_t> values, std::string dimension = {},
           std::string units = {}, std::string long_name = {});
  void set(std::string name, std::vector<std::string> values, std::string dimension = {},
           std::string long_name = {});

  bool has(std::string_view name) const;
  std::vector<std::string> names() const;
  std::size_t size() const { return arrays_.size(); }

  /// The getters throw std::out_of_range, with the name in words, when there is no such array,
  /// when it holds another type, or (scalar forms) not exactly one value.
  const Array& array(std::string_view name) const;
  std::span<const double> doubles(std::string_view name) const;
  std::span<const std::int64_t> integers(std::string_view name) const;
  const std::vector<std::string>& strings(std::string_view name) const;
  double scalar_double(std::string_view name) const;
  std::int64_t scalar_integer(std::string_view name) const;
  const std::string& scalar_string(std::string_view name) const;

  /// Little-endian, self-describing; the same bundle gives the same bytes.
  std::vector<std::byte> to_bytes() const;
  /// Throws std::invalid_argument when the bytes are not a bundle.
  static Bundle from_bytes(std::span<const std::byte> bytes);

  bool operator==(const Bundle&) const = default;

 private:
  std::vector<std::pair<std::string, Array>> arrays_;
};

}  // namespace banzuke
