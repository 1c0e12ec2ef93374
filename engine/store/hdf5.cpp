#include "engine/store/hdf5.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "engine/base/text.hpp"

namespace banzuke::hdf5 {
namespace {

extern "C" herr_t first_description(unsigned depth, const H5E_error2_t* error, void* out) {
  // Walking upward, depth 0 is the function that found the error.
  if (depth == 0 && error->desc != nullptr) *static_cast<std::string*>(out) = error->desc;
  return 0;
}

/// "errno = 28" in HDF5's text; 0 when there is none.
int error_number_in(const std::string& text) {
  const std::size_t at = text.find("errno = ");
  return at == text.npos ? 0 : std::atoi(text.c_str() + at + 8);
}

/// netCDF takes texts of one byte for characters.
constexpr std::size_t least_text_size = 2;

void cut_to(std::string& text, std::size_t size) {
  if (text.size() <= size) return;
  text.resize(size);
  while (!text.empty() && !is_valid_utf8(text)) text.pop_back();
}

/// Texts one after another, each padded with NUL to `size`.
std::vector<char> packed(std::span<const std::string> texts, std::size_t size) {
  std::vector<char> bytes(texts.size() * size, '\0');
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::copy(texts[i].begin(), texts[i].end(),
              bytes.begin() + static_cast<std::ptrdiff_t>(i * size));
  }
  return bytes;
}

std::string unpacked(const char* data, std::size_t size) {
  while (size > 0 && data[size - 1] == '\0') --size;
  return {data, size};
}

std::size_t text_size(hid_t type) {
  const bool fixed = checked(H5Tget_class(type), "reading a type") == H5T_STRING &&
                     checked(H5Tis_variable_str(type), "reading a type") == 0;
  if (!fixed) throw Failure("reading a text", "it is not a text of fixed size", 0);
  return H5Tget_size(type);
}

Space simple_space(const Shape& shape) {
  if (shape.empty()) return {H5Screate(H5S_SCALAR), "making a scalar"};
  return {H5Screate_simple(static_cast<int>(shape.size()), shape.data(), nullptr),
          "making a shape"};
}

/// Selects the part in the file and describes its packed form in memory.
std::pair<Space, Space> selected(const DataSet& dataset, const Part& part) {
  Space file(H5Dget_space(dataset), "reading a shape");
  checked(H5Sselect_hyperslab(file, H5S_SELECT_SET, part.first.data(), nullptr, part.count.data(),
                              nullptr),
          "selecting rows");
  if (checked(H5Sselect_valid(file), "selecting rows") == 0) {
    throw Failure("selecting rows", "they are not in the dataset", 0);
  }
  return {std::move(file), simple_space(part.count)};
}

}  // namespace

Quiet::Quiet() {
  // Every file is closed, and checked, by us. At exit HDF5 would try again to close what a full
  // disk kept it from closing: in vain, aloud, or with a crash. Heard only before its other calls.
  static const bool once = H5dont_atexit() >= 0;
  static_cast<void>(once);
  H5Eget_auto2(H5E_DEFAULT, &function_, &data_);
  H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);
}

Quiet::~Quiet() {
  H5Eset_auto2(H5E_DEFAULT, function_, data_);
}

void fail(std::string_view doing) {
  std::string reason;
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, first_description, &reason);
  H5Eclear2(H5E_DEFAULT);
  const int number = error_number_in(reason);
  if (number != 0) {
    reason = std::strerror(number);
  } else if (reason.empty()) {
    reason = "HDF5 gives no reason";
  } else {
    reason = "HDF5: " + reason;
  }
  throw Failure(doing, reason, number);
}

Properties file_access(bool locking) {
  Properties access(H5Pcreate(H5P_FILE_ACCESS), "making file access properties");
  checked(H5Pset_libver_bounds(access, H5F_LIBVER_V18, H5F_LIBVER_V18), "choosing the format");
#if H5_VERSION_GE(1, 10, 7)
  checked(H5Pset_file_locking(access, locking, false), "choosing the locking");
#else
  static_cast<void>(locking);  // decided by how the library was built
#endif
  // Else a handle left open by an error would keep the file open behind our back.
  checked(H5Pset_fclose_degree(access, H5F_CLOSE_STRONG), "choosing how to close");
  return access;
}

File create_file(const std::string& path) {
  // Nobody else knows of a file in the making, and some file systems have no locks.
  const Properties access = file_access(false);
  const Properties creation(H5Pcreate(H5P_FILE_CREATE), "making file properties");
  checked(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
          "ordering the file");
  return {H5Fcreate(path.c_str(), H5F_ACC_TRUNC, creation, access), "making the file"};
}

File open_file(const std::string& path, unsigned flags, bool locking) {
  const Properties access = file_access(locking);
  return {H5Fopen(path.c_str(), flags, access), "opening the file"};
}

