#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/base/cpu_path.hpp"

// The vector part of the replicates' fast path: a fixed-point iteration near the truth, accelerated
// after Anderson (1965); docs/methods/bradley_terry.md. Compiled once a CPU path, like
// lane_kernel.hpp and with its conventions: W replicates side by side, [entity][lane].
namespace banzuke::bradley_terry::anderson_kernel {

inline constexpr std::size_t deepest = 6;  ///< differences the acceleration can remember

/// A pair's law at the truth, p and q the winning probabilities of its earlier and later player.
struct Conductor {
  double share, ratio;  ///< n q and q / p
};
/// The same for float, the ratio at most 1e15 so that its square is finite.
struct FloatConductor {
  float share, steep, ratio;  ///< steep = n q / p
};

/// One triangle of a factor: each column's entries and the players they stand for.
struct Triangle {
  const std::uint64_t* begin = nullptr;  ///< [columns + 1]
  const std::uint32_t* other = nullptr;
  const float* value = nullptr;
};

/// What all lanes share. Slots are the pairs sorted by their earlier player.
struct Model {
  std::uint32_t players = 0;
  const std::uint64_t* slot_begin = nullptr;
  const std::uint32_t* slot_other = nullptr;
  const Conductor* conductors = nullptr;             ///< [slots]
  const FloatConductor* float_conductors = nullptr;  ///< [slots]
  const double* own_p = nullptr;  ///< [players] mean p over a player's games, weighted by n p q
  const double* own_q = nullptr;
  const double* lowest = nullptr;  ///< [players] bounds of z, a little within -1 / q and 1 / p
  const double* highest = nullptr;
  /// The preconditioner without groups: see IncompleteFactor.
  std::uint32_t columns = 0;
  const std::uint32_t* column_player = nullptr;  ///< [columns]
  const float* pivot_inverse = nullptr;          ///< [columns]
  Triangle rows, below;
  /// The preconditioner with groups.
  std::size_t groups = 0;
  const float* inverse = nullptr;        ///< [players] of the diagonal
  const std::uint32_t* group = nullptr;  ///< [players]
  const float* group_inverse = nullptr;  ///< [groups][groups]
  double stretch = 2;                    ///< Newton step at most this multiple of f
  std::size_t depth = 3;                 ///< differences remembered
  /// The residual is computed in double precision at pass first_exact, where float has given what
  /// it can, and from last_exact on; else in float, as its change since. Replicates may end from
  /// first_end on.
  std::int32_t first_exact = 1, last_exact = 1, first_end = 1;
  double widest = 0;  ///< largest information of a player
  std::int32_t max_passes = 14;
  /// Slots sorted by their number of games: runs of equal games.
  const std::uint32_t* run_earlier = nullptr;  ///< [slots] the earlier player
  const std::uint32_t* run_later = nullptr;    ///< [slots] the other
  const double* run_p = nullptr;               ///< [slots] winning probabilities
  const double* run_q = nullptr;
  const std::uint32_t* run_begin = nullptr;  ///< [runs + 1]
  const double* run_games = nullptr;         ///< [runs]
  std::size_t runs = 0;
};

enum class LaneStatus : std::int32_t { open, found, given_up };

/// The lanes' own state; every array is aligned to 64 bytes.
struct Lanes {
  double* score = nullptr;          ///< [players][W] wins minus expected wins at the truth
  double* base = nullptr;           ///< [players][W] z where the residual was last exact, or 0
  double* excess = nullptr;         ///< [players][W] u = e^(theta - truth) - 1
  double* strength = nullptr;       ///< [players][W] 1 + u
  double* residual = nullptr;       ///< [players][W]
  float* base_position = nullptr;   ///< [players][W] z there
  float* base_strength = nullptr;   ///< [players][W] 1 + u there
  float* base_scale = nullptr;      ///< [players][W] 1 / (1 - p z) there
  float* base_residual = nullptr;   ///< [players][W]
  float* moved = nullptr;           ///< [players][W] z since then
  float* float_excess = nullptr;    ///< [players][W] u since then
  float* float_strength = nullptr;  ///< [players][W] 1 + u
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
