#include "engine/models/bradley_terry/control_variate.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "designs.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/covariance.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/moments.hpp"
#include "tests/support/floodgate_season.hpp"

namespace banzuke::bradley_terry {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Three players, each pair 20 games: few enough to list all 21^3 results.
testing::Design triangle() {
  return {"triangle",
          schedule_of(make_pair_data(
              3, std::vector<PairResult>{{0, 1, 20, 0}, {0, 2, 20, 0}, {1, 2, 20, 0}})),
          {0.0, 0.3, -0.4}};
}

struct Exact {
  double bias, sd;
};

/// Of every player, from all results; those that leave somebody out have probability 1e-7.
std::vector<Exact> enumerated(const testing::Design& design, bool mean) {
  constexpr std::uint32_t n = 20;
  std::array<std::array<double, n + 1>, 3> law{};
  for (std::size_t k = 0; k < 3; ++k) {
    const double d =
        design.truth[design.schedule.first[k]] - design.truth[design.schedule.second[k]];
    const double p = 1 / (1 + std::exp(-d));
    for (std::uint32_t w = 0; w <= n; ++w)
      law[k][w] = std::exp(std::lgamma(n + 1) - std::lgamma(w + 1) - std::lgamma(n - w + 1) +
                           w * std::log(p) + (n - w) * std::log1p(-p));
  }
  double total = 0;
  std::array<double, 3> sum{}, square{};
  PairData pairs{3, design.schedule.first, design.schedule.second, {0, 0, 0}, {0, 0, 0}};
  for (std::uint32_t a = 0; a <= n; ++a)
    for (std::uint32_t b = 0; b <= n; ++b)
      for (std::uint32_t c = 0; c <= n; ++c) {
        const double weight = law[0][a] * law[1][b] * law[2][c];
        if (weight < 1e-14) continue;
        const std::array<std::uint32_t, 3> wins{a, b, c};
        for (std::size_t k = 0; k < 3; ++k) {
          pairs.wins_first[k] = wins[k];
          pairs.wins_second[k] = n - wins[k];
        }
        if (rated_component(pairs, 0).rated != 3) continue;
        const auto abilities = fit(pairs, 0).abilities;
        total += weight;
        double shift = 0, truth_shift = 0;
        for (std::size_t i = 0; mean && i < 3; ++i) {
          shift += abilities[i] / 3;
          truth_shift += design.truth[i] / 3;
        }
        for (std::size_t i = 0; i < 3; ++i) {
          const double d = (abilities[i] - shift) - (design.truth[i] - truth_shift);
          sum[i] += weight * d;
          square[i] += weight * d * d;
        }
      }
  EXPECT_NEAR(total, 1, 1e-6);
  std::vector<Exact> out;
  for (std::size_t i = 0; i < 3; ++i) {
    const double bias = sum[i] / total;
    out.push_back({bias, std::sqrt(square[i] / total - bias * bias)});
  }
  return out;
}

struct Quality {
  double bias_offset = 0, variance_offset = 0;  ///< of the mean of many estimates, in its errors
  double bias_coverage = 0, sd_coverage = 0;    ///< of +- 1.96 claimed errors
  double error_ratio = 0;                       ///< spread of sd over the claimed error
  double reduction = 0;
};

constexpr std::size_t repetitions = 600;

/// Many estimates of one player from `replicates` each; the control's variance times `scale`.
Quality quality(bool mean, std::uint32_t player, std::uint64_t replicates, double scale) {
  const testing::Design design = triangle();
  const Exact exact = enumerated(design, mean)[player];
  const Anchor anchor{0, mean};
  const ReplicateKernel kernel(design.schedule, design.truth, anchor);
  const double error = standard_errors(design.schedule, design.truth, anchor)[player];
  double truth = design.truth[player];
  if (mean)
    for (const double ability : design.truth) truth -= ability / 3;
  MomentSums bias, variance, sd;
  double claimed = 0;
  Quality out;
  for (std::uint32_t repetition = 0; repetition < repetitions; ++repetition) {
    testing::Rows rows(3, replicates, true);
    kernel.run(12, repetition, 0, replicates, rows.output());
    CrossMoments sums;
    for (std::uint64_t r = 0; r < replicates; ++r)
      sums.add(rows.rating(r, player) - truth, rows.control[r * 3 + player]);
    const ControlledSummary s = controlled_summary(sums, scale * error * error, replicates);
    if (s.use != ControlUse::used) continue;
    bias.add(s.bias);
    sd.add(s.sd);
    variance.add(s.sd * s.sd);
    claimed += s.sd_error * s.sd_error;
    out.reduction += s.variance_reduction;
    out.bias_coverage += std::abs(s.bias - exact.bias) <= 1.96 * s.bias_error;
    out.sd_coverage += std::abs(s.sd - exact.sd) <= 1.96 * s.sd_error;
  }
  const auto count = static_cast<double>(sd.count);
  EXPECT_GT(count, 0.99 * repetitions);
  const auto offset = [&](const MomentSums& sums, double expected) {
    const Summary s = summary_of(sums, expected);
    return s.bias / (s.sd / std::sqrt(count));
  };
  out.bias_offset = offset(bias, exact.bias);
  out.variance_offset = offset(variance, exact.sd * exact.sd);
  out.bias_coverage /= count;
  out.sd_coverage /= count;
  out.error_ratio = summary_of(sd, exact.sd).sd / std::sqrt(claimed / count);
  out.reduction /= count;
  return out;
}

TEST(ControlVariate, UnbiasedWithHonestErrors) {
  for (const bool mean : {false, true}) {
    const Quality q = quality(mean, 2, 2000, 1);
    EXPECT_LT(std::abs(q.bias_offset), 4);
    EXPECT_LT(std::abs(q.variance_offset), 4);
    // Binomial errors of a share of 0.95: 0.0089.
    EXPECT_NEAR(q.bias_coverage, 0.95, 4 * 0.0089);
    EXPECT_NEAR(q.sd_coverage, 0.95, 4 * 0.0089);
    // Relative error of an sd from 600 values: 1 / sqrt(1200).
    EXPECT_NEAR(q.error_ratio, 1, 4 / std::sqrt(2.0 * repetitions));
  }
}

TEST(ControlVariate, AWrongVarianceShows) {
  const Quality q = quality(false, 2, 2000, 1.03);
  EXPECT_GT(std::abs(q.variance_offset), 8);
}

TEST(ControlVariate, FloodgateByHundreds) {
  const auto season = banzuke::testing::floodgate_season();
  const Anchor anchor{player_with_most_games(season.schedule), false};
  const ReplicateKernel kernel(season.schedule, season.truth, anchor);
  ASSERT_TRUE(kernel.has_control());
  const std::uint32_t n = season.schedule.players;
  constexpr std::uint64_t few = 1000, many = 20000;
  testing::Rows rows(n, many, true);
  kernel.run(1, 0, 0, many, rows.output());
  const auto errors = standard_errors(season.schedule, season.truth, anchor);
  const auto games = games_of_players(season.schedule);
  std::vector<double> well_played;
  std::size_t used = 0, beyond = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    CrossMoments sums;
    MomentSums moments;
    for (std::uint64_t r = 0; r < many; ++r) {
      const double d = rows.rating(r, i) - (season.truth[i] - season.truth[anchor.player]);
      if (r < few) sums.add(d, rows.control[r * n + i]);
      moments.add(d);
    }
    const ControlledSummary s = controlled_summary(sums, errors[i] * errors[i], few);
    if (s.use != ControlUse::used) continue;
    ++used;
    // Against twenty times as many replicates, of which these are a part.
    const Summary plain = summary_of(moments, 0);
    beyond += std::abs(s.sd - plain.sd) > 4.5 * std::hypot(s.sd_error, plain.sd_error);
    if (games[i] >= 250) well_played.push_back(s.variance_reduction);
  }
  ASSERT_GT(well_played.size(), 15U);
  std::sort(well_played.begin(), well_played.end());
  EXPECT_GT(well_played.front(), 30);
  EXPECT_GT(well_played[well_played.size() / 2], 150);
  EXPECT_GT(used, n / 2);
  EXPECT_EQ(beyond, 0U);
}

