#include "engine/models/bradley_terry/goodness_of_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "designs.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/saturated.hpp"

namespace banzuke::bradley_terry {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TEST(GoodnessOfFit, CountsAsDavisonAndHinkley) {
  const std::vector<double> deviances{1, 2, nan, 3, 4, 5, 5 * (1 - 1e-13)};
  const GoodnessOfFit fit = goodness_of_fit(deviances, 5);
  EXPECT_EQ(fit.valid, 6U);
  EXPECT_EQ(fit.as_large, 2U);
  EXPECT_DOUBLE_EQ(fit.p_value, 3.0 / 7);
  EXPECT_NEAR(fit.mean, 20.0 / 6, 1e-12);
  EXPECT_EQ(goodness_of_fit(deviances, 6).p_value, 1.0 / 7);
  EXPECT_EQ(goodness_of_fit({}, 6).p_value, 1.0);
}

/// p-values of data sets, each against its own replicates.
std::vector<double> p_values(const std::vector<PairData>& seasons, std::uint64_t replicates) {
  std::vector<double> out;
  for (std::uint32_t r = 0; r < seasons.size(); ++r) {
    if (rated_component(seasons[r], 0).rated != seasons[r].players) continue;
    const Fit observed = fit(seasons[r], 0);
    const ReplicateKernel kernel(schedule_of(seasons[r]), observed.abilities, {0, false});
    testing::Rows rows(seasons[r].players, replicates);
    kernel.run(77, r, 0, replicates, rows.output());
    out.push_back(goodness_of_fit(rows.deviance, observed.deviance).p_value);
  }
  return out;
}

/// Kolmogorov's distance from the uniform law, times sqrt(number).
double distance_from_uniform(std::vector<double> p) {
  std::sort(p.begin(), p.end());
  const auto n = static_cast<double>(p.size());
  double most = 0;
  for (std::size_t i = 0; i < p.size(); ++i)
    most =
        std::max({most, static_cast<double>(i + 1) / n - p[i], p[i] - static_cast<double>(i) / n});
  return most * std::sqrt(n);
}

double share_below(const std::vector<double>& p, double level) {
  return static_cast<double>(
             std::count_if(p.begin(), p.end(), [=](double value) { return value <= level; })) /
         static_cast<double>(p.size());
}

constexpr std::size_t seasons = 400;

TEST(GoodnessOfFit, UniformUnderTheModel) {
  // Kolmogorov's limit law is beyond 1.95 with probability 0.001.
  const testing::Design design = testing::random_design("p", 21, 10, 60, 12, 1.5);
  const auto p = p_values(testing::simulated(design, 3, 0, seasons), 199);
  EXPECT_GT(p.size(), seasons - 20);
  EXPECT_LT(distance_from_uniform(p), 1.95);
}

TEST(GoodnessOfFit, RejectsOverdispersedData) {
  // Every pair's results come from its own ability difference, off by ±0.5.
  testing::Design design = testing::random_design("p", 21, 10, 60, 12, 1.5);
  auto data = testing::simulated(design, 3, 0, seasons);
  testing::Cases cases(5);
  for (PairData& season : data)
    for (std::size_t k = 0; k < season.size(); ++k) {
      const double d = design.truth[season.first[k]] - design.truth[season.second[k]] +
                       (cases.below(2) ? 0.5 : -0.5);
      const double games = season.games(k);
      season.wins_first[k] = 0;
      for (int game = 0; game < static_cast<int>(games); ++game)
        season.wins_first[k] += cases.uniform() < 1 / (1 + std::exp(-d));
      season.wins_second[k] = games - season.wins_first[k];
    }
  const auto p = p_values(data, 199);
  EXPECT_GT(distance_from_uniform(p), 1.95);
  EXPECT_GT(share_below(p, 0.05), 0.5);
}

TEST(GoodnessOfFit, RejectsIntransitiveData) {
  // Each beats the next in a circle two times in three.
  std::vector<PairResult> rows;
  for (std::uint32_t i = 0; i < 7; ++i) rows.push_back({i, (i + 1) % 7, 20, 10});
  for (std::uint32_t i = 0; i < 7; ++i) rows.push_back({i, (i + 2) % 7, 15, 15});
  EXPECT_LT(p_values({make_pair_data(7, rows)}, 999)[0], 0.05);
  for (PairResult& row : rows) row.wins_first = row.wins_second = 15;
  EXPECT_EQ(p_values({make_pair_data(7, rows)}, 999)[0], 1.0);
}

TEST(Saturated, EqualsItsSum) {
  // The last pair's number of games is beyond what is tabulated.
  const std::vector<std::uint32_t> games{3, 40, 1, 3, 2'000'000};
  const std::vector<std::uint32_t> first{0, 0, 1, 1, 2}, second{1, 2, 2, 3, 3};
  constexpr std::size_t lanes = 16;
  testing::Cases cases(8);
  std::vector<std::int32_t> wins;
  for (const std::uint32_t n : games)
    for (std::size_t l = 0; l < lanes; ++l)
      wins.push_back(static_cast<std::int32_t>(l == 0 ? 0 : l == 1 ? n : cases.below(n + 1)));
  const std::vector<std::uint64_t> alive{0xffff, 0x7fff, 0xfff3, 0xffff};
  std::vector<double> sums(lanes);
  Saturated(games).add(first, second, alive, wins, lanes, sums);
  for (std::size_t l = 0; l < lanes; ++l) {
    long double expected = 0;
    for (std::size_t k = 0; k < games.size(); ++k) {
      if (!(alive[first[k]] & alive[second[k]] & 1ULL << l)) continue;
      const long double w = wins[k * lanes + l], n = games[k];
      if (w > 0) expected += w * std::log(w / n);
      if (w < n) expected += (n - w) * std::log((n - w) / n);
    }
    EXPECT_NEAR(sums[l], static_cast<double>(expected), 1e-8);
  }
}

}  // namespace
}  // namespace banzuke::bradley_terry
