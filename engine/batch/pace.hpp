#pragma once
#include <algorithm>

namespace banzuke {

/// Sizes rounds by what the last one took: the first is a handful of rows, each next may take
/// twice as long, up to the longest wanted. The numbers of a run do not depend on it.
class Pace {
 public:
  explicit Pace(double longest_seconds) : longest_(longest_seconds) {}

  /// Before the first round nothing is known but the cost of a handful of rows; later calls keep
  /// what was learned.
  void begin(double first_cost) {
    first_cost_ = first_cost;
    if (cost_ == 0) cost_ = first_cost;
  }

  /// Cost and expected seconds (0 before the first round) of the next round.
  double cost() const { return cost_; }
  double expected_seconds() const { return expected_; }
  /// Expected seconds of a handful of rows: no round is shorter. 0 before the first round.
  double shortest_seconds() const {
    return expected_ > 0 ? std::min(expected_, expected_ * first_cost_ / cost_) : 0;
  }

  void learn(double cost, double seconds) {
    const double target = std::min(longest_, std::max(0.5, 2 * seconds));
    // A handful of rows takes as long as fewer: no worker has more than one share of either.
    const double filled = std::max(cost, first_cost_);
    const double rate = filled / std::max(seconds, 1e-6);
    cost_ = std::max(first_cost_, std::min(rate * target, 100 * filled));
    expected_ = cost_ / rate;
  }
  /// Makes the next round fit into `seconds`.
  void fit(double seconds) {
    if (expected_ <= seconds) return;
    cost_ *= seconds / expected_;
    expected_ = seconds;
  }

 private:
  double first_cost_ = 0;
  double cost_ = 0;
  double longest_;
  double expected_ = 0;
};

}  // namespace banzuke
