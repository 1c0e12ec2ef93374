// No include guard: compiled once a CPU path, with BANZUKE_VECTOR_BYTES (16, 32 or 64) set by the
// including file, and everything but that file's entry function of internal linkage.
#include <cstddef>
#include <cstring>

#include "engine/base/elementary.hpp"
#include "engine/models/dirichlet_multinomial/tail_kernel.hpp"

namespace banzuke::dirichlet_multinomial::tail_kernel {
namespace {

// Eight interleaved sums on every path, in one vector, two or four.
constexpr std::size_t interleaved = 8;
constexpr std::size_t width = BANZUKE_VECTOR_BYTES / sizeof(double);
constexpr std::size_t parts = interleaved / width;

typedef double Vector __attribute__((vector_size(BANZUKE_VECTOR_BYTES)));

double sum(const Vector* vectors) {
  double x[interleaved];
  std::memcpy(x, vectors, sizeof x);
  return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

Sums score(const double* tail, std::size_t size, double scale) {
  const double first_indices[interleaved] = {0, 1, 2, 3, 4, 5, 6, 7};
  Vector first[parts] = {}, second[parts] = {}, third[parts] = {}, at[parts];
  std::memcpy(at, first_indices, sizeof at);
  for (std::size_t m = 0; m < size; m += interleaved) {
    for (std::size_t p = 0; p < parts; ++p) {
      Vector weight;
      std::memcpy(&weight, tail + m + p * width, sizeof weight);
      const Vector r = at[p] / (at[p] + scale);
      const Vector w1 = weight * r;
      const Vector w2 = w1 * (1.0 - r);
      first[p] += w1;
      second[p] += w2;
      third[p] += w2 * (1.0 - 2.0 * r);
      at[p] += static_cast<double>(interleaved);
    }
  }
  return {sum(first), sum(second), sum(third)};
}

double log_sum(const double* tail, std::size_t size, double scale) {
  double acc[interleaved] = {}, at[interleaved] = {0, 1, 2, 3, 4, 5, 6, 7};
  const double inverse = 1 / scale;
  for (std::size_t m = 0; m < size; m += interleaved) {
    double term[interleaved];
    for (std::size_t l = 0; l < interleaved; ++l) term[l] = det_log1p(at[l] * inverse);
    for (std::size_t l = 0; l < interleaved; ++l) {
      acc[l] += tail[m + l] * term[l];
      at[l] += interleaved;
    }
  }
  Vector vectors[parts];
  std::memcpy(vectors, acc, sizeof acc);
  return sum(vectors);
}

constexpr Kernel kernel{score, log_sum};

}  // namespace
}  // namespace banzuke::dirichlet_multinomial::tail_kernel
