#include "engine/store/schema.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/sha256.hpp"
#include "engine/base/text.hpp"
#include "engine/store/result_file.hpp"

namespace banzuke::schema {
namespace {

using namespace hdf5;

const std::vector<std::string> groups{"records",    "setup",    "identity",
                                      "provenance", "sessions", "shard"};

void describe(hid_t dataset, std::string_view units, std::string_view long_name) {
  set_text(dataset, "units", units);
  set_text(dataset, "long_name", long_name);
}

void make_scale(const DataSet& dataset, const std::string& name) {
  checked(H5DSset_scale(dataset, name.c_str()), "making the dimension " + name);
}

DataSet create_label_scale(hid_t parent, const std::string& name,
                           const std::vector<std::string>& labels, std::string_view long_name) {
  DataSet scale = create_texts(parent, name, {labels.size()}, labels);
  make_scale(scale, name);
  describe(scale, "1", long_name);
  return scale;
}

void attach(const DataSet& dataset, const File& file, const std::string& dimension, unsigned axis) {
  attach_scale(dataset, open_dataset(file, dimension), axis);
}

void set_dimensions(const DataSet& dataset, const std::vector<std::string>& names) {
  set_text(dataset, "dimensions", join(names, " "));
}

std::vector<std::string> words(const std::string& text) {
  std::vector<std::string> result;
  if (text.empty()) return result;
  for (const std::string_view word : split(text, ' ')) result.emplace_back(word);
  return result;
}

DataSet create_records(const Group& records, const Layout& layout, std::size_t field) {
  const bool is_status = field == layout.fields.size();
  const FieldType type = type_of(layout, field);
  Shape shape{layout.points.size(), layout.rows()};
  if (!is_status && !layout.fields[field].dimension.empty()) shape.push_back(layout.width(field));
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const bool is_real = type == FieldType::float64 || type == FieldType::float32;
  const std::int64_t zero = 0;
  return create_dataset(records, is_status ? "status" : layout.fields[field].name,
                        stored_type(type), shape, is_real ? H5T_NATIVE_DOUBLE : H5T_NATIVE_INT64,
                        is_real ? static_cast<const void*>(&nan) : &zero);
}

void describe_status(const DataSet& dataset, const Layout& layout) {
  describe(dataset, "1", "what became of the replicate");
  std::vector<std::uint8_t> codes(layout.statuses.size());
  std::iota(codes.begin(), codes.end(), std::uint8_t{0});
  const hsize_t size = codes.size();
  const Space space(H5Screate_simple(1, &size, nullptr), "making a shape");
  Attribute values(
      H5Acreate2(dataset, "flag_values", H5T_STD_U8LE, space, H5P_DEFAULT, H5P_DEFAULT),
      "making the attribute flag_values");
  checked(H5Awrite(values, H5T_NATIVE_UINT8, codes.data()), "writing the attribute flag_values");
  values.close("closing the attribute flag_values");
  set_text(dataset, "flag_meanings", join(layout.statuses, " "));
}

FieldType stored_field_type(const DataSet& dataset) {
  const Type type(H5Dget_type(dataset), "reading a type");
  for (const FieldType known : {FieldType::float64, FieldType::float32, FieldType::int64,
                                FieldType::int32, FieldType::uint8}) {
    if (checked(H5Tequal(type, stored_type(known)), "reading a type") > 0) return known;
  }
  throw Failure("reading a field", "it has an unknown type", 0);
}

[[noreturn]] void damaged(const std::string& reason) {
  throw Failure("reading the layout", reason, 0);
}

void require_hash(hid_t object, const std::string& name, const std::string& now,
                  std::string_view what) {
  if (get_text(object, name) != now) damaged(fmt::format("the {} does not fit its hash", what));
}

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

DataSet create_bare_scale(hid_t parent, const std::string& name, hsize_t size,
                          std::string_view long_name) {
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE), "making dataset properties");
  checked(H5Pset_obj_track_times(creation, false), "leaving out times");
  const Space space(H5Screate_simple(1, &size, nullptr), "making a shape");
  DataSet scale(
      H5Dcreate2(parent, name.c_str(), H5T_IEEE_F32BE, space, H5P_DEFAULT, creation, H5P_DEFAULT),
      "making the dimension " + name);
  make_scale(scale,
             fmt::format("This is a netCDF dimension but not a netCDF variable. {:10}", size));
  describe(scale, "1", long_name);
  return scale;
}

void attach_scale(const DataSet& dataset, const DataSet& scale, unsigned axis) {
  checked(H5DSattach_scale(dataset, scale, axis), "attaching a dimension");
}

void write_header(const File& file) {
  set_integer(file, "banzuke_schema", result_schema);
  set_text(file, "Conventions", "CF-1.8");
  set_text(file, "title", "results of a run of Banzuke");
}

FieldType type_of(const Layout& layout, std::size_t field) {
  return field == layout.fields.size() ? FieldType::uint8 : layout.fields[field].type;
}

DataSet open_records(const File& file, const Layout& layout, std::size_t field) {
  return open_dataset(
      file, "records/" + (field == layout.fields.size() ? "status" : layout.fields[field].name));
}

