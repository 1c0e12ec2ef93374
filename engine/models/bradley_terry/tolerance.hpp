#pragma once

namespace banzuke::bradley_terry {

/// When an estimate counts as found: the likelihood equations hold to `max_gradient` games *and*
/// the Newton step there moves nobody by more than `max_step`; that step is still taken.
/// Near-separable data reach a tiny gradient hundreds of Elo from the maximum, so the step decides.
/// There, too, the gradient's own rounding error can make steps larger than max_step. The rounding
/// floor: once the gradient is within max_gradient, every player's gradient is within the bound of
/// its rounding error and a Newton step is no shorter than half the one before, the estimate is
/// accepted, and the step reached is reported.
struct Tolerance {
  static constexpr double max_gradient = 1e-9;                   ///< games
  static constexpr double max_step = 1e-8 / 173.71779276130073;  ///< 1e-8 Elo, natural-log units
  static constexpr int max_passes = 300;
};

}  // namespace banzuke::bradley_terry
