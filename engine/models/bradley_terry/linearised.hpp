#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/models/bradley_terry/elimination.hpp"
#include "engine/models/bradley_terry/lane_workspace.hpp"

namespace banzuke::bradley_terry {

/// Linearised estimates H0^-1 s of replicates side by side; H0 the information and s the score at
/// the truth, players named by their position in the elimination, the ground's entry 0.
class Linearised {
 public:
  static constexpr std::size_t lanes = 8;

  /// Both must stay alive; the factor is complete.
  Linearised(const Elimination& elimination, const SharedFactor& factor)
      : elimination_(elimination), factor_(factor) {}

  /// column[players][lanes]: in the score, out the estimate. A lane's bits depend on no other lane.
  void solve(std::vector<double>& column) const;

 private:
  const Elimination& elimination_;
  const SharedFactor& factor_;
};

}  // namespace banzuke::bradley_terry
