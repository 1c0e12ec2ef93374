#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/anchor.hpp"
#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::bradley_terry {

/// Inverse Fisher information of all players' abilities, natural-log scale, [players][players].
/// Relative to a player: the inverse of the information with that player's row and column left out,
/// which are 0 here. Relative to the mean: J V J with J = I - 11'/players, which is the
/// pseudo-inverse. Needs players^2 doubles; own elimination, so the bits depend on no cache size.
Eigen::MatrixXd covariance(const Schedule& schedule, std::span<const double> abilities,
                           const Anchor& anchor);

/// Square roots of the covariance's diagonal, natural-log scale, for any number of players: only
/// the entries of the sparse factor's pattern are computed (Takahashi et al. 1973).
std::vector<double> standard_errors(const Schedule& schedule, std::span<const double> abilities,
                                    const Anchor& anchor);

}  // namespace banzuke::bradley_terry
