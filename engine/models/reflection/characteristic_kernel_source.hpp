// The kernel's one source, compiled once for each CPU path; defines sweep_row in the unnamed
// namespace of the file that includes it. Only inline arithmetic of internal linkage.
#include "engine/base/elementary_trig.hpp"
#include "engine/models/reflection/characteristic_kernel.hpp"

namespace banzuke::reflection {
namespace {

constexpr std::size_t width = 8;

typedef double HalfBlock __attribute__((vector_size(32)));
typedef double UnalignedHalfBlock __attribute__((vector_size(32), aligned(8), may_alias));

/// The product of the outcomes of one factor, less one, (1 + a + ib) = prod (1 + v_j + i u_j), and
/// its squared modulus less one, for half a block.
inline void multiply(const NodeRow& row, std::size_t begin, std::size_t end, const double* s,
                     double* a, double* b, double* modulus) {
  const HalfBlock lanes = *reinterpret_cast<const UnalignedHalfBlock*>(s);
  HalfBlock real = HalfBlock{} + row.v[begin];
  HalfBlock imaginary = row.u[begin] + row.coefficient[begin] * lanes;
  for (std::size_t j = begin + 1; j < end; ++j) {
    const double v = row.v[j];
    const HalfBlock w = row.u[j] + row.coefficient[j] * lanes;
    const HalfBlock next = real + (v + (real * v - imaginary * w));
    imaginary += w + (real * w + imaginary * v);
    real = next;
  }
  const HalfBlock square = 2.0 * real + (real * real + imaginary * imaginary);
  __builtin_memcpy(a, &real, sizeof real);
  __builtin_memcpy(b, &imaginary, sizeof imaginary);
  __builtin_memcpy(modulus, &square, sizeof square);
}

inline double smallest(const double* x) {
  double result = x[0];
  for (std::size_t l = 1; l < width; ++l) result = x[l] < result ? x[l] : result;
  return result;
}

/// One block of eight lanes; false if every node lies below the cutoff.
inline bool add_block(const NodeRow& row, const double* s, double* real, double* imaginary) {
  double loss[width] = {};
  double modulus[width];
  double angle[width];
  for (std::size_t l = 0; l < width; ++l) angle[l] = row.phase;
  double a[width];
  double b[width];
  std::size_t begin = 0;
  for (std::size_t f = 0; f < row.factors; ++f) {
    const std::size_t end = row.factor_end[f];
    const double alpha = row.factor_alpha[f];
    multiply(row, begin, end, s, a, b, modulus);
    multiply(row, begin, end, s + width / 2, a + width / 2, b + width / 2, modulus + width / 2);
    if (smallest(modulus) > row.largest_modulus) return false;
    for (std::size_t l = 0; l < width; ++l) loss[l] += 0.5 * alpha * det_log1p(modulus[l]);
    if (f + 1 == row.factors && smallest(loss) > row.cutoff) return false;
    for (std::size_t l = 0; l < width; ++l) angle[l] += alpha * det_atan2(b[l], 1.0 + a[l]);
    begin = end;
  }
  for (std::size_t l = 0; l < width; ++l) {
    const double magnitude = det_exp(-loss[l]);
    const SinCos direction = det_sincos(angle[l]);
    real[l] += magnitude * direction.cos;
    imaginary[l] += magnitude * direction.sin;
  }
  return true;
}

LaneWindow sweep_row(const NodeRow& row, const double* s, std::size_t lanes, std::size_t start,
                     double* real, double* imaginary) {
  LaneWindow window{start, start, false};
  bool alive = true;
  while (alive && window.end < lanes) {
    const std::size_t l = window.end;
    alive = add_block(row, s + l, real + l, imaginary + l);
    if (alive) window.end += width;
  }
  window.clipped = alive;
  alive = true;
  while (alive && window.begin > 0) {
    const std::size_t l = window.begin - width;
    alive = add_block(row, s + l, real + l, imaginary + l);
    if (alive) window.begin = l;
  }
  return window;
}

}  // namespace
}  // namespace banzuke::reflection
