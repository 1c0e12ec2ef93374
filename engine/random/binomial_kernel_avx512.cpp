#if defined(__AVX512BW__)
#define BANZUKE_VECTOR_BYTES 64
#include "engine/random/binomial_kernel_source.hpp"

const banzuke::binomial_kernel::Kernel* banzuke::binomial_kernel::avx512() {
  return &kernel;
}
#else
#include "engine/random/binomial_kernel.hpp"

const banzuke::binomial_kernel::Kernel* banzuke::binomial_kernel::avx512() {
  return nullptr;
}
#endif
