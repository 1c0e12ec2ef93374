#include "engine/models/reflection/monte_carlo.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/distributions/poisson.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/random/sobol.hpp>
#include <cmath>

#include "engine/models/reflection/point.hpp"
#include "engine/models/reflection/sobol.hpp"
#include "reference.hpp"

namespace banzuke::reflection {
namespace {

constexpr std::uint64_t seed = 20240501;

std::vector<BlockSums> run(const Game& game, std::int64_t games, Sampling sampling,
                           std::uint32_t draws, std::uint32_t replicates) {
  const MonteCarlo monte_carlo(game, games, sampling, draws);
  std::vector<BlockSums> sums;
  for (std::uint32_t r = 0; r < replicates; ++r) sums.push_back(monte_carlo.run(seed, 3, r));
  return sums;
}

bool same_bits(const BlockSums& a, const BlockSums& b) {
  using Bits = std::array<std::uint64_t, block_fields>;
  return std::bit_cast<Bits>(a) == std::bit_cast<Bits>(b);
}

/// Distances from the exact values in standard errors.
std::array<double, 4> deviations(const MonteCarloEstimate& got, const Probabilities& exact) {
  const Probabilities& p = got.value;
  return {(p.p_positive - exact.p_positive) / p.error, (p.p_zero - exact.p_zero) / got.error_zero,
          (p.p_half - exact.p_half) / got.error_half,
          (p.p_skill_positive - exact.p_skill_positive) / got.error_skill};
}

double largest(const std::array<double, 4>& z) {
  double most = 0.0;
  for (const double value : z) most = std::max(most, std::abs(value));
  return most;
}

/// 2^20 draws a rule at N = 100 and 5000, 2^18 at the ends. Twelve cases of four values within 4.5
/// standard errors, which an honest sampler leaves with probability 48 * 7e-6 = 3e-4 (standard
/// errors from 64 replicates).
TEST(MonteCarlo, PlainAgreesWithExact) {
  for (const std::string name : {"hn3", "ht4", "hn4"}) {
    const Game game = reduce(reference::named(name));
    for (const std::int64_t n : {5, 100, 5000, 1000000}) {
      const auto exact = compute_point(game, n, Method::exact).value;
      const std::uint32_t draws = n == 100 || n == 5000 ? 16384 : 4096;
      const auto sums = run(game, n, Sampling::plain, draws, 64);
      const auto got = estimate(sums);
      auto z = deviations(got, exact);
      double ties = 0.0;
      double skilled = 0.0;
      for (const BlockSums& block : sums) {
        ties += block.tie;
        skilled += block.skill;
      }
      const double expected = exact.p_zero * skilled;
      if (expected < 100.0) {  // rare: a Poisson count, whose standard error may come out as 0
        const boost::math::poisson law(expected);
        EXPECT_GT(boost::math::cdf(law, ties), 1e-5) << name << " " << n;
        EXPECT_GT(
            boost::math::cdf(boost::math::complement(law, ties)) + boost::math::pdf(law, ties),
            1e-5)
            << name << " " << n;
        z[1] = 0.0;
      }
      EXPECT_LT(largest(z), 4.5) << name << " " << n;
      EXPECT_LT(got.value.error, 2e-3);
    }
  }
}

/// The same draws with alpha 5 % too large: P moves by 9 standard errors.
TEST(MonteCarlo, PlainRejectsAWrongAlpha) {
  const Rule rule = reference::named("hn4");
  const auto exact = compute_point(rule, 1000, Method::exact).value;
  Rule wrong = rule;
  for (double& alpha : wrong.alpha) alpha *= 1.05;
  const auto got = estimate(run(reduce(wrong), 1000, Sampling::plain, 16384, 64));
  EXPECT_GT(std::abs(deviations(got, exact)[0]), 6.0);
}

TEST(MonteCarlo, RaoBlackwellAndSobolAgreeWithExact) {
  const Rule rules[] = {reference::named("hn3"), reference::named("hn4"),
                        reference::with_mean({2, 0.7, 1.5}, {3, 1, 0}),
                        reference::symmetric("five", 8, {5, 2, 0, -1, -6})};
  for (const Rule& rule : rules) {
    const Game game = reduce(rule);
    for (const std::int64_t n : {7, 300}) {
      if (game.outcomes() == 5 && n == 300) continue;
      const auto exact = compute_by_route(
          game, n,
          game.concentration < 6 ? Route::conditional_quadrature : Route::triple_trapezoid);
      ASSERT_EQ(exact.status, PointStatus::ok);
      for (const Sampling sampling : {Sampling::rao_blackwell, Sampling::sobol}) {
        const auto got = estimate(run(game, n, sampling, 1024, 48));
        const auto z = deviations(got, exact.value);
        // Student's t of 47 degrees beyond 4.5 has probability 4e-5.
        EXPECT_LT(std::abs(z[0]), 4.5) << rule.name << " " << n << " " << name_of(sampling);
        EXPECT_LT(std::abs(z[2]), 4.5) << rule.name << " " << n << " " << name_of(sampling);
        EXPECT_LT(std::abs(z[3]), 4.5) << rule.name << " " << n << " " << name_of(sampling);
      }
    }
  }
}

TEST(MonteCarlo, SobolRejectsAWrongAlpha) {
  const auto exact = compute_point(reference::named("hn4"), 300, Method::exact).value;
  Rule wrong = reference::named("hn4");
  for (double& alpha : wrong.alpha) alpha *= 1.02;
  const auto got = estimate(run(reduce(wrong), 300, Sampling::sobol, 1024, 48));
  EXPECT_GT(std::abs(deviations(got, exact)[0]), 6.0);
}

/// At N = 5000 a Sobol draw costs about eight plain ones (tests/bench): 1,000 times less variance
/// at equal cost asks for a factor of 8,000 a draw.
TEST(MonteCarlo, SobolBeatsPlainByFarAtFiveThousandGames) {
  for (const std::string name : {"hn3", "hn4"}) {
    const Game game = reduce(reference::named(name));
    const auto exact = compute_point(game, 5000, Method::exact).value;
    const double plain_variance =
        exact.p_positive * (1.0 - exact.p_positive) / exact.p_skill_positive;
    constexpr std::uint32_t draws = 16384;
    const auto got = estimate(run(game, 5000, Sampling::sobol, draws, 8));
    const double variance = got.value.error * got.value.error * 8.0 * draws;
    EXPECT_GT(plain_variance / variance, 8000.0) << name;
  }
}

TEST(MonteCarlo, EveryCpuPathGivesTheSameBits) {
  const Game games[] = {reduce(reference::named("hn4")),
                        reduce(reference::with_mean({0.5, 3, 0.25}, {3, 1, 0}))};
  for (const Game& game : games) {
    for (const Sampling sampling : all_samplings) {
      const BlockSums expected =
          MonteCarlo(game, 600, sampling, 1024, CpuPath::portable).run(seed, 1, 5);
      for (const CpuPath path : {CpuPath::avx2, CpuPath::avx512}) {
        if (!is_available(path)) continue;
        EXPECT_TRUE(
            same_bits(MonteCarlo(game, 600, sampling, 1024, path).run(seed, 1, 5), expected))
            << name_of(sampling) << " " << name_of(path);
      }
    }
  }
}

TEST(MonteCarlo, AReplicateDependsOnItsAddressAlone) {
  const Game game = reduce(reference::named("hn3"));
  const MonteCarlo monte_carlo(game, 100, Sampling::plain, 256);
  const BlockSums fifth = monte_carlo.run(seed, 2, 5);
  monte_carlo.run(seed, 2, 4);
  EXPECT_TRUE(same_bits(monte_carlo.run(seed, 2, 5), fifth));
  EXPECT_FALSE(same_bits(monte_carlo.run(seed, 2, 6), fifth));
  EXPECT_FALSE(same_bits(monte_carlo.run(seed, 3, 5), fifth));
  EXPECT_FALSE(same_bits(monte_carlo.run(seed + 1, 2, 5), fifth));
}

/// y of two outcomes is beta-binomial: chi-square of the kernel's draws over its cells.
double beta_binomial_p_value(double alpha, double drawn_alpha, double beta, int games,
                             int batches) {
  const double coefficient[] = {1.0, 0.0};
  const double alphas[] = {drawn_alpha, beta};
  double shape[2];
  double scale[2];
  double inverse[2];
  for (int j = 0; j < 2; ++j) {
    shape[j] = (alphas[j] < 1 ? alphas[j] + 1 : alphas[j]) - 1.0 / 3.0;
    scale[j] = 1.0 / std::sqrt(9.0 * shape[j]);
    inverse[j] = alphas[j] < 1 ? 1.0 / alphas[j] : 0.0;
  }
  const DrawRule rule{2, coefficient, shape, scale, inverse, static_cast<double>(games)};
  const std::size_t words = (gamma_words(rule) + 1) / 2 * 2 + multinomial_words(rule);
  std::vector<std::uint64_t> random((words + 1) / 2 * 2 * draws_at_once);
  std::vector<double> gammas(2 * draws_at_once);
  std::vector<double> scores(draws_at_once);
  std::vector<double> counts(static_cast<std::size_t>(games) + 1, 0.0);
  for (int batch = 0; batch < batches; ++batch) {
    const DrawWords source{random.data(),
                           {seed, StreamId::selfcheck, static_cast<std::uint32_t>(games),
                            static_cast<std::uint32_t>(batch), 0}};
    for (std::size_t b = 0; b < (words + 1) / 2; ++b) {
      for (std::size_t l = 0; l < draws_at_once; ++l) {
        StreamAddress address = source.first;
        address.entity = static_cast<std::uint32_t>(l);
        philox_words(address, static_cast<std::uint16_t>(b), &random[(b * draws_at_once + l) * 2]);
      }
    }
    const DrawKernel kernel = draw_kernel_portable();
    kernel.gammas(rule, source, gammas.data());
    kernel.scores(rule, source, gammas.data(), scores.data());
    for (const double y : scores) counts.at(static_cast<std::size_t>(y)) += 1.0;
  }
  const double draws = static_cast<double>(batches) * draws_at_once;
  const auto log_beta = [](double a, double b) {
    return std::lgamma(a) + std::lgamma(b) - std::lgamma(a + b);
  };
  double statistic = 0.0;
  double expected_cell = 0.0;
  double counted_cell = 0.0;
  int cells = 0;
  for (int y = 0; y <= games; ++y) {
    const double log_p = std::lgamma(games + 1.0) - std::lgamma(y + 1.0) -
                         std::lgamma(games - y + 1.0) + log_beta(alpha + y, beta + games - y) -
                         log_beta(alpha, beta);
    expected_cell += draws * std::exp(log_p);
    counted_cell += counts[static_cast<std::size_t>(y)];
    if (expected_cell >= 50.0 && y < games) {
      statistic += (counted_cell - expected_cell) * (counted_cell - expected_cell) / expected_cell;
      expected_cell = counted_cell = 0.0;
      ++cells;
    }
  }
  if (expected_cell > 5.0) {
    statistic += (counted_cell - expected_cell) * (counted_cell - expected_cell) / expected_cell;
    ++cells;
  }
  return boost::math::cdf(boost::math::complement(boost::math::chi_squared(cells - 1), statistic));
}

/// 256,000 draws each; inversion, transformed rejection, both sides of 1/2, alpha below 1. Five
/// honest tests all pass 1e-4 with probability 0.9995.
TEST(MonteCarlo, DrawsFollowTheBetaBinomialLaw) {
  EXPECT_GT(beta_binomial_p_value(30.0, 30.0, 20.0, 12, 4000), 1e-4);
  EXPECT_GT(beta_binomial_p_value(30.0, 30.0, 20.0, 150, 4000), 1e-4);
  EXPECT_GT(beta_binomial_p_value(4.0, 4.0, 90.0, 1000, 4000), 1e-4);
  EXPECT_GT(beta_binomial_p_value(0.4, 0.4, 0.7, 60, 4000), 1e-4);
  EXPECT_GT(beta_binomial_p_value(1500.0, 1500.0, 1500.0, 400, 4000), 1e-4);
}

TEST(MonteCarlo, TheBetaBinomialTestSeesOnePercent) {
  EXPECT_LT(beta_binomial_p_value(30.0, 30.3, 20.0, 150, 4000), 1e-6);
}

TEST(MonteCarlo, DirectionNumbersAreThoseOfJoeAndKuo) {
  boost::random::sobol reference(most_sobol_dimensions);
  std::array<std::uint32_t, most_sobol_dimensions> state{};
  for (std::uint32_t i = 1; i < 2000; ++i) {
    const auto bit = static_cast<std::size_t>(std::countr_zero(i));
    for (std::size_t d = 0; d < state.size(); ++d) state[d] ^= sobol_directions()[d][bit];
    if (i == 1) continue;  // Boost leaves out the origin and counts from the first point
  }
  // Both after 1999 steps of the Gray code.
  std::array<std::uint64_t, most_sobol_dimensions> expected{};
  for (int i = 1; i < 2000; ++i) {
    for (auto& coordinate : expected) coordinate = reference();
  }
  for (std::size_t d = 0; d < state.size(); ++d) {
    EXPECT_EQ(state[d], static_cast<std::uint32_t>(expected[d] >> 32)) << d;
  }
}

TEST(MonteCarlo, ScrambledPointsKeepTheNet) {
  // Every dyadic interval of 2^-8 holds one of the first 256 points, in every coordinate.
  ScrambledSobol sobol(6, seed, 1, 2);
  std::vector<std::vector<int>> hits(6, std::vector<int>(256, 0));
  for (int i = 0; i < 256; ++i) {
    for (std::size_t d = 0; d < 6; ++d) {
      ++hits[d][static_cast<std::size_t>(sobol[d] * 256.0)];
    }
    sobol.next();
  }
  for (const auto& row : hits) {
    EXPECT_EQ(*std::min_element(row.begin(), row.end()), 1);
  }
}

TEST(MonteCarlo, RefusesWhatItCannotDo) {
  const Game game = reduce(reference::named("hn3"));
  EXPECT_THROW(MonteCarlo(game, 100, Sampling::plain, 100), InputError);
  EXPECT_THROW(MonteCarlo(game, 100, Sampling::sobol, 192), InputError);
  EXPECT_THROW(MonteCarlo(game, 0, Sampling::plain, 64), InputError);
  const Game fine = reduce(reference::symmetric("fine", 30, {30, 1, -31}));
  EXPECT_THROW(MonteCarlo(fine, 1'000'000'000, Sampling::sobol, 64), InputError);
  const Game irrational = reduce(reference::symmetric("irrational", 30, {1, std::sqrt(2.0), -3}));
  EXPECT_THROW(MonteCarlo(irrational, 100, Sampling::rao_blackwell, 64), InputError);
  EXPECT_NO_THROW(MonteCarlo(irrational, 100, Sampling::plain, 64));
  EXPECT_TRUE(std::isinf(estimate(run(game, 100, Sampling::plain, 64, 1)).value.error));
  for (const Sampling sampling : all_samplings) {
    EXPECT_EQ(sampling_of(name_of(sampling)), sampling);
  }
}

}  // namespace
}  // namespace banzuke::reflection
