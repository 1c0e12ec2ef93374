#include "engine/models/dirichlet_multinomial/symmetric_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "alpha_support.hpp"
#include "engine/models/dirichlet_multinomial/likelihood.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

using testing::Counts;

SymmetricFit fit(int ranks, const Counts& counts, double confidence = 0.95) {
  return fit_symmetric(compress(ranks, counts), {confidence});
}

/// The likelihood as it is defined, player by player, without multinomial coefficients.
long double naive(int ranks, const Counts& counts, long double alpha) {
  const auto k = static_cast<std::size_t>(ranks);
  long double sum = 0;
  for (std::size_t i = 0; i < counts.size(); i += k) {
    long double games = 0;
    for (std::size_t j = 0; j < k; ++j) {
      const long double y = counts[i + j];
      sum += std::lgamma(alpha + y) - std::lgamma(alpha);
      games += y;
    }
    sum += std::lgamma(ranks * alpha) - std::lgamma(ranks * alpha + games);
  }
  return sum;
}

/// Where the naive likelihood crosses `level` between alphas `inside` and `outside`.
double naive_crossing(int ranks, const Counts& counts, long double level, long double inside,
                      long double outside) {
  for (int i = 0; i < 80; ++i) {
    const long double middle = std::sqrt(inside * outside);
    (naive(ranks, counts, middle) >= level ? inside : outside) = middle;
  }
  return static_cast<double>(inside);
}

constexpr double drop = 1.9207294103470620;  // half the 95 % quantile of chi-squared, 1 degree

const Counts top10{1277, 1168, 1143, 969, 648, 576, 531, 475, 554,  532,  502,  416, 2141, 1827,
                   1873, 1651, 868,  943, 949, 706, 436, 390, 373,  317,  438,  411, 411,  324,
                   679,  720,  652,  552, 230, 244, 216, 167, 1565, 1438, 1383, 1254};

TEST(SymmetricFit, AgreesWithReferenceValues) {
  const std::map<std::string, Verdict> verdicts{{"under_infinite", Verdict::infinite},
                                                {"degenerate_zero", Verdict::zero},
                                                {"ones_only_flat", Verdict::flat}};
  const auto rows = testing::reference("alpha_fit_reference.csv");
  ASSERT_EQ(rows.size(), 8u);
  for (const auto& row : rows) {
    SCOPED_TRACE(row[0]);
    const int k = std::stoi(row[1]);
    std::string text = row[2];
    std::replace(text.begin(), text.end(), ';', ' ');
    std::stringstream numbers(text);
    Counts counts;
    for (std::uint32_t y = 0; numbers >> y;) counts.push_back(y);
    const SymmetricFit found = fit(k, counts);
    EXPECT_NEAR(found.overdispersion / k, std::stod(row[3]), 1e-9);
    const double at_infinity = std::stod(row[6]);
    EXPECT_NEAR(found.log_likelihood_at_infinity, at_infinity, 1e-13 * std::abs(at_infinity));
    const auto expected = verdicts.find(row[0]);
    EXPECT_EQ(found.verdict, expected == verdicts.end() ? Verdict::finite : expected->second);
    if (row[4].empty()) continue;
    EXPECT_NEAR(found.alpha / std::stod(row[4]), 1, 1e-12);
    EXPECT_NEAR(found.log_likelihood / std::stod(row[5]), 1, 1e-14);
    EXPECT_NEAR(found.standard_error_log_alpha / std::stod(row[7]), 1, 1e-11);
  }
}

TEST(SymmetricFit, AgreesWithALeaguesCareers) {
  const std::filesystem::path path =
      std::filesystem::path(BANZUKE_SHARED) / "data" / "ranks" / "mleague_career.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  Counts counts;
  for (const auto& player : nlohmann::json::parse(testing::content(path))) {
    for (const auto& y : player) counts.push_back(y.get<std::uint32_t>());
  }
  const SymmetricFit found = fit(4, counts);
  EXPECT_EQ(found.players, 47);
  EXPECT_NEAR(found.alpha / 133.58735591589717, 1, 1e-12);  // 20 digits, by root of the digammas
  EXPECT_NEAR(found.standard_error_log_alpha, 0.673284, 5e-7);
}

