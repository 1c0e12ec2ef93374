#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/base/cpu_path.hpp"

// The vector part of BinomialSampler. The code of binomial_kernel_source.hpp is compiled once a CPU
// path; plain pointers and no inline functions here, so that nothing compiled for a strong CPU is
// shared with other code.
namespace banzuke::binomial_kernel {

/// One table inside the sampler's arenas.
struct PackedTable {
  std::uint64_t first = 0;       ///< index of its first threshold
  std::uint32_t size = 0;        ///< number of thresholds
  std::int32_t lowest = 0;       ///< outcome below the first threshold
  std::uint32_t scan_first = 0;  ///< thresholds before it have the top 0
  std::uint32_t scan_size = 0;   ///< thresholds with a top other than 0 and 0xffff
  std::uint32_t guide = 0;       ///< 1 + index of its guide; 0: short enough to scan
};

inline constexpr std::size_t max_lanes = 64;
inline constexpr std::size_t max_pairs = 32;     ///< of one call
inline constexpr std::size_t guide_cells = 256;  ///< a guide has one entry more

/// What a kernel reads. Tops are the thresholds' highest 16 bits with the sign bit flipped.
struct Tables {
  const PackedTable* tables = nullptr;
  const std::uint32_t* table_of_pair = nullptr;
  const std::int16_t* tops = nullptr;
  const std::uint32_t* guides = nullptr;
};

struct Kernel {
  /// Philox4x32-10 of `count` (a multiple of 8) counters (c0[i], c1[i], c2, c3), key = seed:
  /// out holds the 128 bits of each, word 0 first.
  void (*philox)(std::uint64_t seed, const std::uint32_t* c0, const std::uint32_t* c1,
                 std::uint32_t c2, std::uint32_t c3, std::size_t count, void* out);
  /// Outcomes of pairs [first_pair, first_pair + pairs), pairs <= max_pairs: wins[pair][lanes].
  /// Where bit `lane` of ties[pair] is set the top 16 bits did not decide and wins is not valid.
  void (*sample)(const Tables& tables, std::uint64_t seed, std::uint32_t point,
                 std::uint32_t first_replicate, std::size_t lanes, std::uint32_t first_pair,
                 std::size_t pairs, std::int32_t* wins, std::uint64_t* ties);
};

/// Null where the compiler did not build the path.
const Kernel* portable();
const Kernel* avx2();
const Kernel* avx512();

/// The kernel of a path; throws std::invalid_argument if this machine or build does not have it.
const Kernel& kernel_of(CpuPath path);

}  // namespace banzuke::binomial_kernel
