#include <gtest/gtest.h>

#include <bit>
#include <boost/math/distributions/negative_binomial.hpp>
#include <cmath>

#include "engine/models/reflection/conditional_quadrature.hpp"
#include "engine/models/reflection/direct_sum.hpp"
#include "engine/models/reflection/gauss_rule.hpp"
#include "engine/models/reflection/point.hpp"
#include "engine/models/reflection/trapezoid_grid.hpp"
#include "reference.hpp"

namespace banzuke::reflection {
namespace {

using reference::number;
using reference::Row;
using reference::symmetric;
using reference::with_mean;

constexpr double required = 1e-12;

std::vector<double> payoff_of(const Row& row) {
  std::stringstream stream(row.at("d"));
  std::vector<double> payoff;
  for (double d = 0; stream >> d;) payoff.push_back(d);
  return payoff;
}

void expect_row(const Row& row, const PointResult& got) {
  ASSERT_EQ(got.status, PointStatus::ok);
  const std::string where = row.at("rule") + " " + row.at("N") + " " + name_of(got.route);
  const Probabilities& p = got.value;
  EXPECT_LT(p.error, required) << where;
  // The bound holds, and the files' 20 digits are themselves good to 2e-14.
  const double bound = p.error + 2e-14;
  EXPECT_NEAR(p.p_positive, number(row, "P_pos_given_skillpos"), bound) << where;
  EXPECT_NEAR(p.p_zero, number(row, "P_zero_given_skillpos"), bound) << where;
  EXPECT_NEAR(p.p_half, number(row, "P_half_given_skillpos"), bound) << where;
  if (row.count("P_skillpos") != 0) {
    EXPECT_NEAR(p.p_skill_positive, number(row, "P_skillpos"), bound) << where;
    EXPECT_NEAR(p.p_positive * p.p_skill_positive, number(row, "P_joint_pos"), bound) << where;
  }
}

TEST(Exact, MainTableByTheChosenRouteAndByTheTrapezoid) {
  const auto rows = reference::read("reflect_main");
  ASSERT_EQ(rows.size(), 42U);
  for (const Row& row : rows) {
    const Game game = reduce(symmetric(row.at("rule"), number(row, "alpha"), payoff_of(row)));
    expect_row(row, compute_point(game, reference::games(row), Method::exact));
    expect_row(row, compute_by_route(game, reference::games(row), Route::triple_trapezoid));
  }
}

TEST(Exact, ThreeOutcomesOfAnyAlphaInClosedForm) {
  const auto rows = reference::read("reflect_k3_closed");
  ASSERT_EQ(rows.size(), 71U);
  for (const Row& row : rows) {
    const Game game = reduce(symmetric(row.at("rule"), number(row, "alpha"), payoff_of(row)));
    const PointResult got = compute_point(game, reference::games(row), Method::exact);
    EXPECT_EQ(got.route, Route::closed_form);
    expect_row(row, got);
  }
}

TEST(Exact, ReverseProbabilities) {
  for (const Row& row : reference::read("reverse_prob")) {
    const auto p =
        compute_point(reference::named(row.at("rule")), reference::games(row), Method::exact).value;
    EXPECT_NEAR(p.p_score_positive, number(row, "P_y_pos"), required);
    EXPECT_NEAR(p.p_score_zero, number(row, "P_y_zero"), required);
    EXPECT_NEAR(p.p_positive, number(row, "P_ypos_given_xpos"), required);
    EXPECT_NEAR(p.p_reverse, number(row, "P_xpos_given_ypos"), required);
    EXPECT_NEAR(p.p_half, number(row, "half_fwd"), required);
  }
}

TEST(Exact, OrderOfTheRulesByGamesAndByTime) {
  for (const Row& row : reference::read("order_table")) {
    for (const std::string rule : {"hn3", "ht4", "hn4"}) {
      for (const int doubled : {1, 2}) {
        if (doubled == 2 && rule == "hn4") continue;
        const auto p =
            compute_point(reference::named(rule), doubled * reference::games(row), Method::exact)
                .value;
        const std::string tail = doubled == 2 ? "_2N" : "";
        EXPECT_NEAR(p.p_half, number(row, rule + "_half" + tail), required);
        EXPECT_NEAR(p.p_positive, number(row, rule + "_strict" + tail), required);
      }
    }
  }
}

/// By all routes that apply: the first three rest on different mathematics.
void expect_routes_agree(const Rule& rule, std::int64_t games, int least_routes) {
  const Game game = reduce(rule);
  PointResult first;
  int routes = 0;
  for (const Route route : {Route::closed_form, Route::direct_sum, Route::triple_trapezoid,
                            Route::conditional_quadrature}) {
    if (route == Route::direct_sum && count_results(game, games) > 2000) continue;
    if (route == Route::conditional_quadrature && game.outcomes() > 4) continue;
    const PointResult got = compute_by_route(game, games, route);
    if (got.status != PointStatus::ok) continue;
    if (routes++ == 0) {
      first = got;
      continue;
    }
    const double bound = first.value.error + got.value.error;
    const std::string where = std::string(name_of(route)) + " N = " + std::to_string(games);
    EXPECT_LT(bound, 2e-12) << where;
    EXPECT_NEAR(got.value.p_positive, first.value.p_positive, bound) << where;
    EXPECT_NEAR(got.value.p_zero, first.value.p_zero, bound) << where;
    EXPECT_NEAR(got.value.p_half, first.value.p_half, bound) << where;
    EXPECT_NEAR(got.value.p_skill_positive, first.value.p_skill_positive, bound) << where;
    EXPECT_NEAR(got.value.p_score_positive, first.value.p_score_positive, bound) << where;
    EXPECT_NEAR(got.value.p_reverse, first.value.p_reverse, bound) << where;
  }
  EXPECT_GE(routes, least_routes);
}

TEST(Exact, RoutesAgreeOnSymmetricRules) {
  expect_routes_agree(reference::named("hn3"), 40, 4);
  expect_routes_agree(reference::named("hn4"), 9, 3);
  expect_routes_agree(symmetric("coin", 30, {1, -1}), 25, 4);
  expect_routes_agree(symmetric("ranks", 37.5, {1.5, 0.5, -0.5, -1.5}), 101, 2);
  expect_routes_agree(symmetric("small", 8, {2, 1, 0, -3}), 11, 3);
}

TEST(Exact, RoutesAgreeOnUnequalAlphasAndGivenCentres) {
  expect_routes_agree(with_mean({20, 12, 16}, {3, 1, 0}), 1, 3);
  expect_routes_agree(with_mean({20, 12, 16.1}, {3, 1, 0}), 30, 3);
  expect_routes_agree(with_mean({60, 5, 50}, {1, 0, -1}), 20, 3);
  Rule football = symmetric("football", 1, {3, 1, 0});
  football.alpha = {45.5, 26.25, 28};
  football.centre = {Centre::Kind::value, 1.5};
  expect_routes_agree(football, 38, 3);
  football.centre = {Centre::Kind::value, 1.3};
  expect_routes_agree(football, 7, 3);
  expect_routes_agree(with_mean({15, 3, 14, 40}, {10, 4, 1, -3}), 6, 3);
}

TEST(Exact, RoutesAgreeOnSmallAlphas) {
  expect_routes_agree(symmetric("half", 0.5, {1, 0, -1}), 25, 3);
  expect_routes_agree(with_mean({2, 0.7, 1.5}, {3, 1, 0}), 12, 2);
  expect_routes_agree(symmetric("three", 3, {2, 1, 0, -3}), 8, 3);
}

TEST(Exact, RoutesAgreeOnLatticesWithSecondaryPeaks) {
  // The characteristic function of the score nearly returns to 1 at multiples of 2 pi / 10.
  expect_routes_agree(symmetric("uneven", 40, {10, -10, 1, -1}), 30, 2);
  expect_routes_agree(with_mean({25, 20, 30}, {125, 33, -117}), 15, 3);
}

TEST(Exact, RoutesAgreeOnManyGames) {
  expect_routes_agree(with_mean({20.5, 12.1, 16}, {3, 1, 0}), 100000, 2);
  expect_routes_agree(with_mean({20.5, 12.1, 16}, {3, 1, 0}), 3000, 2);
  expect_routes_agree(symmetric("draws", 15, {1, 0, -1}), 300000, 3);
}

TEST(Exact, RoutesAgreeOnManyOutcomes) {
  expect_routes_agree(symmetric("six", 12, {7, 4, 1, -1, -4, -7}), 4, 2);
  std::vector<double> ranks;
  for (int i = 0; i < 18; ++i) ranks.push_back(17 - 2 * i);
  expect_routes_agree(symmetric("race", 6, ranks), 2, 2);
}

TEST(Exact, DirectSumTakesPayoffsWithoutACommonStep) {
  const PointResult got =
      compute_point(symmetric("irrational", 30, {1, std::sqrt(2.0), -3}), 9, Method::exact);
  EXPECT_EQ(got.route, Route::direct_sum);
  // Nearly the same payoffs on a lattice.
  const PointResult near_by =
      compute_point(symmetric("near", 30, {1, 1.414213562, -3}), 9, Method::exact);
  EXPECT_NEAR(got.value.p_positive, near_by.value.p_positive, 1e-8);
}

TEST(Exact, SaysWhereItDoesNotApply) {
  const PointResult irrational =
      compute_point(symmetric("irrational", 30, {1, std::sqrt(2.0), -3}), 1000, Method::exact);
  EXPECT_EQ(irrational.status, PointStatus::not_lattice);
  EXPECT_TRUE(std::isnan(irrational.value.p_positive));
  const PointResult tiny =
      compute_point(symmetric("tiny", 0.01, {3, 2, 1, 0, -1, -5}), 1000, Method::exact);
  EXPECT_EQ(tiny.status, PointStatus::too_costly);
  EXPECT_THROW(compute_point(reference::named("hn3"), 0, Method::exact), InputError);
}

TEST(Exact, EveryCpuPathGivesTheSameBits) {
  const Game games[] = {reduce(reference::named("hn4")),
                        reduce(with_mean({45.5, 26.25, 28}, {3, 1, 0}))};
  for (const Game& game : games) {
    for (const std::int64_t n : {5, 100, 4999}) {
      for (const Route route : {Route::triple_trapezoid, Route::conditional_quadrature}) {
        if (route == Route::conditional_quadrature && game.outcomes() > 3) continue;
        const Probabilities expected = compute_by_route(game, n, route, CpuPath::portable).value;
        for (const CpuPath path : {CpuPath::avx2, CpuPath::avx512}) {
          if (!is_available(path)) continue;
          const Probabilities got = compute_by_route(game, n, route, path).value;
          EXPECT_EQ(std::bit_cast<std::uint64_t>(got.p_positive),
                    std::bit_cast<std::uint64_t>(expected.p_positive));
          EXPECT_EQ(std::bit_cast<std::uint64_t>(got.p_zero),
                    std::bit_cast<std::uint64_t>(expected.p_zero));
          EXPECT_EQ(std::bit_cast<std::uint64_t>(got.p_reverse),
                    std::bit_cast<std::uint64_t>(expected.p_reverse));
        }
      }
    }
  }
}

TEST(TrapezoidGrid, AliasesOfTheTotalAreNegligible) {
  constexpr double tail = 33.0;
  for (const double concentration : {6.0, 50.0, 780.0, 1e5}) {
    for (const std::int64_t games : {1, 3, 30, 300, 5000, 1000000}) {
      const auto n = static_cast<double>(games);
      const boost::math::negative_binomial total(concentration,
                                                 concentration / (concentration + n));
      const auto window = static_cast<double>(total_window(concentration, games, tail));
      const double here = boost::math::pdf(total, n);
      EXPECT_LT(boost::math::pdf(total, n + window) / here, std::exp(-tail));
      if (window <= n) {
        EXPECT_LT(boost::math::pdf(total, n - window) / here, std::exp(-tail));
      }
    }
  }
}

TEST(GaussRule, IsExactForMomentsOfBetas) {
  for (const auto& [a, b] : {std::pair{0.5, 0.5}, {1.0, 1.0}, {3.0, 0.2}, {600.0, 190.0}}) {
    constexpr int n = 9;
    const GaussRule rule = gauss_beta(a, b, n);
    double moment = 1.0;
    for (int power = 0; power < 2 * n; ++power) {
      double sum = 0.0;
      for (std::size_t i = 0; i < rule.nodes.size(); ++i) {
        sum += rule.weights[i] * std::pow(rule.nodes[i], power);
      }
      EXPECT_NEAR(sum / moment, 1.0, 1e-12) << a << " " << b << " " << power;
      moment *= (a + power) / (a + b + power);
    }
  }
}

}  // namespace
}  // namespace banzuke::reflection
