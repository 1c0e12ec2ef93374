#include "engine/models/bradley_terry/anderson_kernel.hpp"

#include "engine/models/bradley_terry/kernel_choice.hpp"

namespace banzuke::bradley_terry::anderson_kernel {

const Functions& functions_of(CpuPath path, int lanes) {
#if BANZUKE_VECTOR_PATHS
  constexpr KernelBuilds<Functions> builds{portable, avx2, avx512};
#else
  constexpr KernelBuilds<Functions> builds{portable, nullptr, nullptr};
#endif
  return chosen(builds, path, lanes);
}

}  // namespace banzuke::bradley_terry::anderson_kernel