TEST(ControlVariate, ColumnsAndMergedSegmentsAgree) {
  testing::Cases cases(3);
  std::vector<double> d, x;
  CrossMoments sums;
  for (int segment = 0; segment < 7; ++segment) {
    CrossMoments part;
    for (int r = 0; r < 30 + segment; ++r) {
      double normal = -6;
      for (int k = 0; k < 12; ++k) normal += cases.uniform();
      x.push_back(normal);
      d.push_back(0.1 + normal + 0.2 * normal * normal + 0.1 * cases.uniform());
      part.add(d.back(), x.back());
    }
    sums.merge(part);
  }
  const ControlledSummary a = controlled_summary(d, x, 1.0);
  const ControlledSummary b = controlled_summary(sums, 1.0, d.size());
  EXPECT_EQ(a.use, ControlUse::used);
  EXPECT_NEAR(a.bias / b.bias, 1, 1e-12);
  EXPECT_NEAR(a.bias_error / b.bias_error, 1, 1e-10);
  EXPECT_NEAR(a.sd / b.sd, 1, 1e-12);
  EXPECT_NEAR(a.sd_error / b.sd_error, 1, 1e-10);
  EXPECT_NEAR(a.variance_reduction / b.variance_reduction, 1, 1e-9);

  // Least squares of d and of (d - bias)^2, residuals one by one.
  const auto n = static_cast<Eigen::Index>(d.size());
  const Eigen::Map<const Eigen::VectorXd> of_d(d.data(), n), of_x(x.data(), n);
  Eigen::MatrixXd regressors(n, 3);
  regressors << Eigen::VectorXd::Ones(n), of_x, (of_x.array().square() - 1.0).matrix();
  const Eigen::MatrixXd inverse = (regressors.transpose() * regressors).inverse();
  const auto regress = [&](const Eigen::VectorXd& y) {
    const Eigen::Vector3d coefficients = inverse * (regressors.transpose() * y);
    const double residual = (y - regressors * coefficients).squaredNorm();
    return std::pair(coefficients[0], residual / static_cast<double>(n - 3) * inverse(0, 0) *
                                          (1 + 54 / static_cast<double>(n)));
  };
  const auto [bias, bias_error] = regress(of_d);
  const auto [variance, error] = regress((of_d.array() - bias).square().matrix());
  EXPECT_NEAR(a.bias, bias, 1e-12);
  EXPECT_NEAR(a.bias_error, std::sqrt(bias_error), 1e-12);
  EXPECT_NEAR(a.sd, std::sqrt(variance + bias_error), 1e-12);
  EXPECT_NEAR(a.sd_error, std::sqrt(error + 2 * bias_error * bias_error) / (2 * a.sd), 1e-12);
  // Where d is linear in x nothing is left to estimate.
  for (std::size_t r = 0; r < d.size(); ++r) d[r] = 0.1 + 2 * x[r];
  const ControlledSummary linear = controlled_summary(d, x, 1.0);
  EXPECT_NEAR(linear.bias, 0.1, 1e-12);
  EXPECT_NEAR(linear.sd, 2, 1e-12);
  EXPECT_LT(linear.sd_error, 1e-5);
  EXPECT_THROW(controlled_summary(d, std::vector<double>(3, 0.0), 1.0), std::invalid_argument);
}

