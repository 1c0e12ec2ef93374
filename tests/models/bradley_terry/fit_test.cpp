#include "engine/models/bradley_terry/fit.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/covariance.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "paired_data.hpp"

namespace banzuke::bradley_terry {
namespace {

using testing::Csv;

struct Reference {
  const char* fit;    ///< prefix of *_ability.csv and *_vcov.csv, and a row of SUMMARY.csv
  const char* pairs;  ///< pair totals
  bool vcov;          ///< R's covariance was kept
  bool over_pairs;    ///< the SUMMARY's log-likelihood and deviance are over pair totals; else
                      ///< they are over single games, where only the log-likelihood is the same
};

class RFit : public ::testing::TestWithParam<Reference> {};

TEST_P(RFit, AbilitiesErrorsAndLikelihood) {
  const Reference& reference = GetParam();
  const Csv ability(std::string(reference.fit) + "_ability.csv");
  std::vector<std::string> names = testing::first_column(ability);
  const PairData pairs = testing::read_pairs(reference.pairs, names);
  ASSERT_EQ(names.size(), ability.rows.size());
  ASSERT_EQ(rated_component(pairs, 0).rated, pairs.players);
  const Fit found = fit(pairs, 0);
  EXPECT_EQ(found.status, FitStatus::ok);
  EXPECT_LE(found.max_gradient, 1e-9);
  EXPECT_LE(found.max_step * elo_per_natural, 1e-8);
  const auto errors = standard_errors(schedule_of(pairs), found.abilities, Anchor{0, false});
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_NEAR(found.abilities[i] * elo_per_natural, ability.number(i, "elo"), 1e-7) << names[i];
    const double se = ability.number(i, "elo_se");
    EXPECT_NEAR(errors[i] * elo_per_natural, se, 1e-6 * se) << names[i];
  }
  const Csv summary("SUMMARY.csv");
  const std::size_t row = summary.row_of(reference.fit);
  // Wins of a game sum to wins of a pair: the log-likelihood is the same over games or pairs,
  // unless half games were rounded to whole ones.
  const double expected = summary.number(row, "loglik_no_binom_coef");
  EXPECT_NEAR(found.log_likelihood, expected, 1e-8);
  if (reference.over_pairs) EXPECT_NEAR(found.deviance, summary.number(row, "deviance"), 1e-8);
  if (!reference.vcov) return;
  const Csv vcov(std::string(reference.fit) + "_vcov.csv");
  const auto covariances = covariance(schedule_of(pairs), found.abilities, Anchor{0, false});
  for (std::size_t i = 1; i < names.size(); ++i)
    for (std::size_t j = 1; j < names.size(); ++j) {
      const double value = vcov.number(vcov.row_of(names[i]), names[j]);
      EXPECT_NEAR(covariances(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)), value,
                  1e-6 * std::abs(value));
    }
}

INSTANTIATE_TEST_SUITE_P(
    , RFit,
    ::testing::Values(
        Reference{"baseball", "baseball_pairs.csv", true, false},
        Reference{"citations_refJRSSB", "citations_pairs.csv", true, true},
        Reference{"citations_refBiometrika", "citations_pairs.csv", true, true},
        Reference{"icehockey_tiehalf", "icehockey_pairs_tiehalf.csv", true, false},
        Reference{"football_all_tiehalf", "football_all_pairs_tiehalf.csv", false, false},
        Reference{"GermanParties2009_tiedropped", "GermanParties2009_pairs.csv", true, true}),
    [](const auto& test) { return std::string(test.param.fit); });

}  // namespace
}  // namespace banzuke::bradley_terry
