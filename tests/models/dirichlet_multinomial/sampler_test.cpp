#include <gtest/gtest.h>

#include <boost/math/distributions/chi_squared.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/gamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <functional>
#include <map>
#include <numeric>

#include "alpha_support.hpp"
#include "engine/base/normal_quantile.hpp"
#include "engine/models/dirichlet_multinomial/career_sampler.hpp"
#include "engine/models/dirichlet_multinomial/games_per_player.hpp"
#include "engine/models/dirichlet_multinomial/gamma_functions.hpp"
#include "engine/models/dirichlet_multinomial/normal_ziggurat.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

using testing::Counts;

StreamAddress address(std::uint32_t replicate, std::uint32_t player = 0) {
  return {2024, StreamId::dirichlet_multinomial_counts, 3, replicate, player};
}

/// log of the Dirichlet-multinomial probability with concentrations `alpha`.
double log_probability(const std::vector<double>& alpha, const Counts& y) {
  double sum = 0, games = 0, result = 0;
  for (std::size_t j = 0; j < y.size(); ++j) {
    result += std::lgamma(alpha[j] + y[j]) - std::lgamma(alpha[j]) - std::lgamma(y[j] + 1.0);
    sum += alpha[j];
    games += y[j];
  }
  return result + std::lgamma(sum) - std::lgamma(sum + games) + std::lgamma(games + 1);
}

/// p-value of Pearson's chi-squared; cells with expectation below 10 are pooled.
double p_value(const std::map<Counts, double>& observed, const std::map<Counts, double>& law,
               double draws) {
  double statistic = 0, pooled_observed = 0, pooled_expected = 0;
  int cells = 0;
  for (const auto& [cell, probability] : law) {
    const auto found = observed.find(cell);
    const double count = found == observed.end() ? 0.0 : found->second;
    const double expected = probability * draws;
    if (expected < 10) {
      pooled_observed += count;
      pooled_expected += expected;
      continue;
    }
    statistic += (count - expected) * (count - expected) / expected;
    ++cells;
  }
  if (pooled_expected > 1) {
    statistic +=
        (pooled_observed - pooled_expected) * (pooled_observed - pooled_expected) / pooled_expected;
    ++cells;
  }
  return boost::math::cdf(complement(boost::math::chi_squared(cells - 1), statistic));
}

std::map<Counts, double> drawn(int k, double alpha, std::uint32_t games, std::size_t players,
                               const std::function<Counts(std::span<const std::uint32_t>)>& cell) {
  const CareerSampler sampler(k, alpha, games);
  const Counts of_players(players, games);
  Counts out(players * static_cast<std::size_t>(k));
  sampler.draw(address(1), of_players, out);
  std::map<Counts, double> observed;
  for (std::size_t i = 0; i < out.size(); i += static_cast<std::size_t>(k)) {
    observed[cell(std::span(out).subspan(i, static_cast<std::size_t>(k)))] += 1;
  }
  return observed;
}

/// The law of whole careers, by enumeration.
std::map<Counts, double> enumerated(int k, double alpha, std::uint32_t games) {
  std::map<Counts, double> law;
  const std::vector<double> alphas(static_cast<std::size_t>(k), alpha);
  Counts y(static_cast<std::size_t>(k), 0);
  const std::function<void(std::size_t, std::uint32_t)> fill = [&](std::size_t j,
                                                                   std::uint32_t left) {
    if (j + 1 == y.size()) {
      y[j] = left;
      law[y] = std::exp(log_probability(alphas, y));
      return;
    }
    for (std::uint32_t n = 0; n <= left; ++n) {
      y[j] = n;
      fill(j + 1, left - n);
    }
  };
  fill(0, games);
  return law;
}

TEST(CareerSampler, DrawsTheLawOfWholeCareers) {
  const auto whole = [](std::span<const std::uint32_t> y) { return Counts(y.begin(), y.end()); };
  struct Case {
    int k;
    double alpha, wrong;
    std::uint32_t games;
  };
  // Inverted (few games; small alpha) and rejected (12 games and more) splits, k = 2 … 5.
  for (const Case& c : {Case{4, 2.0, 2.1, 6}, Case{3, 0.4, 0.41, 14}, Case{3, 5.0, 5.3, 14},
                        Case{4, 3.0, 3.2, 13}, Case{5, 1.5, 1.6, 7}, Case{2, 20.0, 22.0, 40}}) {
    SCOPED_TRACE(c.k);
    const std::size_t players = 400000;
    const auto observed = drawn(c.k, c.alpha, c.games, players, whole);
    const auto law = enumerated(c.k, c.alpha, c.games);
    const double sum = std::accumulate(law.begin(), law.end(), 0.0,
                                       [](double s, const auto& cell) { return s + cell.second; });
    EXPECT_NEAR(sum, 1, 1e-10);
    const auto n = static_cast<double>(players);
    EXPECT_GT(p_value(observed, law, n), 1e-4);
    EXPECT_LT(p_value(observed, enumerated(c.k, c.wrong, c.games), n), 1e-6);  // 3 to 10 % off
  }
}

