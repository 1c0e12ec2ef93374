#include "engine/models/dirichlet_multinomial/tail_kernel.hpp"

#include <stdexcept>
#include <string>

namespace banzuke::dirichlet_multinomial::tail_kernel {
namespace {

const Kernel* find(CpuPath path) {
  if (!is_available(path)) return nullptr;
  return path == CpuPath::avx512 ? avx512() : path == CpuPath::avx2 ? avx2() : portable();
}

}  // namespace

const Kernel& kernel_of(CpuPath path) {
  const Kernel* kernel = find(path);
  if (kernel == nullptr) {
    throw std::invalid_argument(std::string("no ") + name_of(path) + " kernel on this machine");
  }
  return *kernel;
}

const Kernel& best_kernel() {
  static const Kernel* const best = [] {
    for (const CpuPath path : {CpuPath::avx512, CpuPath::avx2}) {
      if (const Kernel* kernel = find(path)) return kernel;
    }
    return portable();
  }();
  return *best;
}

}  // namespace banzuke::dirichlet_multinomial::tail_kernel
