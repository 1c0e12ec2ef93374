#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/random/stream.hpp"

namespace banzuke::reflection {

inline constexpr std::size_t draws_at_once = 64;

/// What a draw needs of a rule; pointers to `outcomes` values.
struct DrawRule {
  std::size_t outcomes;
  const double* coefficient;
  const double* shape;    ///< Marsaglia and Tsang's d = alpha - 1/3 (of alpha + 1 below 1)
  const double* scale;    ///< their c = 1 / sqrt(9 d)
  const double* inverse;  ///< 1 / alpha where alpha < 1, else 0
  double games;
};

/// Random words of a batch: word w of lane l is words[((w / 2) * draws_at_once + l) * 2 + w % 2],
/// the w-th of Philox at the address of draw l.
struct DrawWords {
  const std::uint64_t* words;
  StreamAddress first;  ///< address of lane 0; lane l has entity + l
};

/// Numbers of words for the gammas and for the multinomial of one draw.
std::size_t gamma_words(const DrawRule& rule);
std::size_t multinomial_words(const DrawRule& rule);

/// The two words of one Philox block of an address.
void philox_words(const StreamAddress& address, std::uint16_t block, std::uint64_t* words);

/// Draws for lanes [0, draws_at_once).
struct DrawKernel {
  /// gammas[outcome * draws_at_once + lane] ~ Gamma(alpha), Marsaglia and Tsang (2000).
  void (*gammas)(const DrawRule& rule, const DrawWords& words, double* gammas);
  /// Score sum_j c_j y_j with y ~ Multinomial(N, gammas / sum), by conditional binomials:
  /// Hormann's transformed rejection (1993) and, below 10 expected, inversion.
  void (*scores)(const DrawRule& rule, const DrawWords& words, const double* gammas,
                 double* scores);
};

DrawKernel draw_kernel_portable();
DrawKernel draw_kernel_avx2();
DrawKernel draw_kernel_avx512();

}  // namespace banzuke::reflection
