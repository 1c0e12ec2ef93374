#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/base/cpu_path.hpp"

// The vector part of fit and replicates. The code of lane_kernel_source.hpp is compiled once a CPU
// path; plain pointers and no inline functions here, so that nothing compiled for a strong CPU is
// shared with other code. W replicates ("lanes") are computed side by side, laid out
// [entity][lane]; players are named by their position in the elimination order, the ground last.
namespace banzuke::bradley_terry::lane_kernel {

/// What all lanes share: the graph, its elimination (see Elimination) and, for replicates, the
/// factor of the information at the truth, from which every lane takes its first step.
struct Shared {
  std::uint32_t players = 0;
  std::size_t pairs = 0;
  const std::uint32_t* first = nullptr;
  const std::uint32_t* second = nullptr;
  const double* games = nullptr;
  const std::uint32_t* degree = nullptr;  ///< [players] number of pairs
  const std::uint64_t* column_begin = nullptr;
  const std::uint32_t* row = nullptr;
  const std::uint64_t* pair_begin = nullptr;
  const std::uint32_t* pair = nullptr;
  const std::uint32_t* pair_row = nullptr;
  const std::uint64_t* update_begin = nullptr;
  const std::uint32_t* update_column = nullptr;
  const std::uint64_t* update_entry = nullptr;
  /// Whether abilities stay within 600 of the ground's: then strengths e^theta cannot overflow and
  /// one exponential a player is enough. A choice by the data set, because it changes bits.
  bool is_narrow = false;
  /// How far abilities may move (natural-log units, at most 0.25) before a factor is made anew.
  double longest_reuse = 0.01;
  const double* truth_entries = nullptr;  ///< [entries]; null: the first step takes a fresh factor
  const double* truth_inverse = nullptr;  ///< [players]
};

enum class LaneStatus : std::int32_t { open, ok, rounding_floor, not_converged };

/// The lanes' own state; every array is aligned to 64 bytes.
struct Lanes {
  double* wins_first = nullptr;        ///< [pairs][W]; zero where a player is left out
  double* wins_second = nullptr;       ///< [pairs][W]
  double* abilities = nullptr;         ///< [players][W]; in: the start; out: the estimate
  double* base = nullptr;              ///< [players][W] where the last accepted direction starts
  double* direction = nullptr;         ///< [players][W]
  double* gradient = nullptr;          ///< [players][W]
  double* column = nullptr;            ///< [players][W]
  double* scratch = nullptr;           ///< [players][W]
  double* information = nullptr;       ///< [pairs][W] n p q
  double* entries = nullptr;           ///< [entries][W] off-diagonal of the factor, not scaled
  double* inverse = nullptr;           ///< [players][W] of the pivots
  LaneStatus* status = nullptr;        ///< [W]; lanes not `open` on entry are left alone
  std::int32_t* iterations = nullptr;  ///< [W]
  double* last_step = nullptr;         ///< [W]
  double* last_gradient = nullptr;     ///< [W]
  double* log_likelihood = nullptr;    ///< [W]
};

/// The functions for one number of lanes.
struct Functions {
  /// Wins of all pairs from wins[pair][stride], for each lane l column column[l]; games of players
  /// without that bit in alive[player] are left out.
  void (*load)(const Shared&, const Lanes&, const std::int32_t* wins, std::size_t stride,
               const std::uint32_t* column, const std::uint64_t* alive);
  /// Maximum-likelihood abilities of every open lane.
  void (*estimate)(const Shared&, const Lanes&);
  void (*log_likelihood)(const Shared&, const Lanes&);
  /// Factor of the Laplacian with weights `information`, for all lanes.
  void (*factorise)(const Shared&, const Lanes&);
};

/// Functions for `lanes` = 1, 8, 16 or 64 on a path; null where the compiler did not build it.
const Functions* portable(int lanes);
const Functions* avx2(int lanes);
const Functions* avx512(int lanes);

/// Throws std::invalid_argument if this machine or build does not have the path, or for another
/// number of lanes.
const Functions& functions_of(CpuPath path, int lanes);

}  // namespace banzuke::bradley_terry::lane_kernel
