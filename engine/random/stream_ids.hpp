#pragma once
#include <cstdint>

namespace banzuke {

/// The registry of random streams. An id is never used for two purposes and never re-used: a
/// changed sampler gets a new id, because the numbers of an id are part of the promise.
enum class StreamId : std::uint16_t {
  /// selfcheck: entity = draw index within the replicate.
  selfcheck = 1,
  /// Bradley–Terry game results: entity = pair index in the input's canonical order,
  /// replicate = replicate / 8; block b holds bits 16b … 16b+15 (from the top) of the eight
  /// replicates' 64-bit uniforms, lane = replicate mod 8. A point with its top bit set holds the
  /// seasons nested in replicate r of the point without it: replicate = r K + inner, K their number
  /// rounded up to a multiple of 8.
  bradley_terry_wins = 2,
  /// Dirichlet–multinomial careers: entity = player; block d + (k-1) t holds attempt t of draw d,
  /// d = 0 … k-2 (how the games of a group of ranks split, groups halved depth first). Of its four
  /// words, 0 and 1 give a normal deviate (8 low bits layer of the ziggurat, 1 bit sign, 52 high
  /// bits abscissa; or the high 52 a uniform, where the law is inverted), 2 the uniform of the
  /// acceptance test, 3 the spare uniform of the ziggurat.
  dirichlet_multinomial_counts = 3,
  /// Number of games of a synthetic player: entity = player; one uniform of 52 bits of block 0.
  /// replicate = 0 where games are drawn once for a point.
  games_per_player = 4,
  /// Reflection Monte Carlo: entity = draw index within the replicate.
  reflection = 5,
  /// Scramble of the Sobol points of a reflection replicate: entity = dimension.
  reflection_scramble = 6,
  /// True abilities of synthetic Bradley–Terry players: entity = player before they are sorted; one
  /// uniform of 52 bits, whose normal quantile counts. replicate = 0.
  bradley_terry_abilities = 7,
  /// Synthetic Bradley–Terry schedules: entity = game; pairs of uniforms of 52 bits, until a pair
  /// names two players. replicate = 0.
  bradley_terry_schedule = 8,
  /// Rademacher probes of the inverse Fisher information: entity = player, replicate = probe / 8;
  /// bit mod 8 of the first word of block 0, 1 for +1. seed = point = 0: set-up, not simulation.
  bradley_terry_probes = 9,
};

/// Version of the address layout and of all samplers as a whole, stored in every result file.
inline constexpr int stream_version = 1;
inline constexpr const char* stream_algorithm = "Philox4x32-10";

}  // namespace banzuke
