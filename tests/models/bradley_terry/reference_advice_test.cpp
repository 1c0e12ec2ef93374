#include "engine/models/bradley_terry/reference_advice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "designs.hpp"
#include "engine/models/bradley_terry/covariance.hpp"
#include "tests/support/floodgate_season.hpp"

namespace banzuke::bradley_terry {
namespace {

TEST(ReferenceAdvice, FiguresAreThoseOfEveryReferenceInTurn) {
  const testing::Design design = testing::random_design("any", 41, 41, 300, 9, 3);
  const std::uint32_t n = design.schedule.players;
  const ReferenceAdvice advice = advise_reference(design.schedule, design.truth, 5, n);
  EXPECT_FALSE(advice.is_estimate);
  EXPECT_GT(advice.best.size(), 10U);
  EXPECT_LT(advice.best.size(), 22U);
  const auto games = games_of_players(design.schedule);
  std::vector<Reference> all = advice.best;
  all.push_back(advice.chosen);
  for (const Reference& reference : all) {
    std::vector<double> errors =
        standard_errors(design.schedule, design.truth, {reference.player, false});
    double square = 0;
    for (const double error : errors) square += error * error;
    EXPECT_NEAR(reference.mean_error, std::sqrt(square / (n - 1)), 1e-10);
    std::sort(errors.begin(), errors.end());  // its own is the first, 0
    EXPECT_NEAR(reference.median_error, 0.5 * (errors[n / 2] + errors[n / 2 + 1]), 1e-12);
    EXPECT_EQ(reference.games, games[reference.player]);
    EXPECT_EQ(std::count_if(design.truth.begin(), design.truth.end(),
                            [&](double t) { return t < design.truth[reference.player]; }),
              std::lround(reference.rank * (n - 1)));
  }
  for (std::size_t i = 1; i < advice.best.size(); ++i)
    EXPECT_LE(advice.best[i - 1].mean_error, advice.best[i].mean_error);
  EXPECT_EQ(advice.ratio, advice.chosen.median_error / advice.best[0].median_error);
}

TEST(ReferenceAdvice, IsolationIsItsShareOfSeasons) {
  // Player 0 has three games; the others keep each other rated.
  std::vector<PairResult> rows{{0, 1, 2, 0}, {0, 2, 1, 0}};
  for (std::uint32_t i = 1; i < 8; ++i)
    for (std::uint32_t j = i + 1; j < 8; ++j) rows.push_back({i, j, 30, 0});
  const Schedule schedule = schedule_of(make_pair_data(8, rows));
  const std::vector<double> truth{0.4, 0, -0.5, 0.2, 0.1, 0.3, -0.2, 0};
  const ReferenceAdvice advice = advise_reference(schedule, truth, 0, 2);
  const double p = 1 / (1 + std::exp(-0.4)), r = 1 / (1 + std::exp(-0.9));
  const double exact = p * p * r + (1 - p) * (1 - p) * (1 - r);
  EXPECT_NEAR(advice.chosen.isolation, exact, 1e-14);
  EXPECT_EQ(advice.chosen.games, 3);
  EXPECT_EQ(advice.chosen.opponents, 2U);
  EXPECT_GT(advice.ratio, 5);
  EXPECT_LT(advice.best[0].isolation, 1e-6);
  // The replicates that cannot be rated relative to player 0 are as many.
  constexpr std::uint64_t count = 20000;
  const ReplicateKernel kernel(schedule, truth, {0, false});
  testing::Rows season(8, count);
  kernel.run(6, 0, 0, count, season.output());
  const auto lost =
      std::count(season.status.begin(), season.status.end(), ReplicateStatus::unsolvable);
  EXPECT_NEAR(static_cast<double>(lost) / count, exact, 4 * std::sqrt(exact * (1 - exact) / count));
}

TEST(ReferenceAdvice, Floodgate) {
  const auto season = banzuke::testing::floodgate_season();
  const auto games = games_of_players(season.schedule);
  const auto rarest =
      static_cast<std::uint32_t>(std::min_element(games.begin(), games.end()) - games.begin());
  const ReferenceAdvice advice = advise_reference(season.schedule, season.truth, rarest);
  ASSERT_EQ(advice.best.size(), 3U);
  EXPECT_GT(advice.ratio, 1.5);
  for (const Reference& reference : advice.best) {
    EXPECT_GT(reference.games, 500);
    EXPECT_GT(reference.opponents, 20U);
    EXPECT_NEAR(reference.rank, 0.5, 0.25);
  }
  // The best one is as good as itself, and nobody is much better.
  EXPECT_EQ(advise_reference(season.schedule, season.truth, advice.best[0].player).ratio, 1.0);
}

TEST(ReferenceAdvice, SmallAndLargeData) {
  // Nobody of three players with few games is safe: the best of all is named.
  const Schedule tiny{3, {0, 1}, {1, 2}, {4, 4}};
  const ReferenceAdvice advice = advise_reference(tiny, std::vector<double>(3, 0.0), 0);
  EXPECT_EQ(advice.best.size(), 3U);
  EXPECT_EQ(advice.best[0].player, 1U);
  EXPECT_NEAR(advice.chosen.isolation, 2 / 16.0, 1e-15);
  EXPECT_THROW(advise_reference(tiny, std::vector<double>(3, 0.0), 3), std::invalid_argument);
  EXPECT_THROW(advise_reference(tiny, std::vector<double>(2, 0.0), 0), std::invalid_argument);
  const testing::Design large = testing::random_design("large", 2, 1200, 20000, 9, 3);
  const ReferenceAdvice of_large = advise_reference(large.schedule, large.truth, 7);
  EXPECT_TRUE(of_large.is_estimate);
  const auto exact = standard_errors(large.schedule, large.truth, {0, true});
  double total = 0;
  for (const double error : exact) total += error * error;
  const double mine = exact[of_large.best[0].player];
  EXPECT_NEAR(of_large.best[0].mean_error, std::sqrt((total + 1200 * mine * mine) / 1199),
              0.01 * of_large.best[0].mean_error);
}

}  // namespace
}  // namespace banzuke::bradley_terry
