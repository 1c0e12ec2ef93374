#define BANZUKE_VECTOR_BYTES 16
#include "engine/random/binomial_kernel_source.hpp"

const banzuke::binomial_kernel::Kernel* banzuke::binomial_kernel::portable() {
  return &kernel;
}
