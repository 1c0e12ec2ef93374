#include "engine/models/bradley_terry/fit.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
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
  // Wins of games add up to wins of pairs: the log-likelihood is the same over either.
  const double log_likelihood_of_r = summary.number(row, "loglik_no_binom_coef");
  EXPECT_NEAR(found.log_likelihood, log_likelihood_of_r, 1e-8);
  double saturated = 0;
  for (std::size_t k = 0; k < pairs.size(); ++k)
    for (const double wins : {pairs.wins_first[k], pairs.wins_second[k]})
      if (wins > 0) saturated += wins * std::log(wins / pairs.games(k));
  EXPECT_NEAR(found.deviance, 2 * (saturated - log_likelihood_of_r), 1e-8);
  if (reference.over_pairs) {
    EXPECT_NEAR(found.deviance, summary.number(row, "deviance"), 1e-8);
  }
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

class TcecFit : public ::testing::TestWithParam<const char*> {};

TEST_P(TcecFit, RatesTheComponentAndDropsTheRest) {
  const std::string stage = GetParam();
  const Csv ability(stage + "_ability.csv"), summary(stage + "_fit.csv");
  std::vector<std::string> names = testing::first_column(ability);
  const PairData all = testing::read_pairs(stage + "_pairs.csv", names);
  const auto reference =
      static_cast<std::uint32_t>(ability.row_of(summary.rows[0][summary.column("reference")]));
  const Component component = rated_component(all, reference);
  const std::size_t dropped = all.players - component.rated;
  EXPECT_EQ(dropped, stage == "S9_Stage_1a" ? 1U : 0U);
  for (std::uint32_t i = 0; i < all.players; ++i)
    if (component.standing[i] != Standing::rated) {
      EXPECT_EQ(names[i], Csv(stage + "_dropped.csv").rows[0][0]);
      EXPECT_EQ(component.standing[i], Standing::never_won);
    }
  // The rated players come first in `names`, so that indices stay.
  const PairData pairs = restricted(all, component.keep());
  ASSERT_EQ(pairs.players, ability.rows.size());
  const Fit found = fit(pairs, reference);
  const auto errors = standard_errors(schedule_of(pairs), found.abilities, {reference, false});
  double mean = 0;
  for (const double ability_of_player : found.abilities) mean += ability_of_player / pairs.players;
  for (std::size_t i = 0; i < pairs.players; ++i) {
    EXPECT_NEAR(found.abilities[i] * elo_per_natural, ability.number(i, "elo"), 1e-6);
    EXPECT_NEAR((found.abilities[i] - mean) * elo_per_natural, ability.number(i, "elo_mean0"),
                1e-6);
    EXPECT_NEAR(errors[i] * elo_per_natural, ability.number(i, "elo_se"),
                1e-6 * ability.number(i, "elo_se"));
  }
  EXPECT_NEAR(found.log_likelihood, summary.number(0, "loglik"), 1e-8);
}
INSTANTIATE_TEST_SUITE_P(, TcecFit, ::testing::Values("S6_Stage_2", "S9_Stage_1a"),
                         [](const auto& test) { return std::string(test.param); });

PairData chain(std::uint32_t players, double wins, double losses) {
  std::vector<PairResult> rows;
  for (std::uint32_t i = 0; i + 1 < players; ++i) rows.push_back({i, i + 1, wins, losses});
  return make_pair_data(players, rows);
}

TEST(Fit, TwoPlayersHaveTheLogitOfTheirScore) {
  for (const double wins : {0.5, 1.5, 7.5, 999999.5}) {
    const PairData pairs = make_pair_data(2, std::vector<PairResult>{{1, 0, wins, 0.5}});
    EXPECT_NEAR(fit(pairs, 0).abilities[1], std::log(wins / 0.5), 1e-12);
  }
  const Fit found = fit(chain(2, 999999, 1), 1);
  EXPECT_NEAR(found.abilities[0], std::log(999999.0), 1e-12);
  EXPECT_EQ(found.abilities[1], 0.0);
  const auto errors =
      standard_errors(schedule_of(chain(2, 999999, 1)), found.abilities, {1, false});
  EXPECT_NEAR(errors[0], std::sqrt(1e6 / 999999.0), 1e-9);
}

