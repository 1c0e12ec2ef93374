#include "engine/models/bradley_terry/anderson_kernel.hpp"

#include <stdexcept>
#include <string>

namespace banzuke::bradley_terry::anderson_kernel {

#if !BANZUKE_VECTOR_PATHS
const Functions* avx2(int) {
  return nullptr;
}
const Functions* avx512(int) {
  return nullptr;
}
#endif

const Functions& functions_of(CpuPath path, int lanes) {
  if (!is_available(path))
    throw std::invalid_argument(std::string("this machine has no path ") + name_of(path));
  const Functions* functions = path == CpuPath::avx512 ? avx512(lanes)
                               : path == CpuPath::avx2 ? avx2(lanes)
                                                       : portable(lanes);
  if (!portable(lanes)) throw std::invalid_argument("lanes must be 1, 8, 16 or 64");
  if (!functions)
    throw std::invalid_argument(std::string("this build has no path ") + name_of(path));
  return *functions;
}

}  // namespace banzuke::bradley_terry::anderson_kernel