TEST(CareerSampler, DrawsTheLawOfOneRankInLongCareers) {
  // One rank of k is beta-binomial with (alpha, (k-1) alpha).
  struct Case {
    int k;
    std::size_t rank;
    double alpha;
    std::uint32_t games;
  };
  for (const Case& c : {Case{3, 0, 72.4, 300}, Case{3, 2, 1.3, 500}, Case{4, 1, 51.0, 250},
                        Case{4, 3, 194.5, 1200}, Case{7, 5, 30.0, 400}, Case{3, 1, 1e9, 90}}) {
    SCOPED_TRACE(c.k);
    const std::size_t players = 300000;
    const auto observed =
        drawn(c.k, c.alpha, c.games, players,
              [&](std::span<const std::uint32_t> y) { return Counts{y[c.rank]}; });
    const auto law = [&](double alpha) {
      std::map<Counts, double> out;
      for (std::uint32_t y = 0; y <= c.games; ++y) {
        // Beyond 10^6 lgamma cancels: the product of the urn, term by term.
        double log_p =
            std::lgamma(c.games + 1.0) - std::lgamma(y + 1.0) - std::lgamma(c.games - y + 1.0);
        for (std::uint32_t m = 0; m < y; ++m) log_p += std::log((alpha + m) / (c.k * alpha + m));
        for (std::uint32_t m = 0; m < c.games - y; ++m) {
          log_p += std::log(((c.k - 1) * alpha + m) / (c.k * alpha + y + m));
        }
        out[{y}] = std::exp(log_p);
      }
      return out;
    };
    EXPECT_GT(p_value(observed, law(c.alpha), static_cast<double>(players)), 1e-4);
    // 10 % off; where that changes nothing, the law is the binomial, and its spread stands out.
    const double wrong = c.alpha < 1e6 ? c.alpha * 1.1 : 1e3;
    EXPECT_LT(p_value(observed, law(wrong), static_cast<double>(players)), 1e-6);
  }
}

TEST(CareerSampler, ACareerDependsOnItsAddressAlone) {
  const CareerSampler sampler(4, 51, 3000);
  Counts games;
  for (std::uint32_t i = 0; i < 500; ++i) games.push_back(i * i % 2999u);
  Counts whole(2000), alone(4);
  sampler.draw(address(7), games, whole);
  for (const std::uint32_t player : {499u, 0u, 250u, 251u}) {
    sampler.draw(address(7, player), {&games[player], 1}, alone);
    for (std::size_t j = 0; j < 4; ++j) EXPECT_EQ(alone[j], whole[4 * player + j]);
    EXPECT_EQ(alone[0] + alone[1] + alone[2] + alone[3], games[player]);
  }
  // Tables for longer careers change nothing.
  Counts other(2000);
  CareerSampler(4, 51, 8000).draw(address(7), games, other);
  EXPECT_EQ(other, whole);
  sampler.draw(address(8), games, other);
  EXPECT_NE(other, whole);
}

TEST(CareerSampler, UsesTheBlocksOfThePublishedAddress) {
  // With two games in two ranks the law is inverted, by one uniform of block 0.
  const double alpha = 0.7;
  const CareerSampler sampler(2, alpha, 2);
  const double none = (alpha + 1) / (2 * (2 * alpha + 1));  // P(0, 2) = P(2, 0)
  const Counts games(200, 2);
  Counts out(400);
  sampler.draw(address(5), games, out);
  for (std::uint32_t player = 0; player < 200; ++player) {
    const double u = Stream(address(5, player)).uniform();
    EXPECT_EQ(out[2 * player], u <= none ? 0u : u <= 1 - none ? 1u : 2u);
  }
}

TEST(CareerSampler, BitsAreFixed) {
  // Guards the promise that a stream's numbers never change: a new sampler needs a new stream id.
  const CareerSampler four(4, 194.5, 8000), three(3, 72.4, 8000);
  const Counts games{1, 11, 300, 8000};
  Counts a(16), b(12);
  four.draw(address(0), games, a);
  three.draw(address(0), games, b);
  EXPECT_EQ(a, (Counts{0, 0, 0, 1, 4, 2, 2, 3, 62, 72, 83, 83, 1904, 2195, 1969, 1932}));
  EXPECT_EQ(b, (Counts{0, 0, 1, 4, 4, 3, 79, 102, 119, 2840, 2289, 2871}));
}

