#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/anderson.hpp"
#include "engine/models/bradley_terry/elimination.hpp"
#include "engine/models/bradley_terry/lane_workspace.hpp"
#include "engine/models/bradley_terry/replicate_kernel.hpp"
#include "engine/models/bradley_terry/saturated.hpp"
#include "engine/models/bradley_terry/solvable.hpp"
#include "engine/random/binomial.hpp"

namespace banzuke::bradley_terry {

/// What all replicates of a schedule and a truth share.
struct ReplicateKernel::State {
  State(const Schedule& schedule, std::span<const double> truth, const Anchor& anchor,
        const KernelOptions& options);

  /// Lets a fixed set of replicates choose the schedule, or Newton's method from the start.
  void ask_pilot();

  std::uint32_t players() const { return elimination.players; }
  std::size_t width() const { return static_cast<std::size_t>(options.lanes); }

  Anchor anchor;
  KernelOptions options;
  const lane_kernel::Functions& newton;
  const anderson_kernel::Functions& fast;
  std::vector<std::uint32_t> games;
  std::vector<double> real_games;
  Fill fill;
  Elimination elimination;
  std::vector<std::uint32_t> degree;
  lane_kernel::Shared shared;
  std::vector<BinomialLaw> laws;
  BinomialSampler sampler;
  Solvable solvable;
  std::vector<double> truth;        ///< by position, relative to the ground
  std::vector<double> later_games;  ///< by position: games as a pair's second player
  double truth_log_likelihood = 0;  ///< of losing every game as the first player
  bool sums_fit = true;             ///< every player's number of games is below 2^31
  Saturated saturated;
  SharedFactor factor;
  std::optional<Anderson> anderson;
  bool is_hard = false;  ///< Newton's method from the start
};

}  // namespace banzuke::bradley_terry
