#pragma once
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/elimination.hpp"
#include "engine/models/bradley_terry/lane_kernel.hpp"

namespace banzuke::bradley_terry {

/// The arrays of `lanes` replicates side by side, zero at first.
class LaneWorkspace {
 public:
  LaneWorkspace(const Elimination& elimination, std::size_t lanes);
  const lane_kernel::Lanes& lanes() const { return lanes_; }

 private:
  struct Release {
    void operator()(double* block) const { ::operator delete[](block, std::align_val_t{64}); }
  };
  std::unique_ptr<double[], Release> block_;
  std::vector<lane_kernel::LaneStatus> status_;
  std::vector<std::int32_t> iterations_;
  lane_kernel::Lanes lanes_;
};

/// The kernel's view of an elimination and of each pair's number of games, which must stay alive.
/// `degree` is filled with each position's number of pairs.
lane_kernel::Shared shared_view(const Elimination& elimination, std::span<const double> games,
                                std::vector<std::uint32_t>& degree);

/// A factor of the information at the truth: off-diagonal entries (not scaled) and inverse pivots.
struct SharedFactor {
  std::vector<double> entries, inverse;
};

/// The factor in the elimination's pattern of the Laplacian with a weight a pair.
SharedFactor factorise(const Elimination& elimination, std::span<const double> weights);

}  // namespace banzuke::bradley_terry
