#pragma once

namespace banzuke::reflection {

/// What a method finds for one rule and N: probabilities of the score f(y) and the skill f(x),
/// both measured from the centre.
struct Probabilities {
  double p_positive = 0.0;        ///< P(f(y) > 0 | f(x) > 0)
  double p_zero = 0.0;            ///< P(f(y) = 0 | f(x) > 0)
  double p_half = 0.0;            ///< p_positive + p_zero / 2: a tie counts half
  double p_skill_positive = 0.0;  ///< P(f(x) > 0)
  double p_score_positive = 0.0;  ///< P(f(y) > 0)
  double p_score_zero = 0.0;      ///< P(f(y) = 0)
  double p_reverse = 0.0;         ///< P(f(x) > 0 | f(y) > 0)
  double error = 0.0;             ///< bound or standard error of p_positive, p_zero and p_half
};

/// From joint probabilities: skill and score positive, skill positive and score zero.
Probabilities from_joint(double both, double tie, double skill, double score, double score_zero,
                         double error);

}  // namespace banzuke::reflection