void flush(const File& file, bool durable) {
  checked(H5Fflush(file, H5F_SCOPE_GLOBAL), "flushing");
  if (!durable) return;
  void* descriptor = nullptr;
  checked(H5Fget_vfd_handle(file, H5P_DEFAULT, &descriptor), "finding the file's descriptor");
  // EINVAL: what lies there cannot be synchronised, as some special files.
  if (TEMP_FAILURE_RETRY(::fsync(*static_cast<int*>(descriptor))) != 0 && errno != EINVAL) {
    throw Failure("writing to the disk", std::strerror(errno), errno);
  }
}

Group create_group(hid_t parent, const std::string& name) {
  const Properties creation(H5Pcreate(H5P_GROUP_CREATE), "making group properties");
  checked(H5Pset_link_creation_order(creation, H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
          "ordering a group");
  return {H5Gcreate2(parent, name.c_str(), H5P_DEFAULT, creation, H5P_DEFAULT),
          "making the group " + name};
}

Group open_group(hid_t parent, const std::string& name) {
  return {H5Gopen2(parent, name.c_str(), H5P_DEFAULT), "opening the group " + name};
}

DataSet open_dataset(hid_t parent, const std::string& name) {
  return {H5Dopen2(parent, name.c_str(), H5P_DEFAULT), "opening the dataset " + name};
}

std::vector<std::string> link_names(hid_t group) {
  H5G_info_t info{};
  checked(H5Gget_info(group, &info), "reading a group");
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto get = [&](char* name, std::size_t size) {
      return checked(H5Lget_name_by_idx(group, ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, name, size,
                                        H5P_DEFAULT),
                     "reading a name");
    };
    std::string name(static_cast<std::size_t>(get(nullptr, 0)), '\0');
    get(name.data(), name.size() + 1);
    names.push_back(std::move(name));
  }
  return names;
}

bool has_link(hid_t parent, const std::string& name) {
  return checked(H5Lexists(parent, name.c_str(), H5P_DEFAULT), "looking for " + name) > 0;
}

hid_t stored_type(FieldType type) {
  switch (type) {
    case FieldType::float64:
      return H5T_IEEE_F64LE;
    case FieldType::float32:
      return H5T_IEEE_F32LE;
    case FieldType::int64:
      return H5T_STD_I64LE;
    case FieldType::int32:
      return H5T_STD_I32LE;
    case FieldType::uint8:
      return H5T_STD_U8LE;
  }
  throw std::logic_error("unknown field type");
}

hid_t native_type(FieldType type) {
  switch (type) {
    case FieldType::float64:
      return H5T_NATIVE_DOUBLE;
    case FieldType::float32:
      return H5T_NATIVE_FLOAT;
    case FieldType::int64:
      return H5T_NATIVE_INT64;
    case FieldType::int32:
      return H5T_NATIVE_INT32;
    case FieldType::uint8:
      return H5T_NATIVE_UINT8;
  }
  throw std::logic_error("unknown field type");
}

Type text_type(std::size_t size) {
  Type type(H5Tcopy(H5T_C_S1), "making a text type");
  checked(H5Tset_size(type, std::max(size, least_text_size)), "sizing a text type");
  checked(H5Tset_cset(type, H5T_CSET_UTF8), "choosing UTF-8");
  checked(H5Tset_strpad(type, H5T_STR_NULLPAD), "choosing padding");
  return type;
}

DataSet create_dataset(hid_t parent, const std::string& name, hid_t type, const Shape& shape,
                       hid_t fill_type, const void* fill) {
  const Properties creation(H5Pcreate(H5P_DATASET_CREATE), "making dataset properties");
  checked(H5Pset_layout(creation, H5D_CONTIGUOUS), "choosing a contiguous dataset");
  checked(H5Pset_alloc_time(creation, H5D_ALLOC_TIME_EARLY), "choosing early allocation");
  checked(H5Pset_fill_time(creation, H5D_FILL_TIME_ALLOC), "choosing early filling");
  checked(H5Pset_obj_track_times(creation, false), "leaving out times");
  if (fill != nullptr) checked(H5Pset_fill_value(creation, fill_type, fill), "setting the fill");
  const Space space = simple_space(shape);
  return {H5Dcreate2(parent, name.c_str(), type, space, H5P_DEFAULT, creation, H5P_DEFAULT),
          "making the dataset " + name};
}

Shape shape_of(const DataSet& dataset) {
  const Space space(H5Dget_space(dataset), "reading a shape");
  Shape shape(
      static_cast<std::size_t>(checked(H5Sget_simple_extent_ndims(space), "reading a shape")));
  checked(H5Sget_simple_extent_dims(space, shape.data(), nullptr), "reading a shape");
  return shape;
}

