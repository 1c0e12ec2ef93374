// No include guard: compiled once a CPU path, with BANZUKE_VECTOR_BYTES (16, 32 or 64) set by the
// including file, and everything but that file's entry function of internal linkage.
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/random/binomial_kernel.hpp"
#include "engine/random/stream_ids.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace banzuke::binomial_kernel {
namespace {

#define BANZUKE_KERNEL_INLINE [[gnu::always_inline]] inline

typedef std::uint64_t Words __attribute__((vector_size(BANZUKE_VECTOR_BYTES)));
typedef std::uint32_t HalfWords __attribute__((vector_size(BANZUKE_VECTOR_BYTES / 2)));
typedef std::int16_t Lanes __attribute__((vector_size(BANZUKE_VECTOR_BYTES)));
typedef std::int16_t EightLanes __attribute__((vector_size(16)));

constexpr std::size_t counters_at_once = 8;
constexpr std::size_t words_per_vector = BANZUKE_VECTOR_BYTES / 8;
constexpr std::size_t vectors_per_word = counters_at_once / words_per_vector;
// Three registers a vector of lanes: four vectors are what 16 registers hold.
constexpr std::size_t vectors_at_once = BANZUKE_VECTOR_BYTES == 64 ? 2 : 4;
constexpr std::size_t lanes_at_once = vectors_at_once * sizeof(Lanes) / 2;

/// Product of the low halves of the 64-bit elements.
BANZUKE_KERNEL_INLINE Words product_of_low_halves(Words a, Words b) {
#if BANZUKE_VECTOR_BYTES == 64
  return (Words)_mm512_maskz_mul_epu32(0xff, (__m512i)a, (__m512i)b);
#elif BANZUKE_VECTOR_BYTES == 32
  return (Words)_mm256_mul_epu32((__m256i)a, (__m256i)b);
#elif defined(__SSE2__)
  return (Words)_mm_mul_epu32((__m128i)a, (__m128i)b);
#else
  return (a & 0xffffffff) * (b & 0xffffffff);
#endif
}

/// Unaligned loads and stores in one instruction (memcpy would be split, and stall on forwarding).
template <class Vector>
BANZUKE_KERNEL_INLINE Vector load(const void* from) {
  typedef Vector Anywhere __attribute__((aligned(2), may_alias));
  return *static_cast<const Anywhere*>(from);
}
template <class Vector>
BANZUKE_KERNEL_INLINE void store(void* to, Vector value) {
  typedef Vector Anywhere __attribute__((aligned(2), may_alias));
  *static_cast<Anywhere*>(to) = value;
}

BANZUKE_KERNEL_INLINE Words load_words(const std::uint32_t* from) {
  return __builtin_convertvector(load<HalfWords>(from), Words);
}

/// Stores (low[i], high[i]) for i = 0, 1, …
BANZUKE_KERNEL_INLINE void store_pairs(Words low, Words high, unsigned char* out) {
#if BANZUKE_VECTOR_BYTES == 64
  const Words first = __builtin_shufflevector(low, high, 0, 8, 1, 9, 2, 10, 3, 11);
  const Words second = __builtin_shufflevector(low, high, 4, 12, 5, 13, 6, 14, 7, 15);
#elif BANZUKE_VECTOR_BYTES == 32
  const Words first = __builtin_shufflevector(low, high, 0, 4, 1, 5);
  const Words second = __builtin_shufflevector(low, high, 2, 6, 3, 7);
#else
  const Words first = __builtin_shufflevector(low, high, 0, 2);
  const Words second = __builtin_shufflevector(low, high, 1, 3);
#endif
  store(out, first);
  store(out + sizeof first, second);
}

// Philox4x32-10: Salmon, Moraes, Dror, Shaw (2011), "Parallel random numbers: as easy as 1, 2, 3",
// section 3.3. Each 32-bit word lies in the low half of a 64-bit element, whose high half is
// whatever the products left there: no shuffle between rounds.
void philox(std::uint64_t seed, const std::uint32_t* c0, const std::uint32_t* c1, std::uint32_t c2,
            std::uint32_t c3, std::size_t count, void* out) {
  const Words multiplier0 = Words{} + 0xd2511f53U;
  const Words multiplier1 = Words{} + 0xcd9e8d57U;
  Words keys0[10];
  Words keys1[10];
  auto key0 = static_cast<std::uint32_t>(seed);
  auto key1 = static_cast<std::uint32_t>(seed >> 32);
  for (int round = 0; round < 10; ++round) {
    keys0[round] = Words{} + key0;
    keys1[round] = Words{} + key1;
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  for (std::size_t first = 0; first < count; first += counters_at_once) {
    Words x0[vectors_per_word];
    Words x1[vectors_per_word];
    Words x2[vectors_per_word];
    Words x3[vectors_per_word];
    for (std::size_t v = 0; v < vectors_per_word; ++v) {
      x0[v] = load_words(c0 + first + v * words_per_vector);
      x1[v] = load_words(c1 + first + v * words_per_vector);
      x2[v] = Words{} + c2;
      x3[v] = Words{} + c3;
    }
    for (int round = 0; round < 10; ++round) {
      for (std::size_t v = 0; v < vectors_per_word; ++v) {
        const Words product0 = product_of_low_halves(x0[v], multiplier0);
        const Words product1 = product_of_low_halves(x2[v], multiplier1);
        x0[v] = (product1 >> 32) ^ x1[v] ^ keys0[round];
        x1[v] = product1;
        x2[v] = (product0 >> 32) ^ x3[v] ^ keys1[round];
        x3[v] = product0;
      }
    }
    for (std::size_t v = 0; v < vectors_per_word; ++v) {
      const Words low = (x0[v] & 0xffffffff) | (x1[v] << 32);
      const Words high = (x2[v] & 0xffffffff) | (x3[v] << 32);
      store_pairs(low, high,
                  static_cast<unsigned char*>(out) + 16 * (first + v * words_per_vector));
    }
  }
}

/// Counts the tops below each of Count vectors of lanes: counts = -#{k : top[k] < u}, tied = -1
/// where more bits are needed: u equals a top, or is 0 or 0xffff. Returns whether any lane is tied.
template <class Vector, std::size_t Count>
BANZUKE_KERNEL_INLINE bool scan(const std::int16_t* uniforms, const std::int16_t* tops,
                                std::uint32_t size, std::int16_t* counts, std::int16_t* tied) {
  Vector u[Count];
  Vector c[Count];
  Vector e[Count];
  for (std::size_t v = 0; v < Count; ++v) {
    u[v] = load<Vector>(uniforms + v * (sizeof(Vector) / 2)) ^ INT16_MIN;
    c[v] = Vector{};
    e[v] = (u[v] == INT16_MIN) | (u[v] == INT16_MAX);
  }
  for (std::uint32_t k = 0; k < size; ++k) {
    const Vector top = Vector{} + tops[k];
    for (std::size_t v = 0; v < Count; ++v) {
      c[v] += u[v] > top;
      e[v] |= u[v] == top;
    }
  }
  Vector any{};
  for (std::size_t v = 0; v < Count; ++v) {
    any |= e[v];
    store(counts + v * (sizeof(Vector) / 2), c[v]);
    store(tied + v * (sizeof(Vector) / 2), e[v]);
  }
  std::uint64_t parts[sizeof(Vector) / 8];
  std::memcpy(parts, &any, sizeof any);
  std::uint64_t tie = 0;
  for (const std::uint64_t part : parts) tie |= part;
  return tie != 0;
}

/// The same for one lane by the guide (Chen and Asau 1974): the cell of the highest 8 bits bounds a
/// bisection. tops and guide are the whole table's.
BANZUKE_KERNEL_INLINE bool search(std::int16_t uniform, const PackedTable& table,
                                  const std::int16_t* tops, const std::uint32_t* guide,
                                  std::int32_t& win) {
  const auto u = static_cast<std::int16_t>(uniform ^ INT16_MIN);
  const std::size_t cell = static_cast<std::uint16_t>(uniform) >> 8;
  std::uint32_t low = guide[cell];
  std::uint32_t length = guide[cell + 1] - low;
  while (length > 0) {
    const std::uint32_t half = length / 2;
    const bool below = tops[low + half] < u;
    low = below ? low + half + 1 : low;
    length = below ? length - half - 1 : half;
  }
  win = table.lowest + static_cast<std::int32_t>(low);
  return low < table.size && tops[low] == u;
}

std::uint64_t mask_of(const std::int16_t* tied, std::size_t lanes) {
  std::uint64_t mask = 0;
  for (std::size_t lane = 0; lane < max_lanes && lane < lanes; ++lane) {
    mask |= std::uint64_t{tied[lane] != 0} << lane;
  }
  return mask;
}

void sample(const Tables& tables, std::uint64_t seed, std::uint32_t point,
            std::uint32_t first_replicate, std::size_t lanes, std::uint32_t first_pair,
            std::size_t pairs, std::int32_t* wins, std::uint64_t* ties) {
  const std::size_t groups = lanes / 8;
  alignas(64) std::uint32_t entity[max_pairs * max_lanes / 8] = {};
  alignas(64) std::uint32_t replicate[max_pairs * max_lanes / 8] = {};
  alignas(64) std::int16_t blocks[max_pairs * max_lanes];
  std::size_t count = 0;
  for (std::size_t pair = 0; pair < pairs; ++pair) {
    for (std::size_t group = 0; group < groups; ++group) {
      entity[count] = first_pair + static_cast<std::uint32_t>(pair);
      replicate[count++] = first_replicate / 8 + static_cast<std::uint32_t>(group);
    }
  }
  count += (counters_at_once - count % counters_at_once) % counters_at_once;
  philox(seed, entity, replicate, point,
         static_cast<std::uint32_t>(StreamId::bradley_terry_wins) << 16, count, blocks);

  for (std::size_t pair = 0; pair < pairs; ++pair) {
    const PackedTable& table = tables.tables[tables.table_of_pair[first_pair + pair]];
    const std::int16_t* tops = tables.tops + table.first;
    const std::int16_t* uniforms = blocks + pair * lanes;
    std::int32_t* win = wins + pair * lanes;
    alignas(64) std::int16_t counts[max_lanes];
    alignas(64) std::int16_t tied[max_lanes];
    ties[pair] = 0;
    if (table.guide != 0) {
      const std::uint32_t* guide = tables.guides + (table.guide - 1);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const bool tie = search(uniforms[lane], table, tops, guide, win[lane]);
        ties[pair] |= std::uint64_t{tie} << lane;
      }
      continue;
    }
    const std::int16_t* scanned = tops + table.scan_first;
    bool any = false;
    std::size_t done = 0;
    for (; done + lanes_at_once <= lanes; done += lanes_at_once) {
      any |= scan<Lanes, vectors_at_once>(uniforms + done, scanned, table.scan_size, counts + done,
                                          tied + done);
    }
    for (; done < lanes; done += 8) {
      any |= scan<EightLanes, 1>(uniforms + done, scanned, table.scan_size, counts + done,
                                 tied + done);
    }
    const std::int32_t base = table.lowest + static_cast<std::int32_t>(table.scan_first);
    for (std::size_t lane = 0; lane < lanes; ++lane) win[lane] = base - counts[lane];
    if (any) ties[pair] = mask_of(tied, lanes);
  }
}

constexpr Kernel kernel{philox, sample};

}  // namespace
}  // namespace banzuke::binomial_kernel
