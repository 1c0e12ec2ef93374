#define BANZUKE_VECTOR_BYTES 16
#include "engine/models/dirichlet_multinomial/tail_kernel_source.hpp"

const banzuke::dirichlet_multinomial::tail_kernel::Kernel*
banzuke::dirichlet_multinomial::tail_kernel::portable() {
  return &kernel;
}
