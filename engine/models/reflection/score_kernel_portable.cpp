#include "engine/models/reflection/score_kernel_source.hpp"

namespace banzuke::reflection {

ScoreSign score_sign_portable() {
  return score_sign;
}

}  // namespace banzuke::reflection
