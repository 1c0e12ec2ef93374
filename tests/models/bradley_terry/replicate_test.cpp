#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/replicate_kernel.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "engine/random/binomial.hpp"
#include "paired_data.hpp"

namespace banzuke::bradley_terry {
namespace {

struct Rows {
  std::uint32_t players;
  std::vector<double> ratings, log_likelihood, last_step;
  std::vector<std::int32_t> iterations, rated;
  std::vector<ReplicateStatus> status;

  Rows(std::uint32_t n, std::uint64_t count)
      : players(n),
        ratings(count * n),
        log_likelihood(count),
        last_step(count),
        iterations(count),
        rated(count),
        status(count) {}
  ReplicateOutput output() {
    return {ratings, log_likelihood, iterations, rated, status, last_step};
  }
  double rating(std::uint64_t r, std::uint32_t i) const { return ratings[r * players + i]; }
};

/// Equal bits, NaN included, of rows [from, from + count) of a and the first of b.
bool same_bits(const Rows& a, std::uint64_t from, const Rows& b, std::uint64_t count) {
  const auto same = [&](const auto& x, const auto& y, std::uint64_t width) {
    return std::memcmp(x.data() + from * width, y.data(), count * width * sizeof(x[0])) == 0;
  };
  return same(a.ratings, b.ratings, a.players) && same(a.log_likelihood, b.log_likelihood, 1) &&
         same(a.last_step, b.last_step, 1) && same(a.iterations, b.iterations, 1) &&
         same(a.rated, b.rated, 1) && same(a.status, b.status, 1);
}

struct Design {
  std::string name;
  Schedule schedule;
  std::vector<double> truth;
};

Design random_design(const std::string& name, std::uint64_t seed, std::uint32_t players,
                     std::uint32_t pairs, std::uint32_t most_games, double range) {
  testing::Cases cases(seed);
  std::vector<PairResult> rows;
  for (std::uint32_t i = 1; i < players; ++i)
    rows.push_back({i, cases.below(i), 1.0 + cases.below(most_games), 0});
  for (std::uint32_t k = 0; k < pairs; ++k) {
    const std::uint32_t i = cases.below(players), j = cases.below(players);
    if (i != j) rows.push_back({i, j, 1.0 + cases.below(most_games), 0});
  }
  Design out{name, schedule_of(make_pair_data(players, rows)), {}};
  for (std::uint32_t i = 0; i < players; ++i) out.truth.push_back(range * (cases.uniform() - 0.5));
  return out;
}

/// A ladder: neighbours meet often, over a range of more than 6,000 Elo.
Design ladder(std::uint32_t players, std::uint32_t games, double range) {
  std::vector<PairResult> rows;
  Design out{"ladder", {}, {}};
  for (std::uint32_t i = 0; i < players; ++i) {
    out.truth.push_back(range * i / (players - 1));
    for (const std::uint32_t gap : {1U, 2U, 5U})
      if (i + gap < players) rows.push_back({i, i + gap, static_cast<double>(games), 0});
  }
  out.schedule = schedule_of(make_pair_data(players, rows));
  return out;
}

std::vector<Design> designs() {
  return {random_design("dense", 1, 20, 300, 20, 3),
          random_design("sparse", 2, 40, 50, 4, 3),
          random_design("fewgames", 3, 8, 4, 2, 2),
          random_design("widerange", 4, 30, 200, 50, 36),
          ladder(25, 40, 36),
          ladder(60, 8, 30),
          random_design("two", 6, 2, 0, 9, 1),
          random_design("fill", 7, 260, 1400, 9, 2),
          random_design("large", 8, 1100, 12000, 9, 2),
          random_design("largehard", 9, 1100, 12000, 3, 60)};
}

std::vector<PairData> simulated(const Design& design, std::uint64_t seed, std::uint32_t point,
                                std::size_t count) {
  std::vector<BinomialLaw> laws;
  for (std::size_t k = 0; k < design.schedule.size(); ++k) {
    const double d =
        design.truth[design.schedule.second[k]] - design.truth[design.schedule.first[k]];
    // The same expressions as in R: any rounding of p changes no draw but with probability 1e-16.
    laws.push_back({design.schedule.games[k], 1 / (1 + std::exp(d)), 1 / (1 + std::exp(-d))});
  }
  const BinomialSampler sampler(laws, CpuPath::portable);
  std::vector<std::int32_t> wins(laws.size() * 8);
  std::vector<PairData> out;
  for (std::size_t r = 0; r < count; ++r) {
    if (r % 8 == 0) sampler.sample(seed, point, static_cast<std::uint32_t>(r), 8, wins);
    PairData pairs{design.schedule.players, design.schedule.first, design.schedule.second, {}, {}};
    for (std::size_t k = 0; k < laws.size(); ++k) {
      const double won = wins[k * 8 + r % 8];
      pairs.wins_first.push_back(won);
      pairs.wins_second.push_back(design.schedule.games[k] - won);
    }
    out.push_back(std::move(pairs));
  }
  return out;
}

TEST(Replicates, EqualTheScalarFitOfTheSameGames) {
  for (const Design& design : designs())
    for (const bool mean : {false, true}) {
      const std::size_t count = design.schedule.players > 1000  ? 8
                                : design.schedule.players > 100 ? 40
                                                                : 400;
      const std::uint32_t n = design.schedule.players;
      const Anchor anchor{player_with_most_games(design.schedule), mean};
      const ReplicateKernel kernel(design.schedule, design.truth, anchor);
      Rows rows(n, count);
      kernel.run(11, 3, 0, count, rows.output());
      const auto seasons = simulated(design, 11, 3, count);
      std::size_t left_out = 0, floors = 0;
      for (std::size_t r = 0; r < count; ++r) {
        const Component component = rated_component(seasons[r], anchor.player);
        if (component.rated < 2) {
          EXPECT_EQ(rows.status[r], ReplicateStatus::unsolvable);
          EXPECT_EQ(rows.rated[r], 0);
          EXPECT_TRUE(std::isnan(rows.rating(r, anchor.player)));
          EXPECT_TRUE(std::isnan(rows.log_likelihood[r]));
          continue;
        }
        ASSERT_EQ(rows.status[r], ReplicateStatus::ok) << design.name << ' ' << r;
        ASSERT_EQ(rows.rated[r], static_cast<std::int32_t>(component.rated));
        const PairData part = restricted(seasons[r], component.keep());
        std::uint32_t ground = 0;
        for (std::uint32_t i = 0; i < anchor.player; ++i) ground += component.keep()[i];
        const Fit scalar = fit(part, ground);
        ASSERT_NE(scalar.status, FitStatus::not_converged);
        double shift = 0;
        if (mean)
          for (const double ability : scalar.abilities) shift += ability / part.players;
        // Where the rounding floor is above the tolerance, both say by how much.
        const double tolerance =
            std::max(1e-8 / elo_per_natural, 4 * (rows.last_step[r] + scalar.max_step));
        floors += rows.last_step[r] > Tolerance::max_step;
        for (std::uint32_t i = 0, at = 0; i < n; ++i) {
          ASSERT_EQ(std::isnan(rows.rating(r, i)), component.standing[i] != Standing::rated);
          if (component.standing[i] != Standing::rated) {
            ++left_out;
            continue;
          }
          ASSERT_NEAR(rows.rating(r, i), scalar.abilities[at++] - shift, tolerance)
              << design.name << ' ' << r;
        }
        ASSERT_NEAR(rows.log_likelihood[r], scalar.log_likelihood, 1e-9);
      }
      RecordProperty(design.name + "_left_out", static_cast<int>(left_out));
      RecordProperty(design.name + "_floors", static_cast<int>(floors));
      if (design.name == "fewgames" || design.name == "sparse") {
        EXPECT_GT(left_out, count / 4);
      }
    }
}

TEST(Replicates, SolvableSetsOfThousandsOfSmallGraphs) {
  // Nothing is fitted here but what is needed: the set, against the scalar search.
  std::size_t partial = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    testing::Cases cases(1000 + seed);
    const Design design =
        random_design("small", seed, 2 + cases.below(9), cases.below(20), 3, 6 * cases.uniform());
    const Anchor anchor{cases.below(design.schedule.players), false};
    const ReplicateKernel kernel(design.schedule, design.truth, anchor,
                                 {CpuPath::portable, seed % 2 ? 8 : 64});
    Rows rows(design.schedule.players, 64);
    kernel.run(seed, 0, 0, 64, rows.output());
    const auto seasons = simulated(design, seed, 0, 64);
    for (std::size_t r = 0; r < 64; ++r) {
      const Component component = rated_component(seasons[r], anchor.player);
      ASSERT_EQ(rows.rated[r],
                component.rated < 2 ? 0 : static_cast<std::int32_t>(component.rated));
      partial += component.rated > 1 && component.rated < design.schedule.players;
      if (component.rated < 2) continue;
      for (std::uint32_t i = 0; i < design.schedule.players; ++i)
        ASSERT_EQ(!std::isnan(rows.rating(r, i)), component.standing[i] == Standing::rated);
    }
  }
  EXPECT_GT(partial, 1000U);
}

TEST(Replicates, BitsDependOnNeitherLanesNorPathNorBlock) {
  for (const Design& design : designs()) {
    const std::uint32_t n = design.schedule.players;
    const std::uint64_t count = n > 100 ? 16 : 150;
    const Anchor anchor{player_with_most_games(design.schedule), true};
    Rows expected(n, count);
    ReplicateKernel(design.schedule, design.truth, anchor, {CpuPath::portable, 1})
        .run(5, 1, 0, count, expected.output());
    for (const CpuPath path : {CpuPath::portable, CpuPath::avx2, CpuPath::avx512}) {
      if (!is_available(path)) continue;
      for (const int lanes : {1, 8, 16, 64}) {
        const ReplicateKernel kernel(design.schedule, design.truth, anchor, {path, lanes});
        // Whole, in odd pieces, and singly from the middle: other lanes and neighbours each time.
        for (const auto& [first, size] : {std::pair<std::uint64_t, std::uint64_t>{0, count},
                                          {0, 1},
                                          {1, 7},
                                          {13, 90},
                                          {8, 64},
                                          {77, 1},
                                          {149, 1}}) {
          if (first + size > count) continue;
          Rows rows(n, size);
          kernel.run(5, 1, first, size, rows.output());
          ASSERT_TRUE(same_bits(expected, first, rows, size))
              << design.name << ' ' << name_of(path) << ' ' << lanes << ' ' << first;
        }
      }
    }
    // Other seeds and points give other replicates.
    Rows other(n, count);
    const ReplicateKernel kernel(design.schedule, design.truth, anchor);
    kernel.run(6, 1, 0, count, other.output());
    EXPECT_FALSE(same_bits(expected, 0, other, count));
    kernel.run(5, 2, 0, count, other.output());
    EXPECT_FALSE(same_bits(expected, 0, other, count));
  }
}

TEST(Replicates, RefuseWhatDoesNotFit) {
  const Design d = random_design("dense", 1, 5, 9, 3, 1);
  const std::vector<double> short_truth(4, 0.0);
  EXPECT_THROW(ReplicateKernel(d.schedule, short_truth, {0, false}), std::invalid_argument);
  EXPECT_THROW(ReplicateKernel(d.schedule, d.truth, {5, false}), std::invalid_argument);
  EXPECT_THROW(ReplicateKernel(d.schedule, d.truth, {0, false}, {CpuPath::portable, 4}),
               std::invalid_argument);
  std::vector<double> infinite = d.truth;
  infinite[2] = std::numeric_limits<double>::infinity();
  EXPECT_THROW(ReplicateKernel(d.schedule, infinite, {0, false}), std::invalid_argument);
  const ReplicateKernel kernel(d.schedule, d.truth, {0, false});
  Rows rows(5, 3);
  EXPECT_THROW(kernel.run(1, 0, 0, 4, rows.output()), std::invalid_argument);
  EXPECT_THROW(kernel.run(1, 0, (1ULL << 32) - 2, 3, rows.output()), std::invalid_argument);
  EXPECT_NO_THROW(kernel.run(1, 0, (1ULL << 32) - 3, 3, rows.output()));
}

}  // namespace
}  // namespace banzuke::bradley_terry
