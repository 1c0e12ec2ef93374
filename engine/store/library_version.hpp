#pragma once
#include <string>

namespace banzuke {

/// Version of the HDF5 library in use, "1.10.8".
std::string hdf5_version();

}  // namespace banzuke
