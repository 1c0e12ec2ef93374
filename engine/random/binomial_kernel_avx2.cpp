#if defined(__AVX2__)
#define BANZUKE_VECTOR_BYTES 32
#include "engine/random/binomial_kernel_source.hpp"

const banzuke::binomial_kernel::Kernel* banzuke::binomial_kernel::avx2() {
  return &kernel;
}
#else
#include "engine/random/binomial_kernel.hpp"

const banzuke::binomial_kernel::Kernel* banzuke::binomial_kernel::avx2() {
  return nullptr;
}
#endif
