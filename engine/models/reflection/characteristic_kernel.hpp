#pragma once
#include <cstddef>

namespace banzuke::reflection {

/// A row of nodes of the characteristic function: theta and phi are fixed, s runs over lanes.
/// Node: exp(-sum_j alpha_j log(1 + v_j - i (u_j + c_j s)) + i phase).
struct NodeRow {
  const double* coefficient;  ///< c_j
  const double* v;
  const double* u;
  const std::size_t* factor_end;  ///< outcomes [end of the factor before, end) share one alpha
  const double* factor_alpha;
  std::size_t factors;
  /// A row of one factor is dead where |product|^2 - 1 is above this; infinite for more factors.
  double largest_modulus;
  double phase;
  double cutoff;  ///< nodes below e^-cutoff may be left out
};

/// The lanes [begin, end) that a row reached; whole blocks of eight.
struct LaneWindow {
  std::size_t begin = 0;
  std::size_t end = 0;
  bool clipped = false;  ///< the row goes on beyond the last lane there is
};

/// Adds a row's nodes to real and imaginary[0 .. lanes), lanes a multiple of 8: from the block
/// `start` upwards and then downwards, until a block of eight lanes holds nothing above the cutoff.
using SweepRow = LaneWindow (*)(const NodeRow& row, const double* s, std::size_t lanes,
                                std::size_t start, double* real, double* imaginary);

SweepRow sweep_row_portable();
SweepRow sweep_row_avx2();
SweepRow sweep_row_avx512();

}  // namespace banzuke::reflection
