#pragma once
#include <cstdint>
#include <optional>

#include "engine/base/cpu_path.hpp"
#include "engine/models/reflection/probabilities.hpp"
#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

/// Exact probabilities by trapezoidal sums of the characteristic function of skill and score, for
/// any k and N (docs/methods/reflection.md, "Triple trapezoid"). Needs a lattice game. Cost: about
/// (25 nodes)^3 sqrt(1 + N/A) for alphas above 30, growing fast below 10.
/// The error is a bound: aliases, cut nodes and rounding. Empty if more than most_nodes are needed.
std::optional<Probabilities> triple_trapezoid(const Game& game, std::int64_t games,
                                              CpuPath path = best_cpu_path());

/// About a second of work on one core.
inline constexpr std::int64_t most_nodes = 100'000'000;

/// Two players from one prior, N games each at separate tables.
struct HeadToHead {
  double p_positive = 0.0;  ///< P(A's score beats B's | A's skill beats B's)
  double p_tie = 0.0;       ///< P(equal scores), with or without the condition
  double p_half = 0.0;      ///< p_positive + p_tie / 2
  double error = 0.0;
};

/// Head-to-head probabilities by the contour formula for Dirichlet skills (same page,
/// "Head-to-head"). Empty if more than most_nodes are needed.
std::optional<HeadToHead> head_to_head(const Game& game, std::int64_t games,
                                       CpuPath path = best_cpu_path());

}  // namespace banzuke::reflection
