#if defined(__AVX2__)
#define BANZUKE_VECTOR_BYTES 32
#include "engine/models/dirichlet_multinomial/tail_kernel_source.hpp"

const banzuke::dirichlet_multinomial::tail_kernel::Kernel*
banzuke::dirichlet_multinomial::tail_kernel::avx2() {
  return &kernel;
}
#else
#include "engine/models/dirichlet_multinomial/tail_kernel.hpp"

const banzuke::dirichlet_multinomial::tail_kernel::Kernel*
banzuke::dirichlet_multinomial::tail_kernel::avx2() {
  return nullptr;
}
#endif
