#include "engine/models/bradley_terry/moments.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <stdexcept>

namespace banzuke::bradley_terry {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(Moments, KnownValues) {
  // R: x <- c(1, 2, 4, 8, 16); mean(x), sd(x), quantile(x, c(.025, .16, .5, .84, .975)).
  const std::vector<double> x{8, nan, 1, 16, nan, 4, 2};
  const Summary s = summarise(x, 6.0);
  EXPECT_EQ(s.valid, 5U);
  EXPECT_NEAR(s.mean, 6.2, 1e-14);
  EXPECT_NEAR(s.bias, 0.2, 1e-14);
  EXPECT_NEAR(s.sd, std::sqrt(37.2), 1e-13);
  const double expected[] = {1.1, 1.64, 4, 10.88, 15.2};
  for (std::size_t q = 0; q < 5; ++q) EXPECT_NEAR(s.quantiles[q], expected[q], 1e-13);
  const double d[] = {-5.2, -4.2, -2.2, 1.8, 9.8};
  double m2 = 0, m4 = 0;
  for (const double v : d) {
    m2 += v * v / 5;
    m4 += v * v * v * v / 5;
  }
  EXPECT_NEAR(s.sd_error, s.sd * std::sqrt((m4 / (m2 * m2) - 0.5) / 20), 1e-13);
}

TEST(Moments, FarFromZeroAndConstant) {
  std::vector<double> x;
  for (int i = 0; i < 1000; ++i) x.push_back(1e9 + (i % 2 ? 0.5 : -0.5));
  EXPECT_NEAR(summarise(x, 1e9).sd, 0.5 * std::sqrt(1000.0 / 999), 1e-14);
  const Summary reference = summarise(std::vector<double>(50, 2800.0), 2800.0);
  EXPECT_EQ(reference.sd, 0.0);
  EXPECT_EQ(reference.sd_error, 0.0);
  EXPECT_EQ(reference.bias, 0.0);
}

TEST(Moments, TooFewReplicates) {
  const Summary none = summarise(std::vector<double>{nan, nan}, 1.0);
  EXPECT_EQ(none.valid, 0U);
  EXPECT_TRUE(std::isnan(none.mean) && std::isnan(none.sd) && std::isnan(none.quantiles[2]));
  const Summary one = summarise(std::vector<double>{nan, 3.0}, 1.0);
  EXPECT_EQ(one.mean, 3.0);
  EXPECT_EQ(one.bias, 2.0);
  EXPECT_EQ(one.quantiles[4], 3.0);
  EXPECT_TRUE(std::isnan(one.sd) && std::isnan(one.sd_error));
}

TEST(Moments, Columns) {
  const std::vector<double> ratings{1, 10, 3, nan, 5, 20};
  const auto s = summarise_players(ratings, std::vector<double>{3, 10});
  EXPECT_EQ(s[0].mean, 3.0);
  EXPECT_EQ(s[1].valid, 2U);
  EXPECT_EQ(s[1].bias, 5.0);
  EXPECT_THROW(summarise_players(ratings, std::vector<double>(4, 0.0)), std::invalid_argument);
}

}  // namespace
}  // namespace banzuke::bradley_terry
