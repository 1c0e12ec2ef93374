#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace banzuke {

enum class FieldType { float64, float32, int64, int32, uint8 };

std::size_t bytes_of(FieldType type);
std::string_view name_of(FieldType type);

/// An axis of records beside point and replicate: `player`, `quantile`.
struct Dimension {
  std::string name;
  std::size_t size = 0;
  std::vector<std::string> labels;  ///< one per element, or none; stored under the axis' name
  std::string long_name;

  bool operator==(const Dimension&) const = default;
};

/// Elements first … first+count-1 of a field's dimension.
struct ElementRange {
  std::size_t first = 0;
  std::size_t count = 0;
};

/// What each row holds under one name.
struct Field {
  std::string name;
  FieldType type = FieldType::float64;
  std::string dimension;  ///< empty: one value a row; else one per element of that axis
  std::string units;      ///< "1" for pure numbers
  std::string long_name;

  bool operator==(const Field&) const = default;
};

/// Codes of the two statuses every layout starts with.
inline constexpr std::uint8_t status_missing = 0;
inline constexpr std::uint8_t status_ok = 1;

/// The shapes of a run's records, all known before the run.
struct Layout {
  std::vector<std::string> points;  ///< labels, at least one
  std::uint64_t replicates = 0;     ///< per point, at least one
  /// Replicates that a row sums up. 1: every replicate has its own row. More: a row is a segment of
  /// so many replicates (the last one may be shorter), its fields their moments or counts.
  std::uint64_t segment = 1;
  std::vector<Dimension> dimensions;
  std::vector<Field> fields;
  /// Names of the status codes: 0 missing, 1 ok, then the job's reasons (no blanks in them).
  std::vector<std::string> statuses{"missing", "ok"};

  /// Rows of a point.
  std::uint64_t rows() const { return replicates / segment + (replicates % segment != 0); }
  /// Rows of the first so many replicates. Throws InputError where that cuts a segment.
  std::uint64_t rows_of(std::uint64_t first_replicates) const;
  /// What a row is: "replicate" or "segment".
  std::string_view row_noun() const { return segment == 1 ? "replicate" : "segment"; }

  /// For messages: " in segments of 256"; empty where every replicate has its row.
  std::string segment_text() const;

  /// Values a row holds of a field: 1 or the size of its dimension.
  std::size_t width(std::size_t field) const;
  /// Throws std::out_of_range when there is no such field.
  std::size_t field_index(std::string_view name) const;
  /// Bytes of one row in the file, status included.
  std::size_t row_bytes() const;
  /// Bytes of all rows in the file. Throws InputError when it does not fit 2^63.
  std::uint64_t total_bytes() const;

  /// Throws std::invalid_argument, in words, for a layout that cannot be stored: no points or
  /// replicates, names that are no identifiers or occur twice, unknown dimensions, labels whose
  /// number is not the size, more than 256 statuses.
  void check() const;

  /// Points, dimensions with labels, fields and statuses as lines of text, for the first so many
  /// replicates; what the digest hashes. Units and long names are left out.
  std::string canonical_text(std::uint64_t first_replicates) const;

  bool operator==(const Layout&) const = default;
};

/// Whether a file with layout `old_layout` can be rebuilt as `new_layout` with its rows kept:
/// points added at the end, replicates not fewer, all else equal; with points, labels may be added
/// at the end of a dimension. Empty when it can, else why not.
std::string why_not_extendable(const Layout& old_layout, const Layout& new_layout);

/// A letter or `_`, then letters, digits and `_`: what may name a field, a dimension, an array.
bool is_identifier(std::string_view name);

}  // namespace banzuke
