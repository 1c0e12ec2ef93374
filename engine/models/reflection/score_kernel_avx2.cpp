#include "engine/models/reflection/score_kernel_source.hpp"

namespace banzuke::reflection {

ScoreSign score_sign_avx2() {
  return score_sign;
}

}  // namespace banzuke::reflection
