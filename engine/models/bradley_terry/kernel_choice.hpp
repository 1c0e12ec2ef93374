#pragma once
#include <stdexcept>
#include <string>

#include "engine/base/cpu_path.hpp"

namespace banzuke::bradley_terry {

/// A kernel's functions for a number of lanes as compiled for each CPU path; null where the
/// compiler did not build it.
template <class Functions>
struct KernelBuilds {
  using Builder = const Functions* (*)(int lanes);
  Builder portable, avx2, avx512;
};

/// Throws std::invalid_argument if this machine or build does not have the path, or for another
/// number of lanes.
template <class Functions>
const Functions& chosen(const KernelBuilds<Functions>& builds, CpuPath path, int lanes) {
  if (!is_available(path))
    throw std::invalid_argument(std::string("this machine has no path ") + name_of(path));
  if (!builds.portable(lanes)) throw std::invalid_argument("lanes must be 1, 8, 16 or 64");
  const auto builder = path == CpuPath::avx512 ? builds.avx512
                       : path == CpuPath::avx2 ? builds.avx2
                                               : builds.portable;
  const Functions* const functions = builder ? builder(lanes) : nullptr;
  if (!functions)
    throw std::invalid_argument(std::string("this build has no path ") + name_of(path));
  return *functions;
}

}  // namespace banzuke::bradley_terry
