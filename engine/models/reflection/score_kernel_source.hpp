// The kernel's one source, compiled once for each CPU path; defines score_sign in the unnamed
// namespace of the file that includes it. Only inline arithmetic of internal linkage.
#include "engine/base/elementary_trig.hpp"
#include "engine/models/reflection/score_kernel.hpp"

namespace banzuke::reflection {
namespace {

constexpr std::size_t width = 8;

ScoreSigns score_sign(const ScoreNodes& nodes, const double* x, double spread) {
  ScoreSigns result{0.0, 0.0};
  double a[width];
  double b[width];
  double exponent[width];
  double real[width];
  double imaginary[width];
  // Below this modulus the N-th power falls under the cutoff: log m <= m - 1.
  const double least_loss = nodes.cutoff / nodes.games;
  for (std::size_t first = 0; first < nodes.nodes;) {
    for (std::size_t l = 0; l < width; ++l) {
      a[l] = 0.0;
      b[l] = 0.0;
    }
    for (std::size_t j = 0; j < nodes.outcomes; ++j) {
      const double* versed = nodes.versed + j * nodes.nodes + first;
      const double* sine = nodes.sine + j * nodes.nodes + first;
      const double weight = x[j];
      for (std::size_t l = 0; l < width; ++l) {
        a[l] += weight * versed[l];
        b[l] += weight * sine[l];
      }
    }
    double largest = -1.0;
    for (std::size_t l = 0; l < width; ++l) {
      // The modulus may vanish; a tiny one is as good.
      const double square = 2.0 * a[l] + (a[l] * a[l] + b[l] * b[l]);
      const double bounded = square > -1.0 + 0x1p-40 ? square : -1.0 + 0x1p-40;
      exponent[l] = bounded;
      largest = bounded > largest ? bounded : largest;
    }
    // 1 - modulus >= -square / 2.
    const double loss = -0.5 * largest;
    if (loss > least_loss) {
      const double skipped = (loss - least_loss) / (spread * nodes.spacing);
      const double limited = skipped < 1e9 ? skipped : 1e9;
      first += width + static_cast<std::size_t>(limited) / width * width;
      continue;
    }
    for (std::size_t l = 0; l < width; ++l) {
      const double magnitude = det_exp(0.5 * nodes.games * det_log1p(exponent[l]));
      const SinCos direction = det_sincos(nodes.games * det_atan2(b[l], 1.0 + a[l]) +
                                          nodes.turn[first + l]);
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
