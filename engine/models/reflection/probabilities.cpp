#include "engine/models/reflection/probabilities.hpp"

namespace banzuke::reflection {

Probabilities from_joint(double both, double tie, double skill, double score, double score_zero,
                         double error) {
  Probabilities p;
  p.p_positive = both / skill;
  p.p_zero = tie / skill;
  p.p_half = (both + 0.5 * tie) / skill;
  p.p_skill_positive = skill;
  p.p_score_positive = score;
  p.p_score_zero = score_zero;
  p.p_reverse = both / score;
  p.error = error;
  return p;
}

}  // namespace banzuke::reflection
