#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/fit.hpp"

namespace banzuke::bradley_terry {

/// Maximum likelihood where a factor of the information would fill in: Newton's method with steps
/// by preconditioned conjugate gradients (docs/methods/bradley_terry.md). Immutable: one may serve
/// many data sets of one schedule.
class ConjugateGradients {
 public:
  ConjugateGradients(std::uint32_t players, std::span<const std::uint32_t> first,
                     std::span<const std::uint32_t> second);

  struct Estimate {
    std::vector<double> abilities;  ///< natural-log scale, of mean 0; 0 for players without games
    double max_gradient = 0;        ///< games, before the last step
    double max_step = 0;            ///< natural-log units
    int iterations = 0;             ///< evaluations of the gradient
    FitStatus status = FitStatus::not_converged;
  };

  /// Wins of each pair's first and second player, both 0 where the pair is left out; the players
  /// with games must be strongly connected by wins. Not converged where abilities spread too far.
  Estimate fit(std::span<const double> wins_first, std::span<const double> wins_second,
               std::span<const double> start) const;

 private:
  /// Every pair once, by its first player.
  std::vector<std::uint64_t> begin_;  ///< [players + 1] into the others
  std::vector<std::uint32_t> other_;  ///< the second player
  std::vector<std::uint32_t> pair_;   ///< its place in what is given
  std::vector<double> degree_;        ///< [players] number of pairs
};

}  // namespace banzuke::bradley_terry
