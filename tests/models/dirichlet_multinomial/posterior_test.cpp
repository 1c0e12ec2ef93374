#include "engine/models/dirichlet_multinomial/posterior.hpp"

#include <gtest/gtest.h>

#include <array>
#include <boost/math/distributions/beta.hpp>
#include <cmath>

#include "alpha_support.hpp"
#include "engine/models/dirichlet_multinomial/discrete_prior.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

using testing::Counts;

TEST(Posterior, MomentsOfRanks) {
  const DirichletPosterior posterior(2.0, Counts{4, 0, 1});
  EXPECT_EQ(posterior.concentration(), (std::vector<double>{6, 2, 3}));
  EXPECT_NEAR(posterior.mean()[0], 6.0 / 11, 1e-15);
  EXPECT_NEAR(posterior.standard_deviation()[1], std::sqrt(2 * 9.0 / (121 * 12)), 1e-15);
  EXPECT_EQ(DirichletPosterior(std::vector<double>{1, 2}, Counts{3, 4}).concentration(),
            (std::vector<double>{4, 6}));
}

TEST(Posterior, QuantilesOfOneRankAreThoseOfABetaLaw) {
  for (const double alpha : {0.05, 0.5, 3.0, 200.0}) {
    for (const Counts& counts : {Counts{0, 0, 0, 0}, Counts{1, 0, 0, 3}, Counts{400, 300, 500, 2},
                                 Counts{9000, 8000, 9500, 9100}}) {
      const DirichletPosterior posterior(alpha, counts);
      const std::vector<double>& beta = posterior.concentration();
      const boost::math::beta_distribution<double> law(beta[0], beta[1] + beta[2] + beta[3]);
      for (const double p : {0.025, 0.5, 0.9}) {
        const double exact = quantile(law, p);
        EXPECT_NEAR(posterior.probability_at_most({{1, 0, 0, 0}}, exact), p, 1e-8)
            << alpha << " " << counts[0];
        if (exact > 1e-3) {
          EXPECT_NEAR(posterior.quantile({{1, 0, 0, 0}}, p), exact, 1e-7) << alpha;
        }
      }
    }
  }
}

TEST(Posterior, QuantilesOfARatioAreThoseOfABetaPrimeLaw) {
  // x1/x3 ≤ q exactly when x1/(x1+x3) ≤ q/(1+q), a beta law.
  const DirichletPosterior posterior(5.0, Counts{30, 12, 20});
  const boost::math::beta_distribution<double> law(35, 25);
  for (const double p : {0.01, 0.3, 0.975}) {
    const double b = quantile(law, p);
    EXPECT_NEAR(posterior.quantile({{1, 0, 0}, {0, 0, 1}}, p), b / (1 - b), 1e-7);
  }
}

TEST(Posterior, LinearPayoffsHaveExactMoments) {
  // By integration of the distribution function: E = ∫ (1-F) over [-3, 2], E[X²] alike.
  const Payoff payoff{{2, 1, 0, -3}};
  const Counts counts{5, 2, 4, 3};
  const PayoffEstimate estimate = estimate_payoff(1.5, counts, payoff);
  const DirichletPosterior posterior(1.5, counts);
  double first = -3, second = 9;
  const int steps = 2000;
  for (int i = 0; i < steps; ++i) {
    const double x = -3 + 5 * (i + 0.5) / steps;
    const double above = 1 - posterior.probability_at_most(payoff, x);
    first += above * 5 / steps;
    second += 2 * x * above * 5 / steps;
  }
  EXPECT_NEAR(estimate.mean, first, 1e-5);
  EXPECT_NEAR(estimate.standard_deviation, std::sqrt(second - first * first), 1e-5);
  EXPECT_NEAR(estimate.adjusted, estimate.mean, 1e-15);
  EXPECT_NEAR(estimate.raw, (10 + 2 - 9) / 14.0, 1e-15);
  const PayoffEstimate moments = payoff_moments(1.5, counts, payoff);
  EXPECT_EQ(moments.adjusted, estimate.adjusted);
  EXPECT_EQ(moments.standard_deviation, estimate.standard_deviation);
  EXPECT_TRUE(std::isnan(moments.credible.lower));
  EXPECT_NEAR(posterior.probability_at_most(payoff, estimate.credible.lower), 0.025, 1e-9);
  EXPECT_NEAR(posterior.probability_at_most(payoff, estimate.credible.upper), 0.975, 1e-9);
}

