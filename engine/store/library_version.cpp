#include "engine/store/library_version.hpp"

#include <fmt/format.h>

#include "engine/store/hdf5.hpp"

namespace banzuke {

std::string hdf5_version() {
  const hdf5::Quiet quiet;  // HDF5's first call in many a run
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace banzuke
