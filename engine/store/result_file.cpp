#include "engine/store/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "engine/store/opening.hpp"
#include "engine/store/schema.hpp"

namespace banzuke {
namespace {

using opening::reading;
using opening::writing;

constexpr std::uint64_t status_tile = std::uint64_t{1} << 22;

/// f(point, first row, statuses) tile by tile; refuses codes that no status has.
template <class Function>
void for_each_status_tile(const hdf5::File& file, const Layout& layout, Function f) {
  const hdf5::DataSet dataset = schema::open_records(file, layout, layout.fields.size());
  std::vector<std::uint8_t> codes;
  for (std::size_t point = 0; point < layout.points.size(); ++point) {
    for (std::uint64_t first = 0; first < layout.rows(); first += status_tile) {
      codes.resize(std::min(status_tile, layout.rows() - first));
      hdf5::read(dataset, {{point, first}, {1, codes.size()}}, H5T_NATIVE_UINT8, codes.data());
      for (const std::uint8_t code : codes) {
        if (code >= layout.statuses.size()) {
          throw hdf5::Failure("reading statuses", fmt::format("no status has code {}", code), 0);
        }
      }
      f(point, first, codes);
    }
  }
}

template <class Value>
std::vector<Value> read_values(const std::filesystem::path& path, const Layout& layout,
                               std::size_t field, std::size_t point, RowRange rows,
                               std::optional<ElementRange> elements, hid_t native) {
  const std::size_t width = field < layout.fields.size() ? layout.width(field) : 1;
  const ElementRange range = elements.value_or(ElementRange{0, width});
  if (point >= layout.points.size() || rows.first > layout.rows() ||
      rows.count > layout.rows() - rows.first || range.first > width ||
      range.count > width - range.first) {
    throw std::out_of_range("the values asked for are not in the result file");
  }
  std::vector<Value> values(rows.count * range.count);
  if (values.empty()) return values;
  reading(path, [&](const hdf5::File& file) {
    const hdf5::DataSet dataset = schema::open_records(file, layout, field);
    hdf5::read(dataset, schema::part_of(layout, field, point, rows.first, rows.count, range),
               native, values.data());
  });
  return values;
}

/// The first row of all points.
template <class Value>
std::vector<Value> read_column(const std::filesystem::path& path, const Layout& layout,
                               std::size_t field, hid_t native) {
  std::vector<Value> values(layout.points.size());
  reading(path, [&](const hdf5::File& file) {
    const hdf5::DataSet dataset = schema::open_records(file, layout, field);
    hdf5::read(dataset, {{0, 0}, {values.size(), 1}}, native, values.data());
  });
  return values;
}

void check_blocks(std::span<const RowBlock> blocks, const Layout& layout,
                  const std::optional<Shard>& shard) {
  const Layout* known = &layout;
  for (const RowBlock& block : blocks) {
    if (&block.layout() != known && &block.layout() != &layout) {
      if (block.layout() != layout) {
        throw std::logic_error("a block of rows has another layout than the result file");
      }
      known = &block.layout();
    }
    if (shard && (block.point() < shard->first_point || block.first() < shard->first_row ||
                  block.point() - shard->first_point >= shard->points ||
                  block.first() + block.count() > shard->first_row + shard->rows)) {
      throw std::logic_error("a block of rows is not in the shard");
    }
    for (const std::uint8_t code : block.status()) {
      if (code >= layout.statuses.size()) {
        throw std::logic_error(fmt::format("a row has the unknown status {}", code));
      }
    }
  }
}

/// Blocks are counted in the run, the file's rows from the shard's corner.
void write_field(const hdf5::File& file, const Layout& layout, const std::optional<Shard>& shard,
                 std::size_t field, std::span<const RowBlock> blocks) {
  hdf5::DataSet dataset = schema::open_records(file, layout, field);
  const hid_t native = hdf5::native_type(schema::type_of(layout, field));
  for (const RowBlock& block : blocks) {
    if (block.count() == 0) continue;
    const std::size_t point = block.point() - (shard ? shard->first_point : 0);
    const std::uint64_t first = block.first() - (shard ? shard->first_row : 0);
    hdf5::write(dataset, schema::part_of(layout, field, point, first, block.count()), native,
                block.section(field));
  }
  dataset.close("closing the records");
}

}  // namespace

ResultFile ResultFile::open(const std::filesystem::path& path, FileAccess access) {
  ResultFile result;
  result.path_ = path;
  result.access_ = std::move(access);
  reading(path, [&](const hdf5::File& file) {
    result.layout_ = schema::read_layout(file);
    result.shard_ = schema::read_shard(file, result.layout_);
    result.identity_ = schema::read_identity(file);
  });
  return result;
}

Bundle ResultFile::read_setup() const {
  return reading(path_, schema::read_setup);
}

Provenance ResultFile::provenance() const {
  return reading(path_, schema::read_provenance);
}

std::vector<Session> ResultFile::sessions() const {
  return reading(path_, schema::read_sessions);
}

std::uint64_t ResultFile::sessions_overwritten() const {
  return reading(path_, schema::read_sessions_overwritten);
}

std::vector<std::vector<RowRange>> ResultFile::missing() const {
  std::vector<std::vector<RowRange>> result(layout_.points.size());
  reading(path_, [&](const hdf5::File& file) {
    for_each_status_tile(
        file, layout_,
        [&](std::size_t point, std::uint64_t first, const std::vector<std::uint8_t>& codes) {
          std::vector<RowRange>& ranges = result[point];
          for (std::size_t i = 0; i < codes.size(); ++i) {
            if (codes[i] != status_missing) continue;
            if (!ranges.empty() && ranges.back().first + ranges.back().count == first + i) {
              ++ranges.back().count;
            } else {
              ranges.push_back({first + i, 1});
            }
          }
        });
  });
  return result;
}

std::vector<std::vector<std::uint64_t>> ResultFile::status_counts() const {
  std::vector<std::vector<std::uint64_t>> result(
      layout_.points.size(), std::vector<std::uint64_t>(layout_.statuses.size()));
  reading(path_, [&](const hdf5::File& file) {
    for_each_status_tile(
        file, layout_,
        [&](std::size_t point, std::uint64_t, const std::vector<std::uint8_t>& codes) {
          for (const std::uint8_t code : codes) ++result[point][code];
        });
  });
  return result;
}

void ResultFile::begin_session(const Session& session) {
  if (session.ranks < 1) throw std::logic_error("a session has at least one rank");
  writing(path_, access_, [&](const hdf5::File& file) {
    const std::size_t row = schema::take_session_row(file);
    schema::write_session(file, row, session);
    hdf5::flush(file, access_.durable);
    session_row_ = row;
  });
}

void ResultFile::commit(std::span<const RowBlock> blocks, const Session& session) {
  if (!session_row_) throw std::logic_error("a session has to begin before rows are committed");
  if (session.ranks < 1) throw std::logic_error("a session has at least one rank");
  check_blocks(blocks, run_layout(), shard_);
  writing(path_, access_, [&](const hdf5::File& file) {
    if (!blocks.empty()) {
      for (std::size_t i = 0; i < layout_.fields.size(); ++i) {
        write_field(file, layout_, shard_, i, blocks);
      }
      hdf5::flush(file, access_.durable);
      write_field(file, layout_, shard_, layout_.fields.size(), blocks);
      hdf5::flush(file, false);
    }
    schema::write_session(file, *session_row_, session);
    hdf5::flush(file, access_.durable);
  });
}

std::vector<double> ResultFile::read_doubles(std::size_t field, std::size_t point, RowRange rows,
                                             std::optional<ElementRange> elements) const {
  static_cast<void>(layout_.fields.at(field));
  return read_values<double>(path_, layout_, field, point, rows, elements, H5T_NATIVE_DOUBLE);
}

std::vector<std::int64_t> ResultFile::read_integers(std::size_t field, std::size_t point,
                                                    RowRange rows,
                                                    std::optional<ElementRange> elements) const {
  const Field& asked = layout_.fields.at(field);
  if (asked.type == FieldType::float64 || asked.type == FieldType::float32) {
    throw std::logic_error(fmt::format("field {} holds no integers", asked.name));
  }
  return read_values<std::int64_t>(path_, layout_, field, point, rows, elements, H5T_NATIVE_INT64);
}

std::vector<std::uint8_t> ResultFile::read_status(std::size_t point, RowRange rows) const {
  return read_values<std::uint8_t>(path_, layout_, layout_.fields.size(), point, rows, {},
                                   H5T_NATIVE_UINT8);
}

std::vector<double> ResultFile::read_first(std::size_t field) const {
  if (!layout_.fields.at(field).dimension.empty()) {
    throw std::logic_error("the field has several values a row");
  }
  return read_column<double>(path_, layout_, field, H5T_NATIVE_DOUBLE);
}

std::vector<std::uint8_t> ResultFile::read_first_status() const {
  return read_column<std::uint8_t>(path_, layout_, layout_.fields.size(), H5T_NATIVE_UINT8);
}

}  // namespace banzuke