TEST(ControlVariate, FallsBackToThePlainSummary) {
  std::vector<double> d, x;
  for (int r = 0; r < 50; ++r) {
    d.push_back(std::sin(r) + 0.3);
    x.push_back(std::sin(r));
  }
  d[7] = nan;
  const Summary plain = summarise(d, 0);
  const ControlledSummary s = controlled_summary(d, x, 0.5);
  EXPECT_EQ(s.use, ControlUse::not_always_rated);
  EXPECT_EQ(s.valid, 49U);
  EXPECT_NEAR(s.bias, plain.mean, 1e-14);
  EXPECT_NEAR(s.bias_error, plain.sd / 7, 1e-14);
  EXPECT_NEAR(s.sd, plain.sd, 1e-14);
  EXPECT_NEAR(s.sd_error, plain.sd_error, 1e-13);
  EXPECT_EQ(s.variance_reduction, 1.0);
  EXPECT_EQ(controlled_summary(std::vector<double>(9, 1.0), std::vector<double>(9, 1.0), 1.0).use,
            ControlUse::too_few);
  const ControlledSummary reference =
      controlled_summary(std::vector<double>(20, 0.0), std::vector<double>(20, 0.0), 0.0);
  EXPECT_EQ(reference.use, ControlUse::constant);
  EXPECT_EQ(reference.sd, 0.0);
  EXPECT_EQ(reference.sd_error, 0.0);
  EXPECT_TRUE(std::isnan(controlled_summary(std::vector<double>{}, {}, 1.0).bias));
}

}  // namespace
}  // namespace banzuke::bradley_terry
