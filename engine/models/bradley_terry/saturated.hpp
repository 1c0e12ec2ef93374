#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace banzuke::bradley_terry {

/// Saturated log-likelihoods, every pair with a winning probability of its own, of many replicates:
/// sums over pairs of w ln w + l ln l - n ln n with 0 ln 0 = 0.
class Saturated {
 public:
  /// Number of games of every pair, below 2^31.
  explicit Saturated(std::span<const std::uint32_t> games);

  /// sums[lane] for 8, 16, … or 64 lanes from wins[pair][lanes], over the pairs whose two players,
  /// first[pair] and second[pair], both have bit `lane` in alive; in the order of pairs, so that a
  /// lane's bits depend on no other lane.
  void add(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second,
           std::span<const std::uint64_t> alive, std::span<const std::int32_t> wins,
           std::size_t lanes, std::span<double> sums) const;

 private:
  std::span<const std::uint32_t> games_;
  std::vector<std::size_t> begin_;  ///< [pairs] into the table of the pair's number of games
  std::vector<double> table_;       ///< by wins, for all but very large numbers of games
};

}  // namespace banzuke::bradley_terry
