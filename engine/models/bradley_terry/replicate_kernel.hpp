#pragma once
#include <cstdint>
#include <memory>
#include <span>

#include "engine/base/cpu_path.hpp"
#include "engine/models/bradley_terry/anchor.hpp"
#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::bradley_terry {

/// What became of a replicate.
enum class ReplicateStatus : std::uint8_t {
  ok = 0,
  unsolvable = 1,     ///< fewer than two players can be rated
  not_converged = 2,  ///< the estimate was not found within Tolerance::max_passes
};

/// Choices that change the speed and never the numbers.
struct KernelOptions {
  CpuPath path = best_cpu_path();
  int lanes = 16;  ///< replicates computed side by side: 1, 8, 16 or 64
};

/// Where replicates [first, first + count) go; row r belongs to replicate first + r.
struct ReplicateOutput {
  /// [count][players] abilities on the natural-log scale, relative to the anchor player or to the
  /// mean of the players rated in that replicate. Quiet NaN for a player outside the component, and
  /// for everybody when the status is not ok.
  std::span<double> ratings;
  /// [count] log-likelihood of the games between rated players; NaN when the status is not ok.
  std::span<double> log_likelihood;
  std::span<std::int32_t> iterations;     ///< [count] evaluations of the gradient
  std::span<std::int32_t> players_rated;  ///< [count] size of the component; 0 when unsolvable
  std::span<ReplicateStatus> status;      ///< [count]
  /// [count] largest component of the last step, natural-log units; above Tolerance::max_step only
  /// at the rounding floor. May be empty.
  std::span<double> last_step = {};
  /// [count] deviance over pair totals of the games between rated players, 2 (saturated
  /// log-likelihood - log_likelihood), as Fit::deviance; NaN when the status is not ok. May be
  /// empty.
  std::span<double> deviance = {};
  /// [count][players] the linearised estimate H0^-1 s, H0 the information and s the score at the
  /// truth of all games of the schedule, whoever is rated and whatever the status: relative to the
  /// anchor player or to the mean of all players, natural-log units, of mean 0 and with the
  /// variance that covariance() gives. May be empty; needs has_control().
  std::span<double> control = {};
};

/// Simulates seasons of a schedule and estimates every season's abilities again by maximum
/// likelihood. Immutable after construction: any number of threads may call `run` at once.
/// A replicate is a function of (schedule, truth, anchor, seed, point, replicate index) alone, bit
/// for bit: not of the lanes, the CPU path, the block it is computed in, or its neighbours there.
class ReplicateKernel {
 public:
  /// `truth`: abilities from which games are simulated, natural-log scale, one a player; only
  /// differences count. Throws std::invalid_argument on shapes that do not fit, fewer than two
  /// players, abilities that are not finite, an anchor out of range, a number of lanes other than
  /// 1, 8, 16 or 64, or a CPU path the machine lacks.
  ReplicateKernel(const Schedule& schedule, std::span<const double> truth, const Anchor& anchor,
                  const KernelOptions& options = {});
  ~ReplicateKernel();
  ReplicateKernel(ReplicateKernel&&) noexcept;
  ReplicateKernel& operator=(ReplicateKernel&&) noexcept;

  /// Computes replicates [first, first + count) of a point. Throws std::invalid_argument when a
  /// span's length does not fit, or when `control` is asked for without has_control().
  void run(std::uint64_t seed, std::uint32_t point, std::uint64_t first, std::uint64_t count,
           const ReplicateOutput& out) const;

  std::uint32_t players() const;
  /// Whether the information at the truth has a complete factor, which linearised estimates need: a
  /// matter of the schedule alone.
  bool has_control() const;
  const KernelOptions& options() const;

 private:
  struct State;
  class Season;
  std::unique_ptr<const State> state_;
};

}  // namespace banzuke::bradley_terry
