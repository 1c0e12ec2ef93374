#include "engine/models/dirichlet_multinomial/recovery.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "alpha_support.hpp"
#include "engine/models/dirichlet_multinomial/likelihood.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

using testing::Counts;

std::vector<RecoveryRecord> run(const RecoveryPoint& point, std::uint32_t replicates) {
  std::vector<RecoveryRecord> records;
  for (std::uint32_t r = 0; r < replicates; ++r) records.push_back(point.simulate_and_fit(r));
  return records;
}

void expect_same(const RecoveryRecord& a, const RecoveryRecord& b) {
  EXPECT_EQ(a.verdict, b.verdict);
  const auto bits = [](const RecoveryRecord& r) {
    return std::array{r.alpha,          r.standard_error_log_alpha,
                      r.wald.lower,     r.wald.upper,
                      r.profile.lower,  r.profile.upper,
                      r.log_likelihood, r.log_likelihood_at_infinity,
                      r.games,          r.players};
  };
  const auto x = bits(a), y = bits(b);
  EXPECT_EQ(std::memcmp(x.data(), y.data(), sizeof x), 0);
}

/// A rule at its published size and number of games, 400 replicates in the reference.
struct Published {
  std::size_t row;
  std::uint32_t replicates;
};

class PublishedRule : public ::testing::TestWithParam<Published> {};

TEST_P(PublishedRule, IsRecoveredAsInTheReference) {
  const auto row = testing::reference("alpha_recovery.csv")[GetParam().row];
  const auto number = [&](std::size_t i) { return std::stod(row[i]); };
  const double alpha = number(2);
  const RecoveryRule rule{std::stoi(row[1]), alpha, static_cast<std::uint32_t>(number(3)),
                          LognormalGames{number(4), 1.1, 8000}};
  const auto records =
      run(RecoveryPoint(rule, 20240101, static_cast<std::uint32_t>(GetParam().row)),
          GetParam().replicates);
  const RecoverySummary found = summarise(alpha, records);
  EXPECT_EQ(found.finite, found.replicates);
  // The reference's bias has a Monte Carlo error of its own: rmse/sqrt(400).
  const double error = std::hypot(found.relative_bias_error, number(9) / 20);
  EXPECT_LT(std::abs(found.relative_bias - number(8)), 3 * error);
  const double spread = std::hypot(found.sd_log_alpha_error, found.mean_standard_error_error);
  EXPECT_LT(std::abs(found.mean_standard_error - found.sd_log_alpha), 3 * spread);
  const double tolerance = row[0] == "3houT" ? 0.08 : 0.05;
  EXPECT_NEAR(found.mean_standard_error / number(11), 1, tolerance);
  const double band = 2.576 * std::sqrt(0.95 * 0.05 / found.replicates);
  EXPECT_NEAR(found.wald_coverage.value, 0.95, band);
  EXPECT_NEAR(found.profile_coverage.value, 0.95, band);
  // The same records do not fit an alpha that is 5 mean standard errors off.
  const double wrong_alpha = alpha * std::exp(5 * found.mean_standard_error);
  const RecoverySummary wrong = summarise(wrong_alpha, records);
  EXPECT_GT(std::abs(wrong.relative_bias), 3 * wrong.relative_bias_error);
  EXPECT_LT(wrong.wald_coverage.value, 0.95 - band);
  EXPECT_LT(wrong.profile_coverage.value, 0.95 - band);
}

// The three smallest rules; a tenth of the replicates of the full study where players are many.
INSTANTIATE_TEST_SUITE_P(Rules, PublishedRule,
                         ::testing::Values(Published{2, 1000}, Published{3, 500},
                                           Published{6, 300}),
                         [](const auto& test) {
                           return testing::reference("alpha_recovery.csv")[test.param.row][0];
                         });

TEST(Recovery, SmallSetsAreInfiniteAsOftenAsChanceSays) {
  // Of 20 players with 30 games, the share without overdispersion is the share of infinite
  // estimates up to interior maxima, which are rare here; 40,000 simulations by gamma variates and
  // single games gave 0.446 ± 0.004 (k = 3) and 0.452 ± 0.004 (k = 4).
  for (const int k : {3, 4}) {
    const RecoveryPoint point({k, 194.5, 20, FixedGames{30}}, 7, 0);
    const RecoverySummary found = summarise(194.5, run(point, 4000));
    EXPECT_NEAR(found.infinite.value, k == 3 ? 0.446 : 0.452, 4 * found.infinite.standard_error);
    EXPECT_GT(found.profile_coverage.value, 0.93);
    EXPECT_LT(found.profile_coverage.value, 0.99);
    const RecoveryPoint larger({k, 194.5, 100, FixedGames{300}}, 7, 0);
    const RecoverySummary finite = summarise(194.5, run(larger, 1000));
    EXPECT_EQ(finite.infinite.count, 0);
    EXPECT_GT(finite.profile_coverage.value, 0.93);
    EXPECT_LT(finite.profile_coverage.value, 0.99);
  }
}

