#include "engine/models/reflection/rule.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "reference.hpp"

namespace banzuke::reflection {
namespace {

using reference::symmetric;
using reference::with_mean;

std::string message_of(const Rule& rule) {
  try {
    check(rule);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Rule, IntegerPayoffsAreTheirOwnLattice) {
  const Game game = reduce(reference::named("hn4"));
  EXPECT_EQ(game.coefficient, (std::vector<double>{2, 1, 0, -3}));
  EXPECT_EQ(game.step, 1.0);
  EXPECT_TRUE(game.lattice && game.rational_centre && game.centred);
  EXPECT_EQ(game.concentration, 4 * 194.5);
  EXPECT_DOUBLE_EQ(game.second, 14.0 / 4.0);
  EXPECT_DOUBLE_EQ(game.third, (8.0 + 1.0 - 27.0) / 4.0);
  EXPECT_EQ(score_period(game, 64), 1);
}

TEST(Rule, DecimalsReduceToTheirStep) {
  const Game game = reduce(symmetric("ranks", 10, {0.3, 0.1, -0.1, -0.3}));
  EXPECT_EQ(game.coefficient, (std::vector<double>{1.5, 0.5, -0.5, -1.5}));
  EXPECT_EQ(game.step, 0.2);
  EXPECT_EQ(score_fraction(game, 3), 0.5);
  EXPECT_EQ(score_fraction(game, 4), 0.0);
  EXPECT_EQ(score_period(game, 64), 2);
}

TEST(Rule, EqualPayoffsAreOneOutcome) {
  const Game game = reduce(symmetric("pairs", 2, {-1, 1, 1, -1}));
  EXPECT_EQ(game.coefficient, (std::vector<double>{0.5, -0.5}));
  EXPECT_EQ(game.alpha, (std::vector<double>{4, 4}));
}

TEST(Rule, TheMeanOfUnequalAlphasIsAnExactFraction) {
  // Mean (20 * 3 + 12) / 48 = 3/2.
  const Game half = reduce(with_mean({20, 12, 16}, {3, 1, 0}));
  EXPECT_EQ(half.coefficient, (std::vector<double>{1.5, -0.5, -1.5}));
  EXPECT_EQ(half.offset_denominator, 2U);
  // Mean (20 * 3 + 12) / 48.1 = 720/481: every N that is no multiple of 481 is without ties.
  const Game game = reduce(with_mean({20, 12, 16.1}, {3, 1, 0}));
  EXPECT_EQ(game.offset_denominator, 481U);
  EXPECT_EQ(score_fraction(game, 481 * 1000), 0.0);
  EXPECT_NE(score_fraction(game, 481 * 1000 + 1), 0.0);
  EXPECT_TRUE(game.centred);
}

TEST(Rule, PayoffsWithoutACommonStepAreSaidToBeSo) {
  const Game game = reduce(symmetric("irrational", 10, {1, std::sqrt(2.0), -3}));
  EXPECT_FALSE(game.lattice);
  EXPECT_FALSE(game.centred);
}

TEST(Rule, MistakesAreNamedWithTheRule) {
  EXPECT_NE(message_of(symmetric("one", 1, {1})).find("rule 'one' has 1 outcomes"),
            std::string::npos);
  EXPECT_NE(message_of(symmetric("flat", 1, {2, 2, 2})).find("all payoffs of rule 'flat' are 2"),
            std::string::npos);
  EXPECT_NE(message_of(symmetric("zero", 0, {1, -1})).find("alpha = 0"), std::string::npos);
  EXPECT_NE(message_of(symmetric("football", 5, {3, 1, 0})).find("centre = \"mean\""),
            std::string::npos);
  EXPECT_NE(message_of(symmetric("nan", 5, {std::nan(""), 1, -1})).find("payoff nan"),
            std::string::npos);
  Rule rule = symmetric("short", 5, {1, 0, -1});
  rule.alpha.pop_back();
  EXPECT_NE(message_of(rule).find("2 values of alpha for 3 payoffs"), std::string::npos);
  EXPECT_EQ(message_of(with_mean({5, 5, 5}, {3, 1, 0})), "");
  EXPECT_THROW(check_games(0), InputError);
  EXPECT_THROW(check_games(1'000'000'000'000), InputError);
  EXPECT_NO_THROW(check_games(largest_games));
}

}  // namespace
}  // namespace banzuke::reflection
