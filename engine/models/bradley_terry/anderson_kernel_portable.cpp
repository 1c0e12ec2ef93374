#define BANZUKE_NATIVE_DOUBLES 2
#include "engine/models/bradley_terry/anderson_kernel_source.hpp"

namespace banzuke::bradley_terry::anderson_kernel {

const Functions* portable(int lanes) {
  return functions_for(lanes);
}

}  // namespace banzuke::bradley_terry::anderson_kernel
