#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/replicate_kernel.hpp"

namespace banzuke::bradley_terry {

/// Where data sets [first, first + count) go. Rows of players are NaN for players who cannot be
/// rated, and for everybody when the status is not ok. Natural-log scale.
struct RecoveryOutput {
  ReplicateOutput estimate;                ///< of each data set, relative to the anchor
  std::span<double> standard_error;        ///< [count][players] inverse Fisher information at the
                                           ///< estimate, of the players rated and their games
  std::span<double> standard_uncertainty;  ///< [count][players] sd of the inner estimates about
                                           ///< their mean; NaN below two. Empty without inner ones
  std::span<std::int32_t> inner_rated;     ///< [count][players] inner replicates that rate the
                                           ///< player; empty without inner ones
  /// [count] true ability, relative to the anchor of all players, of what the estimates are
  /// relative to: 0 for a reference player; the mean of the true abilities of the players rated.
  std::span<double> truth_offset;
};

/// What becomes of abilities that are known: simulates data sets, estimates the abilities of each,
/// and the uncertainties that somebody with this data set alone would publish: from the inverse
/// Fisher information, and from seasons simulated anew from the estimate. Immutable; any number of
/// threads may call `run`. A data set is a function of (the constructor's arguments, its index).
class RecoveryPoint {
 public:
  /// Games of data set r are replicate r of `point`, inner seasons replicates r K … of
  /// inner_point(point). `truth`: true abilities, one a player, relative to the anchor. `stretch`:
  /// factor on all differences of ability from which games are simulated; 1 but for checks that a
  /// wrong model shows. Throws what ReplicateKernel throws, and std::invalid_argument for a point
  /// of 2^31 or more.
  RecoveryPoint(Schedule schedule, std::vector<double> truth, const Anchor& anchor, double stretch,
                std::uint32_t inner_replicates, std::uint64_t seed, std::uint32_t point);

  /// Throws std::invalid_argument when a span's length does not fit or the data sets are beyond
  /// most_replicates().
  void run(std::uint64_t first, std::uint64_t count, const RecoveryOutput& out) const;

  std::uint32_t players() const { return schedule_.players; }

  /// Data sets for whose inner seasons there are addresses: 2^32 / K.
  static std::uint64_t most_replicates(std::uint32_t inner_replicates);
  static std::uint32_t inner_point(std::uint32_t point) { return point | std::uint32_t{1} << 31; }

 private:
  struct Season;
  void nest(const Season& season, std::uint64_t replicate, std::span<double> uncertainty,
            std::span<std::int32_t> rated) const;

  Schedule schedule_;
  std::vector<double> truth_;
  Anchor anchor_;
  std::uint32_t inner_replicates_;
  std::uint64_t seed_;
  std::uint32_t point_;
  ReplicateKernel kernel_;
};

}  // namespace banzuke::bradley_terry
