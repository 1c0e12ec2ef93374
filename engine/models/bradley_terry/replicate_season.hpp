#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "engine/models/bradley_terry/replicate_state.hpp"

namespace banzuke::bradley_terry {

/// A few replicates at once: from their addresses to their records.
class ReplicateKernel::Season {
 public:
  explicit Season(const State& state, std::size_t most)
      : s_(state),
        fast_workspace_(state.anderson->model(), state.width()),
        wins_(state.shared.pairs * most),
        sums_(state.players() * most),
        one_sided_(state.shared.pairs),
        alive_(state.players()),
        alive_by_position_(state.players()) {}

  /// Replicates [begin, begin + size) of which those in `wanted` go to `out`, from row `first` on.
  void play(std::uint64_t seed, std::uint32_t point, std::uint64_t begin, std::size_t size,
            std::uint64_t wanted);
  void estimate(const ReplicateOutput& out, std::uint64_t begin, std::uint64_t first);

 private:
  /// One replicate's estimate.
  struct Estimate {
    bool found = false;
    std::int32_t iterations = 0;
    double last_step = 0, log_likelihood = 0;
  };

  void estimate_fast(std::uint64_t& open, const ReplicateOutput& out, std::uint64_t begin,
                     std::uint64_t first);
  void estimate_by_newton(std::uint64_t open, const ReplicateOutput& out, std::uint64_t begin,
                          std::uint64_t first);
  void estimate_by_conjugate_gradients(std::uint64_t open, const ReplicateOutput& out,
                                       std::uint64_t begin, std::uint64_t first);
  void write_controls(const ReplicateOutput& out, std::uint64_t begin, std::uint64_t first);
  void leave_out(std::size_t offset, std::uint64_t every);
  void add_log_likelihoods(std::size_t offset, std::size_t filled, double* sums) const;

  template <class Ability>
  void write(const Estimate& estimate, std::size_t bit, const ReplicateOutput& out,
             std::uint64_t row, const Ability& ability) const;

  const State& s_;
  std::optional<LaneWorkspace> newton_workspace_;  ///< most blocks need none
  AndersonWorkspace fast_workspace_;
  std::vector<std::int32_t> wins_, sums_;
  std::vector<std::uint8_t> one_sided_;
  std::vector<std::uint64_t> alive_, alive_by_position_;
  std::size_t size_ = 0;
  std::uint64_t wanted_ = 0;
  std::int32_t rated_[64];
  double saturated_[64];
  std::vector<double> column_;
};

}  // namespace banzuke::bradley_terry
