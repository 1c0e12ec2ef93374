#pragma once
#include <cstdint>
#include <vector>

#include "engine/models/reflection/probabilities.hpp"
#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

/// P(sum_j c_j g_j > 0), g_j ~ Gamma(shape_j), with coefficients of both signs, within 1e-13: the
/// inversion integral on a line through the origin's neighbourhood, by the trapezoidal rule after
/// y = w sinh u.
double probability_of_positive(const std::vector<double>& coefficient,
                               const std::vector<double>& shape);

/// Number of results of N games, C(N + k - 1, k - 1), as a double.
double count_results(const Game& game, std::int64_t games);

/// Exact probabilities as the sum over all results y of their Dirichlet-multinomial probability
/// times P(f(x) > 0 | y); any payoffs, any alpha. Cost: a few microseconds a result.
Probabilities direct_sum(const Game& game, std::int64_t games);

}  // namespace banzuke::reflection