TEST(SymmetricFit, ScoreIsTheDerivativeOfTheLikelihood) {
  const TailCounts counts = compress(4, top10);
  for (const double alpha : {0.01, 1.0, 75.0, 1e5}) {
    // dL/dalpha = Σ ψ(alpha+y) - ψ(alpha) + ψ(k alpha) - ψ(k alpha+N) per player, in 18 digits.
    using boost::math::digamma;
    long double slope = 0;
    const long double a = alpha;
    for (std::size_t i = 0; i < top10.size(); i += 4) {
      long double games = 0;
      for (std::size_t j = 0; j < 4; ++j) {
        slope += digamma(a + top10[i + j]) - digamma(a);
        games += top10[i + j];
      }
      slope += 4 * (digamma(4 * a) - digamma(4 * a + games));
    }
    const Score at = score(counts, alpha);
    EXPECT_NEAR(at.first, static_cast<double>(a * slope), 1e-9 + 1e-11 * std::abs(at.first));
    const double h = 1e-4;
    const Score up = score(counts, alpha * std::exp(h)), down = score(counts, alpha * std::exp(-h));
    EXPECT_NEAR(at.second, (up.first - down.first) / (2 * h), 1e-6 * (1 + std::abs(at.second)));
    EXPECT_NEAR(at.third, (up.second - down.second) / (2 * h), 1e-6 * (1 + std::abs(at.third)));
    EXPECT_NEAR(log_likelihood_excess(counts, alpha) + log_likelihood_at_infinity(counts),
                static_cast<double>(naive(4, top10, a)), 1e-8);
  }
}

TEST(SymmetricFit, IntervalsAgreeWithBruteForce) {
  const SymmetricFit found = fit(4, top10);
  const long double level = naive(4, top10, found.alpha) - drop;
  EXPECT_NEAR(found.profile.lower / naive_crossing(4, top10, level, found.alpha, 1), 1, 1e-9);
  EXPECT_NEAR(found.profile.upper / naive_crossing(4, top10, level, found.alpha, 1e4), 1, 1e-9);
  const double z = 1.9599639845400545, se = found.standard_error_log_alpha;
  EXPECT_NEAR(found.wald.lower / (found.alpha * std::exp(-z * se)), 1, 1e-13);
  EXPECT_NEAR(found.wald.upper / (found.alpha * std::exp(z * se)), 1, 1e-13);

  const SymmetricFit half = fit(4, top10, 0.5);
  const long double half_level = naive(4, top10, half.alpha) - 0.5L * 0.45493642311957283L;
  EXPECT_NEAR(half.profile.lower / naive_crossing(4, top10, half_level, half.alpha, 1), 1, 1e-9);
  EXPECT_NEAR(half.profile.upper / naive_crossing(4, top10, half_level, half.alpha, 1e4), 1, 1e-9);
}

TEST(SymmetricFit, NarrowIntervalsAgreeWithBruteForce) {
  // Many copies of the same careers: the interval shrinks to where the score is integrated.
  Counts many;
  for (int i = 0; i < 400; ++i) many.insert(many.end(), top10.begin(), top10.end());
  const SymmetricFit found = fit(4, many);
  const long double level = naive(4, top10, found.alpha) - drop / 400;
  EXPECT_NEAR(found.alpha / fit(4, top10).alpha, 1, 1e-11);
  EXPECT_NEAR(found.profile.lower / naive_crossing(4, top10, level, found.alpha, 1), 1, 1e-9);
  EXPECT_NEAR(found.profile.upper / naive_crossing(4, top10, level, found.alpha, 1e4), 1, 1e-9);
}

