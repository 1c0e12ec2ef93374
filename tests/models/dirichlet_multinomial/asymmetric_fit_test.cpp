#include "engine/models/dirichlet_multinomial/asymmetric_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <numeric>

#include "alpha_support.hpp"
#include "engine/models/dirichlet_multinomial/career_sampler.hpp"
#include "engine/models/dirichlet_multinomial/fit_summary.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

using testing::Counts;

const Counts top10{1277, 1168, 1143, 969, 648, 576, 531, 475, 554,  532,  502,  416, 2141, 1827,
                   1873, 1651, 868,  943, 949, 706, 436, 390, 373,  317,  438,  411, 411,  324,
                   679,  720,  652,  552, 230, 244, 216, 167, 1565, 1438, 1383, 1254};

double naive(const Counts& counts, const std::vector<double>& alpha) {
  const double sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  double out = 0;
  for (std::size_t i = 0; i < counts.size(); i += alpha.size()) {
    double games = 0;
    for (std::size_t j = 0; j < alpha.size(); ++j) {
      out += std::lgamma(alpha[j] + counts[i + j]) - std::lgamma(alpha[j]);
      games += counts[i + j];
    }
    out += std::lgamma(sum) - std::lgamma(sum + games);
  }
  return out;
}

/// dL/dalpha_j and the observed information in alpha, from digammas and trigammas.
struct Derivatives {
  std::vector<double> gradient, diagonal;
  double common = 0;
};
Derivatives derivatives(const Counts& counts, const std::vector<double>& alpha) {
  using boost::math::digamma, boost::math::trigamma;
  const double sum = std::accumulate(alpha.begin(), alpha.end(), 0.0);
  Derivatives out{std::vector<double>(alpha.size(), 0.0), std::vector<double>(alpha.size(), 0.0),
                  0.0};
  for (std::size_t i = 0; i < counts.size(); i += alpha.size()) {
    double games = 0;
    for (std::size_t j = 0; j < alpha.size(); ++j) games += counts[i + j];
    for (std::size_t j = 0; j < alpha.size(); ++j) {
      out.gradient[j] += digamma(alpha[j] + counts[i + j]) - digamma(alpha[j]) + digamma(sum) -
                         digamma(sum + games);
      out.diagonal[j] += trigamma(alpha[j] + counts[i + j]) - trigamma(alpha[j]);
    }
    out.common += trigamma(sum) - trigamma(sum + games);
  }
  return out;
}

/// Maximum by coordinates, golden sections in log alpha: slow, and shares nothing with Newton.
std::vector<double> by_coordinates(const Counts& counts, std::vector<double> alpha) {
  const double golden = 0.6180339887498949;
  for (double width = 1; width > 1e-6; width *= 0.8) {
    for (std::size_t j = 0; j <= alpha.size(); ++j) {  // the last: all together
      const auto at = [&](double t) {
        std::vector<double> moved = alpha;
        for (std::size_t i = 0; i < alpha.size(); ++i) {
          if (i == j || j == alpha.size()) moved[i] *= std::exp(t);
        }
        return moved;
      };
      double low = -width, high = width;
      while (high - low > 1e-3 * width) {
        const double a = high - golden * (high - low), b = low + golden * (high - low);
        (naive(counts, at(a)) > naive(counts, at(b)) ? high : low) =
            naive(counts, at(a)) > naive(counts, at(b)) ? b : a;
      }
      alpha = at(0.5 * (low + high));
    }
  }
  return alpha;
}

TEST(AsymmetricFit, TheScoreVanishesAndErrorsInvertTheInformation) {
  const AsymmetricFit fit = fit_asymmetric(4, top10);
  ASSERT_EQ(fit.verdict, Verdict::finite);
  EXPECT_NEAR(fit.log_likelihood, naive(top10, fit.alpha), 1e-6);
  const Derivatives at = derivatives(top10, fit.alpha);
  // Information of log alpha at the maximum: -alpha_i alpha_j (δ_ij diagonal_i + common). Its
  // inverse by Gauss and Jordan.
  double a[4][8] = {};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(fit.alpha[i] * at.gradient[i], 0, 1e-6);
    for (std::size_t j = 0; j < 4; ++j) {
      a[i][j] = -fit.alpha[i] * fit.alpha[j] * (at.common + (i == j ? at.diagonal[i] : 0.0));
    }
    a[i][4 + i] = 1;
  }
  for (std::size_t p = 0; p < 4; ++p) {
    const double pivot = a[p][p];
    for (double& x : a[p]) x /= pivot;
    for (std::size_t i = 0; i < 4; ++i) {
      if (i == p) continue;
      const double factor = a[i][p];
      for (std::size_t j = 0; j < 8; ++j) a[i][j] -= factor * a[p][j];
    }
  }
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(fit.standard_error_log_alpha[i] / std::sqrt(a[i][4 + i]), 1, 1e-6);
  }
}

TEST(AsymmetricFit, AgreesWithASearchByCoordinates) {
  const Counts counts{20, 5, 3, 9, 4, 1, 5, 5, 5, 12, 3, 0, 2, 8, 6, 30, 11, 8};
  const AsymmetricFit fit = fit_asymmetric(3, counts);
  ASSERT_EQ(fit.verdict, Verdict::finite);
  const std::vector<double> found = by_coordinates(counts, {1, 1, 1});
  for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(fit.alpha[j] / found[j], 1, 2e-4);
  EXPECT_GE(fit.log_likelihood, naive(counts, found) - 1e-10);
  EXPECT_NEAR(fit.mean[0] + fit.mean[1] + fit.mean[2], 1, 1e-14);
}

