#include <cerrno>
#include <cstring>
#include <exception>
#include <stdexcept>

#include "engine/store/new_file.hpp"
#include "engine/store/opening.hpp"
#include "engine/store/result_file.hpp"
#include "engine/store/schema.hpp"

// Making and enlarging a result file: both build a whole new file beside the old place.

namespace banzuke {
namespace {

/// Names, attributes and tables beside records and set-up: measured 60 kB, and 3 kB a dataset.
std::uint64_t bytes_needed(const Layout& layout, const Bundle& setup) {
  std::uint64_t bytes = layout.total_bytes() + setup.to_bytes().size() + 500'000;
  for (const Dimension& dimension : layout.dimensions) {
    for (const std::string& label : dimension.labels) bytes += label.size();
  }
  return bytes;
}

void check(const Layout& layout, const Provenance& provenance) {
  layout.check();
  for (const auto& [name, value] : provenance) {
    if (name.empty() || name == "." ||
        name.find_first_of(std::string_view("/\0", 2)) != name.npos ||
        value.find('\0') != value.npos) {
      throw std::invalid_argument("an item of the provenance cannot be stored: " + name);
    }
  }
}

void write_all_but_records(const hdf5::File& file, const Bundle& setup, const Identity& identity,
                           const Provenance& provenance) {
  schema::write_setup(file, setup);
  schema::write_identity(file, identity);
  schema::write_provenance(file, provenance);
  schema::create_sessions(file);
}

/// Errors with an errno come from the place the user chose, all others from us or HDF5.
[[noreturn]] void throw_not_made(const std::filesystem::path& path, const hdf5::Failure& failure) {
  const Location where{path.string(), 0};
  if (failure.error_number() != 0) {
    throw InputError(
        "the output cannot be made", failure.what(),
        failure.error_number() == EFBIG
            ? "raise the limit on the size of files (ulimit -f), or choose another output"
            : "free space or choose another output",
        where);
  }
  throw SystemError("the output cannot be made", failure.what(), "choose another output", where);
}

/// Copies the rows of `field` in tiles of about 8 MB. A segment that grows is left missing.
void copy_records(const hdf5::File& from, const Layout& old_layout, const hdf5::File& to,
                  const Layout& layout, std::size_t field) {
  const hdf5::DataSet source = schema::open_records(from, old_layout, field);
  hdf5::DataSet target = schema::open_records(to, layout, field);
  const FieldType type = schema::type_of(layout, field);
  const bool is_status = field == layout.fields.size();
  // What was added to a dimension keeps the fill value.
  const std::size_t width = is_status ? 1 : old_layout.width(field);
  const std::uint64_t rows = layout.replicates > old_layout.replicates
                                 ? old_layout.replicates / old_layout.segment
                                 : old_layout.rows();
  const std::size_t row_bytes = width * bytes_of(type);
  const std::uint64_t tile = std::max<std::uint64_t>(1, (std::uint64_t{1} << 23) / row_bytes);
  std::vector<std::byte> bytes;
  for (std::size_t point = 0; point < old_layout.points.size(); ++point) {
    for (std::uint64_t first = 0; first < rows; first += tile) {
      const std::uint64_t count = std::min(tile, rows - first);
      const hdf5::Part part = schema::part_of(old_layout, field, point, first, count);
      bytes.resize(count * row_bytes);
      hdf5::read(source, part, hdf5::native_type(type), bytes.data());
      hdf5::write(target, part, hdf5::native_type(type), bytes.data());
    }
  }
  target.close("closing the records");
}

}  // namespace

namespace {

void create_file(const std::filesystem::path& path, const Layout& layout,
                 const std::optional<Shard>& shard, const Bundle& setup, const Identity& identity,
                 const Provenance& provenance) {
  check(layout, provenance);
  const hdf5::Quiet quiet;
  NewFile place(path, false);
  place.require_space(bytes_needed(layout, setup));
  try {
    hdf5::File file = hdf5::create_file(place.part());
    schema::write_header(file);
    schema::write_layout(file, layout);
    if (shard) schema::write_shard(file, *shard);
    write_all_but_records(file, setup, identity, provenance);
    hdf5::flush(file, false);
    file.close("closing the file");
  } catch (const hdf5::Failure& failure) {
    throw_not_made(path, failure);
  }
  place.publish();
}

}  // namespace

void ResultFile::create(const std::filesystem::path& path, const Layout& layout,
                        const Bundle& setup, const Identity& identity,
                        const Provenance& provenance) {
  create_file(path, layout, std::nullopt, setup, identity, provenance);
}

void ResultFile::create(const std::filesystem::path& path, const Shard& shard, const Bundle& setup,
                        const Identity& identity, const Provenance& provenance) {
  create_file(path, shard.own(), shard, setup, identity, provenance);
}

void ResultFile::extend(const std::filesystem::path& path, const Layout& layout,
                        const Bundle& setup, const Identity& identity, const Provenance& provenance,
                        const FileAccess& access) {
  check(layout, provenance);
  const hdf5::Quiet quiet;
  const ResultFile old_file = open(path, access);
  if (old_file.shard()) {
    throw InputError("a shard cannot be extended", old_file.shard()->describe(),
                     "merge the shards, then run the config with the merged file",
                     {path.string(), 0});
  }
  if (const std::string why = why_not_extendable(old_file.layout(), layout); !why.empty()) {
    throw InputError("the result file cannot be extended to this run", why, "choose another output",
                     {path.string(), 0});
  }
  const std::vector<Session> sessions = old_file.sessions();
  const std::uint64_t overwritten = old_file.sessions_overwritten();

  std::error_code unresolved;
  const std::filesystem::path real_path = std::filesystem::canonical(path, unresolved);
  NewFile place(unresolved ? path : real_path, true);
  place.require_space(bytes_needed(layout, setup));
  opening::reading(path, [&](const hdf5::File& from) {
    try {
      hdf5::File file = hdf5::create_file(place.part());
      schema::write_header(file);
      schema::write_layout(file, layout);
      write_all_but_records(file, setup, identity, provenance);
      for (std::size_t i = 0; i <= layout.fields.size(); ++i) {
        copy_records(from, old_file.layout(), file, layout, i);
      }
      for (std::size_t i = 0; i < sessions.size(); ++i) {
        schema::write_session(file, i, sessions[i]);
      }
      schema::write_sessions_overwritten(file, overwritten);
      hdf5::flush(file, false);
      file.close("closing the file");
    } catch (const hdf5::Failure& failure) {
      throw_not_made(path, failure);
    }
  });
  place.publish();
}

}  // namespace banzuke