std::size_t element_count(const DataSet& dataset, std::size_t bytes_each) {
  std::size_t count = 1;
  for (const hsize_t extent : shape_of(dataset)) {
    if (__builtin_mul_overflow(count, static_cast<std::size_t>(extent), &count)) {
      throw Failure("reading a shape", "it is impossibly large", 0);
    }
  }
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, bytes_each, &bytes) || bytes > H5Dget_storage_size(dataset)) {
    throw Failure("reading a dataset", "the file holds fewer values than it says", 0);
  }
  return count;
}

void write(const DataSet& dataset, const Part& part, hid_t type, const void* data) {
  const auto [file, memory] = selected(dataset, part);
  checked(H5Dwrite(dataset, type, memory, file, H5P_DEFAULT, data), "writing");
}

void read(const DataSet& dataset, const Part& part, hid_t type, void* data) {
  const auto [file, memory] = selected(dataset, part);
  checked(H5Dread(dataset, type, memory, file, H5P_DEFAULT, data), "reading");
}

void write_all(const DataSet& dataset, hid_t type, const void* data) {
  checked(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "writing");
}

void read_all(const DataSet& dataset, hid_t type, void* data) {
  checked(H5Dread(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, data), "reading");
}

DataSet create_texts(hid_t parent, const std::string& name, const Shape& shape,
                     std::span<const std::string> texts) {
  std::size_t size = least_text_size;
  for (const std::string& text : texts) size = std::max(size, text.size());
  const Type type = text_type(size);
  DataSet dataset = create_dataset(parent, name, type, shape);
  if (!texts.empty()) write_all(dataset, type, packed(texts, size).data());
  return dataset;
}

std::vector<std::string> read_texts(const DataSet& dataset) {
  const Type stored(H5Dget_type(dataset), "reading a type");
  const std::size_t size = text_size(stored);
  std::vector<std::string> texts(element_count(dataset, size));
  if (texts.empty()) return texts;
  std::vector<char> bytes(texts.size() * size);
  read_all(dataset, text_type(size), bytes.data());
  for (std::size_t i = 0; i < texts.size(); ++i) texts[i] = unpacked(&bytes[i * size], size);
  return texts;
}

void write_text(const DataSet& dataset, const Part& part, std::string_view text) {
  const Type stored(H5Dget_type(dataset), "reading a type");
  const std::size_t size = text_size(stored);
  std::string value(text);
  cut_to(value, size);
  value.resize(size, '\0');
  write(dataset, part, text_type(size), value.data());
}

void set_text(hid_t object, const std::string& name, std::string_view text) {
  std::string value(text);
  value.resize(std::max(value.size(), least_text_size), '\0');
  const Type type = text_type(value.size());
  const Space space = simple_space({});
  Attribute attribute(H5Acreate2(object, name.c_str(), type, space, H5P_DEFAULT, H5P_DEFAULT),
                      "making the attribute " + name);
  checked(H5Awrite(attribute, type, value.c_str()), "writing the attribute " + name);
  attribute.close("closing the attribute " + name);
}

std::string get_text(hid_t object, const std::string& name) {
  const Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT),
                            "opening the attribute " + name);
  const Type stored(H5Aget_type(attribute), "reading a type");
  const std::size_t size = text_size(stored);
  if (H5Aget_storage_size(attribute) != size) {
    throw Failure("reading the attribute " + name, "it is not one text", 0);
  }
  std::vector<char> bytes(size);
  checked(H5Aread(attribute, text_type(size), bytes.data()), "reading the attribute " + name);
  return unpacked(bytes.data(), size);
}

void set_integer(hid_t object, const std::string& name, std::int64_t value) {
  const Space space = simple_space({});
  Attribute attribute(
      H5Acreate2(object, name.c_str(), H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT),
      "making the attribute " + name);
  checked(H5Awrite(attribute, H5T_NATIVE_INT64, &value), "writing the attribute " + name);
  attribute.close("closing the attribute " + name);
}

std::int64_t get_integer(hid_t object, const std::string& name) {
  const Attribute attribute(H5Aopen(object, name.c_str(), H5P_DEFAULT),
                            "opening the attribute " + name);
  const Type stored(H5Aget_type(attribute), "reading a type");
  const Space space(H5Aget_space(attribute), "reading a shape");
  if (checked(H5Tget_class(stored), "reading a type") != H5T_INTEGER ||
      H5Sget_simple_extent_npoints(space) != 1) {
    throw Failure("reading the attribute " + name, "it is not one integer", 0);
  }
  std::int64_t value = 0;
  checked(H5Aread(attribute, H5T_NATIVE_INT64, &value), "reading the attribute " + name);
  return value;
}

bool has_attribute(hid_t object, const std::string& name) {
  return checked(H5Aexists(object, name.c_str()), "looking for the attribute " + name) > 0;
}

}  // namespace banzuke::hdf5
