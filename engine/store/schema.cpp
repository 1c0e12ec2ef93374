#include "engine/store/schema.hpp"

#include <fmt/format.h>
#include <hdf5_hl.h>

#include <algorithm>
#include <limits>
#include <numeric>

#include "engine/base/sha256.hpp"
#include "engine/base/text.hpp"
#include "engine/store/result_file.hpp"
#include "engine/store/schema_parts.hpp"

namespace banzuke::schema {

using namespace hdf5;

const std::vector<std::string> groups{"records",    "setup",    "identity",
                                      "provenance", "sessions", "shard"};

void describe(hid_t dataset, std::string_view units, std::string_view long_name) {
  set_text(dataset, "units", units);
  set_text(dataset, "long_name", long_name);
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

FieldType stored_field_type(const DataSet& dataset) {
  const Type type(H5Dget_type(dataset), "reading a type");
  for (const FieldType known : {FieldType::float64, FieldType::float32, FieldType::int64,
                                FieldType::int32, FieldType::uint8}) {
    if (checked(H5Tequal(type, stored_type(known)), "reading a type") > 0) return known;
  }
  throw Failure("reading a field", "it has an unknown type", 0);
}

void damaged(const std::string& reason) {
  throw Failure("reading the layout", reason, 0);
}

void require_hash(hid_t object, const std::string& name, const std::string& now,
                  std::string_view what) {
  if (get_text(object, name) != now) damaged(fmt::format("the {} does not fit its hash", what));
}

namespace {

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

}  // namespace banzuke::schema
