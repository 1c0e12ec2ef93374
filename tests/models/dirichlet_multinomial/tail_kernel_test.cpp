#include "engine/models/dirichlet_multinomial/tail_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <vector>

namespace banzuke::dirichlet_multinomial::tail_kernel {
namespace {

std::vector<double> falling_tail(std::size_t size) {
  std::vector<double> tail;
  for (std::size_t m = 0; m < size; ++m) {
    tail.push_back(std::floor(1e6 / (1.0 + 0.1 * static_cast<double>(m * (m % 7 + 1)))));
  }
  return tail;
}

TEST(TailKernel, SumsAreTheirDefinition) {
  const std::vector<double> tail = falling_tail(1600);
  for (const double scale : {1e-3, 0.7, 51.0, 1e6}) {
    long double first = 0, second = 0, third = 0, logs = 0;
    for (std::size_t m = 0; m < tail.size(); ++m) {
      const long double at = static_cast<long double>(m), w = tail[m], r = at / (scale + at);
      first += w * r;
      second += w * r * (1 - r);
      third += w * r * (1 - r) * (1 - 2 * r);
      logs += w * std::log1p(at / scale);
    }
    const Sums found = best_kernel().score(tail.data(), tail.size(), scale);
    EXPECT_NEAR(found.first / static_cast<double>(first), 1, 1e-14);
    EXPECT_NEAR(found.second / static_cast<double>(second), 1, 1e-12);
    EXPECT_NEAR(found.third, static_cast<double>(third), 1e-12 * static_cast<double>(second));
    EXPECT_NEAR(best_kernel().log_sum(tail.data(), tail.size(), scale) / static_cast<double>(logs),
                1, 1e-14);
  }
  EXPECT_EQ(best_kernel().score(nullptr, 0, 1.0).first, 0);
}

TEST(TailKernel, EveryPathOfThisMachineGivesTheSameBits) {
  const Kernel& portable = kernel_of(CpuPath::portable);
  int paths = 0;
  for (const CpuPath path : {CpuPath::avx2, CpuPath::avx512}) {
    if (!is_available(path)) {
      EXPECT_THROW(kernel_of(path), std::invalid_argument);
      continue;
    }
    ++paths;
    SCOPED_TRACE(name_of(path));
    const Kernel& kernel = kernel_of(path);
    for (const std::size_t size : {0u, 8u, 16u, 24u, 992u, 4000u}) {
      const std::vector<double> tail = falling_tail(size);
      for (double scale = 1e-6; scale < 1e12; scale *= 7.3) {
        const Sums a = portable.score(tail.data(), size, scale);
        const Sums b = kernel.score(tail.data(), size, scale);
        EXPECT_EQ(std::memcmp(&a, &b, sizeof a), 0) << size << " " << scale;
        const double x = portable.log_sum(tail.data(), size, scale);
        const double y = kernel.log_sum(tail.data(), size, scale);
        EXPECT_EQ(std::memcmp(&x, &y, sizeof x), 0) << size << " " << scale;
      }
    }
  }
  RecordProperty("paths", paths + 1);
}

}  // namespace
}  // namespace banzuke::dirichlet_multinomial::tail_kernel
