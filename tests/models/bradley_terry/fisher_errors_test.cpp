#include "engine/models/bradley_terry/fisher_errors.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>

#include "designs.hpp"
#include "engine/models/bradley_terry/covariance.hpp"

namespace banzuke::bradley_terry {
namespace {

/// Root mean square and largest relative difference of two sets of standard errors.
struct Difference {
  double typical = 0, largest = 0;
};

Difference difference(const std::vector<double>& estimate, const std::vector<double>& exact) {
  Difference out;
  double count = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    if (!(exact[i] > 0)) {
      EXPECT_EQ(estimate[i], 0.0);
      continue;
    }
    const double relative = estimate[i] / exact[i] - 1;
    out.typical += relative * relative;
    out.largest = std::max(out.largest, std::abs(relative));
    ++count;
  }
  out.typical = std::sqrt(out.typical / count);
  return out;
}

TEST(FisherErrors, ProbesAgreeWithTheElimination) {
  // A random design, one in which rank neighbours alone meet, and one with many rarely active.
  testing::Design neighbours{"neighbours", {}, {}};
  std::vector<PairResult> rows;
  for (std::uint32_t i = 0; i < 700; ++i) {
    neighbours.truth.push_back(0.01 * i);
    for (std::uint32_t gap = 1; gap < 12; ++gap)
      if (i + gap < 700) rows.push_back({i, i + gap, 1.0 + (i * gap) % 7, 0});
  }
  neighbours.schedule = schedule_of(make_pair_data(700, rows));
  for (const testing::Design& design :
       {testing::random_design("dense", 31, 500, 9000, 20, 4), neighbours,
        testing::random_design("sparse", 33, 500, 900, 9, 4)})
    for (const bool mean : {true, false}) {
      const Anchor anchor{player_with_most_games(design.schedule), mean};
      const FisherErrors probed(design.schedule, design.truth, 0);
      const StandardErrors estimate = probed.relative_to(anchor);
      const std::vector<double> exact = standard_errors(design.schedule, design.truth, anchor);
      EXPECT_TRUE(estimate.is_estimate);
      EXPECT_LT(estimate.relative_error, design.name == "sparse" ? 0.03 : 0.006) << design.name;
      // The claimed error is itself from 16 to 128 probes and hundreds of players.
      const Difference d = difference(estimate.value, exact);
      EXPECT_GT(d.typical, 0.75 * estimate.relative_error) << design.name;
      EXPECT_LT(d.typical, 1.25 * estimate.relative_error) << design.name;
      EXPECT_LT(d.largest, 3 * estimate.largest_error) << design.name;
      if (!mean) continue;
      // A wrong schedule shows.
      Schedule more = design.schedule;
      for (std::size_t k = 0; k < more.size(); k += 2) ++more.games[k];
      const FisherErrors wrong(more, design.truth, 0);
      EXPECT_GT(difference(wrong.relative_to(anchor).value, exact).typical,
                1.25 * estimate.relative_error)
          << design.name;
    }
}

TEST(FisherErrors, TakeTheCheapRoute) {
  const testing::Design small = testing::random_design("small", 1, 60, 300, 9, 3);
  const FisherErrors exact(small.schedule, small.truth);
  EXPECT_FALSE(exact.is_estimate());
  const StandardErrors errors = exact.relative_to({7, false});
  EXPECT_EQ(errors.value, standard_errors(small.schedule, small.truth, {7, false}));
  EXPECT_EQ(errors.relative_error, 0.0);
  // Long and thin: cheap however many players.
  const testing::Design ladder = testing::ladder(20000, 9, 30);
  EXPECT_FALSE(FisherErrors(ladder.schedule, ladder.truth).is_estimate());
  // Its factor would fill a matrix of thousands.
  const testing::Design large = testing::random_design("large", 2, 3000, 30000, 9, 3);
  const FisherErrors probed(large.schedule, large.truth);
  EXPECT_TRUE(probed.is_estimate());
  const StandardErrors first = probed.relative_to({0, true});
  EXPECT_LT(first.relative_error, 0.0025);
  EXPECT_GT(first.relative_error, 0.0);
  EXPECT_LT(first.largest_error, 0.01);
  EXPECT_EQ(first.value, FisherErrors(large.schedule, large.truth).relative_to({0, true}).value);
}

TEST(FisherErrors, RefuseWhatDoesNotFit) {
  const testing::Design d = testing::random_design("small", 1, 6, 9, 3, 1);
  EXPECT_THROW(FisherErrors(d.schedule, std::vector<double>(5, 0.0)), std::invalid_argument);
  const FisherErrors errors(d.schedule, d.truth);
  EXPECT_THROW(errors.relative_to({6, false}), std::invalid_argument);
}

}  // namespace
}  // namespace banzuke::bradley_terry