TEST(Recovery, ARecordIsAFunctionOfItsAddress) {
  const RecoveryRule rule{3, 72.4, 300, LognormalGames{50, 1.1, 800}};
  const RecoveryPoint point(rule, 5, 2), again(rule, 5, 2);
  const auto records = run(point, 12);
  for (const std::uint32_t r : {11u, 3u, 0u}) {
    expect_same(again.simulate_and_fit(r), records[r]);
  }
  EXPECT_NE(RecoveryPoint(rule, 5, 3).simulate_and_fit(0).alpha, records[0].alpha);
  EXPECT_NE(RecoveryPoint(rule, 6, 2).simulate_and_fit(0).alpha, records[0].alpha);
}

TEST(Recovery, IsTheFitOfTheCareersOfItsStreams) {
  const RecoveryRule rule{4, 20, 700, LognormalGames{30, 1.0, 400}};
  const RecoveryPoint point(rule, 99, 1);
  const RecoveryRecord record = point.simulate_and_fit(6);
  Counts games(700);
  draw_games(rule.games, {99, StreamId::games_per_player, 1, 0, 0}, games);
  EXPECT_TRUE(std::equal(games.begin(), games.end(), point.games().begin()));
  Counts careers(2800);
  CareerSampler(4, 20, 400)
      .draw({99, StreamId::dirichlet_multinomial_counts, 1, 6, 0}, games, careers);
  const SymmetricFit fit = fit_symmetric(compress(4, careers));
  expect_same(record, {fit.verdict, fit.alpha, fit.standard_error_log_alpha, fit.wald, fit.profile,
                       fit.log_likelihood, fit.log_likelihood_at_infinity, fit.games, fit.players,
                       fit.iterations});
}

TEST(Recovery, GamesCanBeDrawnAnew) {
  RecoveryRule rule{3, 10, 200, LognormalGames{30, 1.0, 400}};
  rule.redraw_games = true;
  const RecoveryPoint point(rule, 99, 1);
  EXPECT_TRUE(point.games().empty());
  const RecoveryRecord first = point.simulate_and_fit(0), second = point.simulate_and_fit(1);
  EXPECT_NE(first.games, second.games);
  expect_same(point.simulate_and_fit(1), second);
  rule.redraw_games = false;
  expect_same(RecoveryPoint(rule, 99, 1).simulate_and_fit(0), first);
}

TEST(Recovery, SummaryCountsEveryVerdict) {
  RecoveryRecord finite;
  finite.verdict = Verdict::finite;
  finite.alpha = 11;
  finite.standard_error_log_alpha = 0.2;
  finite.wald = {8, 15};
  finite.profile = {10.5, 16};
  RecoveryRecord other = finite;
  other.alpha = 9;
  other.standard_error_log_alpha = 0.4;
  RecoveryRecord infinite;
  infinite.verdict = Verdict::infinite;
  infinite.alpha = INFINITY;
  infinite.profile = {5, INFINITY};
  RecoveryRecord flat;
  flat.alpha = NAN;
  const std::vector<RecoveryRecord> records{finite, other, infinite, flat};
  const RecoverySummary found = summarise(10, records);
  EXPECT_EQ(found.replicates, 4);
  EXPECT_EQ(found.finite, 2);
  EXPECT_EQ(found.infinite.value, 0.25);
  EXPECT_EQ(found.flat.count, 1);
  EXPECT_NEAR(found.infinite.standard_error, std::sqrt(0.25 * 0.75 / 4), 1e-15);
  EXPECT_NEAR(found.relative_bias, 0, 1e-15);
  EXPECT_NEAR(found.relative_bias_error, 0.1, 1e-15);
  EXPECT_NEAR(found.relative_rmse, 0.1, 1e-15);
  EXPECT_NEAR(found.mean_alpha, 10, 1e-14);
  EXPECT_NEAR(found.mean_standard_error, 0.3, 1e-15);
  EXPECT_NEAR(found.sd_log_alpha, std::log(11.0 / 9) / std::sqrt(2.0), 1e-15);
  EXPECT_EQ(found.wald_coverage.of, 2);
  EXPECT_EQ(found.wald_coverage.value, 1);
  EXPECT_EQ(found.profile_coverage.of, 3);
  EXPECT_NEAR(found.profile_coverage.value, 1.0 / 3, 1e-15);
  EXPECT_TRUE(std::isnan(summarise(10, {}).relative_bias));
}

TEST(Recovery, WrongRulesAreRefused) {
  EXPECT_THROW(RecoveryPoint({1, 10, 5, FixedGames{3}}, 1, 0), std::invalid_argument);
  EXPECT_THROW(RecoveryPoint({3, -1, 5, FixedGames{3}}, 1, 0), std::invalid_argument);
  EXPECT_THROW(RecoveryPoint({3, 10, 0, FixedGames{3}}, 1, 0), std::invalid_argument);
  EXPECT_THROW(RecoveryPoint({3, 10, 5, ListedGames{}}, 1, 0), std::invalid_argument);
}

}  // namespace
}  // namespace banzuke::dirichlet_multinomial
