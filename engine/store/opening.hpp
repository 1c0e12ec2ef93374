#pragma once
#include <filesystem>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/store/hdf5.hpp"
#include "engine/store/result_file.hpp"

/// Opening a result file with its failures in words. Internal to the store.
namespace banzuke::opening {

/// Throws InputError when there is no file, or it is no HDF5 file.
void require_hdf5_file(const std::filesystem::path& path);
/// The same during a run: throws SystemError when the file is gone.
void require_still_there(const std::filesystem::path& path);
/// Throws InputError when the HDF5 file is not ours or has another schema.
void require_schema(const std::filesystem::path& path, const hdf5::File& file);

[[noreturn]] void throw_unreadable(const std::filesystem::path& path, const hdf5::Failure& failure);
[[noreturn]] void throw_unwritable(const std::filesystem::path& path, const hdf5::Failure& failure);

/// Opens for writing; waits while another program holds the file.
hdf5::File open_for_writing(const std::filesystem::path& path, const FileAccess& access);

/// f(file) with the file open for reading, without a lock.
template <class Function>
auto reading(const std::filesystem::path& path, Function f) {
  const hdf5::Quiet quiet;
  require_hdf5_file(path);
  try {
    const hdf5::File file = hdf5::open_file(path.string(), H5F_ACC_RDONLY, false);
    require_schema(path, file);
    return f(file);
  } catch (const hdf5::Failure& failure) {
    throw_unreadable(path, failure);
  }
}

/// f(file) with the file open for writing; closed and checked afterwards.
template <class Function>
void writing(const std::filesystem::path& path, const FileAccess& access, Function f) {
  const hdf5::Quiet quiet;
  require_still_there(path);
  try {
    hdf5::File file = open_for_writing(path, access);
    f(std::as_const(file));
    file.close("closing the file");
  } catch (const hdf5::Failure& failure) {
    throw_unwritable(path, failure);
  }
}

}  // namespace banzuke::opening