Part part_of(const Layout& layout, std::size_t field, std::size_t point, std::uint64_t first,
             std::uint64_t count, std::optional<ElementRange> elements) {
  Part part{{point, first}, {1, count}};
  if (field < layout.fields.size() && !layout.fields[field].dimension.empty()) {
    const ElementRange range = elements.value_or(ElementRange{0, layout.width(field)});
    part.first.push_back(range.first);
    part.count.push_back(range.count);
  }
  return part;
}

void write_layout(const File& file, const Layout& layout) {
  set_text(file, "layout_sha256", sha256_hex(layout.canonical_text(layout.replicates)));
  create_label_scale(file, "point", layout.points, "setting of the sweep")
      .close("closing the points");
  const std::string row(layout.row_noun());
  DataSet rows = create_bare_scale(
      file, row, layout.rows(),
      layout.segment == 1 ? "index of the Monte Carlo draw" : "run of Monte Carlo draws summed up");
  if (layout.segment > 1) {
    set_integer(rows, "replicates", static_cast<std::int64_t>(layout.replicates));
    set_integer(rows, "replicates_a_segment", static_cast<std::int64_t>(layout.segment));
  }
  rows.close("closing the rows");
  for (const Dimension& dimension : layout.dimensions) {
    DataSet scale =
        dimension.labels.empty()
            ? create_bare_scale(file, dimension.name, dimension.size, dimension.long_name)
            : create_label_scale(file, dimension.name, dimension.labels, dimension.long_name);
    scale.close("closing the dimension " + dimension.name);
  }

  const Group records = create_group(file, "records");
  for (std::size_t i = 0; i <= layout.fields.size(); ++i) {
    DataSet dataset = create_records(records, layout, i);
    std::vector<std::string> names{"point", row};
    if (i == layout.fields.size()) {
      describe_status(dataset, layout);
    } else {
      const Field& field = layout.fields[i];
      describe(dataset, field.units, field.long_name);
      if (!field.dimension.empty()) names.push_back(field.dimension);
    }
    set_dimensions(dataset, names);
    for (unsigned axis = 0; axis < names.size(); ++axis) attach(dataset, file, names[axis], axis);
    dataset.close("closing the records");
  }
}

Layout read_layout(const File& file) {
  Layout layout;
  layout.points = read_texts(open_dataset(file, "point"));
  const bool in_segments = has_link(file, "segment");
  const DataSet row_scale = open_dataset(file, in_segments ? "segment" : "replicate");
  const Shape rows = shape_of(row_scale);
  if (rows.size() != 1) damaged("the rows have no single axis");
  layout.replicates = rows[0];
  if (in_segments) {
    const std::int64_t replicates = get_integer(row_scale, "replicates");
    const std::int64_t segment = get_integer(row_scale, "replicates_a_segment");
    if (replicates < 1 || segment < 2) damaged("the segments hold no replicates");
    layout.replicates = static_cast<std::uint64_t>(replicates);
    layout.segment = static_cast<std::uint64_t>(segment);
    if (layout.rows() != rows[0]) damaged("the segments do not fit the replicates");
  }

  for (const std::string& name : link_names(file)) {
    if (name == "point" || name == "replicate" || name == "segment") continue;
    if (std::find(groups.begin(), groups.end(), name) != groups.end()) continue;
    const DataSet scale = open_dataset(file, name);
    const Shape shape = shape_of(scale);
    if (shape.size() != 1) damaged(fmt::format("the dimension {} has no single axis", name));
    Dimension dimension;
    dimension.name = name;
    dimension.size = shape[0];
    dimension.long_name = get_text(scale, "long_name");
    const Type type(H5Dget_type(scale), "reading a type");
    if (checked(H5Tget_class(type), "reading a type") == H5T_STRING) {
      dimension.labels = read_texts(scale);
    }
    layout.dimensions.push_back(std::move(dimension));
  }

  for (const std::string& name : link_names(open_group(file, "records"))) {
    const DataSet dataset = open_dataset(file, "records/" + name);
    if (name == "status") {
      layout.statuses = words(get_text(dataset, "flag_meanings"));
      continue;
    }
    Field field;
    field.name = name;
    field.type = stored_field_type(dataset);
    field.units = get_text(dataset, "units");
    field.long_name = get_text(dataset, "long_name");
    const std::vector<std::string> names = words(get_text(dataset, "dimensions"));
    if (names.size() == 3) field.dimension = names[2];
    layout.fields.push_back(std::move(field));
  }

  try {
    layout.check();
  } catch (const std::exception& error) {
    damaged(error.what());
  }
  require_hash(file, "layout_sha256", sha256_hex(layout.canonical_text(layout.replicates)),
               "layout");
  for (std::size_t i = 0; i <= layout.fields.size(); ++i) {
    const DataSet dataset = open_records(file, layout, i);
    Shape expected{layout.points.size(), layout.rows()};
    if (i < layout.fields.size() && !layout.fields[i].dimension.empty()) {
      expected.push_back(layout.width(i));
    }
    if (shape_of(dataset) != expected) damaged("a record's shape does not fit its dimensions");
    if (stored_field_type(dataset) != type_of(layout, i)) damaged("the status is of another type");
    element_count(dataset, bytes_of(type_of(layout, i)));
  }
  return layout;
}

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
