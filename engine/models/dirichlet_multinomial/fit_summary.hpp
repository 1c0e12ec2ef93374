#pragma once
#include <cstdint>
#include <span>

#include "engine/models/dirichlet_multinomial/asymmetric_fit.hpp"
#include "engine/models/dirichlet_multinomial/symmetric_fit.hpp"

namespace banzuke::dirichlet_multinomial {

/// All that is said about one data set.
struct FitSummary {
  SymmetricFit symmetric;
  /// Without games: flat, with NaN for every rank.
  AsymmetricFit asymmetric;
  /// p_value is NaN where the symmetric fit is flat: there is nothing to test.
  SymmetryTest symmetry;
};

/// Both fits of rank counts, players × ranks row by row, and the test of symmetry. A pure function;
/// throws as `compress` and `fit_symmetric` do.
FitSummary summarise_fit(int ranks, std::span<const std::uint32_t> counts,
                         const FitOptions& options = {});

}  // namespace banzuke::dirichlet_multinomial
