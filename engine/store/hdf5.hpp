#pragma once
#include <hdf5.h>

#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/layout.hpp"

/// HDF5's C API with every return value checked and every handle owned. Internal to the store.
namespace banzuke::hdf5 {

/// A call of HDF5 that failed: what we were doing, HDF5's innermost reason, its errno or 0.
class Failure : public std::runtime_error {
 public:
  Failure(std::string_view doing, std::string reason, int error_number)
      : std::runtime_error(std::string(doing) + " failed: " + reason),
        reason_(std::move(reason)),
        error_number_(error_number) {}
  const std::string& reason() const { return reason_; }
  int error_number() const { return error_number_; }

 private:
  std::string reason_;
  int error_number_;
};

/// Keeps HDF5 from printing its errors while it lives: they go into our messages.
class Quiet {
 public:
  Quiet();
  ~Quiet();
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  H5E_auto2_t function_ = nullptr;
  void* data_ = nullptr;
};

/// Throws Failure with the reason on HDF5's error stack.
[[noreturn]] void fail(std::string_view doing);

/// hid_t, herr_t, htri_t and sizes alike are negative on failure.
template <class Result>
Result checked(Result result, std::string_view doing) {
  if (result < 0) fail(doing);
  return result;
}

template <herr_t (*Close)(hid_t)>
class Handle {
 public:
  Handle() = default;
  Handle(hid_t id, std::string_view doing) : id_(checked(id, doing)) {}
  ~Handle() {
    if (id_ >= 0) Close(id_);
  }
  Handle(Handle&& other) noexcept : id_(other.id_) { other.id_ = H5I_INVALID_HID; }
  Handle& operator=(Handle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  operator hid_t() const { return id_; }

  /// Where data were written an error may show only here: a full disk does.
  void close(std::string_view doing) {
    const hid_t id = id_;
    id_ = H5I_INVALID_HID;
    if (id >= 0) checked(Close(id), doing);
  }

 private:
  hid_t id_ = H5I_INVALID_HID;
};

using File = Handle<H5Fclose>;
using Group = Handle<H5Gclose>;
using DataSet = Handle<H5Dclose>;
using Space = Handle<H5Sclose>;
using Type = Handle<H5Tclose>;
using Attribute = Handle<H5Aclose>;
using Properties = Handle<H5Pclose>;

/// Access properties: locking as asked; metadata with checksums (format of HDF5 1.8), which unlike
/// newer ones needs no repair after a kill.
Properties file_access(bool locking);
File create_file(const std::string& path);
File open_file(const std::string& path, unsigned flags, bool locking);
/// flush to the operating system and, if `durable`, to the disk.
void flush(const File& file, bool durable);

Group create_group(hid_t parent, const std::string& name);
Group open_group(hid_t parent, const std::string& name);
DataSet open_dataset(hid_t parent, const std::string& name);
/// Names of the links of a group in order of their creation.
std::vector<std::string> link_names(hid_t group);
bool has_link(hid_t parent, const std::string& name);

/// Little-endian type in the file, native type in memory.
hid_t stored_type(FieldType type);
hid_t native_type(FieldType type);
/// UTF-8 of fixed size: texts of variable size lie in heaps without checksums.
Type text_type(std::size_t size);

using Shape = std::vector<hsize_t>;

/// A contiguous dataset, allocated and written with `fill` (native bytes of `type`; null: zeros).
DataSet create_dataset(hid_t parent, const std::string& name, hid_t type, const Shape& shape,
                       hid_t fill_type = H5I_INVALID_HID, const void* fill = nullptr);
Shape shape_of(const DataSet& dataset);
/// Number of elements, checked against the bytes the file really has for them.
std::size_t element_count(const DataSet& dataset, std::size_t bytes_each);

/// Part of a dataset: per axis first and count. Rows of memory are packed.
struct Part {
  Shape first;
  Shape count;
};
void write(const DataSet& dataset, const Part& part, hid_t type, const void* data);
void read(const DataSet& dataset, const Part& part, hid_t type, void* data);
void write_all(const DataSet& dataset, hid_t type, const void* data);
void read_all(const DataSet& dataset, hid_t type, void* data);

DataSet create_texts(hid_t parent, const std::string& name, const Shape& shape,
                     std::span<const std::string> texts);
std::vector<std::string> read_texts(const DataSet& dataset);
/// Writes one text into a dataset of texts, cut to its size at a UTF-8 boundary.
void write_text(const DataSet& dataset, const Part& part, std::string_view text);

void set_text(hid_t object, const std::string& name, std::string_view text);
std::string get_text(hid_t object, const std::string& name);
void set_integer(hid_t object, const std::string& name, std::int64_t value);
std::int64_t get_integer(hid_t object, const std::string& name);
bool has_attribute(hid_t object, const std::string& name);

}  // namespace banzuke::hdf5
