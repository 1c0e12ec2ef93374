#pragma once

namespace banzuke::bradley_terry {

/// When an estimate counts as found: the likelihood equations hold to `max_gradient` games *and*
/// the Newton step there moves nobody by more than `max_step`; that step is still taken.
/// Near-separable data reach a tiny gradient hundreds of Elo from the maximum, so the step decides.
///
/// The rounding floor. The gradient has a rounding error of its own, whose bound is known for every
/// player (docs/methods/bradley_terry.md). With millions of games it exceeds max_gradient: a
/// gradient within the larger of the two is accepted. In near-separable data it moves the step by
/// more than max_step: the estimate is accepted, too, when everybody's gradient is within its
/// rounding error, the step is at most max_floor_step and a Newton step is no shorter than half the
/// one before. The step reached is reported either way.
struct Tolerance {
  static constexpr double max_gradient = 1e-9;                   ///< games
  static constexpr double max_step = 1e-8 / 173.71779276130073;  ///< 1e-8 Elo, natural-log units
  static constexpr double max_floor_step = 0.1 / 173.71779276130073;  ///< 0.1 Elo
  static constexpr int max_passes = 300;
};

}  // namespace banzuke::bradley_terry
