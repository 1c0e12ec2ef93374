#include <gtest/gtest.h>

#include <cmath>

#include "engine/models/reflection/approximations.hpp"
#include "engine/models/reflection/point.hpp"
#include "reference.hpp"

namespace banzuke::reflection {
namespace {

using reference::number;

Probabilities value(const Rule& rule, std::int64_t games, Method method) {
  const PointResult result = compute_point(rule, games, method);
  EXPECT_EQ(result.status, PointStatus::ok);
  return result.value;
}

TEST(Approximations, ErrorsAsInTheTable) {
  for (const auto& row : reference::read("approx_errors")) {
    const Rule rule = reference::named(row.at("rule"));
    const std::int64_t n = reference::games(row);
    const std::string where = row.at("rule") + " " + row.at("N");
    const Probabilities exact = value(rule, n, Method::exact);
    const Probabilities normal = value(rule, n, Method::normal);
    const Probabilities corrected = value(rule, n, Method::normal_corrected);
    const Probabilities law = value(rule, n, Method::arctan);
    // Eight digits of the values, three of the errors.
    EXPECT_NEAR(normal.p_positive, number(row, "seed_conditional"), 6e-9) << where;
    EXPECT_NEAR(value(rule, n, Method::normal_doubled).p_positive, number(row, "seed_2xjoint"),
                6e-9)
        << where;
    const auto expect_error = [&](double error, const char* column) {
      const double expected = number(row, column);
      EXPECT_NEAR(error, expected, 6e-3 * std::abs(expected) + 1e-12) << where << " " << column;
    };
    expect_error(normal.p_positive - exact.p_positive, "err_seed_vs_pos");
    expect_error(normal.p_positive - exact.p_half, "err_seed_vs_half");
    expect_error(corrected.p_positive - exact.p_half, "err_corrvar_vs_half");
    expect_error(law.p_half - exact.p_half, "err_arctan_vs_half");
    expect_error(law.p_half - exact.p_positive, "err_arctan_vs_pos");
  }
}

TEST(Approximations, ArctanLawOfAllPublishedRules) {
  const auto rows = reference::read("arctan_law");
  ASSERT_EQ(rows.size(), 96U);
  for (const auto& row : rows) {
    const std::vector<double> payoff =
        row.at("k") == "3" ? std::vector<double>{1, 0, -1} : std::vector<double>{2, 1, 0, -3};
    const Rule rule = reference::symmetric(row.at("rule"), number(row, "alpha"), payoff);
    EXPECT_NEAR(value(rule, reference::games(row), Method::arctan).p_half, number(row, "P_arctan"),
                1e-15);
  }
}

TEST(Approximations, SkewAndLatticeStepExplainMostOfTheLawsError) {
  for (const std::string name : {"ht4", "hn4"}) {
    for (const std::int64_t n : {30, 100, 1000, 5000}) {
      const Rule rule = reference::named(name);
      const Probabilities exact = value(rule, n, Method::exact);
      const Probabilities law = value(rule, n, Method::arctan);
      const Probabilities skew = value(rule, n, Method::arctan_skew);
      EXPECT_LT(std::abs(skew.p_half - exact.p_half), 0.06 * std::abs(law.p_half - exact.p_half));
      EXPECT_NEAR(skew.p_positive, exact.p_positive, 4e-4);
      EXPECT_NEAR(skew.p_skill_positive, exact.p_skill_positive, 1e-5);
    }
  }
}

/// The study's claims: normal, conditional on f(x) > 0, two or three digits.
TEST(Approximations, TheStudysClaims) {
  EXPECT_NEAR(value(reference::named("hn3"), 100, Method::normal).p_positive, 0.626, 5e-4);
  EXPECT_NEAR(value(reference::named("ht4"), 100, Method::normal).p_positive, 0.596, 5e-4);
  EXPECT_NEAR(value(reference::named("hn4"), 100, Method::normal).p_positive, 0.610, 5e-4);
  for (const std::string name : {"hn3", "ht4", "hn4"}) {
    for (const Method method : {Method::exact, Method::normal, Method::normal_doubled}) {
      EXPECT_LT(value(reference::named(name), 5000, method).p_half, 0.95);
    }
  }
}

/// Order hn3 > hn4 > ht4 by games: half ties from N = 27, strict only from N = 108; by time (hn3
/// and ht4 take half as long) hn3 > ht4 > hn4: half ties from N = 7.
TEST(Approximations, TheOrderOfTheRulesDependsOnTies) {
  const Game hn3 = reduce(reference::named("hn3"));
  const Game ht4 = reduce(reference::named("ht4"));
  const Game hn4 = reduce(reference::named("hn4"));
  const auto of = [](const Game& game, std::int64_t n) {
    return compute_point(game, n, Method::exact).value;
  };
  int half = 0;
  int strict = 0;
  int timed = 0;
  for (int n = 1; n <= 160; ++n) {
    const Probabilities a = of(hn3, n);
    const Probabilities b = of(hn4, n);
    const Probabilities c = of(ht4, n);
    if (!(a.p_half > b.p_half && b.p_half > c.p_half)) half = n;
    if (!(a.p_positive > b.p_positive && b.p_positive > c.p_positive)) strict = n;
    if (n > 30) continue;
    const Probabilities a2 = of(hn3, 2 * n);
    const Probabilities c2 = of(ht4, 2 * n);
    if (!(a2.p_half > c2.p_half && c2.p_half > b.p_half)) timed = n;
  }
  EXPECT_EQ(half + 1, 27);
  EXPECT_EQ(strict + 1, 108);
  EXPECT_EQ(timed + 1, 7);
}

TEST(Approximations, DoubledJointExceedsOneInOtherGames) {
  const Rule rule = reference::with_mean({2, 9, 1}, {3, 1, 0});
  const Rule skewed = reference::symmetric("skewed", 1.5, {1, 0.9, 0.8, -1});
  EXPECT_LE(value(rule, 4000, Method::normal).p_positive, 1.0);
  EXPECT_GT(value(skewed, 4000, Method::normal_doubled).p_positive, 1.0);
}

TEST(Approximations, SayWhereTheyDoNotApply) {
  const Rule off_centre = reference::symmetric("off", 20, {2, 1, 0, -2});
  EXPECT_EQ(compute_point(off_centre, 10, Method::arctan).status, PointStatus::not_centred);
  EXPECT_EQ(compute_point(off_centre, 10, Method::arctan_skew).status, PointStatus::not_centred);
  const PointResult exact = compute_point(off_centre, 10, Method::exact);
  EXPECT_EQ(exact.status, PointStatus::ok);
  EXPECT_GT(exact.value.p_skill_positive, 0.9);
  const Rule six = reference::symmetric("six", 20, {5, 3, 1, -1, -3, -5});
  EXPECT_EQ(compute_point(six, 10, Method::normal).status, PointStatus::too_many_outcomes);
}

TEST(Approximations, MethodsAreFoundByName) {
  for (const Method method : all_methods) EXPECT_EQ(method_of(name_of(method)), method);
  EXPECT_EQ(method_of("guess"), std::nullopt);
}

}  // namespace
}  // namespace banzuke::reflection