TEST(Posterior, RatiosByOneRankHaveExactMoments) {
  const PayoffEstimate estimate = estimate_payoff(3, Counts{9, 7, 5, 11}, stable_dan());
  // E[G_j] = b_j, E[1/G_4] = 1/13, E[1/G_4²] = 1/(13·12) for G_4 ~ Gamma(14).
  const double first = 6 * 12 + 3 * 10, squares = 36 * 12 + 9 * 10;
  EXPECT_NEAR(estimate.mean, first / 13 - 2, 1e-13);
  EXPECT_NEAR(estimate.standard_deviation,
              std::sqrt((first * first + squares) / (13 * 12) - first * first / 169), 1e-13);
  // Few last places: the moments do not exist, the quantiles do.
  const PayoffEstimate few = estimate_payoff(0.5, Counts{3, 1, 0, 0}, stable_dan());
  EXPECT_TRUE(std::isnan(few.mean));
  EXPECT_EQ(few.raw, INFINITY);
  EXPECT_LT(few.credible.lower, few.credible.upper);
  EXPECT_TRUE(std::isnan(estimate_payoff(1, Counts{0, 0, 0, 0}, stable_dan()).raw));
}

TEST(Posterior, QuantilesThatTheInversionCannotSettleAreNotGiven) {
  // A long career always in one rank: far in the tail the quadrature does not converge.
  const DirichletPosterior skewed(1, Counts{4000000, 0, 0, 0});
  const Payoff payoff{{2, 1, 0, -3}};
  EXPECT_TRUE(std::isnan(skewed.quantile(payoff, 0.00005)));
  EXPECT_NEAR(skewed.quantile(payoff, 0.5), 2, 1e-5);
  // Hardly any chance of a last place: the ratio has no end that numbers can tell.
  const DirichletPosterior endless(1e-9, Counts{1, 0, 0, 0});
  EXPECT_TRUE(std::isnan(endless.quantile(stable_dan(), 0.975)));
}

TEST(StableDan, AgreesWithPublishedValues) {
  int agree = 0, rows = 0;
  for (const auto& row : testing::reference("stable_dan.csv")) {
    // The first eight rows give no thirds: they do not enter.
    const auto count = [&](std::size_t i) {
      return row[i].empty() ? 0u : static_cast<std::uint32_t>(std::stoul(row[i]));
    };
    const Counts counts{count(0), count(1), count(2), count(3)};
    const DirichletPosterior posterior(std::stod(row[4]), counts);
    const double adjusted = stable_dan().of(posterior.concentration());
    EXPECT_NEAR(adjusted, std::stod(row[6]), 1e-12);
    const std::vector<double> frequencies(counts.begin(), counts.end());
    EXPECT_NEAR(stable_dan().of(frequencies), std::stod(row[7]), 1e-12);
    ++rows;
    const bool same = std::abs(adjusted - std::stod(row[5])) < 0.005;
    agree += same ? 1 : 0;
    if (!same) {
      EXPECT_EQ(counts, (Counts{300, 400, 0, 400}));  // 5.99, printed 6.00
    }
  }
  EXPECT_EQ(rows, 18);
  EXPECT_EQ(agree, 17);
}

TEST(StableDan, RanksThePublishedPlayers) {
  Counts counts;
  std::vector<double> published;
  for (const auto& row : testing::reference("xhat_top10.csv")) {
    for (std::size_t j = 1; j <= 4; ++j) {
      counts.push_back(static_cast<std::uint32_t>(std::stoul(row[j])));
    }
    published.push_back(std::stod(row[5]));
  }
  // Reversed input: the order comes from the values, not from the file.
  Counts reversed;
  for (std::size_t i = 10; i-- > 0;) {
    reversed.insert(reversed.end(), counts.begin() + static_cast<long>(4 * i),
                    counts.begin() + static_cast<long>(4 * i + 4));
  }
  const std::vector<std::size_t> order = ranking(194.5, 4, reversed, stable_dan());
  for (std::size_t i = 0; i < 10; ++i) {
    EXPECT_EQ(order[i], 9 - i);
    const auto player = std::span(counts).subspan(4 * i, 4);
    EXPECT_NEAR(stable_dan().of(DirichletPosterior(194.5, player).concentration()), published[i],
                0.005);
  }
}