TEST(AsymmetricFit, SymmetricDataHaveTheSymmetricFit) {
  // All orders of every career: the maximum is the symmetric one, and the ratio is 1.
  Counts counts;
  for (std::vector<std::uint32_t> career :
       {std::vector<std::uint32_t>{12, 3, 7}, {1, 2, 30}, {9, 9, 4}}) {
    std::sort(career.begin(), career.end());
    do {
      counts.insert(counts.end(), career.begin(), career.end());
    } while (std::next_permutation(career.begin(), career.end()));
  }
  const SymmetricFit symmetric = fit_symmetric(compress(3, counts));
  const AsymmetricFit asymmetric = fit_asymmetric(3, counts);
  for (const double alpha : asymmetric.alpha) EXPECT_NEAR(alpha / symmetric.alpha, 1, 1e-9);
  const SymmetryTest test = test_symmetry(symmetric, asymmetric);
  EXPECT_EQ(test.degrees_of_freedom, 2);
  EXPECT_NEAR(test.statistic, 0, 1e-10);
  EXPECT_NEAR(test.p_value, 1, 1e-9);
}

TEST(AsymmetricFit, DegenerateDataHaveTheirVerdicts) {
  EXPECT_THROW(fit_asymmetric(3, {}), std::invalid_argument);
  EXPECT_THROW(fit_asymmetric(3, Counts{0, 0, 0}), std::invalid_argument);

  const AsymmetricFit flat = fit_asymmetric(3, Counts{1, 0, 0, 1, 0, 0, 0, 1, 0});
  EXPECT_EQ(flat.verdict, Verdict::flat);
  EXPECT_NEAR(flat.mean[0], 2.0 / 3, 1e-15);

  const AsymmetricFit zero = fit_asymmetric(3, Counts{5, 0, 0, 3, 0, 0, 0, 2, 0});
  EXPECT_EQ(zero.verdict, Verdict::zero);
  EXPECT_NEAR(zero.log_likelihood, 2 * std::log(2.0 / 3) + std::log(1.0 / 3), 1e-14);

  // Everybody alike: the multinomial likelihood at the common frequencies.
  const AsymmetricFit infinite = fit_asymmetric(3, Counts{30, 20, 10, 30, 20, 10, 15, 10, 5});
  EXPECT_EQ(infinite.verdict, Verdict::infinite);
  EXPECT_NEAR(infinite.mean[0], 0.5, 1e-15);
  EXPECT_NEAR(infinite.log_likelihood,
              75 * std::log(0.5) + 50 * std::log(1.0 / 3) + 25 * std::log(1.0 / 6), 1e-10);

  // A rank that never occurs has alpha 0, and the others are fitted as if it did not exist.
  const Counts with{9, 0, 4, 2, 0, 11, 6, 0, 6}, without{9, 4, 2, 11, 6, 6};
  const AsymmetricFit a = fit_asymmetric(3, with), b = fit_asymmetric(2, without);
  EXPECT_EQ(a.alpha[1], 0);
  EXPECT_NEAR(a.alpha[0] / b.alpha[0], 1, 1e-12);
  EXPECT_TRUE(std::isnan(a.standard_error_log_alpha[1]));
}

TEST(FitSummary, HoldsBothFits) {
  const FitSummary summary = summarise_fit(4, top10);
  EXPECT_NEAR(summary.symmetric.alpha, 74.72302992411308, 1e-9);
  EXPECT_EQ(summary.asymmetric.alpha, fit_asymmetric(4, top10).alpha);
  EXPECT_EQ(summary.symmetry.degrees_of_freedom, 3);
  EXPECT_NEAR(summary.symmetry.statistic,
              2 * (naive(top10, summary.asymmetric.alpha) -
                   naive(top10, std::vector(4, summary.symmetric.alpha))),
              1e-6);
  const FitSummary nothing = summarise_fit(4, Counts{0, 0, 0, 0});
  EXPECT_EQ(nothing.symmetric.verdict, Verdict::flat);
  EXPECT_TRUE(std::isnan(nothing.asymmetric.mean[2]));
  EXPECT_TRUE(std::isnan(nothing.symmetry.p_value));
}

TEST(SymmetryTest, HasItsLevelAndFindsAsymmetry) {
  // 5 % of simulated symmetric populations are rejected at 5 %, within 4 binomial errors.
  const CareerSampler sampler(3, 20, 200);
  const Counts games(150, 200);
  Counts counts(450), shifted;
  int rejected = 0, rejected_shifted = 0;
  const int replicates = 600;
  for (int r = 0; r < replicates; ++r) {
    sampler.draw({11, StreamId::dirichlet_multinomial_counts, 0, static_cast<std::uint32_t>(r), 0},
                 games, counts);
    const auto p = [](const Counts& c) {
      return test_symmetry(fit_symmetric(compress(3, c)), fit_asymmetric(3, c)).p_value;
    };
    rejected += p(counts) < 0.05 ? 1 : 0;
    if (r % 10 != 0) continue;
    shifted = counts;  // a game in twenty of the last rank becomes a first
    for (std::size_t i = 0; i < shifted.size(); i += 3) {
      const std::uint32_t moved = shifted[i + 2] / 20;
      shifted[i] += moved;
      shifted[i + 2] -= moved;
    }
    rejected_shifted += p(shifted) < 0.05 ? 1 : 0;
  }
  EXPECT_NEAR(rejected, 0.05 * replicates, 4 * std::sqrt(0.05 * 0.95 * replicates));
  EXPECT_GT(rejected_shifted, 40);  // of 60
}

}  // namespace
}  // namespace banzuke::dirichlet_multinomial
