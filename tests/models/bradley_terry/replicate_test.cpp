#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "designs.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/scale.hpp"

namespace banzuke::bradley_terry {
namespace {

using testing::Design;
using testing::designs;
using testing::random_design;
using testing::Rows;
using testing::simulated;

/// Equal bits, NaN included, of rows [from, from + count) of a and the first of b.
bool same_bits(const Rows& a, std::uint64_t from, const Rows& b, std::uint64_t count) {
  const auto same = [&](const auto& x, const auto& y, std::uint64_t width) {
    return std::memcmp(x.data() + from * width, y.data(), count * width * sizeof(x[0])) == 0;
  };
  return same(a.ratings, b.ratings, a.players) && same(a.log_likelihood, b.log_likelihood, 1) &&
         same(a.last_step, b.last_step, 1) && same(a.deviance, b.deviance, 1) &&
         (a.control.empty() || same(a.control, b.control, a.players)) &&
         same(a.iterations, b.iterations, 1) && same(a.rated, b.rated, 1) &&
         same(a.status, b.status, 1);
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
          EXPECT_TRUE(std::isnan(rows.deviance[r]));
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
        ASSERT_NEAR(rows.deviance[r], scalar.deviance, 1e-9 * (1 + scalar.deviance));
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
    const ReplicateKernel scalar(design.schedule, design.truth, anchor, {CpuPath::portable, 1});
    Rows expected(n, count, scalar.has_control());
    scalar.run(5, 1, 0, count, expected.output());
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
          Rows rows(n, size, kernel.has_control());
          kernel.run(5, 1, first, size, rows.output());
          ASSERT_TRUE(same_bits(expected, first, rows, size))
              << design.name << ' ' << name_of(path) << ' ' << lanes << ' ' << first;
        }
      }
    }
    // Other seeds and points give other replicates.
    const ReplicateKernel kernel(design.schedule, design.truth, anchor);
    Rows other(n, count, kernel.has_control());
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
  ReplicateOutput output = rows.output();
  output.deviance = output.deviance.first(2);
  EXPECT_THROW(kernel.run(1, 0, 0, 3, output), std::invalid_argument);
}

}  // namespace
}  // namespace banzuke::bradley_terry
