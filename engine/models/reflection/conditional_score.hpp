#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/cpu_path.hpp"
#include "engine/models/reflection/rule.hpp"
#include "engine/models/reflection/score_kernel.hpp"

namespace banzuke::reflection {

/// P(S > 0 | x) and P(S = 0 | x).
struct ScoreProbabilities {
  double positive = 0.0;
  double zero = 0.0;
};

/// The distribution of the score's sign of N games given the outcome probabilities x, by half a
/// Fourier sum over the lattice; within 1e-14. Needs a lattice game.
class ConditionalScore {
 public:
  ConditionalScore(const Game& game, std::int64_t games, CpuPath path);
  ConditionalScore(const ConditionalScore&) = delete;
  ConditionalScore& operator=(const ConditionalScore&) = delete;

  /// Whether the Fourier sum is short enough to tabulate: false for very fine lattices or many
  /// games.
  static bool is_feasible(const Game& game, std::int64_t games);

  /// x in the order of game.coefficient, sum 1.
  ScoreProbabilities operator()(const double* x) const;

 private:
  ScoreSign kernel_;
  std::vector<double> coefficient_;
  std::vector<double> versed_;
  std::vector<double> sine_;
  std::vector<double> turn_;
  std::vector<double> sign_weight_;
  double largest_ = 0.0;
  ScoreNodes nodes_{};
};

}  // namespace banzuke::reflection
