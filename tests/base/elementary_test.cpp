#include "engine/base/elementary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <string_view>
#include <vector>

#include "engine/base/sha256.hpp"

namespace banzuke {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest = std::numeric_limits<double>::denorm_min();
constexpr double largest = std::numeric_limits<double>::max();

static_assert(std::numeric_limits<long double>::digits >= 64,
              "the reference is the long double library");

/// Distance from the exact value in units of the last place of doubles of its size.
double error_in_ulp(double got, long double exact) {
  const double size = std::abs(static_cast<double>(exact));
  const double ulp = size < 0x1p-1022 ? smallest : std::nextafter(size, infinity) - size;
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / ulp);
}

class Arguments {
 public:
  double between(double low, double high) {
    return low + (high - low) * (static_cast<double>(engine_() >> 11) * 0x1p-53);
  }
  /// 2^e with e uniform between low and high.
  double power(double low, double high) { return std::exp2(between(low, high)); }

 private:
  std::mt19937_64 engine_{1};
};

TEST(Elementary, ExpIsWithinOneUlp) {
  Arguments any;
  double worst = 0.0;
  for (int i = 0; i < 200000; ++i) {
    for (const double x : {any.between(-745.2, 709.7), any.between(-745.2, -707.0),
                           any.between(-1.0, 1.0), any.between(-1.0, 1.0) * any.power(-60, 0)}) {
      worst = std::max(worst, error_in_ulp(det_exp(x), std::exp(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 1.0);
  EXPECT_GT(worst, 0.5);  // what rounding alone costs: the measure does measure
}

TEST(Elementary, LogIsWithinOneUlp) {
  Arguments any;
  double worst = 0.0;
  for (int i = 0; i < 200000; ++i) {
    for (const double x : {any.power(-1074, 1023.9), any.power(-1074, -1020), any.between(0.3, 3.0),
                           1.0 + any.between(-1.0, 1.0) * any.power(-52, -2)}) {
      worst = std::max(worst, error_in_ulp(det_log(x), std::log(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 1.0);
  EXPECT_GT(worst, 0.5);
}

TEST(Elementary, Log1pIsWithinOneUlp) {
  Arguments any;
  double worst = 0.0;
  for (int i = 0; i < 200000; ++i) {
    for (const double x : {any.power(-1074, 1023.9), any.between(-1.0, 3.0),
                           any.between(-1.0, 1.0) * any.power(-80, 0), any.power(-53, 0) - 1.0}) {
      if (x == -1.0) continue;
      worst = std::max(worst, error_in_ulp(det_log1p(x), std::log1p(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 1.0);
  EXPECT_GT(worst, 0.5);
}

TEST(Elementary, ExpAtTheLimits) {
  EXPECT_EQ(det_exp(0.0), 1.0);
  EXPECT_EQ(det_exp(-0.0), 1.0);
  EXPECT_EQ(det_exp(smallest), 1.0);
  EXPECT_EQ(det_exp(infinity), infinity);
  EXPECT_EQ(det_exp(-infinity), 0.0);
  EXPECT_EQ(det_exp(largest), infinity);
  EXPECT_EQ(det_exp(-largest), 0.0);
  EXPECT_TRUE(std::isnan(det_exp(not_a_number)));
  EXPECT_TRUE(std::isnan(det_exp(-not_a_number)));
  const double overflow = 0x1.62e42fefa39efp+9;  // the largest double whose exponential is finite
  EXPECT_LT(det_exp(overflow), infinity);
  EXPECT_EQ(det_exp(std::nextafter(overflow, infinity)), infinity);
  EXPECT_EQ(det_exp(-745.0), smallest);
  EXPECT_EQ(det_exp(-745.2), 0.0);
}

TEST(Elementary, LogarithmsAtTheLimits) {
  EXPECT_EQ(det_log(1.0), 0.0);
  EXPECT_EQ(det_log(0.0), -infinity);
  EXPECT_EQ(det_log(-0.0), -infinity);
  EXPECT_EQ(det_log(infinity), infinity);
  for (const double x : {-smallest, -1.0, -largest, -infinity, not_a_number, -not_a_number}) {
    EXPECT_TRUE(std::isnan(det_log(x))) << x;
  }
  EXPECT_EQ(det_log1p(0.0), 0.0);
  EXPECT_EQ(det_log1p(smallest), smallest);
  EXPECT_EQ(det_log1p(-smallest), -smallest);
  EXPECT_EQ(det_log1p(1e-20), 1e-20);
  EXPECT_EQ(det_log1p(-1.0), -infinity);
  EXPECT_EQ(det_log1p(infinity), infinity);
  for (const double x : {std::nextafter(-1.0, -2.0), -2.0, -largest, -infinity, not_a_number}) {
    EXPECT_TRUE(std::isnan(det_log1p(x))) << x;
  }
}

// The bits themselves, of loops that vectorise and of calls that do not: another compiler, another
// CPU path or another order of operations shows here.
TEST(Elementary, BitsAreTheSameEverywhere) {
  constexpr std::size_t count = 3000;
  std::vector<double> x(count);
  std::vector<double> results(3 * count);
  for (std::size_t i = 0; i < count; ++i) {
    x[i] = (static_cast<double>(i) - 1500.0) * 0.49 + static_cast<double>(i * i % 97) / 97.0;
  }
  for (std::size_t i = 0; i < count; ++i) results[i] = det_exp(x[i]);
  for (std::size_t i = 0; i < count; ++i) results[count + i] = det_log(x[i] * x[i] + 1e-3);
  for (std::size_t i = 0; i < count; ++i) results[2 * count + i] = det_log1p(x[i] * x[i] * 1e-9);
  for (std::size_t i = 0; i < count; ++i) {
    const volatile double one = x[i];
    ASSERT_EQ(results[i], det_exp(one));
    ASSERT_EQ(results[count + i], det_log(one * one + 1e-3));
    ASSERT_EQ(results[2 * count + i], det_log1p(one * one * 1e-9));
  }
  Sha256 hash;
  hash.update(std::string_view(reinterpret_cast<const char*>(results.data()),
                               results.size() * sizeof(double)));
  EXPECT_EQ(hash.hex(), "b78c63cd987205ce7bcbcc9cc0603adcd9727c6354598cbc6be195df72443300");
}

}  // namespace
}  // namespace banzuke
