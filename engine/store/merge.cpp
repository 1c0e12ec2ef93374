#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "engine/store/opening.hpp"
#include "engine/store/result_file.hpp"
#include "engine/store/schema.hpp"

// Taking the rows of another file of the same run.

namespace banzuke {
namespace {

constexpr std::size_t tile_bytes = std::size_t{1} << 25;

/// Rows of the run that both files hold space for.
struct Tile {
  std::size_t point = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
};

/// Which points and rows of the run a file has space for.
struct Extent {
  std::size_t first_point = 0;
  std::size_t points = 0;
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;
};

Extent extent_of(const ResultFile& file) {
  if (const auto& part = file.shard()) {
    return {part->first_point, part->points, part->first_row, part->rows};
  }
  return {0, file.layout().points.size(), 0, file.layout().rows()};
}

std::vector<Tile> common_tiles(const ResultFile& here, const ResultFile& there) {
  const Extent a = extent_of(here);
  const Extent b = extent_of(there);
  const std::size_t point_end = std::min(a.first_point + a.points, b.first_point + b.points);
  const std::uint64_t first = std::max(a.first_row, b.first_row);
  const std::uint64_t end = std::min(a.first_row + a.rows, b.first_row + b.rows);
  const std::uint64_t rows = std::max<std::uint64_t>(1, tile_bytes / here.layout().row_bytes());
  std::vector<Tile> tiles;
  if (first >= end) return tiles;
  for (std::size_t point = std::max(a.first_point, b.first_point); point < point_end; ++point) {
    for (std::uint64_t at = first; at < end; at += rows) {
      tiles.push_back({point, at, std::min(rows, end - at)});
    }
  }
  return tiles;
}

void read_field(const ResultFile& file, const hdf5::File& open_file, const Tile& tile,
                std::size_t field, void* values) {
  const Extent part = extent_of(file);
  const Layout& layout = file.layout();
  hdf5::read(schema::open_records(open_file, layout, field),
             schema::part_of(layout, field, tile.point - part.first_point,
                             tile.first - part.first_row, tile.count),
             hdf5::native_type(schema::type_of(layout, field)), values);
}

std::vector<std::uint8_t> statuses_of(const ResultFile& file, const hdf5::File& open_file,
                                      const Tile& tile) {
  std::vector<std::uint8_t> status(tile.count);
  read_field(file, open_file, tile, file.layout().fields.size(), status.data());
  return status;
}

/// A file's rows as a block in the run's numbering.
RowBlock read_block(const ResultFile& file, const hdf5::File& open_file, const Tile& tile,
                    std::vector<std::byte>& bytes) {
  bytes.resize(RowBlock::bytes(file.run_layout(), tile.count));
  const RowBlock block(file.run_layout(), tile.point, tile.first, tile.count, bytes.data());
  for (std::size_t field = 0; field <= file.layout().fields.size(); ++field) {
    read_field(file, open_file, tile, field, block.section(field));
  }
  return block;
}

/// Runs of rows that `there` has and `here` lacks.
std::vector<Tile> missing_here(const ResultFile& here, const ResultFile& there) {
  std::vector<Tile> runs;
  opening::reading(here.path(), [&](const hdf5::File& own_file) {
    opening::reading(there.path(), [&](const hdf5::File& other_file) {
      for (const Tile& tile : common_tiles(here, there)) {
        const auto own = statuses_of(here, own_file, tile);
        const auto theirs = statuses_of(there, other_file, tile);
        const auto is_wanted = [&](std::size_t row) {
          return row < tile.count && own[row] == status_missing && theirs[row] != status_missing;
        };
        for (std::size_t row = 0; row < tile.count; ++row) {
          const std::size_t begin = row;
          while (is_wanted(row)) ++row;
          if (row > begin) runs.push_back({tile.point, tile.first + begin, row - begin});
        }
      }
    });
  });
  return runs;
}

template <class Real>
bool same_reals(std::span<const Real> a, std::span<const Real> b) {
  return std::equal(a.begin(), a.end(), b.begin(), [](Real x, Real y) {
    return std::memcmp(&x, &y, sizeof x) == 0 || (std::isnan(x) && std::isnan(y));
  });
}

bool same_row(const RowBlock& a, const RowBlock& b, std::size_t row) {
  const Layout& layout = a.layout();
  for (std::size_t field = 0; field < layout.fields.size(); ++field) {
    const std::size_t width = layout.width(field);
    const FieldType type = layout.fields[field].type;
    bool same = false;
    if (type == FieldType::float64) {
      same = same_reals<double>(a.doubles(field).subspan(row * width, width),
                                b.doubles(field).subspan(row * width, width));
    } else if (type == FieldType::float32) {
      same = same_reals<float>(a.floats(field).subspan(row * width, width),
                               b.floats(field).subspan(row * width, width));
    } else {
      const std::size_t bytes = width * bytes_of(type);
      same =
          std::memcmp(a.section(field) + row * bytes, b.section(field) + row * bytes, bytes) == 0;
    }
    if (!same) return false;
  }
  return a.status()[row] == b.status()[row];
}

}  // namespace

void ResultFile::require_same_run(const ResultFile& other) const {
  const Location where{other.path().string(), 0};
  const std::string own_name = path_.string();
  const auto refuse = [&](const std::string& why) {
    throw InputError("this file is of another run", why,
                     "merge the shards of one config and one version of the program", where);
  };
  if (const auto changes = difference(identity_, other.identity())) {
    refuse(fmt::format("in {} → here:\n{}", own_name, *changes));
  }
  const Layout& own = run_layout();
  const Layout& theirs = other.run_layout();
  if (own != theirs) {
    refuse(fmt::format("{} has {} points × {} replicates, this one {} × {}, or other fields",
                       own_name, own.points.size(), own.replicates, theirs.points.size(),
                       theirs.replicates));
  }
  if (read_setup().to_bytes() != other.read_setup().to_bytes()) {
    refuse("the set-ups differ, though config and inputs are the same");
  }
}

void ResultFile::require_equal_rows(const ResultFile& other) const {
  const std::vector<Tile> tiles = common_tiles(*this, other);
  if (tiles.empty()) return;
  std::vector<std::byte> own_bytes, other_bytes;
  opening::reading(path_, [&](const hdf5::File& own_file) {
    opening::reading(other.path(), [&](const hdf5::File& other_file) {
      for (const Tile& tile : tiles) {
        const auto own_status = statuses_of(*this, own_file, tile);
        const auto other_status = statuses_of(other, other_file, tile);
        std::vector<std::size_t> in_both;
        for (std::size_t row = 0; row < tile.count; ++row) {
          if (own_status[row] != status_missing && other_status[row] != status_missing) {
            in_both.push_back(row);
          }
        }
        if (in_both.empty()) continue;
        const RowBlock own = read_block(*this, own_file, tile, own_bytes);
        const RowBlock theirs = read_block(other, other_file, tile, other_bytes);
        for (const std::size_t row : in_both) {
          if (same_row(own, theirs, row)) continue;
          throw InputError(fmt::format("point {}, {} {} differs from that in {}", tile.point,
                                       layout_.row_noun(), tile.first + row, path_.string()),
                           "both files claim to be of the same run",
                           "one of them is damaged, or the programs differ; nothing was taken",
                           {other.path().string(), 0});
        }
      }
    });
  });
}

std::uint64_t ResultFile::take_rows(const ResultFile& other) {
  require_same_run(other);
  // Equality first, so that a contradiction is found before anything is written.
  require_equal_rows(other);

  const std::vector<Tile> wanted = missing_here(*this, other);
  std::uint64_t taken = 0;
  Session session;
  session.why_it_stopped = "done";
  if (const auto theirs = other.sessions(); !theirs.empty()) session = theirs.back();
  session.rows_committed = 0;
  begin_session(session);
  opening::reading(other.path(), [&](const hdf5::File& file) {
    for (std::size_t next = 0; next < wanted.size();) {
      // Of many points with few rows each, many in one commit.
      std::vector<std::vector<std::byte>> buffers;
      std::vector<RowBlock> blocks;
      for (std::size_t bytes = 0; next < wanted.size() && bytes < tile_bytes; ++next) {
        buffers.emplace_back();
        blocks.push_back(read_block(other, file, wanted[next], buffers.back()));
        bytes += buffers.back().size();
        taken += wanted[next].count;
      }
      session.rows_committed = taken;
      commit(blocks, session);
    }
  });
  update_session(session);
  return taken;
}

}  // namespace banzuke