TEST(SymmetricFit, OneSidedIntervals) {
  // No more varied than chance: from below only, by L(alpha) = L(∞) - drop.
  const Counts even{10, 10, 10, 10, 25, 25, 24, 26, 7, 8, 7, 8};
  const SymmetricFit infinite = fit(4, even);
  EXPECT_EQ(infinite.alpha, std::numeric_limits<double>::infinity());
  EXPECT_EQ(infinite.profile.upper, std::numeric_limits<double>::infinity());
  const long double level = -130 * std::log(4.0L) - drop - 40 * std::log(4.0L);
  EXPECT_NEAR(infinite.profile.lower / naive_crossing(4, even, level, 1e4, 0.1), 1, 1e-9);
  EXPECT_TRUE(std::isnan(infinite.standard_error_log_alpha));
  EXPECT_TRUE(std::isnan(infinite.wald.lower));

  // A maximum so low that infinity stays inside.
  const Counts weak{3, 1, 0, 0, 4, 2, 5, 5, 5, 1, 0, 0, 0, 0, 0, 10, 2, 3, 2, 9, 4};
  const SymmetricFit open = fit(3, weak);
  EXPECT_EQ(open.verdict, Verdict::finite);
  EXPECT_EQ(open.profile.upper, std::numeric_limits<double>::infinity());
  EXPECT_GT(open.profile.lower, 0);

  // Always in one rank: from above only.
  const Counts fixed{5, 0, 0, 0, 7, 0, 0, 0, 2};
  const SymmetricFit zero = fit(3, fixed);
  EXPECT_EQ(zero.alpha, 0);
  EXPECT_EQ(zero.profile.lower, 0);
  EXPECT_NEAR(zero.log_likelihood, -3 * std::log(3.0), 1e-14);
  EXPECT_NEAR(zero.profile.upper / naive_crossing(3, fixed, -3 * std::log(3.0L) - drop, 1e-3, 10),
              1, 1e-9);
}

TEST(SymmetricFit, DegenerateDataHaveTheirVerdicts) {
  EXPECT_EQ(fit(4, {}).verdict, Verdict::flat);
  EXPECT_EQ(fit(4, {0, 0, 0, 0}).verdict, Verdict::flat);
  EXPECT_EQ(fit(4, {0, 1, 0, 0}).verdict, Verdict::flat);
  EXPECT_EQ(fit(4, {0, 2, 0, 0}).verdict, Verdict::zero);
  EXPECT_EQ(fit(4, {0, 1, 1, 0}).verdict, Verdict::infinite);
  EXPECT_EQ(fit(2, {3, 1}).verdict, Verdict::infinite);  // A2 = 0, and the next order rises
  EXPECT_EQ(fit(2, {4, 0, 1, 1}).verdict, Verdict::finite);
  // Players with no or one game change nothing.
  Counts more = top10;
  more.insert(more.end(), {0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0});
  EXPECT_NEAR(fit(4, more).alpha / fit(4, top10).alpha, 1, 1e-12);
  for (const Counts& counts : {Counts{}, Counts{0, 2, 0, 0}, Counts{0, 1, 1, 0}, top10}) {
    EXPECT_FALSE(sentence(fit(4, counts)).empty());
  }
  EXPECT_NE(sentence(fit(4, {40, 20, 25, 15})).find("one player"), std::string::npos);
}

/// Local maxima of the naive likelihood on a fine grid of log alpha, with a last one at the end of
/// the grid where it rises there.
std::vector<double> naive_maxima(int ranks, const Counts& counts) {
  std::vector<double> maxima;
  long double before = -INFINITY, at = -INFINITY;
  const double step = 0.01;
  double t = std::log(1e-3);
  for (; t < std::log(1e5); t += step) {
    const long double next = naive(ranks, counts, std::exp(t));
    if (at > before && at >= next) maxima.push_back(std::exp(t - step));
    before = at;
    at = next;
  }
  return maxima;
}

TEST(SymmetricFit, TwoFiniteMaximaAreBothShown) {
  const Counts counts{6, 0, 0, 8, 520, 480, 520, 480};
  const SymmetricFit found = fit(4, counts);
  const std::vector<double> maxima = naive_maxima(4, counts);
  ASSERT_EQ(maxima.size(), 2u);
  EXPECT_EQ(found.verdict, Verdict::bimodal);
  EXPECT_NEAR(std::log(found.second_alpha / maxima[0]), 0, 0.01);
  EXPECT_NEAR(std::log(found.alpha / maxima[1]), 0, 0.01);
  EXPECT_NEAR(found.log_likelihood, static_cast<double>(naive(4, counts, found.alpha)), 1e-8);
  EXPECT_NEAR(found.second_log_likelihood,
              static_cast<double>(naive(4, counts, found.second_alpha)), 1e-8);
  EXPECT_GT(found.log_likelihood, found.second_log_likelihood);
  EXPECT_NE(sentence(found).find("two maxima"), std::string::npos);
}

