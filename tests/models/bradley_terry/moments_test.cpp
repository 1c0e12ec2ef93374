#include "engine/models/bradley_terry/moments.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

/// Skewed values about `centre`, every seventh not rated.
std::vector<double> skewed(std::size_t count, double centre) {
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i) {
    const double u = static_cast<double>(i * 2654435761U % 1009) / 1009;
    x.push_back(i % 7 == 3 ? nan : centre + 40 * u * u * u);
  }
  return x;
}

void expect_same(const MomentSums& sums, const std::vector<double>& x, double truth) {
  const Summary expected = summarise(x, truth), got = summary_of(sums, truth);
  EXPECT_EQ(got.valid, expected.valid);
  // One addition a value: its rounding is that of the mean, and adds up.
  EXPECT_NEAR(got.mean, expected.mean, 1e-13 * std::abs(truth));
  EXPECT_NEAR(got.bias, expected.bias, 1e-13 * std::abs(truth));
  EXPECT_NEAR(got.sd / expected.sd, 1, 1e-12);
  EXPECT_NEAR(got.sd_error / expected.sd_error, 1, 1e-10);
  for (const double quantile : got.quantiles) EXPECT_TRUE(std::isnan(quantile));
  double m3 = 0;
  for (const double value : x)
    if (!std::isnan(value)) m3 += std::pow(value - expected.mean, 3);
  EXPECT_NEAR(sums.m3 / m3, 1, 1e-10);
}

TEST(MomentSums, EqualTheColumn) {
  for (const double centre : {100.0, 2800.0}) {
    const std::vector<double> x = skewed(5000, centre);
    MomentSums sums;
    for (const double value : x) sums.add(value);
    expect_same(sums, x, centre + 9);
  }
}

TEST(MomentSums, SegmentsMergeInOrder) {
  const std::vector<double> x = skewed(5000, 2800);
  for (const std::size_t length : {1UL, 7UL, 64UL, 1000UL, 4999UL}) {
    MomentSums all;
    for (std::size_t begin = 0; begin < x.size(); begin += length) {
      MomentSums segment;
      for (std::size_t i = begin; i < std::min(begin + length, x.size()); ++i) segment.add(x[i]);
      all.merge(segment);
    }
    expect_same(all, x, 2800);
  }
}

TEST(MomentSums, TooFewAndConstant) {
  MomentSums sums;
  EXPECT_TRUE(std::isnan(summary_of(sums, 1).mean));
  sums.add(nan);
  EXPECT_EQ(sums.count, 0U);
  sums.add(2800.1);
  EXPECT_EQ(summary_of(sums, 2800).mean, 2800.1);
  EXPECT_TRUE(std::isnan(summary_of(sums, 2800).sd));
  MomentSums other;
  for (int i = 0; i < 50; ++i) other.add(2800.1);
  sums.merge(other);
  sums.merge({});
  EXPECT_EQ(sums.count, 51U);
  EXPECT_EQ(summary_of(sums, 2800.1).sd, 0.0);
  EXPECT_EQ(summary_of(sums, 2800.1).sd_error, 0.0);
  EXPECT_EQ(summary_of(sums, 2800.1).bias, 0.0);
  EXPECT_TRUE(std::isnan(summary_of(sums, nan).bias));
}

}  // namespace
}  // namespace banzuke::bradley_terry
