#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "engine/models/reflection/triple_trapezoid.hpp"
#include "reference.hpp"

namespace banzuke::reflection {
namespace {

using reference::number;

TEST(HeadToHead, ReferenceTable) {
  const auto rows = reference::read("h2h");
  ASSERT_EQ(rows.size(), 27U);
  for (const auto& row : rows) {
    const Game game = reduce(reference::named(row.at("rule")));
    const auto got = head_to_head(game, reference::games(row));
    ASSERT_TRUE(got.has_value());
    const std::string where = row.at("rule") + " " + row.at("N");
    EXPECT_LT(got->error, 1e-12) << where;
    // The file has 14 digits.
    EXPECT_NEAR(got->p_positive, number(row, "P_strict"), got->error + 2e-14) << where;
    EXPECT_NEAR(got->p_tie, number(row, "P_tie"), got->error + 2e-14) << where;
    EXPECT_NEAR(got->p_half, number(row, "P_half"), got->error + 2e-14) << where;
  }
}

/// One game each, k = 2, x and y ~ Beta(a, a): P(A wins, B loses | x > y) = 2 E[x (1 - y); x > y],
/// here by midpoint sums; the games are independent, so that P(tie) = 1/2.
TEST(HeadToHead, OneGameOfTwoOutcomesByDirectIntegration) {
  constexpr double alpha = 8.0;
  const Game game = reduce(reference::symmetric("coin", alpha, {1, -1}));
  const auto got = head_to_head(game, 1);
  ASSERT_TRUE(got.has_value());
  constexpr int n = 2000;
  std::vector<double> density;
  double mass = 0.0;
  for (int i = 0; i < n; ++i) {
    const double x = (i + 0.5) / n;
    density.push_back(std::pow(x * (1 - x), alpha - 1));
    mass += density.back();
  }
  // E[x; x > y] needs the lower masses; the diagonal counts half.
  double win = 0.0;
  double below = 0.0;
  double below_losing = 0.0;
  for (int i = 0; i < n; ++i) {
    const double x = (i + 0.5) / n;
    const double p = density[static_cast<std::size_t>(i)] / mass;
    win += p * x * (below_losing + 0.5 * p * (1 - x));
    below += p;
    below_losing += p * (1 - x);
  }
  ASSERT_NEAR(below, 1.0, 1e-12);
  EXPECT_NEAR(got->p_positive, 2.0 * win, 1e-6);
  EXPECT_NEAR(got->p_tie, 0.5, 1e-12);
}

TEST(HeadToHead, EveryCpuPathGivesTheSameBits) {
  const Game game = reduce(reference::named("ht4"));
  const auto expected = head_to_head(game, 300, CpuPath::portable);
  for (const CpuPath path : {CpuPath::avx2, CpuPath::avx512}) {
    if (!is_available(path)) continue;
    const auto got = head_to_head(game, 300, path);
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got->p_positive),
              std::bit_cast<std::uint64_t>(expected->p_positive));
    EXPECT_EQ(std::bit_cast<std::uint64_t>(got->p_tie),
              std::bit_cast<std::uint64_t>(expected->p_tie));
  }
}

}  // namespace
}  // namespace banzuke::reflection