TEST(SymmetricFit, TheHullOfTwoPiecesIsTheInterval) {
  // The lower maximum is 1.68 below the higher one: both pieces of {L ≥ max - 1.92} count.
  const Counts counts{6, 0, 0, 10, 520, 480, 520, 480};
  const SymmetricFit found = fit(4, counts);
  ASSERT_EQ(found.verdict, Verdict::bimodal);
  const long double level = naive(4, counts, found.alpha) - drop;
  EXPECT_NEAR(found.profile.lower / naive_crossing(4, counts, level, found.second_alpha, 0.01), 1,
              1e-7);
}

TEST(SymmetricFit, InfinityTakesPartInTheComparison) {
  // An interior maximum 5 above L(∞) is the answer although A2 < 0 …
  const SymmetricFit interior = fit(4, {8, 0, 0, 17, 141, 141, 141, 141});
  EXPECT_LT(interior.overdispersion, 0);
  EXPECT_EQ(interior.verdict, Verdict::finite);
  EXPECT_EQ(interior.second_alpha, std::numeric_limits<double>::infinity());
  // … one within the drop of it competes …
  const SymmetricFit close = fit(4, {6, 0, 0, 8, 50, 50, 50, 50});
  EXPECT_EQ(close.verdict, Verdict::bimodal);
  EXPECT_EQ(close.alpha, std::numeric_limits<double>::infinity());
  EXPECT_NEAR(close.second_alpha, 2.08818, 1e-5);
  // … and one far below does not.
  const SymmetricFit far = fit(4, {8, 0, 0, 17, 141, 141, 141, 141, 141, 141, 141, 141});
  EXPECT_EQ(far.verdict, Verdict::infinite);
  EXPECT_LT(far.second_alpha, 10);
}

TEST(SymmetricFit, EveryMaximumOfManySmallSetsIsFound) {
  std::uint32_t state = 1;
  const auto draw = [&](std::uint32_t below) {
    state = state * 1664525u + 1013904223u;
    return (state >> 16) % below;
  };
  int finite = 0;
  for (int i = 0; i < 60; ++i) {
    const int k = 3 + i % 2;
    Counts counts;
    const std::uint32_t players = 1 + draw(4);
    for (std::uint32_t p = 0; p < players * static_cast<std::uint32_t>(k); ++p) {
      counts.push_back(draw(2) == 0 ? draw(4) : draw(60));
    }
    const SymmetricFit found = fit(k, counts);
    const std::vector<double> maxima = naive_maxima(k, counts);
    if (maxima.empty()) {
      EXPECT_TRUE(found.verdict == Verdict::infinite) << i;
      continue;
    }
    ++finite;
    double best = maxima[0];
    for (const double alpha : maxima) {
      if (naive(k, counts, alpha) > naive(k, counts, best)) best = alpha;
    }
    if (std::isfinite(found.alpha)) {
      EXPECT_NEAR(std::log(found.alpha / best), 0, 0.011) << i;
    } else {
      EXPECT_NEAR(std::log(found.second_alpha / best), 0, 0.011) << i;
    }
  }
  EXPECT_GT(finite, 30);
}

TEST(SymmetricFit, WrongArgumentsAreRefused) {
  EXPECT_THROW(compress(1, Counts{1, 2}), std::invalid_argument);
  EXPECT_THROW(compress(3, Counts{1, 2}), std::invalid_argument);
  EXPECT_THROW(compress(2, Counts{max_games_of_a_player, 1}), std::length_error);
  EXPECT_THROW(fit(4, top10, 1.0), std::invalid_argument);
  EXPECT_THROW(fit(4, top10, 0.0), std::invalid_argument);
}

}  // namespace
}  // namespace banzuke::dirichlet_multinomial
