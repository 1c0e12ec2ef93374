#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/dirichlet_multinomial/symmetric_fit.hpp"

namespace banzuke::dirichlet_multinomial {

/// Maximum-likelihood fit of a Dirichlet prior with an alpha for each rank. Log-likelihoods leave
/// out the multinomial coefficients.
struct AsymmetricFit {
  /// finite; infinite: all alphas grow together; zero: all tend to 0 together; flat: only the
  /// ratios of the alphas matter. Never bimodal: the highest of a few ascents is kept.
  Verdict verdict = Verdict::flat;
  std::vector<double>
      alpha;                 ///< finite ones (0 for ranks that never occur), or as the verdict says
  std::vector<double> mean;  ///< alpha_j / Σ alpha: the mean rank distribution, always defined
  /// From the inverse of the observed information of the log alphas; NaN where alpha is not
  /// positive and finite.
  std::vector<double> standard_error_log_alpha;
  double log_likelihood = 0;  ///< its supremum
  int iterations = 0;
};

/// Newton in the log alphas; the Hessian is diagonal plus rank one (Minka 2000, eq. 15-18), so a
/// step costs O(k). Where it is not negative definite its signs are changed; steps that do not rise
/// are halved. `counts`: players × ranks. Throws as compress does, and std::invalid_argument when
/// there are no games.
AsymmetricFit fit_asymmetric(int ranks, std::span<const std::uint32_t> counts);

/// Likelihood-ratio test of equal alphas.
struct SymmetryTest {
  double statistic = 0;  ///< 2 (sup L asymmetric - sup L symmetric)
  int degrees_of_freedom = 0;
  double p_value = 1;  ///< chi-squared approximation; for display, its bits may differ by platform
};
SymmetryTest test_symmetry(const SymmetricFit& symmetric, const AsymmetricFit& asymmetric);

}  // namespace banzuke::dirichlet_multinomial
