#include "engine/models/bradley_terry/goodness_of_fit.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/models/bradley_terry/moments.hpp"

namespace banzuke::bradley_terry {

GoodnessOfFit goodness_of_fit(std::span<const double> deviances, double observed) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  const double threshold = observed - 1e-9 * std::max(1.0, std::abs(observed));
  MomentSums sums;
  GoodnessOfFit out;
  for (const double deviance : deviances) {
    sums.add(deviance);
    out.as_large += deviance >= threshold;
  }
  const Summary summary = summary_of(sums, nan);
  out.valid = summary.valid;
  out.p_value = (static_cast<double>(out.as_large) + 1) / (static_cast<double>(out.valid) + 1);
  out.mean = summary.mean;
  out.sd = summary.sd;
  return out;
}

}  // namespace banzuke::bradley_terry
