#pragma once
#include <cstdint>
#include <span>

#include "engine/models/bradley_terry/moments.hpp"

namespace banzuke::bradley_terry {

/// How unusual data are under the model that was fitted to them.
struct GoodnessOfFit {
  std::uint64_t valid = 0;     ///< replicates with a deviance
  std::uint64_t as_large = 0;  ///< of them with a deviance of at least the observed one
  double p_value = 0;          ///< (as_large + 1) / (valid + 1); 1 without a valid replicate
  double mean = 0, sd = 0;     ///< of the replicates' deviances; NaN below one and two of them
};

/// Replicates' deviances as far as the test needs them.
struct DevianceTally {
  std::uint64_t as_large = 0;  ///< at least the observed one
  MomentSums sums;

  /// Adds a replicate; NaN, one without a deviance, is passed over.
  void add(double deviance, double observed);
  /// Adds all replicates of another, as if they came after these.
  void merge(const DevianceTally& other);
  GoodnessOfFit result() const;
};

/// Monte Carlo test by the deviance of replicates simulated from the fit, Davison and Hinkley
/// (1997, §4.2). NaN stands for a replicate without a deviance. Deviances are equal within 1e-9
/// of themselves or of 1: those of small tournaments have ties.
GoodnessOfFit goodness_of_fit(std::span<const double> deviances, double observed);

}  // namespace banzuke::bradley_terry
