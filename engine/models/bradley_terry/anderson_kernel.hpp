#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/base/cpu_path.hpp"

// The vector part of the replicates' fast path: a fixed-point iteration near the truth, accelerated
// after Anderson (1965); docs/methods/bradley_terry.md. Compiled once a CPU path, like
// lane_kernel.hpp and with its conventions: W replicates side by side, [entity][lane].
namespace banzuke::bradley_terry::anderson_kernel {

inline constexpr std::size_t deepest = 6;        ///< differences the acceleration can remember
inline constexpr std::size_t block_columns = 4;  ///< of a factor, taken together

/// A pair's law at the truth: n p q, and the winning probabilities of its earlier and later player.
template <class Real>
struct Conductor {
  Real conductance, p, q;
};

/// What all lanes share. Slots are the pairs sorted by their earlier player.
struct Model {
  std::uint32_t players = 0;
  const std::uint64_t* slot_begin = nullptr;
  const std::uint32_t* slot_other = nullptr;
  const Conductor<double>* conductors = nullptr;       ///< [slots]
  const Conductor<float>* float_conductors = nullptr;  ///< [slots]
  const double* own_p = nullptr;  ///< [players] mean p over a player's games, weighted by n p q
  const double* own_q = nullptr;
  const double* lowest = nullptr;  ///< [players] bounds of z, a little within -1 / q and 1 / p
  const double* highest = nullptr;
  /// The preconditioner. Without groups: complete factor of the information at the truth, in blocks
  /// of one column or of block_columns with the same pattern below them.
  const std::uint64_t* column_begin = nullptr;
  const std::uint32_t* row = nullptr;
  const float* entries = nullptr;
  const float* inverse = nullptr;  ///< [players] of the pivots; with groups of the diagonal
  const std::uint32_t* block_begin = nullptr;  ///< [blocks + 1] columns, the ground's left out
  std::size_t blocks = 0;
  std::size_t groups = 0;
  const std::uint32_t* group = nullptr;  ///< [players]
  const float* group_inverse = nullptr;  ///< [groups][groups]
  double stretch = 2;                    ///< Newton step at most this multiple of f
  std::size_t depth = 3;                 ///< differences remembered
  /// The residual is computed in double precision at this pass, where float has given what it can,
  /// and from last_exact on, where most replicates are at the end.
  std::int32_t first_exact = 1, last_exact = 1;
  std::int32_t max_passes = 14;
  /// Slots sorted by their number of games: runs of equal games.
  const std::uint32_t* run_slot = nullptr;     ///< [slots]
  const std::uint32_t* run_earlier = nullptr;  ///< [slots] the earlier player
  const std::uint32_t* run_begin = nullptr;    ///< [runs + 1]
  const double* run_games = nullptr;           ///< [runs]
  std::size_t runs = 0;
};

enum class LaneStatus : std::int32_t { open, found, given_up };

/// The lanes' own state; every array is aligned to 64 bytes.
struct Lanes {
  double* score = nullptr;          ///< [players][W] wins minus expected wins at the truth
  double* position = nullptr;       ///< [players][W] z
  double* excess = nullptr;         ///< [players][W] u = e^(theta - truth) - 1
  double* residual = nullptr;       ///< [players][W]
  double* base = nullptr;           ///< [players][W] z where the residual was last exact
  float* base_residual = nullptr;   ///< [players][W]
  float* float_base = nullptr;      ///< [players][W] 1 + u there
  float* base_scale = nullptr;      ///< [players][W] 1 / (1 - p z) there
  float* float_excess = nullptr;    ///< [players][W] u, or its change from the base
  float* direction = nullptr;       ///< [players][W] the preconditioned residual f
  float* before = nullptr;          ///< [players][W] f of the pass before
  float* step = nullptr;            ///< [players][W] the last step of z
  float* difference = nullptr;      ///< [depth][players][W] of f
  float* group_residual = nullptr;  ///< [groups][W]
  float* group_shift = nullptr;     ///< [groups][W]
  float* secant = nullptr;          ///< [depth][players][W] of z + f
  /// Players left out and slots with one, and in which lanes (not 0).
  const std::uint32_t* out_player = nullptr;
  const std::int32_t* out_player_mask = nullptr;  ///< [out_players][W]
  std::size_t out_players = 0;
  const std::uint32_t* out_slot = nullptr;
  const std::uint32_t* out_slot_earlier = nullptr;
  const std::int32_t* out_slot_mask = nullptr;  ///< [out_slots][W]
  std::size_t out_slots = 0;
  LaneStatus* status = nullptr;        ///< [W]; in: open, or given_up to leave the lane alone
  std::int32_t* iterations = nullptr;  ///< [W]
  double* last_step = nullptr;         ///< [W] natural-log units
  double* logs = nullptr;              ///< [W] sum of n ln(1 + p u_i + q u_j)
};

/// The functions for one number of lanes.
struct Functions {
  /// sums[first player][lanes] += wins and sums[second player][lanes] -= wins, wins[pair][lanes];
  /// one_sided[pair] is not 0 where a lane has no wins or nothing else. Any multiple of 8 lanes.
  void (*tally)(std::size_t pairs, const std::uint32_t* first, const std::uint32_t* second,
                const std::uint32_t* games, std::size_t lanes, const std::int32_t* wins,
                std::int32_t* sums, std::uint8_t* one_sided);
  /// From the score: z and u of every open lane at the estimate, or given_up.
  void (*estimate)(const Model&, const Lanes&);
  /// u to theta - truth in `residual`, and `logs`.
  void (*finish)(const Model&, const Lanes&);
};

/// Functions for `lanes` = 1, 8, 16 or 64 on a path; null where the compiler did not build it.
const Functions* portable(int lanes);
const Functions* avx2(int lanes);
const Functions* avx512(int lanes);

/// Throws std::invalid_argument if this machine or build does not have the path, or for another
/// number of lanes.
const Functions& functions_of(CpuPath path, int lanes);

}  // namespace banzuke::bradley_terry::anderson_kernel
