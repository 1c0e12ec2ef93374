#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::bradley_terry {

/// The Fisher information of all abilities as a sparse matrix H = D - W, the Laplacian of a graph
/// with weights n p q, and its pseudo-inverse by preconditioned conjugate gradients for a few
/// vectors at once: for data whose factor would fill in. + - * / and comparisons in one order.
class Laplacian {
 public:
  /// Vectors side by side, [players][lanes].
  static constexpr std::size_t lanes = 8;

  /// Throws std::invalid_argument unless there is one ability a player.
  Laplacian(const Schedule& schedule, std::span<const double> abilities);

  std::uint32_t players() const { return static_cast<std::uint32_t>(diagonal_.size()); }
  /// Diagonal of D; 1 for a player without games.
  double diagonal(std::uint32_t player) const { return diagonal_[player]; }
  /// y = W x.
  void multiply_weights(std::span<const double> x, std::span<double> y) const;
  /// Diagonal of W D^-1 W.
  double returning_weight(std::uint32_t player) const;

  /// A part of the pseudo-inverse that varies slowly along the abilities: Q = F F', of rank 64 or
  /// less. F [players][rank] has columns of mean 0.
  std::size_t rank() const { return rank_; }
  /// y += Q x.
  void add_slow_part(std::span<const double> x, std::span<double> y) const;
  /// Diagonal of W Q W.
  double slow_weight(std::uint32_t player) const;

  /// x = pseudo-inverse of H times b, to `tolerance` of b in the preconditioner's norm; every
  /// lane's result is its own. False where that is out of reach in 2000 iterations.
  bool solve(std::span<const double> b, std::span<double> x, double tolerance) const;

 private:
  void set_slow_part(std::span<const double> abilities);
  void centre(std::span<double> x) const;
  void multiply_rows(const std::vector<double>& rows, std::uint32_t player, double* sum) const;

  std::vector<std::uint64_t> begin_;  ///< [players + 1] into the opponents
  std::vector<std::uint32_t> other_;
  std::vector<double> weight_, diagonal_;
  std::size_t rank_ = 0;
  std::vector<double> slow_;  ///< F
};

}  // namespace banzuke::bradley_terry