TEST(Fit, ChainsOfAnyRange) {
  // In a chain every link is a fit of its own: the ability is the sum of the logits.
  for (const std::uint32_t players : {3U, 30U, 400U})
    for (const double wins : {1.0, 9.0, 100000.0}) {
      const Fit found = fit(chain(players, wins, 1), players - 1);
      ASSERT_EQ(found.status, FitStatus::ok) << players << ' ' << wins;
      for (std::uint32_t i = 0; i < players; ++i) {
        const double exact = (players - 1 - i) * std::log(wins);
        EXPECT_NEAR(found.abilities[i], exact, 1e-10 + 1e-12 * exact);
      }
    }
}

TEST(Fit, NearlySeparableGroupsReachTheMaximumOrTheStatedFloor) {
  // Two groups of equals whose only link is one upset in many games, and a ring of upsets that
  // spans more than 6,000 Elo. By symmetry each group's members are equal.
  for (const double wins : {1e3, 1e6, 1e9}) {
    std::vector<PairResult> rows;
    for (std::uint32_t i = 0; i < 5; ++i)
      for (std::uint32_t j = 0; j < i; ++j) {
        rows.push_back({i, j, 50, 50});
        rows.push_back({i + 5, j + 5, 50, 50});
      }
    rows.push_back({0, 5, wins, 1});
    const PairData pairs = make_pair_data(10, rows);
    const Fit found = fit(pairs, 9);
    ASSERT_NE(found.status, FitStatus::not_converged);
    const double error = std::abs(found.abilities[0] - found.abilities[5] - std::log(wins));
    EXPECT_LE(error, std::max(1e-8 / elo_per_natural, 4 * found.max_step)) << wins;
    EXPECT_LE(found.max_step * elo_per_natural, 1e-4);
  }
  std::vector<PairResult> ring;
  for (std::uint32_t i = 0; i < 8; ++i) ring.push_back({i, i + 1, 1000, 0});
  ring.push_back({8, 0, 1, 0});
  const Fit found = fit(make_pair_data(9, ring), 8);
  ASSERT_NE(found.status, FitStatus::not_converged);
  // Every link carries the same flow: 1000 / (1 + e^d) = 1 - 1 / (1 + e^(8 d)), d = 6.9077… .
  const double d = found.abilities[0] / 8;
  EXPECT_NEAR(1000 / (1 + std::exp(d)), 1 / (1 + std::exp(-8 * d)), 1e-12);
  EXPECT_GT(found.abilities[0] * elo_per_natural, 6000);
}

TEST(Fit, TheRoundingFloorOfMillionsOfGamesIsAcceptedAndNamed) {
  // Two groups of ten with 1e9 games a pair and one link, whose exact answer is ln(wins).
  for (const double wins : {1e3, 2e9}) {
    std::vector<PairResult> rows;
    for (std::uint32_t i = 0; i < 10; ++i)
      for (std::uint32_t j = 0; j < i; ++j) {
        rows.push_back({i, j, 3e8 + 5e7 * ((i * 7 + j * 3) % 9), 5e8});
        rows.push_back({i + 10, j + 10, 4e8, 2e8 + 6e7 * ((i * 5 + j) % 11)});
      }
    rows.push_back({0, 10, wins, 1});
    const Fit found = fit(make_pair_data(20, rows), 19);
    EXPECT_EQ(found.status, FitStatus::rounding_floor);
    EXPECT_GT(found.max_gradient, 1e-9);
    EXPECT_LE(found.max_gradient, 1e-4);  // 1e-14 of the games of a player
    EXPECT_LE(found.max_step, Tolerance::max_floor_step);
    EXPECT_NEAR(found.abilities[0] - found.abilities[10], std::log(wins), 1e-6);
  }
}

