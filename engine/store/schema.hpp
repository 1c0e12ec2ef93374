#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/bundle.hpp"
#include "engine/store/hdf5.hpp"
#include "engine/store/identity.hpp"
#include "engine/store/layout.hpp"
#include "engine/store/provenance.hpp"
#include "engine/store/shard.hpp"

/// Where things lie in a result file (docs/results.md). Internal to the store; on failure
/// hdf5::Failure is thrown.
namespace banzuke::schema {

void write_header(const hdf5::File& file);

/// An axis without labels, as netCDF writes it: a scale without data.
hdf5::DataSet create_bare_scale(hid_t parent, const std::string& name, hsize_t size,
                                std::string_view long_name);
void attach_scale(const hdf5::DataSet& dataset, const hdf5::DataSet& scale, unsigned axis);

/// Dimension scales and the records, filled: the part that takes the space.
void write_layout(const hdf5::File& file, const Layout& layout);
/// Checked against itself, the datasets' shapes and its hash.
Layout read_layout(const hdf5::File& file);

/// What part of which run the file holds; nothing for a whole run. `own` is the file's layout.
void write_shard(const hdf5::File& file, const Shard& shard);
std::optional<Shard> read_shard(const hdf5::File& file, const Layout& own);

/// After write_layout: arrays are attached to the run's dimensions.
void write_setup(const hdf5::File& file, const Bundle& setup);
Bundle read_setup(const hdf5::File& file);

void write_identity(const hdf5::File& file, const Identity& identity);
Identity read_identity(const hdf5::File& file);

void write_provenance(const hdf5::File& file, const Provenance& provenance);
Provenance read_provenance(const hdf5::File& file);

void create_sessions(const hdf5::File& file);
void write_session(const hdf5::File& file, std::size_t row, const Session& session);
std::vector<Session> read_sessions(const hdf5::File& file);
/// The row of a new session: the first free one; the last when none is, and counted then.
std::size_t take_session_row(const hdf5::File& file);
std::uint64_t read_sessions_overwritten(const hdf5::File& file);
void write_sessions_overwritten(const hdf5::File& file, std::uint64_t count);

/// Records of a field; `layout.fields.size()` stands for the status.
hdf5::DataSet open_records(const hdf5::File& file, const Layout& layout, std::size_t field);
FieldType type_of(const Layout& layout, std::size_t field);
/// Where in those records some replicates of a point lie: all elements, or a range of them.
hdf5::Part part_of(const Layout& layout, std::size_t field, std::size_t point, std::uint64_t first,
                   std::uint64_t count, std::optional<ElementRange> elements = {});

}  // namespace banzuke::schema
