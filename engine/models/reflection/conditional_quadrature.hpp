#pragma once
#include <cstdint>

#include "engine/base/cpu_path.hpp"
#include "engine/models/reflection/probabilities.hpp"
#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

/// Exact probabilities by quadrature of P(S > 0 | x) over the skill, any alpha, up to five
/// different payoffs. Nodes are added until two orders agree to `target` or `most_lines` lines
/// would be passed; the error is twice their difference and a floor for rounding.
Probabilities conditional_quadrature(const Game& game, std::int64_t games, double target = 1e-12,
                                     CpuPath path = best_cpu_path());

/// Most different payoffs conditional_quadrature takes.
inline constexpr std::size_t most_quadrature_outcomes = 5;

}  // namespace banzuke::reflection
