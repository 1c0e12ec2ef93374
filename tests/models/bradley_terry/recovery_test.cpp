#include "engine/models/bradley_terry/recovery.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

#include "../../random/chi_square.hpp"
#include "engine/models/bradley_terry/covariance.hpp"
#include "engine/models/bradley_terry/synthetic.hpp"

namespace banzuke::bradley_terry {
namespace {

struct Rows {
  std::uint32_t players;
  std::vector<double> ratings, log_likelihood, last_step, error, uncertainty, offset;
  std::vector<std::int32_t> iterations, rated, inner_rated;
  std::vector<ReplicateStatus> status;

  Rows(std::uint32_t n, std::uint64_t count, bool inner)
      : players(n),
        ratings(count * n),
        log_likelihood(count),
        last_step(count),
        error(count * n),
        uncertainty(inner ? count * n : 0),
        offset(count),
        iterations(count),
        rated(count),
        inner_rated(inner ? count * n : 0),
        status(count) {}
  RecoveryOutput output() {
    return {{ratings, log_likelihood, iterations, rated, status, last_step},
            error,
            uncertainty,
            inner_rated,
            offset};
  }
};

Rows run(const RecoveryPoint& point, std::uint64_t first, std::uint64_t count, bool inner) {
  Rows rows(point.players(), count, inner);
  point.run(first, count, rows.output());
  return rows;
}

std::vector<double> centred(std::vector<double> abilities) {
  double mean = 0;
  for (const double a : abilities) mean += a / static_cast<double>(abilities.size());
  for (double& a : abilities) a -= mean;
  return abilities;
}

/// A dozen players, few games: many data sets leave somebody out.
struct Sparse {
  Schedule schedule = random_schedule(5, 0, 12, 50, 11);
  std::vector<double> truth = centred(normal_abilities(5, 0, 12, 1.0));
  Anchor anchor{player_with_most_games(schedule), true};
};

bool equal(const std::vector<double>& all, std::size_t from, const std::vector<double>& part) {
  return std::memcmp(all.data() + from, part.data(), part.size() * sizeof(double)) == 0;
}

TEST(Recovery, APieceOfABlockIsTheSame) {
  const Sparse design;
  const RecoveryPoint point(design.schedule, design.truth, design.anchor, 1, 21, 9, 3);
  const Rows all = run(point, 0, 40, true), part = run(point, 13, 9, true);
  EXPECT_TRUE(equal(all.ratings, 13 * 12, part.ratings));
  EXPECT_TRUE(equal(all.error, 13 * 12, part.error));
  EXPECT_TRUE(equal(all.uncertainty, 13 * 12, part.uncertainty));
  EXPECT_TRUE(equal(all.offset, 13, part.offset));
}

// Every record against the functions that a user's own run is made of.
TEST(Recovery, IsWhatARunOnTheDataSetWouldSay) {
  for (const bool mean : {true, false}) {
    Sparse design;
    design.anchor.mean = mean;
    if (!mean) {
      const double base = design.truth[design.anchor.player];
      for (double& a : design.truth) a -= base;
    }
    constexpr std::uint32_t inner = 150;  // more than one tile, no multiple of 8
    constexpr std::uint64_t count = 30;
    const RecoveryPoint point(design.schedule, design.truth, design.anchor, 1, inner, 9, 3);
    const Rows rows = run(point, 0, count, true);

    std::vector<double> ratings(count * 12), likelihood(count);
    std::vector<std::int32_t> iterations(count), rated(count);
    std::vector<ReplicateStatus> status(count);
    ReplicateKernel(design.schedule, design.truth, design.anchor)
        .run(9, 3, 0, count, {ratings, likelihood, iterations, rated, status});
    EXPECT_TRUE(equal(rows.ratings, 0, ratings));
    int partial = 0;
    for (std::uint64_t r = 0; r < count; ++r) {
      if (status[r] != ReplicateStatus::ok) {
        EXPECT_TRUE(std::isnan(rows.error[r * 12]) && std::isnan(rows.offset[r]));
        continue;
      }
      std::vector<std::uint8_t> keep;
      std::vector<double> abilities;
      std::vector<std::uint32_t> player;
      double truth = 0;
      Anchor anchor{0, mean};
      for (std::uint32_t i = 0; i < 12; ++i) {
        keep.push_back(!std::isnan(ratings[r * 12 + i]));
        if (i == design.anchor.player) anchor.player = static_cast<std::uint32_t>(player.size());
        if (!keep[i]) continue;
        abilities.push_back(ratings[r * 12 + i]);
        player.push_back(i);
        truth += design.truth[i];
      }
      const std::size_t n = player.size();
      partial += n < 12;
      EXPECT_NEAR(rows.offset[r], mean ? truth / static_cast<double>(n) : 0.0, 1e-15);
      const Schedule schedule = restricted(design.schedule, keep);
      const auto errors = standard_errors(schedule, abilities, anchor);
      // Nested seasons have addresses of their own: those of a kernel at the marked point.
      std::vector<double> nested(inner * n), l(inner);
      std::vector<std::int32_t> it(inner), ra(inner);
      std::vector<ReplicateStatus> st(inner);
      ReplicateKernel(schedule, abilities, anchor)
          .run(9, 0x80000003, r * 152, inner, {nested, l, it, ra, st});
      for (std::size_t i = 0; i < n; ++i) {
        EXPECT_EQ(rows.error[r * 12 + player[i]], errors[i]);
        double sum = 0, squares = 0, valid = 0;
        for (std::uint32_t k = 0; k < inner; ++k) {
          if (!std::isnan(nested[k * n + i])) sum += nested[k * n + i], ++valid;
        }
        for (std::uint32_t k = 0; k < inner; ++k) {
          const double d = nested[k * n + i] - sum / valid;
          if (!std::isnan(d)) squares += d * d;
        }
        EXPECT_EQ(rows.inner_rated[r * 12 + player[i]], valid);
        const double u = rows.uncertainty[r * 12 + player[i]];
        if (valid < 2) {
          EXPECT_TRUE(std::isnan(u));
        } else {
          EXPECT_NEAR(u, std::sqrt(squares / (valid - 1)), 1e-12);
        }
      }
    }
    EXPECT_GT(partial, 5) << "the design must leave somebody out";
  }
}

TEST(Recovery, SeasonsWithoutAddressesAreRefused) {
  EXPECT_EQ(RecoveryPoint::most_replicates(0), std::uint64_t{1} << 32);
  EXPECT_EQ(RecoveryPoint::most_replicates(8), std::uint64_t{1} << 29);
  EXPECT_EQ(RecoveryPoint::most_replicates(9), std::uint64_t{1} << 28);
  const Sparse design;
  const RecoveryPoint point(design.schedule, design.truth, design.anchor, 1, 9, 9, 3);
  Rows rows(12, 1, true);
  EXPECT_THROW(point.run(std::uint64_t{1} << 28, 1, rows.output()), std::invalid_argument);
  EXPECT_THROW(RecoveryPoint(design.schedule, design.truth, design.anchor, 1, 9, 9, 1u << 31),
               std::invalid_argument);
}

/// Share of true abilities within `width` uncertainties, and its error by data sets.
struct Coverage {
  double share = 0, error = 0;
};
Coverage coverage(const Rows& rows, const std::vector<double>& u, const std::vector<double>& truth,
                  double width) {
  const std::size_t n = truth.size(), count = rows.offset.size();
  std::vector<double> hits(count, 0.0);
  double all = 0;
  for (std::size_t r = 0; r < count; ++r) {
    for (std::size_t i = 0; i < n; ++i)
      hits[r] +=
          std::abs(rows.ratings[r * n + i] + rows.offset[r] - truth[i]) <= width * u[r * n + i];
    all += hits[r];
  }
  const double cases = static_cast<double>(n * count);
  Coverage out{all / cases, 0};
  for (const double h : hits) {
    const double d = h - out.share * static_cast<double>(n);
    out.error += d * d;
  }
  out.error = std::sqrt(out.error) / cases;
  return out;
}

// Eight players, 200 games a pair: the normal law holds but for terms of order 1/1400, far below
// the Monte Carlo errors (0.35 % and 0.17 %), of which four are allowed.
class WellConnected : public testing::Test {
 protected:
  static constexpr std::uint64_t count = 2000;
  const Schedule schedule = round_robin(8, 200);
  const std::vector<double> truth = centred(normal_abilities(1, 0, 8, 1.0));
  Rows simulate(double stretch, std::uint32_t inner, std::uint64_t data_sets) const {
    return run(RecoveryPoint(schedule, truth, {0, true}, stretch, inner, 77, 0), 0, data_sets,
               inner > 0);
  }
  static double score(const Coverage& found, double nominal) {
    return (found.share - nominal) / found.error;
  }
  static constexpr double within_1 = 0.6826894921, within_196 = 0.9500042097;
};

TEST_F(WellConnected, FisherErrorsCover) {
  const Rows rows = simulate(1, 0, count);
  EXPECT_LT(std::abs(score(coverage(rows, rows.error, truth, 1.0), within_1)), 4);
  EXPECT_LT(std::abs(score(coverage(rows, rows.error, truth, 1.96), within_196)), 4);
  // Uncertainties 6 % too small, and too large, are seen.
  EXPECT_LT(score(coverage(rows, rows.error, truth, 0.94 * 1.96), within_196), -4);
  EXPECT_GT(score(coverage(rows, rows.error, truth, 1.06 * 1.96), within_196), 4);
}

TEST_F(WellConnected, NestedUncertaintiesCover) {
  // An sd of K = 100 draws has a relative error of 7 %, which costs coverage as Student's t does:
  // P(|t_99| < 1.96) = 0.9472, P(|t_99| < 1) = 0.6802.
  const Rows rows = simulate(1, 100, 500);
  EXPECT_LT(std::abs(score(coverage(rows, rows.uncertainty, truth, 1.0), 0.6802)), 4);
  EXPECT_LT(std::abs(score(coverage(rows, rows.uncertainty, truth, 1.96), 0.9472)), 4);
  EXPECT_LT(score(coverage(rows, rows.uncertainty, truth, 0.88 * 1.96), 0.9472), -4);
}

TEST_F(WellConnected, AWrongModelIsSeen) {
  const Rows rows = simulate(1.2, 0, 300);
  EXPECT_LT(score(coverage(rows, rows.error, truth, 1.96), within_196), -20);
}

TEST(Synthetic, AbilitiesAreNormalAndHaveTheirOwnAddress) {
  const auto abilities = normal_abilities(3, 2, 20000, 2.0);
  // Cells of equal chance: the quartiles and the 5 % tails of the normal law.
  const std::vector<double> ends{-1.6448536269514722, -0.6744897501960817, 0, 0.6744897501960817,
                                 1.6448536269514722};
  const auto cells = [&](double sd) {
    std::vector<double> counts(6, 0.0);
    for (const double a : abilities) {
      std::size_t c = 0;
      while (c < 5 && a > sd * ends[c]) ++c;
      ++counts[c];
    }
    return counts;
  };
  const std::vector<double> expected{1000, 4000, 5000, 5000, 4000, 1000};
  EXPECT_GT(ChiSquare(cells(2.0), expected).p_value, 1e-3);
  EXPECT_LT(ChiSquare(cells(1.9), expected).p_value, 1e-6);
  const auto fewer = normal_abilities(3, 2, 10, 2.0);
  EXPECT_TRUE(std::equal(fewer.begin(), fewer.end(), abilities.begin()));
  EXPECT_NE(normal_abilities(3, 1, 10, 2.0), fewer);
  EXPECT_NE(normal_abilities(4, 2, 10, 2.0), fewer);
}

TEST(Synthetic, SchedulesDrawPairsWithEqualChances) {
  constexpr std::uint32_t players = 9, reach = 3;
  const Schedule schedule = random_schedule(8, 1, players, 20000, reach);
  std::vector<double> found, expected;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> games;
  for (std::size_t k = 0; k < schedule.size(); ++k)
    games[{schedule.first[k], schedule.second[k]}] += schedule.games[k];
  double pairs = 0, ends = 0;
  for (std::uint32_t i = 0; i < players; ++i) {
    for (std::uint32_t j = i + 1; j < players && j <= i + reach; ++j) {
      found.push_back(games[{i, j}]);
      games.erase({i, j});
      pairs += 1;
    }
  }
  EXPECT_TRUE(games.empty()) << "nobody plays out of reach";
  for (const double f : found) ends += f;
  EXPECT_EQ(ends, 20000);
  EXPECT_EQ(schedule.size(), found.size());
  expected.assign(found.size(), 20000 / pairs);
  EXPECT_GT(ChiSquare(found, expected).p_value, 1e-3);
  // First players drawn alike, then their opponents, would favour the ends.
  std::vector<double> wrong;
  for (std::uint32_t i = 0; i + 1 < players; ++i) {
    const std::uint32_t opponents = std::min(reach, players - 1 - i);
    for (std::uint32_t j = 0; j < opponents; ++j)
      wrong.push_back(20000.0 / (players - 1) / opponents);
  }
  EXPECT_LT(ChiSquare(found, wrong).p_value, 1e-6);
  EXPECT_THROW(random_schedule(8, 1, 9, 10, 9), std::invalid_argument);
  EXPECT_THROW(random_schedule(8, 1, 9, 10, 0), std::invalid_argument);
}

TEST(Synthetic, ARoundRobinHasAllPairs) {
  const Schedule schedule = round_robin(5, 3);
  EXPECT_EQ(schedule.size(), 10u);
  EXPECT_EQ(games_of_players(schedule), std::vector<double>(5, 12.0));
}

}  // namespace
}  // namespace banzuke::bradley_terry
