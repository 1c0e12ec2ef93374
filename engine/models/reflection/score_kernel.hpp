#pragma once
#include <cstddef>

namespace banzuke::reflection {

/// The nodes theta_l of the sign and zero kernels for scores of one N; arrays are padded with
/// weight 0 to a multiple of 8.
struct ScoreNodes {
  std::size_t outcomes;
  std::size_t nodes;          ///< a multiple of 8
  const double* coefficient;  ///< c_j
  const double* versed;       ///< [outcome][node]: cos(theta c_j) - 1
  const double* sine;         ///< [outcome][node]: sin(theta c_j)
  const double* turn;         ///< [node]: the phase that moves the score to half-integers
  const double* sign_weight;  ///< [node]
  double zero_weight;         ///< of every node; 0 where there are no ties
  double spacing;             ///< theta_{l+1} - theta_l
  double games;               ///< N
  double cutoff;              ///< nodes below e^-cutoff are left out
};

/// E sign(S) and P(S = 0) of N games.
struct ScoreSigns {
  double sign;
  double zero;
};

/// For outcome probabilities x[outcomes]; `variance` is that of c under x.
using ScoreSign = ScoreSigns (*)(const ScoreNodes& nodes, const double* x, double variance);

ScoreSign score_sign_portable();
ScoreSign score_sign_avx2();
ScoreSign score_sign_avx512();

}  // namespace banzuke::reflection
