#pragma once
#include <algorithm>

namespace banzuke {

/// Sizes rounds by what the last one took: the first is a handful of rows, each next may take
/// twice as long, up to the longest wanted. The numbers of a run do not depend on it.
class Pace {
 public:
  Pace(double first_cost, double longest_seconds) : cost_(first_cost), longest_(longest_seconds) {}

  /// Cost and expected seconds (0 before the first round) of the next round.
  double cost() const { return cost_; }
  double expected_seconds() const { return expected_; }

  void learn(double cost, double seconds) {
    const double target = std::min(longest_, std::max(0.5, 2 * seconds));
    const double rate = cost / std::max(seconds, 1e-6);
    cost_ = std::min(rate * target, 100 * cost);
    expected_ = cost_ / rate;
  }
  /// Makes the next round fit into `seconds`.
  void fit(double seconds) {
    if (expected_ <= seconds) return;
    cost_ *= seconds / expected_;
    expected_ = seconds;
  }

 private:
  double cost_;
  double longest_;
  double expected_ = 0;
};

}  // namespace banzuke
