#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <stdexcept>

#include "designs.hpp"
#include "engine/models/bradley_terry/covariance.hpp"
#include "engine/models/bradley_terry/fit.hpp"

namespace banzuke::bradley_terry {
namespace {

using testing::Design;
using testing::Rows;

TEST(Linearised, IsTheCovarianceTimesTheScore) {
  for (const Design& design : testing::designs())
    for (const bool mean : {false, true}) {
      const Anchor anchor{player_with_most_games(design.schedule), mean};
      const ReplicateKernel kernel(design.schedule, design.truth, anchor);
      EXPECT_EQ(kernel.has_control(), design.name != "large" && design.name != "largehard");
      Rows rows(design.schedule.players, 12, true);
      if (!kernel.has_control()) {
        EXPECT_THROW(kernel.run(9, 2, 3, 12, rows.output()), std::invalid_argument);
        continue;
      }
      kernel.run(9, 2, 3, 12, rows.output());
      const Eigen::MatrixXd v = covariance(design.schedule, design.truth, anchor);
      const auto seasons = testing::simulated(design, 9, 2, 15);
      for (std::size_t r = 0; r < 12; ++r) {
        const std::vector<double> score = gradient(seasons[r + 3], design.truth);
        const Eigen::VectorXd x =
            v * Eigen::Map<const Eigen::VectorXd>(score.data(), design.schedule.players);
        for (std::uint32_t i = 0; i < design.schedule.players; ++i)
          ASSERT_NEAR(rows.control[r * design.schedule.players + i], x[i],
                      1e-8 * (1 + x.cwiseAbs().maxCoeff()))
              << design.name;
      }
    }
}

/// Largest distance of a player's mean square from the variance, in standard errors of a normal
/// law's; `scale` multiplies the variance that is expected.
double distance(const Design& design, const Anchor& anchor, double scale) {
  constexpr std::uint64_t count = 20000;
  const ReplicateKernel kernel(design.schedule, design.truth, anchor);
  const std::uint32_t n = design.schedule.players;
  Rows rows(n, count, true);
  kernel.run(4, 0, 0, count, rows.output());
  const std::vector<double> error = standard_errors(design.schedule, design.truth, anchor);
  double most = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (!(error[i] > 0)) continue;
    double square = 0;
    for (std::uint64_t r = 0; r < count; ++r)
      square += rows.control[r * n + i] * rows.control[r * n + i] / static_cast<double>(count);
    const double expected = scale * error[i] * error[i];
    most = std::max(most, std::abs(square / expected - 1) * std::sqrt(count / 2.0));
  }
  return most;
}

TEST(Linearised, HasTheFisherVariance) {
  // Sums of many games are nearly normal; 4.5 errors for the largest of 20.
  const Design design = testing::random_design("dense", 1, 20, 300, 20, 3);
  for (const bool mean : {false, true}) {
    EXPECT_LT(distance(design, {3, mean}, 1), 4.5);
    EXPECT_GT(distance(design, {3, mean}, 1.1), 4.5);
  }
}

}  // namespace
}  // namespace banzuke::bradley_terry
