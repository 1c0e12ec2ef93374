#include "engine/models/reflection/characteristic_kernel_source.hpp"

namespace banzuke::reflection {

SweepRow sweep_row_avx2() {
  return sweep_row;
}

}  // namespace banzuke::reflection
