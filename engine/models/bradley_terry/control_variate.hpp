#pragma once
#include <cstdint>
#include <span>

namespace banzuke::bradley_terry {

/// One player's replicates as far as the control variate needs them: power and cross sums of
/// d = rating - truth and x = linearised estimate (ReplicateOutput::control), both in one unit.
struct CrossMoments {
  std::uint64_t count = 0;
  double x = 0, x2 = 0, x3 = 0, x4 = 0;
  double d = 0, d2 = 0, d3 = 0, d4 = 0;
  double dx = 0, dx2 = 0, d2x = 0, d2x2 = 0;

  /// Adds a replicate; one in which the player was not rated, d = NaN, is passed over.
  void add(double deviation, double control);
  /// Adds all replicates of another, as if they came after these.
  void merge(const CrossMoments& other);
};

/// Whether a summary rests on the control variate, and if not, why it is the plain one.
enum class ControlUse : std::uint8_t {
  used,
  not_always_rated,  ///< in the replicates left the control's mean and variance are not known
  too_few,           ///< fewer than ten replicates, or too few for a positive estimate
  constant,          ///< the player never moves, such as the reference player
};

/// Bias and sd of one player's estimate, in the unit of the sums given.
struct ControlledSummary {
  ControlUse use = ControlUse::used;
  std::uint64_t valid = 0;          ///< replicates in which the player was rated
  double bias = 0, bias_error = 0;  ///< mean of d and its standard error
  double sd = 0, sd_error = 0;      ///< sd of d and its standard error
  double bias_reduction = 1;        ///< variance of the plain estimate of the bias over
                                    ///< that of this one
  double variance_reduction = 1;    ///< the same of the estimates of sd^2: this many times
                                    ///< more replicates would do without the control
};

/// Estimate by the control variate (docs/methods/bradley_terry.md). `variance` is the exact
/// variance of x, the square of standard_errors(); `replicates` the number of all replicates,
/// whatever their status. Where the control cannot be used: what summary_of() says of d.
ControlledSummary controlled_summary(const CrossMoments& sums, double variance,
                                     std::uint64_t replicates);

/// The same from columns [replicates]. Throws std::invalid_argument when they differ in length.
ControlledSummary controlled_summary(std::span<const double> deviations,
                                     std::span<const double> controls, double variance);

}  // namespace banzuke::bradley_terry
