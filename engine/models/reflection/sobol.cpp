#include "engine/models/reflection/sobol.hpp"

#include <bit>
#include <stdexcept>

#include "engine/random/stream.hpp"

namespace banzuke::reflection {
namespace {

/// Primitive polynomial of degree s with inner coefficients a, and initial numbers m.
struct Primitive {
  int degree;
  std::uint32_t inner;
  std::array<std::uint32_t, 6> initial;
};

// Joe and Kuo (2008), "Constructing Sobol sequences with better two-dimensional projections",
// dimensions 2 to 17 of their set with property A in D(6).
constexpr Primitive primitives[] = {
    {1, 0, {1}},
    {2, 1, {1, 3}},
    {3, 1, {1, 3, 1}},
    {3, 2, {1, 1, 1}},
    {4, 1, {1, 1, 3, 3}},
    {4, 4, {1, 3, 5, 13}},
    {5, 2, {1, 1, 5, 5, 17}},
    {5, 4, {1, 1, 5, 5, 5}},
    {5, 7, {1, 1, 7, 11, 19}},
    {5, 11, {1, 1, 5, 1, 1}},
    {5, 13, {1, 1, 1, 3, 11}},
    {5, 14, {1, 3, 5, 5, 31}},
    {6, 1, {1, 3, 3, 9, 7, 49}},
    {6, 13, {1, 1, 1, 15, 21, 21}},
    {6, 16, {1, 3, 1, 13, 27, 49}},
    {6, 19, {1, 1, 1, 15, 7, 5}},
};

using Directions = std::array<std::array<std::uint32_t, sobol_bits>, most_sobol_dimensions>;

Directions make_directions() {
  Directions all{};
  for (std::uint32_t i = 0; i < sobol_bits; ++i) all[0][i] = 1U << (31 - i);
  for (std::size_t d = 1; d < all.size(); ++d) {
    const Primitive& primitive = primitives[d - 1];
    const auto s = static_cast<std::size_t>(primitive.degree);
    auto& v = all[d];
    for (std::size_t i = 0; i < sobol_bits; ++i) {
      if (i < s) {
        v[i] = primitive.initial[i] << (31 - i);
        continue;
      }
      v[i] = v[i - s] ^ (v[i - s] >> s);
      for (std::size_t j = 1; j < s; ++j) {
        if (primitive.inner >> (s - 1 - j) & 1) v[i] ^= v[i - j];
      }
    }
  }
  return all;
}

}  // namespace

const Directions& sobol_directions() {
  static const Directions all = make_directions();
  return all;
}

ScrambledSobol::ScrambledSobol(std::size_t dimensions, std::uint64_t seed, std::uint32_t point,
                               std::uint32_t replicate)
    : columns_(dimensions), state_(dimensions) {
  if (dimensions > most_sobol_dimensions) {
    throw std::invalid_argument("Sobol points have at most 17 coordinates");
  }
  for (std::size_t d = 0; d < dimensions; ++d) {
    Stream stream(
        {seed, StreamId::reflection_scramble, point, replicate, static_cast<std::uint32_t>(d)});
    // Row r gives bit r (from the top): itself and random bits of the rows above it.
    std::array<std::uint32_t, sobol_bits> rows{};
    for (std::uint32_t r = 0; r < sobol_bits; ++r) {
      const std::uint32_t itself = 1U << (31 - r);
      const std::uint32_t higher = ~(itself | (itself - 1));
      rows[r] = itself | (stream.next_u32() & higher);
    }
    const auto& directions = sobol_directions()[d];
    for (std::size_t i = 0; i < sobol_bits; ++i) {
      std::uint32_t column = 0;
      for (std::uint32_t r = 0; r < sobol_bits; ++r) {
        const auto bit = static_cast<std::uint32_t>(std::popcount(rows[r] & directions[i]) & 1);
        column |= bit << (31 - r);
      }
      columns_[d][i] = column;
    }
    state_[d] = stream.next_u32();
  }
}

void ScrambledSobol::next() {
  ++index_;
  const auto bit = static_cast<std::size_t>(std::countr_zero(index_));
  if (bit >= sobol_bits) return;  // 2^32 points: the sequence starts again
  for (std::size_t d = 0; d < state_.size(); ++d) state_[d] ^= columns_[d][bit];
}

}  // namespace banzuke::reflection
