// The kernel's one source, compiled once for each CPU path; defines score_sign in the unnamed
// namespace of the file that includes it. Only inline arithmetic of internal linkage.
#include "engine/base/elementary_trig.hpp"
#include "engine/models/reflection/score_kernel.hpp"

namespace banzuke::reflection {
namespace {

constexpr std::size_t width = 8;

typedef double HalfBlock __attribute__((vector_size(32)));
typedef double UnalignedHalfBlock __attribute__((vector_size(32), aligned(8), may_alias));

/// a + ib = sum_j x_j (e^(i theta c_j) - 1) and |1 + a + ib|^2 - 1 at the nodes of half a block.
inline void add_outcomes(const ScoreNodes& nodes, const double* x, std::size_t first, double* a,
                         double* b, double* square) {
  HalfBlock real{};
  HalfBlock imaginary{};
  for (std::size_t j = 0; j < nodes.outcomes; ++j) {
    const std::size_t at = j * nodes.nodes + first;
    real += x[j] * *reinterpret_cast<const UnalignedHalfBlock*>(nodes.versed + at);
    imaginary += x[j] * *reinterpret_cast<const UnalignedHalfBlock*>(nodes.sine + at);
  }
  const HalfBlock squares = 2.0 * real + (real * real + imaginary * imaginary);
  __builtin_memcpy(a, &real, sizeof real);
  __builtin_memcpy(b, &imaginary, sizeof imaginary);
  __builtin_memcpy(square, &squares, sizeof squares);
}

/// How many nodes after `node`, in whole blocks, stay below the threshold. The squared modulus
/// sum_{jk} x_j x_k cos(theta (c_j - c_k)) has a second derivative of at most twice the variance.
inline std::size_t dead_nodes(const ScoreNodes& nodes, const double* x, double variance,
                              double threshold, std::size_t node) {
  double real = 1.0;
  double imaginary = 0.0;
  double real_slope = 0.0;
  double imaginary_slope = 0.0;
  for (std::size_t j = 0; j < nodes.outcomes; ++j) {
    const double versed = nodes.versed[j * nodes.nodes + node];
    const double sine = nodes.sine[j * nodes.nodes + node];
    real += x[j] * versed;
    imaginary += x[j] * sine;
    real_slope -= x[j] * nodes.coefficient[j] * sine;
    imaginary_slope += x[j] * nodes.coefficient[j] * (1.0 + versed);
  }
  const double missing = (1.0 + threshold) - (real * real + imaginary * imaginary);
  const double slope = 2.0 * (real * real_slope + imaginary * imaginary_slope);
  if (!(missing > 0.0 && variance > 0.0)) return 0;
  const double reach = (__builtin_sqrt(slope * slope + 4.0 * variance * missing) - slope) /
                       (2.0 * variance * nodes.spacing);
  return static_cast<std::size_t>(reach < 1e9 ? reach : 1e9) / width * width;
}

ScoreSigns score_sign(const ScoreNodes& nodes, const double* x, double variance) {
  ScoreSigns result{0.0, 0.0};
  double a[width];
  double b[width];
  double square[width];
  double real[width];
  double imaginary[width];
  // Below this squared modulus less 1 the N-th power falls under the cutoff: log m <= m - 1.
  const double threshold = -2.0 * nodes.cutoff / nodes.games;
  for (std::size_t first = 0; first < nodes.nodes;) {
    add_outcomes(nodes, x, first, a, b, square);
    add_outcomes(nodes, x, first + width / 2, a + width / 2, b + width / 2, square + width / 2);
    double largest = square[0];
    for (std::size_t l = 1; l < width; ++l) largest = square[l] > largest ? square[l] : largest;
    if (largest < threshold) {
      first += width + dead_nodes(nodes, x, variance, threshold, first + width - 1);
      continue;
    }
    for (std::size_t l = 0; l < width; ++l) {
      // The modulus may vanish, and round below; a tiny one is as good.
      constexpr double least = -1.0 + 0x1p-40;
      const std::uint64_t tiny = elementary::mask_of_sign(elementary::bits(square[l] - least));
      const double kept = elementary::select(tiny, least, square[l]);
      const double magnitude = det_exp(0.5 * nodes.games * det_log1p(kept));
      const SinCos direction =
          det_sincos(nodes.games * det_atan2(b[l], 1.0 + a[l]) + nodes.turn[first + l]);
      real[l] = magnitude * direction.cos;
      imaginary[l] = magnitude * direction.sin;
    }
    for (std::size_t l = 0; l < width; ++l) {
      result.sign += nodes.sign_weight[first + l] * imaginary[l];
      if (nodes.sign_weight[first + l] != 0.0) result.zero += real[l];
    }
    first += width;
  }
  result.zero *= nodes.zero_weight;
  return result;
}

}  // namespace
}  // namespace banzuke::reflection
