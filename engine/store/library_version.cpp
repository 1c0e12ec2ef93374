#include "engine/store/library_version.hpp"

#include <fmt/format.h>
#include <hdf5.h>

namespace banzuke {

std::string hdf5_version() {
  unsigned major = 0, minor = 0, release = 0;
  H5get_libversion(&major, &minor, &release);
  return fmt::format("{}.{}.{}", major, minor, release);
}

}  // namespace banzuke
