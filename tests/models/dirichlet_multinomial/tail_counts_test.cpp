#include "engine/models/dirichlet_multinomial/tail_counts.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "alpha_support.hpp"
#include "engine/models/dirichlet_multinomial/score_scan.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

TEST(TailCounts, AreTheirDefinition) {
  const testing::Counts counts{3, 1, 0, 0, 4, 20, 0, 0, 0, 9, 9, 9};
  const TailCounts found = compress(3, counts);
  EXPECT_EQ(found.players, 4);
  EXPECT_EQ(found.games, 55);
  EXPECT_EQ(found.rank_tail.size() % 8, 0u);
  for (std::size_t m = 0; m < 40; ++m) {
    double above = 0, games_above = 0;
    for (std::size_t i = 0; i < counts.size(); i += 3) {
      double games = 0;
      for (std::size_t j = 0; j < 3; ++j) {
        above += counts[i + j] > m ? 1 : 0;
        games += counts[i + j];
      }
      games_above += games > static_cast<double>(m) ? 1 : 0;
    }
    EXPECT_EQ(m < found.rank_tail.size() ? found.rank_tail[m] : 0.0, above) << m;
    EXPECT_EQ(m < found.games_tail.size() ? found.games_tail[m] : 0.0, games_above) << m;
  }
  EXPECT_EQ(total(found.rank_tail), 55);
  EXPECT_EQ(first_moment(found.rank_tail), 3 + 6 + 190 + 3 * 36);
}

TEST(TailCounts, CanBeCountedInPieces) {
  testing::Counts values;
  for (std::uint32_t i = 0; i < 5000; ++i) values.push_back(i * 7919u % 1500u);
  TailCounter whole, pieces;
  whole.add(values);
  for (std::size_t at = 0; at < values.size(); at += 333) {
    pieces.add(std::span(values).subspan(at, std::min<std::size_t>(333, values.size() - at)));
  }
  Tail a, b;
  whole.tail(a);
  pieces.tail(b);
  EXPECT_EQ(a, b);
  pieces.clear();
  pieces.add(std::span(values).first(1));
  pieces.tail(b);
  EXPECT_TRUE(b.empty());
}

TEST(TailCounts, CondensedTailsKeepTheirMoments) {
  Tail tail;
  for (int m = 0; m < 4000; ++m) tail.push_back(4000.0 - m + (m < 100 ? 50000 : 0));
  const CondensedTail condensed = condense(tail);
  EXPECT_LT(condensed.at.size(), 80u);
  for (const int power : {0, 1, 2, 3}) {
    double exact = 0, found = 0;
    for (std::size_t m = 0; m < tail.size(); ++m) {
      exact += tail[m] * std::pow(static_cast<double>(m), power);
    }
    for (std::size_t i = 0; i < condensed.at.size(); ++i) {
      EXPECT_GT(condensed.weight[i], 0);
      found += condensed.weight[i] * std::pow(condensed.at[i], power);
    }
    EXPECT_NEAR(found / exact, 1, 1e-12) << power;
  }
  EXPECT_NEAR(condensed.first_moment / first_moment(tail), 1, 1e-13);
}

TEST(TailCounts, CondensedSumsKeepTheBoundOfTheScan) {
  Tail tail;
  for (int m = 0; m < 4000; ++m) tail.push_back(m < 700 ? 1e5 / (1 + m * m) + 10 : 3.0);
  const CondensedTail condensed = condense(tail);
  for (double scale = 0.01; scale < 1e6; scale *= 3) {
    double exact = 0, found = 0, spread = 0;
    for (std::size_t m = 0; m < tail.size(); ++m) {
      exact += tail[m] * static_cast<double>(m) / (scale + static_cast<double>(m));
    }
    for (std::size_t i = 0; i < condensed.at.size(); ++i) {
      const double r = condensed.at[i] / (scale + condensed.at[i]);
      found += condensed.weight[i] * r;
      spread += condensed.weight[i] * r * (1 - r);
    }
    EXPECT_LT(std::abs(found - exact), 6.2e-5 * spread + 1e-12 * exact) << scale;
  }
}

}  // namespace
}  // namespace banzuke::dirichlet_multinomial
