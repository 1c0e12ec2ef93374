#include "engine/store/layout.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <stdexcept>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/store/escape.hpp"

namespace banzuke {
namespace {

const Dimension* find_dimension(const Layout& layout, std::string_view name) {
  const auto found = std::find_if(layout.dimensions.begin(), layout.dimensions.end(),
                                  [&](const Dimension& d) { return d.name == name; });
  return found == layout.dimensions.end() ? nullptr : &*found;
}

/// Whether `now` is `was` with labels added at its end.
bool is_beginning(const Dimension& was, const Dimension& now) {
  return was.name == now.name && was.long_name == now.long_name && !was.labels.empty() &&
         was.labels.size() <= now.labels.size() &&
         std::equal(was.labels.begin(), was.labels.end(), now.labels.begin());
}

void require(bool condition, const std::string& problem) {
  if (!condition) throw std::invalid_argument("layout: " + problem);
}

void require_text(const std::string& text, std::string_view what) {
  require(text.find('\0') == text.npos, fmt::format("a NUL byte in {}", what));
}

}  // namespace

std::size_t bytes_of(FieldType type) {
  switch (type) {
    case FieldType::float64:
    case FieldType::int64:
      return 8;
    case FieldType::float32:
    case FieldType::int32:
      return 4;
    case FieldType::uint8:
      return 1;
  }
  throw std::logic_error("unknown field type");
}

std::string_view name_of(FieldType type) {
  switch (type) {
    case FieldType::float64:
      return "float64";
    case FieldType::float32:
      return "float32";
    case FieldType::int64:
      return "int64";
    case FieldType::int32:
      return "int32";
    case FieldType::uint8:
      return "uint8";
  }
  throw std::logic_error("unknown field type");
}

bool is_identifier(std::string_view name) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  return !name.empty() && letter(name.front()) &&
         std::all_of(name.begin(), name.end(), [&](char c) { return letter(c) || digit(c); });
}

std::size_t Layout::width(std::size_t field) const {
  const std::string& dimension = fields.at(field).dimension;
  if (dimension.empty()) return 1;
  const Dimension* found = find_dimension(*this, dimension);
  if (found == nullptr) {
    throw std::invalid_argument(fmt::format("layout: no dimension {}", in_quotes(dimension)));
  }
  return found->size;
}

std::size_t Layout::field_index(std::string_view name) const {
  for (std::size_t i = 0; i < fields.size(); ++i) {
    if (fields[i].name == name) return i;
  }
  throw std::out_of_range(fmt::format("the records have no field {}", in_quotes(name)));
}

std::size_t Layout::row_bytes() const {
  std::size_t total = 1;
  for (std::size_t i = 0; i < fields.size(); ++i) total += bytes_of(fields[i].type) * width(i);
  return total;
}

std::uint64_t Layout::total_bytes() const {
  std::uint64_t total = 0;
  if (__builtin_mul_overflow(rows(), static_cast<std::uint64_t>(points.size()), &total) ||
      __builtin_mul_overflow(total, static_cast<std::uint64_t>(row_bytes()), &total) ||
      total >> 63U != 0) {
    throw InputError(fmt::format("{} points of {} {}s of {} bytes cannot be stored", points.size(),
                                 rows(), row_noun(), row_bytes()),
                     "more than 2^63 bytes", "ask for fewer replicates");
  }
  return total;
}

std::string Layout::segment_text() const {
  return segment == 1 ? "" : fmt::format(" in segments of {}", segment);
}

std::uint64_t Layout::rows_of(std::uint64_t first_replicates) const {
  if (first_replicates < replicates && first_replicates % segment != 0) {
    throw InputError(fmt::format("the first {} replicates end within a segment", first_replicates),
                     fmt::format("a row sums up {} replicates", segment),
                     fmt::format("ask for a multiple of {}", segment));
  }
  return std::min(first_replicates / segment + (first_replicates % segment != 0), rows());
}

