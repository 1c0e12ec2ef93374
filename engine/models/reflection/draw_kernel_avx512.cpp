#include "engine/models/reflection/draw_kernel_source.hpp"

namespace banzuke::reflection {

DrawKernel draw_kernel_avx512() {
  return {draw_gammas, draw_scores};
}

}  // namespace banzuke::reflection
