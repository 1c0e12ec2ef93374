// The kernel's one source, compiled once for each CPU path; defines sweep_row in the unnamed
// namespace of the file that includes it. Only inline arithmetic of internal linkage.
#include "engine/base/elementary_trig.hpp"
#include "engine/models/reflection/characteristic_kernel.hpp"

namespace banzuke::reflection {
namespace {

constexpr std::size_t width = 8;

/// The product of the outcomes of one factor, less one: (1 + a + ib) = prod (1 + v_j + i u_j).
inline void multiply(const NodeRow& row, std::size_t begin, std::size_t end, const double* s,
                     double* a, double* b) {
  for (std::size_t l = 0; l < width; ++l) {
    a[l] = row.v[begin];
    b[l] = row.u[begin] + row.coefficient[begin] * s[l];
  }
  for (std::size_t j = begin + 1; j < end; ++j) {
    const double v = row.v[j];
    const double u = row.u[j];
    const double c = row.coefficient[j];
    for (std::size_t l = 0; l < width; ++l) {
      const double w = u + c * s[l];
      const double real = a[l] + (v + (a[l] * v - b[l] * w));
      const double imaginary = b[l] + (w + (a[l] * w + b[l] * v));
      a[l] = real;
      b[l] = imaginary;
    }
  }
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
    multiply(row, begin, end, s, a, b);
    for (std::size_t l = 0; l < width; ++l) {
      modulus[l] = 2.0 * a[l] + (a[l] * a[l] + b[l] * b[l]);
    }
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
