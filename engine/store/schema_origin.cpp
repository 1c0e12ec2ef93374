#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>

#include "engine/base/sha256.hpp"
#include "engine/store/schema.hpp"
#include "engine/store/schema_parts.hpp"

namespace banzuke::schema {
namespace {

using namespace hdf5;

std::string hash_of(const Bundle& bundle) {
  const std::vector<std::byte> bytes = bundle.to_bytes();
  Sha256 hash;
  hash.update(bytes);
  return hash.hex();
}

/// Attaches the run's dimension of that name and size, or one of the set-up's own.
void attach_setup_axis(const File& file, const Group& group, const DataSet& dataset,
                       const Bundle& setup, const Array& array, unsigned axis) {
  const std::string& name = array.dimensions[axis];
  const std::size_t size = array.shape[axis];
  const auto attach_if_it_fits = [&](const DataSet& scale) {
    if (shape_of(scale) == Shape{size}) attach_scale(dataset, scale, axis);
  };
  const bool is_group = std::find(groups.begin(), groups.end(), name) != groups.end();
  if (has_link(file, name) && !is_group) {
    attach_if_it_fits(open_dataset(file, name));
  } else if (!setup.has(name)) {
    attach_if_it_fits(has_link(group, name) ? open_dataset(group, name)
                                            : create_bare_scale(group, name, size, name));
  }
}

std::string full_text(const Identity& identity) {
  std::string text = identity.canonical_text();
  for (const InputFile& input : identity.inputs) text += input.path + "\n";
  return text;
}

template <class Value>
std::vector<Value> read_numbers(const DataSet& dataset, hid_t native) {
  std::vector<Value> values(element_count(dataset, sizeof(Value)));
  if (!values.empty()) read_all(dataset, native, values.data());
  return values;
}

}  // namespace

void write_shard(const File& file, const Shard& shard) {
  const Group group = create_group(file, "shard");
  set_integer(group, "index", shard.index);
  set_integer(group, "count", shard.count);
  set_integer(group, "first_point", static_cast<std::int64_t>(shard.first_point));
  set_integer(group, "first_replicate",
              static_cast<std::int64_t>(shard.first_row * shard.whole.segment));
  set_integer(group, "replicates_of_run", static_cast<std::int64_t>(shard.whole.replicates));
  DataSet points =
      create_texts(group, "points_of_run", {shard.whole.points.size()}, shard.whole.points);
  describe(points, "1", "settings of the whole sweep");
  points.close("closing the points of the run");
}

std::optional<Shard> read_shard(const File& file, const Layout& own) {
  if (!has_link(file, "shard")) return std::nullopt;
  const Group group = open_group(file, "shard");
  const auto whole_number = [&](const std::string& name) {
    const std::int64_t value = get_integer(group, name);
    if (value < 0) damaged(fmt::format("the shard's {} is negative", name));
    return static_cast<std::uint64_t>(value);
  };
  Shard shard;
  shard.index = static_cast<std::uint32_t>(whole_number("index"));
  shard.count = static_cast<std::uint32_t>(whole_number("count"));
  shard.whole = own;
  shard.whole.replicates = whole_number("replicates_of_run");
  shard.whole.points = read_texts(open_dataset(group, "points_of_run"));
  shard.first_point = whole_number("first_point");
  shard.points = own.points.size();
  shard.first_row = whole_number("first_replicate") / own.segment;
  shard.rows = own.rows();
  const bool fits = shard.first_point <= shard.whole.points.size() &&
                    shard.points <= shard.whole.points.size() - shard.first_point &&
                    shard.first_row <= shard.whole.rows() &&
                    shard.rows <= shard.whole.rows() - shard.first_row;
  if (!fits || shard.own() != own) damaged("the shard does not fit its run");
  return shard;
}

void write_setup(const File& file, const Bundle& setup) {
  const Group group = create_group(file, "setup");
  set_text(group, "sha256", hash_of(setup));
  for (const std::string& name : setup.names()) {
    const Array& array = setup.array(name);
    const Shape shape(array.shape.begin(), array.shape.end());
    DataSet dataset;
    if (const auto* texts = std::get_if<std::vector<std::string>>(&array.values)) {
      dataset = create_texts(group, name, shape, *texts);
    } else if (const auto* reals = std::get_if<std::vector<double>>(&array.values)) {
      dataset = create_dataset(group, name, H5T_IEEE_F64LE, shape);
      if (!reals->empty()) write_all(dataset, H5T_NATIVE_DOUBLE, reals->data());
    } else {
      const auto& integers = std::get<std::vector<std::int64_t>>(array.values);
      dataset = create_dataset(group, name, H5T_STD_I64LE, shape);
      if (!integers.empty()) write_all(dataset, H5T_NATIVE_INT64, integers.data());
    }
    describe(dataset, array.units, array.long_name);
    set_dimensions(dataset, array.dimensions);
    for (unsigned axis = 0; axis < array.dimensions.size(); ++axis) {
      attach_setup_axis(file, group, dataset, setup, array, axis);
    }
    dataset.close("closing the set-up");
  }
}

Bundle read_setup(const File& file) {
  const Group group = open_group(file, "setup");
  Bundle setup;
  for (const std::string& name : link_names(group)) {
    const DataSet dataset = open_dataset(group, name);
    if (checked(H5DSis_scale(dataset), "reading the set-up") > 0) continue;
    Array array;
    for (const hsize_t extent : shape_of(dataset)) array.shape.push_back(extent);
    array.units = get_text(dataset, "units");
    array.long_name = get_text(dataset, "long_name");
    array.dimensions = words(get_text(dataset, "dimensions"));
    const Type type(H5Dget_type(dataset), "reading a type");
    if (checked(H5Tget_class(type), "reading a type") == H5T_STRING) {
      array.values = read_texts(dataset);
    } else if (stored_field_type(dataset) == FieldType::float64) {
      array.values = read_numbers<double>(dataset, H5T_NATIVE_DOUBLE);
    } else {
      array.values = read_numbers<std::int64_t>(dataset, H5T_NATIVE_INT64);
    }
    try {
      setup.set(name, std::move(array));
    } catch (const std::invalid_argument& error) {
      damaged(error.what());
    }
  }
  require_hash(group, "sha256", hash_of(setup), "set-up");
  return setup;
}

void write_identity(const File& file, const Identity& identity) {
  const Group group = create_group(file, "identity");
  set_text(group, "job", identity.job);
  set_integer(group, "job_version", identity.job_version);
  set_text(group, "seed", fmt::format("{}", identity.seed));
  set_text(group, "stream_algorithm", identity.stream_algorithm);
  set_integer(group, "stream_version", identity.stream_version);
  set_text(group, "sha256", sha256_hex(full_text(identity)));

  const auto add = [&](const std::string& name, const std::vector<std::string>& texts,
                       std::string_view long_name) {
    DataSet dataset = create_texts(group, name, {texts.size()}, texts);
    describe(dataset, "1", long_name);
    dataset.close("closing the identity");
  };
  std::vector<std::string> keys;
  std::vector<std::string> values;
  for (const auto& [key, value] : identity.keys) {
    keys.push_back(key);
    values.push_back(value);
  }
  add("key", keys, "config keys that decide the numbers");
  add("value", values, "their values");
  std::vector<std::string> input_keys;
  std::vector<std::string> paths;
  std::vector<std::string> hashes;
  std::vector<std::string> sizes;
  for (const InputFile& input : identity.inputs) {
    input_keys.push_back(input.key);
    paths.push_back(input.path);
    hashes.push_back(input.sha256);
    sizes.push_back(fmt::format("{}", input.bytes));
  }
  add("input_key", input_keys, "config keys of the input files");
  add("input_path", paths, "where the input files were");
  add("input_sha256", hashes, "SHA-256 of the input files");
  add("input_bytes", sizes, "sizes of the input files in bytes");
}

Identity read_identity(const File& file) {
  const Group group = open_group(file, "identity");
  Identity identity;
  identity.job = get_text(group, "job");
  identity.job_version = static_cast<int>(get_integer(group, "job_version"));
  identity.stream_algorithm = get_text(group, "stream_algorithm");
  identity.stream_version = static_cast<int>(get_integer(group, "stream_version"));
  const auto unsigned_number = [](const std::string& text) {
    std::uint64_t value = 0;
    for (const char c : text) {
      if (c < '0' || c > '9') damaged("a number of the identity is none");
      value = value * 10 + static_cast<std::uint64_t>(c - '0');
    }
    return value;
  };
  identity.seed = unsigned_number(get_text(group, "seed"));
  const auto texts = [&](const std::string& name) { return read_texts(open_dataset(group, name)); };
  const auto keys = texts("key");
  const auto values = texts("value");
  const auto input_keys = texts("input_key");
  const auto paths = texts("input_path");
  const auto hashes = texts("input_sha256");
  const auto sizes = texts("input_bytes");
  if (keys.size() != values.size() || input_keys.size() != paths.size() ||
      paths.size() != hashes.size() || hashes.size() != sizes.size()) {
    damaged("the columns of the identity differ in length");
  }
  for (std::size_t i = 0; i < keys.size(); ++i) identity.keys.emplace_back(keys[i], values[i]);
  for (std::size_t i = 0; i < paths.size(); ++i) {
    identity.inputs.push_back({input_keys[i], paths[i], hashes[i], unsigned_number(sizes[i])});
  }
  require_hash(group, "sha256", sha256_hex(full_text(identity)), "identity");
  return identity;
}

void write_provenance(const File& file, const Provenance& provenance) {
  const Group group = create_group(file, "provenance");
  for (const auto& [name, value] : provenance) {
    DataSet dataset = create_texts(group, name, {}, std::vector<std::string>{value});
    describe(dataset, "1", name);
    dataset.close("closing the provenance");
  }
}

Provenance read_provenance(const File& file) {
  const Group group = open_group(file, "provenance");
  Provenance provenance;
  for (const std::string& name : link_names(group)) {
    const std::vector<std::string> texts = read_texts(open_dataset(group, name));
    if (texts.size() != 1) damaged("an item of the provenance is not one text");
    provenance.emplace_back(name, texts.front());
  }
  return provenance;
}

}  // namespace banzuke::schema
