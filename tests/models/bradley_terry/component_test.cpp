#include "engine/models/bradley_terry/component.hpp"

#include <gtest/gtest.h>

#include <array>

namespace banzuke::bradley_terry {
namespace {

constexpr std::uint32_t n = 4;
using Relation = std::array<std::array<bool, n>, n>;

Relation closure(Relation r) {
  for (std::uint32_t i = 0; i < n; ++i) r[i][i] = true;
  for (std::uint32_t k = 0; k < n; ++k)
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < n; ++j) r[i][j] = r[i][j] || (r[i][k] && r[k][j]);
  return r;
}

// Every set of results on four players: each pair unplayed, won either way, or split.
TEST(Component, AgreesWithTransitiveClosureOnEveryTournamentOfFour) {
  for (unsigned code = 0; code < 4096; ++code) {
    std::vector<PairResult> rows;
    Relation beat{}, met{};
    unsigned rest = code;
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = i + 1; j < n; ++j, rest /= 4) {
        const bool first = rest % 4 & 1, second = rest % 4 & 2;
        if (first && second)
          rows.push_back({j, i, 0.5, 0.5});
        else if (first || second)
          rows.push_back({i, j, first ? 2.0 : 0.0, second ? 2.0 : 0.0});
        beat[i][j] = first;
        beat[j][i] = second;
        met[i][j] = met[j][i] = first || second;
      }
    const PairData pairs = make_pair_data(n, rows);
    const Relation above = closure(beat), connected = closure(met);
    for (std::uint32_t anchor = 0; anchor < n; ++anchor) {
      const Component found = rated_component(pairs, anchor);
      std::uint32_t rated = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        bool won = false, lost = false;
        for (std::uint32_t j = 0; j < n; ++j) {
          won = won || beat[i][j];
          lost = lost || beat[j][i];
        }
        const bool up = above[i][anchor], down = above[anchor][i];
        const Standing expected = up && down              ? Standing::rated
                                  : !connected[i][anchor] ? Standing::not_connected
                                  : !won                  ? Standing::never_won
                                  : !lost                 ? Standing::never_lost
                                  : up                    ? Standing::group_only_won
                                  : down                  ? Standing::group_only_lost
                                                          : Standing::not_comparable;
        rated += expected == Standing::rated;
        ASSERT_EQ(found.standing[i], expected) << code << ' ' << anchor << ' ' << i;
        ASSERT_EQ(found.keep()[i], expected == Standing::rated);
      }
      ASSERT_EQ(found.rated, rated);
      // Ford 1957, assumption A: in every partition into two sets somebody of the one beat
      // somebody of the other.
      bool exists = true;
      for (unsigned set = 1; set + 1 < 1U << n; ++set) {
        bool crossed = false;
        for (std::uint32_t i = 0; i < n; ++i)
          for (std::uint32_t j = 0; j < n; ++j)
            crossed = crossed || (beat[i][j] && (set >> i & 1) && !(set >> j & 1));
        exists = exists && crossed;
      }
      ASSERT_EQ(found.rated == n, exists);
      const Component scheduled = scheduled_component(schedule_of(pairs), anchor);
      for (std::uint32_t i = 0; i < n; ++i)
        ASSERT_EQ(scheduled.standing[i] == Standing::rated, connected[i][anchor]);
    }
  }
}

TEST(Component, AMillionPlayersInAChain) {
  PairData pairs;
  pairs.players = 1000000;
  for (std::uint32_t i = 0; i + 1 < pairs.players; ++i) {
    pairs.first.push_back(i);
    pairs.second.push_back(i + 1);
    pairs.wins_first.push_back(1);
    pairs.wins_second.push_back(i == 999000 ? 0 : 1);
  }
  const Component found = rated_component(pairs, 0);
  EXPECT_EQ(found.rated, 999001U);
  EXPECT_EQ(found.standing[999999], Standing::group_only_lost);
  EXPECT_EQ(scheduled_component(schedule_of(pairs), 5).rated, 1000000U);
}

TEST(Component, AnchorAndWords) {
  const PairData pairs =
      make_pair_data(4, std::vector<PairResult>{{0, 1, 2, 1}, {2, 1, 0, 1}, {3, 0, 1, 0}});
  EXPECT_EQ(player_with_most_games(pairs), 0U);  // 4 games, as has player 1
  EXPECT_EQ(player_with_most_games(schedule_of(pairs)), 0U);
  EXPECT_EQ(describe(rated_component(pairs, 0).standing[2]), "never won a game");
  EXPECT_EQ(describe(rated_component(pairs, 0).standing[3]), "never lost a game");
  EXPECT_THROW(rated_component(pairs, 4), std::out_of_range);
}

TEST(PairData, AddsUpRowsOfTheSamePair) {
  const PairData pairs = make_pair_data(
      5, std::vector<PairResult>{{3, 1, 2, 1}, {0, 4, 0, 0}, {1, 3, 0.5, 0.5}, {0, 2, 0, 3}});
  EXPECT_EQ(pairs.first, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(pairs.second, (std::vector<std::uint32_t>{2, 3}));
  EXPECT_EQ(pairs.wins_first, (std::vector<double>{0, 1.5}));
  EXPECT_EQ(pairs.wins_second, (std::vector<double>{3, 2.5}));
  EXPECT_EQ(schedule_of(pairs).games, (std::vector<std::uint32_t>{3, 4}));
  const std::vector<std::uint8_t> keep{0, 1, 1, 1, 0};
  const PairData part = restricted(pairs, keep);
  EXPECT_EQ(part.players, 3U);
  EXPECT_EQ(part.first, (std::vector<std::uint32_t>{0}));
  EXPECT_EQ(part.second, (std::vector<std::uint32_t>{2}));
  for (const PairResult bad :
       {PairResult{0, 0, 1, 0}, PairResult{0, 5, 1, 0}, PairResult{0, 1, -1, 2},
        PairResult{0, 1, 0.25, 0.75}, PairResult{0, 1, 0.5, 1}, PairResult{0, 1, 1e10, 0}})
    EXPECT_THROW(make_pair_data(5, std::vector<PairResult>{bad}), std::invalid_argument);
}

}  // namespace
}  // namespace banzuke::bradley_terry