TEST(Fit, IsAMaximum) {
  testing::Cases cases(1);
  std::vector<PairResult> rows;
  for (std::uint32_t i = 0; i < 12; ++i)
    for (std::uint32_t j = 0; j < i; ++j)
      rows.push_back({i, j, 1.0 + cases.below(9), 1.0 + cases.below(4)});
  const PairData pairs = make_pair_data(12, rows);
  const Fit found = fit(pairs, 3);
  for (const double g : gradient(pairs, found.abilities)) EXPECT_LE(std::abs(g), 1e-10);
  for (std::size_t i = 0; i < 12; ++i)
    for (const double step : {-1e-3, 1e-3}) {
      std::vector<double> moved = found.abilities;
      moved[i] += step;
      EXPECT_LT(log_likelihood(pairs, moved), found.log_likelihood);
    }
  // The ground is a choice of origin only.
  const Fit other = fit(pairs, 7);
  for (std::size_t i = 0; i < 12; ++i)
    EXPECT_NEAR(other.abilities[i], found.abilities[i] - found.abilities[7], 1e-12);
}

TEST(Fit, RefusesDataWithoutAMaximum) {
  EXPECT_THROW(fit(chain(3, 4, 0), 0), std::invalid_argument);
  EXPECT_THROW(fit(make_pair_data(1, {}), 0), std::invalid_argument);
  EXPECT_THROW(fit(chain(3, 4, 1), 3), std::invalid_argument);
}

TEST(Covariance, IsTheInverseOfTheInformation) {
  testing::Cases cases(2);
  for (int round = 0; round < 20; ++round) {
    const std::uint32_t n = 2 + cases.below(20);
    std::vector<PairResult> rows;
    for (std::uint32_t i = 1; i < n; ++i) {
      rows.push_back({i, cases.below(i), 1, 1});
      rows.push_back({i, cases.below(i), 1.0 + cases.below(30), 1.0 + cases.below(30)});
    }
    const Schedule schedule = schedule_of(make_pair_data(n, rows));
    std::vector<double> abilities(n);
    for (double& ability : abilities) ability = 4 * cases.uniform();
    const auto size = static_cast<Eigen::Index>(n);
    Eigen::MatrixXd information = Eigen::MatrixXd::Zero(size, size);
    for (std::size_t k = 0; k < schedule.size(); ++k) {
      const double p =
          1 / (1 + std::exp(abilities[schedule.second[k]] - abilities[schedule.first[k]]));
      const double c = schedule.games[k] * p * (1 - p);
      const Eigen::Index i = schedule.first[k], j = schedule.second[k];
      information(i, i) += c;
      information(j, j) += c;
      information(i, j) -= c;
      information(j, i) -= c;
    }
    const std::uint32_t ground = cases.below(n);
    // For a Laplacian the pseudo-inverse is (I + 11'/n)^-1 - 11'/n of the information.
    const Eigen::MatrixXd ones = Eigen::MatrixXd::Constant(size, size, 1.0 / n);
    const Eigen::MatrixXd pseudo = (information + ones).inverse() - ones;
    const Eigen::MatrixXd mean = covariance(schedule, abilities, {ground, true});
    const Eigen::MatrixXd grounded = covariance(schedule, abilities, {ground, false});
    const auto mean_errors = standard_errors(schedule, abilities, {ground, true});
    const auto errors = standard_errors(schedule, abilities, {ground, false});
    EXPECT_LE((mean - pseudo).cwiseAbs().maxCoeff(), 1e-11 * pseudo.cwiseAbs().maxCoeff());
    for (Eigen::Index i = 0; i < size; ++i) {
      for (Eigen::Index j = 0; j < size; ++j) {
        const double value =
            pseudo(i, j) - pseudo(i, ground) - pseudo(j, ground) + pseudo(ground, ground);
        EXPECT_NEAR(grounded(i, j), value, 1e-11 * pseudo.cwiseAbs().maxCoeff());
      }
      EXPECT_NEAR(errors[static_cast<std::size_t>(i)], std::sqrt(grounded(i, i)), 1e-12);
      EXPECT_NEAR(mean_errors[static_cast<std::size_t>(i)], std::sqrt(mean(i, i)), 1e-10);
    }
  }
}

}  // namespace
}  // namespace banzuke::bradley_terry
