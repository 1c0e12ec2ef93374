#define BANZUKE_NATIVE_DOUBLES 2
#include "engine/models/bradley_terry/lane_kernel_source.hpp"

namespace banzuke::bradley_terry::lane_kernel {

const Functions* portable(int lanes) {
  return functions_for(lanes);
}

}  // namespace banzuke::bradley_terry::lane_kernel
