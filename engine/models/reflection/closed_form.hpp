#pragma once
#include <cstdint>

#include "engine/models/reflection/probabilities.hpp"
#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

/// Whether the closed form holds: one outcome above the centre and one as far below, of equal
/// alpha, and at most one more, at the centre.
bool is_symmetric_three(const Game& game);

/// Exact probabilities in O(N) operations for any alpha (docs/methods/reflection.md, "Closed
/// form"); is_symmetric_three(game) is required. The error bounds rounding.
Probabilities closed_form(const Game& game, std::int64_t games);

}  // namespace banzuke::reflection
