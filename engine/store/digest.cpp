#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/base/sha256.hpp"
#include "engine/store/opening.hpp"
#include "engine/store/result_file.hpp"
#include "engine/store/schema.hpp"

// The digest of a result file; docs/results.md defines it.

namespace banzuke {
namespace {

static_assert(std::endian::native == std::endian::little,
              "the digest is defined on little-endian bytes");

constexpr std::size_t tile_bytes = std::size_t{1} << 23;

template <class Real>
void canonicalise(std::vector<std::byte>& bytes) {
  auto* values = reinterpret_cast<Real*>(bytes.data());
  for (std::size_t i = 0; i < bytes.size() / sizeof(Real); ++i) {
    if (std::isnan(values[i])) values[i] = std::numeric_limits<Real>::quiet_NaN();
  }
}

/// A kill may leave values in rows that were never declared done: they count as fill values.
template <class Real>
void fill_row(std::byte* row, std::size_t width) {
  std::fill_n(reinterpret_cast<Real*>(row), width, std::numeric_limits<Real>::quiet_NaN());
}

void add_field(Sha256& hash, const hdf5::File& file, const Layout& layout, std::size_t field,
               std::size_t point, const std::vector<std::uint8_t>& status) {
  const hdf5::DataSet dataset = schema::open_records(file, layout, field);
  const FieldType type = layout.fields[field].type;
  const std::size_t width = layout.width(field);
  const std::size_t row_bytes = width * bytes_of(type);
  const std::size_t tile = std::max<std::size_t>(1, tile_bytes / row_bytes);
  std::vector<std::byte> bytes;
  for (std::size_t first = 0; first < status.size(); first += tile) {
    const std::size_t count = std::min(tile, status.size() - first);
    const hdf5::Part part = schema::part_of(layout, field, point, first, count);
    bytes.resize(count * row_bytes);
    hdf5::read(dataset, part, hdf5::native_type(type), bytes.data());
    if (type == FieldType::float64) canonicalise<double>(bytes);
    if (type == FieldType::float32) canonicalise<float>(bytes);
    for (std::size_t i = 0; i < count; ++i) {
      if (status[first + i] != status_missing) continue;
      std::byte* row = bytes.data() + i * row_bytes;
      std::fill_n(row, row_bytes, std::byte{0});
      if (type == FieldType::float64) fill_row<double>(row, width);
      if (type == FieldType::float32) fill_row<float>(row, width);
    }
    hash.update(bytes);
  }
}

}  // namespace

std::string ResultFile::digest(std::optional<std::uint64_t> replicate_limit) const {
  const std::uint64_t replicates = replicate_limit.value_or(layout_.replicates);
  if (replicates == 0 || replicates > layout_.replicates) {
    throw InputError(fmt::format("no digest of {} replicates", replicates),
                     fmt::format("the file has {}", layout_.replicates),
                     fmt::format("ask for 1 to {}", layout_.replicates), {path_.string(), 0});
  }
  const std::uint64_t rows = layout_.rows_of(replicates);
  return opening::reading(path_, [&](const hdf5::File& file) {
    Sha256 hash;
    hash.update("banzuke digest 1\n");
    hash.update(identity_.canonical_text());
    hash.update(layout_.canonical_text(replicates));
    const hdf5::DataSet statuses = schema::open_records(file, layout_, layout_.fields.size());
    std::vector<std::uint8_t> status(rows);
    for (std::size_t point = 0; point < layout_.points.size(); ++point) {
      hdf5::read(statuses, {{point, 0}, {1, rows}}, H5T_NATIVE_UINT8, status.data());
      hash.update(std::as_bytes(std::span(status)));
      for (std::size_t i = 0; i < layout_.fields.size(); ++i) {
        add_field(hash, file, layout_, i, point, status);
      }
    }
    return hash.hex();
  });
}

}  // namespace banzuke
