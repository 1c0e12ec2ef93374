#if defined(__AVX512F__)
#define BANZUKE_VECTOR_BYTES 64
#include "engine/models/dirichlet_multinomial/tail_kernel_source.hpp"

const banzuke::dirichlet_multinomial::tail_kernel::Kernel*
banzuke::dirichlet_multinomial::tail_kernel::avx512() {
  return &kernel;
}
#else
#include "engine/models/dirichlet_multinomial/tail_kernel.hpp"

const banzuke::dirichlet_multinomial::tail_kernel::Kernel*
banzuke::dirichlet_multinomial::tail_kernel::avx512() {
  return nullptr;
}
#endif
