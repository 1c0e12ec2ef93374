#pragma once
#include <cstdint>

#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

/// Windows of the trapezoidal rules: aliases lie outside them, and their probability is below
/// e^-tail each (Chernoff's inequality; docs/methods/reflection.md, "Windows").

/// L with P(|F| >= L) <= 2 e^-tail, F = sum_j c_j g_j, g_j ~ Gamma(alpha_j).
double skill_window(const Game& game, double tail);

/// The same for the difference of two independent F.
double skill_difference_window(const Game& game, double tail);

/// Even n with P(|S| >= n) <= 2 e^-tail, S the score of `games` games; never above the range of S.
std::int64_t score_window(const Game& game, std::int64_t games, double tail);

/// The same for the difference of two independent S.
std::int64_t score_difference_window(const Game& game, std::int64_t games, double tail);

/// M such that a total of N + M or N - M games has a probability below e^-tail of that of N, the
/// total being negative binomial with shape A and mean N.
std::int64_t total_window(double concentration, std::int64_t games, double tail);

/// delta such that t^m e^(-m(t-1)) <= e^-tail at t = 1 +- delta and beyond.
double scale_window(double m, double tail);

}  // namespace banzuke::reflection