TEST(Payoff, AGradeIsWhereNothingIsGained) {
  const Payoff grade = stable_grade(std::array{75.0, 30.0, 0.0}, 15, 2);
  const std::array<double, 4> x{0.3, 0.25, 0.25, 0.2};
  EXPECT_NEAR(75 * x[0] + 30 * x[1] - 15 * (grade.of(x) + 2) * x[3], 0, 1e-12);
  EXPECT_EQ(stable_dan().numerator, (std::vector<double>{6, 3, 0, -2}));
  EXPECT_EQ(stable_dan().denominator, (std::vector<double>{0, 0, 0, 1}));
}

TEST(Payoff, WrongArgumentsAreRefused) {
  const Counts counts{1, 2, 3};
  EXPECT_THROW(estimate_payoff(1, counts, {{1, 2}}), std::invalid_argument);
  EXPECT_THROW(estimate_payoff(1, counts, {{1, 2, 3}, {0, 0, 0}}), std::invalid_argument);
  EXPECT_THROW(estimate_payoff(1, counts, {{1, 2, 3}, {0, -1, 3}}), std::invalid_argument);
  EXPECT_THROW(estimate_payoff(0, counts, {{1, 2, 3}}), std::invalid_argument);
  EXPECT_THROW(estimate_payoff(1, counts, {{1, 2, 3}}, 1.0), std::invalid_argument);
  EXPECT_THROW(stable_grade({}, 15, 2), std::invalid_argument);
  EXPECT_THROW(DirichletPosterior(std::vector<double>{1, 2}, counts), std::invalid_argument);
}

TEST(DiscretePrior, TheOpeningExampleGivesTenPercent) {
  // One player of mean rank 2.0 who always shows it, thirty of 2.5 who show it with 0.3.
  const auto posterior = discrete_posterior(std::array{1.0, 30.0}, std::array{1.0, 0.3});
  EXPECT_NEAR(posterior[0], 0.1, 1e-15);
  EXPECT_NEAR(posterior[1], 0.9, 1e-15);
}

TEST(DiscretePrior, KindsThatCannotShowTheCountsHaveProbability0) {
  const DiscretePrior prior{{1, 2, 3}, {{0.5, 0.5}, {1, 0}, {0.2, 0.8}}};
  const std::vector<double> p = prior.posterior(Counts{1, 1});
  EXPECT_EQ(p[1], 0);
  EXPECT_NEAR(p[0], 0.25 / (0.25 + 3 * 0.16), 1e-15);
  EXPECT_THROW(DiscretePrior({{1}, {{1, 0}}}).posterior(Counts{1, 1}), std::invalid_argument);
}

TEST(DiscretePrior, FollowsBayesRuleOnRankCounts) {
  const DiscretePrior prior{{1, 3}, {{0.5, 0.3, 0.2}, {0.25, 0.25, 0.5}}};
  const Counts counts{3, 1, 2};
  const double a = std::pow(0.5, 3) * 0.3 * 0.04, b = 3 * std::pow(0.25, 3) * 0.25 * 0.25;
  EXPECT_NEAR(prior.posterior(counts)[0], a / (a + b), 1e-14);
  const double pa = a / (a + b);
  EXPECT_NEAR(prior.mean(counts)[2], pa * 0.2 + (1 - pa) * 0.5, 1e-14);
  EXPECT_NEAR(prior.mean_payoff(counts, {{1, 0, -1}}), pa * 0.3 + (1 - pa) * -0.25, 1e-14);
  // Long careers do not underflow, impossible kinds drop out.
  EXPECT_NEAR(prior.posterior(Counts{50000, 30000, 20000})[0], 1, 1e-15);
  const DiscretePrior sure{{1, 1}, {{1, 0}, {0.5, 0.5}}};
  EXPECT_EQ(sure.posterior(Counts{3, 1})[1], 1);
  EXPECT_THROW((DiscretePrior{{1}, {{1, 0}}}.posterior(Counts{3, 1})), std::invalid_argument);
  EXPECT_THROW((DiscretePrior{{1}, {{0.5, 0.4}}}.posterior(Counts{3, 1})), std::invalid_argument);
  EXPECT_THROW(discrete_posterior(std::array{1.0}, std::array{0.0}), std::invalid_argument);
}

}  // namespace
}  // namespace banzuke::dirichlet_multinomial
