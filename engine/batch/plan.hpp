#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace banzuke {

/// A round's rows take at most so many bytes: rank 0 holds them, and a kill loses them.
inline constexpr std::size_t round_bytes = std::size_t{256} << 20;

/// Rows first … first+count-1 of a point, computed together by one thread.
struct Block {
  std::size_t point = 0;
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const Block&) const = default;
};

/// What the plan needs to know of the work.
struct WorkShape {
  std::uint64_t lane_group = 1;  ///< blocks begin at multiples of it
  std::size_t row_bytes = 1;
  std::vector<double> cost;  ///< of one row, by point, relative; positive
};

/// What is left to do, in order of point and row. Every rank holds the same copy and takes
/// the same rounds from it, so that no assignment travels.
class Missing {
 public:
  /// Throws std::logic_error for a cost that is not a positive number.
  Missing(std::vector<Block> ranges, WorkShape shape);

  bool empty() const { return next_ == ranges_.size(); }
  std::uint64_t rows() const { return rows_; }
  double cost() const { return cost_; }
  /// Of a row; 1 when there is none.
  double mean_cost() const { return rows_ > 0 ? cost_ / static_cast<double>(rows_) : 1.0; }
  const WorkShape& shape() const { return shape_; }

  /// Takes rows from the front until their cost reaches `cost` or their bytes `bytes` (at least
  /// one lane group), cut into blocks for `workers` threads: about eight blocks a worker.
  std::vector<Block> take(double cost, std::size_t bytes, std::size_t workers);

 private:
  std::vector<Block> ranges_;
  WorkShape shape_;
  std::size_t next_ = 0;
  std::uint64_t rows_ = 0;
  double cost_ = 0;
};

/// Deals blocks to ranks, costliest first to the least loaded (Graham's LPT rule: at most 4/3 of
/// the best makespan). Each rank's blocks come in dealing order. Pure: the same on every rank.
std::vector<std::vector<Block>> deal(const std::vector<Block>& blocks,
                                     const std::vector<double>& cost, std::size_t ranks);

}  // namespace banzuke