std::string Layout::canonical_text(std::uint64_t first_replicates) const {
  std::string text;
  const auto add = [&](std::string_view key, std::string_view value) {
    text += fmt::format("{}: {}\n", key, escaped(value));
  };
  for (const std::string& point : points) add("point", point);
  text += fmt::format("replicates: {}\n", first_replicates);
  if (segment > 1) text += fmt::format("segment: {}\n", segment);
  for (const Dimension& dimension : dimensions) {
    text += fmt::format("dimension: {} {}\n", dimension.name, dimension.size);
    for (const std::string& label : dimension.labels) add("label", label);
  }
  for (const Field& field : fields) {
    add("field", fmt::format("{} {}{}{}", field.name, name_of(field.type),
                             field.dimension.empty() ? "" : " ", field.dimension));
  }
  for (const std::string& status : statuses) add("status", status);
  return text;
}

void Layout::check() const {
  require(!points.empty(), "no points");
  require(replicates > 0, "no replicates");
  require(segment > 0, "a row sums up no replicates");
  for (const std::string& point : points) require_text(point, "a point's label");

  std::set<std::string> names{"point",    "replicate",  "segment", "session",  "records", "setup",
                              "identity", "provenance", "status",  "sessions", "shard"};
  for (const Dimension& dimension : dimensions) {
    require(is_identifier(dimension.name),
            fmt::format("{} cannot name a dimension", in_quotes(dimension.name)));
    require(names.insert(dimension.name).second,
            fmt::format("the name {} is taken", in_quotes(dimension.name)));
    require(dimension.size > 0, fmt::format("dimension {} is empty", dimension.name));
    require(dimension.labels.empty() || dimension.labels.size() == dimension.size,
            fmt::format("dimension {} has {} labels for {} elements", dimension.name,
                        dimension.labels.size(), dimension.size));
    for (const std::string& label : dimension.labels) require_text(label, "a label");
    require_text(dimension.long_name, "a long name");
  }
  for (const Field& field : fields) {
    require(is_identifier(field.name),
            fmt::format("{} cannot name a field", in_quotes(field.name)));
    require(names.insert(field.name).second,
            fmt::format("the name {} is taken", in_quotes(field.name)));
    require(field.dimension.empty() || find_dimension(*this, field.dimension) != nullptr,
            fmt::format("field {} has an unknown dimension {}", field.name,
                        in_quotes(field.dimension)));
    require_text(field.units, "units");
    require_text(field.long_name, "a long name");
  }

  require(statuses.size() >= 2 && statuses[0] == "missing" && statuses[1] == "ok",
          "statuses start with \"missing\" and \"ok\"");
  require(statuses.size() <= 256, "more than 256 statuses");
  std::set<std::string> reasons;
  for (const std::string& status : statuses) {
    require(is_identifier(status), fmt::format("{} cannot name a status", in_quotes(status)));
    require(reasons.insert(status).second,
            fmt::format("the status {} occurs twice", in_quotes(status)));
  }
  static_cast<void>(total_bytes());
}

std::string why_not_extendable(const Layout& old_layout, const Layout& new_layout) {
  if (new_layout.replicates < old_layout.replicates) {
    return fmt::format("the file has {} replicates, more than the {} asked for",
                       old_layout.replicates, new_layout.replicates);
  }
  if (new_layout.points.size() < old_layout.points.size()) {
    return fmt::format("the file has {} points, more than the {} asked for",
                       old_layout.points.size(), new_layout.points.size());
  }
  for (std::size_t i = 0; i < old_layout.points.size(); ++i) {
    if (old_layout.points[i] != new_layout.points[i]) {
      return fmt::format("point {} is {} in the file and {} now; new points go to the end", i,
                         in_quotes(old_layout.points[i]), in_quotes(new_layout.points[i]));
    }
  }
  if (old_layout.segment != new_layout.segment) {
    return fmt::format("a row sums up {} replicates in the file and {} now", old_layout.segment,
                       new_layout.segment);
  }
  const bool has_new_points = new_layout.points.size() > old_layout.points.size();
  if (!std::equal(old_layout.dimensions.begin(), old_layout.dimensions.end(),
                  new_layout.dimensions.begin(), new_layout.dimensions.end(),
                  [&](const Dimension& was, const Dimension& now) {
                    return was == now || (has_new_points && is_beginning(was, now));
                  })) {
    return "the records' dimensions or their labels differ";
  }
  if (old_layout.fields != new_layout.fields) return "the records' fields differ";
  if (old_layout.statuses != new_layout.statuses) return "the names of the statuses differ";
  return {};
}

}  // namespace banzuke