TEST(CareerSampler, WrongArgumentsAreRefused) {
  EXPECT_THROW(CareerSampler(1, 2.0, 10), std::invalid_argument);
  EXPECT_THROW(CareerSampler(65, 2.0, 10), std::invalid_argument);
  EXPECT_THROW(CareerSampler(3, 0.0, 10), std::invalid_argument);
  EXPECT_THROW(CareerSampler(3, INFINITY, 10), std::invalid_argument);
}

TEST(NormalZiggurat, IsNormal) {
  const NormalZiggurat ziggurat;
  // Cells of equal probability, and the tails beyond 3.7 apart.
  std::map<Counts, double> observed, law, wrong;
  constexpr std::uint32_t cells = 100;
  for (std::uint32_t c = 0; c < cells; ++c) law[{c}] = 1.0 / cells;
  double successes = 0, beyond = 0;
  const double attempts = 1000000;
  for (std::uint32_t i = 0; i < 1000000; ++i) {
    const auto block = philox_block({9, StreamId::selfcheck, 0, 0, i}, 0);
    double z = 0;
    const std::uint64_t bits = static_cast<std::uint64_t>(block[1]) << 32 | block[0];
    if (!ziggurat.attempt(bits, block[2], z)) continue;
    successes += 1;
    const double p = 0.5 * std::erfc(-z / std::sqrt(2.0));
    observed[{std::min(cells - 1, static_cast<std::uint32_t>(p * cells))}] += 1;
    beyond += std::abs(z) > 3.7 ? 1 : 0;
  }
  EXPECT_GT(p_value(observed, law, successes), 1e-4);
  for (std::uint32_t c = 0; c < cells; ++c) wrong[{c}] = 1.0 / cells * (c < 50 ? 1.015 : 0.985);
  EXPECT_LT(p_value(observed, wrong, successes), 1e-6);
  const double expected = successes * std::erfc(3.7 / std::sqrt(2.0));
  EXPECT_NEAR(beyond, expected, 4 * std::sqrt(expected));
  // Area under the density over that of the 256 layers.
  const double rate = std::sqrt(std::acos(-1.0) / 2) / (256 * 0.00492867323397465534736);
  EXPECT_NEAR(successes / attempts, rate, 4 * std::sqrt(rate * (1 - rate) / attempts));
}

TEST(GammaFunctions, AgreeWithBoost) {
  for (double x = 0.013; x < 5e6; x *= 1.37) {
    EXPECT_NEAR(log_gamma(x), boost::math::lgamma(x), 2e-14 * (1 + std::abs(std::lgamma(x)))) << x;
    EXPECT_NEAR(digamma(x), boost::math::digamma(x), 2e-14 * (1 + std::abs(digamma(x)))) << x;
    EXPECT_NEAR(trigamma(x) / boost::math::trigamma(x), 1, 2e-14) << x;
    // ψ'(x) - ψ'(x+h) by its own derivative at the middle.
    const double h = 1e-3 * x;
    const double slope = (boost::math::trigamma(x + h) - boost::math::trigamma(x - h)) / (2 * h);
    EXPECT_NEAR(tetragamma(x) / slope, 1, 1e-5) << x;
  }
  for (double x = 0.02; x < 1e4; x *= 1.9) {
    for (const double f : {0.0, 0.25, 0.5, 1.0}) {
      const double exact = boost::math::lgamma(x + f) - boost::math::lgamma(x);
      EXPECT_NEAR(log_gamma_step(x, f), exact, 1e-11) << x << " " << f;
    }
    EXPECT_NEAR(log_gamma_step(x, 1), std::log(x), 3e-15 * (1 + std::abs(std::log(x)))) << x;
  }
  EXPECT_NEAR(log_gamma_step(1e12, 0.5), 0.5 * std::log(1e12), 1e-12);
  // ψ''(1) = -2 ζ(3), ψ''(1/2) = -14 ζ(3).
  constexpr double zeta3 = 1.2020569031595942854;
  EXPECT_NEAR(tetragamma(1) / (-2 * zeta3), 1, 1e-14);
  EXPECT_NEAR(tetragamma(0.5) / (-14 * zeta3), 1, 1e-14);
}

