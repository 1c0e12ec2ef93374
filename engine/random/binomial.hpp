#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/base/cpu_path.hpp"
#include "engine/random/binomial_kernel.hpp"

namespace banzuke {

/// The binomial law as thresholds for one 64-bit uniform U: the outcome is the number of
/// k in 0 … n-1 with U >= T_k, T_k = round(2^64 P(X <= k)). Thresholds equal to 0 (outcomes below
/// `lowest`) and 2^64 are not kept. Only + - * /: the same bits everywhere. docs/methods/random.md.
class BinomialTable {
 public:
  /// n in [0, 2^31 - 1] trials; success has probability p / (p + q). q is given because 1 - p would
  /// lose it where p is near 1. Throws std::invalid_argument if p or q is negative or not finite,
  /// or p + q is not 1 within 1e-9.
  BinomialTable(std::int64_t n, double p, double q);

  std::int64_t lowest() const { return lowest_; }
  std::int64_t highest() const { return lowest_ + static_cast<std::int64_t>(thresholds_.size()); }
  std::span<const std::uint64_t> thresholds() const { return thresholds_; }
  /// The outcome of U = u.
  std::int64_t quantile(std::uint64_t u) const;
  /// Whether 0 and n are possible outcomes.
  bool can_be_zero() const { return lowest_ == 0; }
  bool can_be_full() const { return highest() == n_; }

 private:
  std::int64_t n_ = 0;
  std::int64_t lowest_ = 0;
  std::vector<std::uint64_t> thresholds_;
};

/// One pair's law: n games, p and q the winning probabilities of its first and second player.
struct BinomialLaw {
  std::int64_t n = 0;
  double p = 0.0;
  double q = 0.0;
};

/// The wins of many pairs in many replicates, each draw from its own address: stream
/// bradley_terry_wins, entity = pair, replicate / 8, lane = replicate mod 8. A draw depends on
/// (seed, point, replicate, pair) and its law only: not on lanes, ranges or CPU path.
class BinomialSampler {
 public:
  static constexpr std::size_t max_lanes = binomial_kernel::max_lanes;

  /// Pair i has laws[i]; neighbours with equal laws share a table. Throws std::invalid_argument for
  /// laws that BinomialTable refuses and for a path that this machine does not have.
  explicit BinomialSampler(std::span<const BinomialLaw> laws, CpuPath path = best_cpu_path());

  std::size_t pairs() const { return table_of_pair_.size(); }
  bool can_be_zero(std::size_t pair) const;
  bool can_be_full(std::size_t pair) const;

  /// Wins of the first player of every pair: wins[pair][lane] for replicate first_replicate + lane.
  /// first_replicate is a multiple of 8; lanes is 8, 16, … 64; otherwise std::invalid_argument.
  void sample(std::uint64_t seed, std::uint32_t point, std::uint32_t first_replicate,
              std::size_t lanes, std::span<std::int32_t> wins) const;
  /// The same for pairs [first_pair, first_pair + count) alone; wins holds count * lanes.
  void sample(std::uint64_t seed, std::uint32_t point, std::uint32_t first_replicate,
              std::size_t lanes, std::size_t first_pair, std::size_t count,
              std::span<std::int32_t> wins) const;

 private:
  std::uint32_t add_table(const BinomialLaw& law);
  const binomial_kernel::PackedTable& table(std::size_t pair) const;
  std::int32_t draw(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate,
                    std::size_t pair) const;

  const binomial_kernel::Kernel* kernel_;
  std::vector<binomial_kernel::PackedTable> tables_;
  std::vector<std::int32_t> n_of_table_;
  std::vector<std::uint32_t> table_of_pair_;
  std::vector<std::uint64_t> thresholds_;
  std::vector<std::int16_t> tops_;
  std::vector<std::uint32_t> guides_;
};

/// The whole 64-bit uniform that decides one draw, as the registry of streams defines it.
std::uint64_t binomial_uniform(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate,
                               std::uint32_t pair);

}  // namespace banzuke
