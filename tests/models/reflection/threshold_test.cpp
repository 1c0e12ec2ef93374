#include "engine/models/reflection/threshold.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "reference.hpp"

namespace banzuke::reflection {
namespace {

using reference::number;

TEST(Threshold, ReferenceTable) {
  for (const auto& row : reference::read("N_thresholds")) {
    const Game game = reduce(reference::named(row.at("rule")));
    const double target = number(row, "target");
    const std::string where = row.at("rule") + " " + row.at("target");
    const auto half = smallest_games(game, Method::exact, Convention::half_tie, target);
    ASSERT_TRUE(half.has_value());
    EXPECT_EQ(half->games, std::stoll(row.at("N_min_half"))) << where;
    EXPECT_EQ(half->first, half->games) << where;
    EXPECT_NEAR(half->value, number(row, "P_half_at_N"), 1e-12) << where;
    EXPECT_NEAR(half->value_before, number(row, "P_half_at_N_minus_1"), 1e-12) << where;
    const auto strict = smallest_games(game, Method::exact, Convention::strict, target);
    ASSERT_TRUE(strict.has_value());
    const std::int64_t crossing = std::stoll(row.at("N_min_strict"));
    if (row.at("rule") == "hn4_avgrank") {
      // Half-integer payoffs: only even N have ties, and the file's N is one of many crossings.
      EXPECT_LE(strict->first, crossing) << where;
      EXPECT_GT(strict->games, crossing) << where;
      const auto at = [&](std::int64_t n) {
        return compute_point(game, n, Method::exact).value.p_positive;
      };
      EXPECT_NEAR(at(crossing), number(row, "P_strict_at_N"), 1e-12) << where;
      EXPECT_NEAR(at(crossing - 1), number(row, "P_strict_at_N_minus_1"), 1e-12) << where;
    } else {
      EXPECT_EQ(strict->games, crossing) << where;
      EXPECT_EQ(strict->first, crossing) << where;
      EXPECT_NEAR(strict->value, number(row, "P_strict_at_N"), 1e-12) << where;
      EXPECT_NEAR(strict->value_before, number(row, "P_strict_at_N_minus_1"), 1e-12) << where;
    }
  }
}

TEST(Threshold, HoldsFromThereOnDespiteParity) {
  // Half-integer payoffs tie for even N only.
  const Game game = reduce(reference::named("hn4_avgrank"));
  const auto found = smallest_games(game, Method::exact, Convention::strict, 0.75);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 779);
  EXPECT_EQ(found->games, 821);
  const auto at = [&](std::int64_t n) {
    return compute_point(game, n, Method::exact).value.p_positive;
  };
  EXPECT_LT(at(820), 0.75);
  EXPECT_LT(at(777), 0.75);
  EXPECT_GE(at(779), 0.75);
  EXPECT_LT(at(780), 0.75);
  for (std::int64_t n = 821; n < 860; ++n) EXPECT_GE(at(n), 0.75) << n;
}

TEST(Threshold, MatchesAScanOfEveryN) {
  const Game game = reduce(reference::named("ht4"));
  for (const Convention convention : all_conventions) {
    const auto found = smallest_games(game, Method::exact, convention, 0.62);
    ASSERT_TRUE(found.has_value());
    std::int64_t first = 0;
    std::int64_t last_failure = 0;
    for (std::int64_t n = 1; n <= 300; ++n) {
      const double p = value_of(compute_point(game, n, Method::exact).value, convention);
      if (p >= 0.62 && first == 0) first = n;
      if (p < 0.62) last_failure = n;
    }
    EXPECT_EQ(found->first, first) << name_of(convention);
    EXPECT_EQ(found->games, last_failure + 1) << name_of(convention);
  }
}

TEST(Threshold, MatchesAScanWhereTheLatticeRepeatsEveryHundredGames) {
  // The mean payoff is 1.61 points.
  const Game game = reduce({"football", {45, 26, 29}, {3, 1, 0}, {Centre::Kind::mean, 0.0}, 1.0});
  ASSERT_EQ(score_period(game, 1000), 100);
  std::int64_t first = 0;
  std::int64_t last_failure = 0;
  for (std::int64_t n = 1; n <= 400; ++n) {
    const double p = compute_point(game, n, Method::exact).value.p_positive;
    if (p >= 0.75 && first == 0) first = n;
    if (p < 0.75) last_failure = n;
  }
  const auto found = smallest_games(game, Method::exact, Convention::strict, 0.75);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, first);
  EXPECT_EQ(found->games, last_failure + 1);
}

TEST(Threshold, AnyCurveWithAPeriod) {
  // Reaches 0.9 at 1000 for N = 0 mod 3, at 1300 otherwise; 1299 = 0 mod 3.
  const auto curve = [](std::int64_t n) {
    const double scale = n % 3 == 0 ? 1000.0 : 1300.0;
    return 1.0 - 0.1 * scale / static_cast<double>(n);
  };
  const auto found = smallest_games(curve, 0.9, 3, 1100);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->first, 1002);
  EXPECT_EQ(found->games, 1299);
  EXPECT_FALSE(smallest_games([](std::int64_t) { return 0.5; }, 0.9, 1, 10).has_value());
  EXPECT_FALSE(smallest_games([](std::int64_t) { return std::nan(""); }, 0.9, 1, 10).has_value());
}

TEST(Threshold, ExchangeRateNearTheRatioOfConcentrations) {
  const Game hn3 = reduce(reference::named("hn3"));
  const Game ht4 = reduce(reference::named("ht4"));
  const auto rate = exchange_rate(hn3, 1000, ht4, Method::exact, Convention::half_tie);
  ASSERT_TRUE(rate.has_value());
  EXPECT_NEAR(rate->target, 0.793552567556539, 1e-12);
  // By the arctan law (4 * 262.1 + 1) / (3 * 191.6 + 1) = 1.823.
  EXPECT_NEAR(rate->ratio, 1.823, 0.03);
  const auto same = exchange_rate(hn3, 500, hn3, Method::exact, Convention::half_tie);
  EXPECT_EQ(same->games, 500);
}

TEST(Threshold, TargetsAreProbabilities) {
  const Game game = reduce(reference::named("hn3"));
  EXPECT_THROW(smallest_games(game, Method::exact, Convention::strict, 75.0), InputError);
}

}  // namespace
}  // namespace banzuke::reflection