TEST(NormalQuantile, InvertsTheNormalLaw) {
  EXPECT_NEAR(normal_quantile(0.975), 1.9599639845400542355, 1e-15);
  EXPECT_EQ(normal_quantile(0.5), 0);
  for (double p = 1e-300; p < 0.5; p = p < 0.01 ? p * 37 : p + 0.01) {
    const double z = normal_quantile(p);
    EXPECT_NEAR(0.5 * std::erfc(-z / std::sqrt(2.0)) / p, 1, 1e-12 * (1 + z * z)) << p;
    if (p > 1e-10) {
      EXPECT_NEAR(normal_quantile(1 - p), -z, 1e-16 / p);
    }
  }
  EXPECT_EQ(normal_quantile(0), -INFINITY);
  EXPECT_EQ(normal_quantile(1), INFINITY);
}

TEST(GamesPerPlayer, LognormalGamesHaveTheirLaw) {
  const LognormalGames law{150, 1.1, 8000};
  Counts games(200000);
  draw_games(law, {5, StreamId::games_per_player, 0, 0, 0}, games);
  // Mean of exp(N(log 150, 1.1²)) capped at 8,000: 274.254, standard deviation 409.34 (20 digits
  // by quadrature); rounding to the nearest and the least of 1 move it by less than 0.01.
  const double mean =
      std::accumulate(games.begin(), games.end(), 0.0) / static_cast<double>(games.size());
  EXPECT_NEAR(mean, 274.254, 4 * 409.34 / std::sqrt(200000.0));
  std::map<Counts, double> observed, expected, wrong;
  const auto probability = [](double x, double median) {  // P(games ≤ x)
    return 0.5 * std::erfc(-std::log((x + 0.5) / median) / 1.1 / std::sqrt(2.0));
  };
  const std::vector<double> edges{0, 5, 20, 50, 100, 150, 200, 300, 500, 1000, 3000, 7999, 1e9};
  for (std::size_t e = 0; e + 1 < edges.size(); ++e) {
    const Counts cell{static_cast<std::uint32_t>(e)};
    const auto between = [&](double median) {
      return probability(edges[e + 1], median) - (e == 0 ? 0.0 : probability(edges[e], median));
    };
    expected[cell] = between(150);
    wrong[cell] = between(153);
    for (const std::uint32_t n : games) observed[cell] += n > edges[e] && n <= edges[e + 1] ? 1 : 0;
  }
  EXPECT_GT(p_value(observed, expected, 200000), 1e-4);
  EXPECT_LT(p_value(observed, wrong, 200000), 1e-6);
  EXPECT_EQ(*std::max_element(games.begin(), games.end()), 8000u);
  EXPECT_GE(*std::min_element(games.begin(), games.end()), 1u);
}

TEST(GamesPerPlayer, RoundsToTheNearestAndDependsOnTheAddressAlone) {
  const LognormalGames law{300, 1.1, 8000};
  const StreamAddress from{5, StreamId::games_per_player, 2, 0, 40};
  Counts games(50);
  draw_games(law, from, games);
  for (std::uint32_t i = 0; i < games.size(); ++i) {
    StreamAddress at = from;
    at.entity += i;
    const double z = normal_quantile(Stream(at).uniform());
    EXPECT_EQ(games[i], std::clamp(std::floor(300 * std::exp(1.1 * z) + 0.5), 1.0, 8000.0));
  }
}

TEST(GamesPerPlayer, OtherKinds) {
  const StreamAddress from{5, StreamId::games_per_player, 2, 0, 0};
  Counts games(5);
  draw_games(FixedGames{30}, from, games);
  EXPECT_EQ(games, (Counts{30, 30, 30, 30, 30}));
  draw_games(ListedGames{{1, 2, 3}}, from, games);
  EXPECT_EQ(games, (Counts{1, 2, 3, 1, 2}));
  Counts many(90000);
  draw_games(ResampledGames{{7, 8, 9}}, from, many);
  for (const std::uint32_t n : {7u, 8u, 9u}) {
    const auto count = static_cast<double>(std::count(many.begin(), many.end(), n));
    EXPECT_NEAR(count, 30000, 4 * std::sqrt(20000.0));
  }
  EXPECT_EQ(largest(ListedGames{{1, 9, 3}}), 9u);
  EXPECT_EQ(largest(LognormalGames{150, 1.1, 8000}), 8000u);
  EXPECT_THROW(check(ListedGames{}), std::invalid_argument);
  EXPECT_THROW(check(ResampledGames{}), std::invalid_argument);
  EXPECT_THROW(check(LognormalGames{0.5, 1, 10}), std::invalid_argument);
  EXPECT_THROW(check(LognormalGames{10, -1, 10}), std::invalid_argument);
  EXPECT_THROW(check(LognormalGames{10, 1, 0}), std::invalid_argument);
  EXPECT_THROW(check(FixedGames{5000000}), std::invalid_argument);
}

}  // namespace
}  // namespace banzuke::dirichlet_multinomial
