#include "engine/models/bradley_terry/goodness_of_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace banzuke::bradley_terry {

void DevianceTally::add(double deviance, double observed) {
  sums.add(deviance);
  as_large += deviance >= observed - 1e-9 * std::max(1.0, std::abs(observed));
}

void DevianceTally::merge(const DevianceTally& other) {
  as_large += other.as_large;
  sums.merge(other.sums);
}

GoodnessOfFit DevianceTally::result() const {
  const Summary summary = summary_of(sums, std::numeric_limits<double>::quiet_NaN());
  const double p_value =
      (static_cast<double>(as_large) + 1) / (static_cast<double>(summary.valid) + 1);
  return {summary.valid, as_large, p_value, summary.mean, summary.sd};
}

GoodnessOfFit goodness_of_fit(std::span<const double> deviances, double observed) {
  DevianceTally tally;
  for (const double deviance : deviances) tally.add(deviance, observed);
  return tally.result();
}

}  // namespace banzuke::bradley_terry
