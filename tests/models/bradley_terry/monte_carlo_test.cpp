#include <gtest/gtest.h>

#include <cmath>

#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/moments.hpp"
#include "engine/models/bradley_terry/replicate_kernel.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "paired_data.hpp"

namespace banzuke::bradley_terry {
namespace {

using testing::Csv;

struct Study {
  const char* fit;
  const char* pairs;
  const char* mc;  ///< R's simulation of the same: bias and sd in Elo, with their precision
};

/// Largest distances from R's simulation in combined standard errors.
struct Distance {
  double bias = 0, sd = 0;
};

enum class Model { right, doubled_games, shifted_odds };

Distance distance(const Study& study, Model model, std::uint64_t count) {
  const Csv ability(std::string(study.fit) + "_ability.csv"), mc(study.mc);
  std::vector<std::string> names = testing::first_column(ability);
  const PairData pairs = testing::read_pairs(study.pairs, names);
  std::vector<double> truth = fit(pairs, 0).abilities;
  std::vector<double> simulated_from = truth;
  Schedule schedule = schedule_of(pairs);
  if (model == Model::doubled_games)
    for (std::uint32_t& games : schedule.games) games *= 2;
  // p / q of every game against the reference off by 2 %, that is p by about 1 % of itself.
  if (model == Model::shifted_odds)
    for (std::size_t i = 1; i < truth.size(); ++i) simulated_from[i] += 0.02;
  const ReplicateKernel kernel(schedule, simulated_from, {0, false});
  std::vector<double> ratings(count * names.size()), log_likelihood(count);
  std::vector<std::int32_t> iterations(count), rated(count);
  std::vector<ReplicateStatus> status(count);
  kernel.run(20160701, 0, 0, count, {ratings, log_likelihood, iterations, rated, status});
  for (double& rating : ratings) rating *= elo_per_natural;
  for (double& ability_of_player : truth) ability_of_player *= elo_per_natural;
  const auto summaries = summarise_players(ratings, truth);
  Distance out;
  for (std::size_t i = 1; i < names.size(); ++i) {
    const std::size_t row = mc.row_of(names[i]);
    const Summary& ours = summaries[i];
    const double sd = mc.number(row, "mc_elo_sd"), replicates = mc.number(row, "replicates");
    const double sd_error = sd * mc.number(row, "rel_err_of_sd");
    const double bias_error = std::hypot(ours.sd / std::sqrt(static_cast<double>(ours.valid)),
                                         sd / std::sqrt(replicates));
    out.bias = std::max(out.bias, std::abs(ours.bias - mc.number(row, "mc_elo_bias")) / bias_error);
    out.sd = std::max(out.sd, std::abs(ours.sd - sd) / std::hypot(ours.sd_error, sd_error));
  }
  return out;
}

constexpr Study baseball{"baseball", "baseball_pairs.csv", "baseball_mc.csv"};
constexpr Study citations{"citations_refBiometrika", "citations_pairs.csv",
                          "citations_refBiometrika_mc.csv"};
constexpr Study parties{"GermanParties2009_tiedropped", "GermanParties2009_pairs.csv",
                        "GermanParties2009_tiedropped_mc.csv"};
constexpr std::uint64_t replicates = 200000;

// Within 4 combined standard errors: the largest of 2 x 14 such distances is beyond 4 by chance in
// fewer than 2 of 1,000 sets of seeds.
TEST(MonteCarlo, AgreesWithR) {
  for (const Study& study : {baseball, citations, parties}) {
    const Distance d = distance(study, Model::right, replicates);
    EXPECT_LT(d.bias, 4) << study.fit;
    EXPECT_LT(d.sd, 4) << study.fit;
  }
}

TEST(MonteCarlo, AWrongModelIsFound) {
  EXPECT_GT(distance(baseball, Model::doubled_games, replicates / 10).sd, 20);
  EXPECT_GT(distance(baseball, Model::doubled_games, replicates / 10).bias, 6);
  EXPECT_GT(distance(baseball, Model::shifted_odds, replicates / 4).bias, 6);
  EXPECT_GT(distance(citations, Model::shifted_odds, replicates / 4).bias, 6);
}

// Sparse data, where most replicates leave somebody out, under a mean anchor: against an
// independent program's 1,000 replicates. It simulated the games of all players, centred on 2300.
TEST(MonteCarlo, SparseDataWithPlayersLeftOutAgreeWithAnotherProgram) {
  const Csv mc("sparse_mc.csv");
  std::vector<std::string> names = testing::first_column(mc);
  const PairData all = testing::read_pairs("sparse_pairs.csv", names);
  const Component component = rated_component(all, player_with_most_games(all));
  const PairData pairs = restricted(all, component.keep());
  ASSERT_EQ(pairs.players, mc.rows.size());
  const Anchor anchor{player_with_most_games(pairs), true};
  std::vector<double> truth = fit(pairs, anchor.player).abilities;
  double mean = 0;
  for (const double ability : truth) mean += ability / pairs.players;
  for (double& ability : truth) ability -= mean;
  constexpr std::uint64_t count = 20000;
  const ReplicateKernel kernel(schedule_of(pairs), truth, anchor);
  std::vector<double> ratings(count * pairs.players), log_likelihood(count);
  std::vector<std::int32_t> iterations(count), rated(count);
  std::vector<ReplicateStatus> status(count);
  kernel.run(1, 0, 0, count, {ratings, log_likelihood, iterations, rated, status});
  const auto summaries = summarise_players(ratings, truth);
  for (std::size_t i = 0; i < pairs.players; ++i) {
    EXPECT_NEAR(truth[i] * elo_per_natural + 2300, mc.number(i, "elo"), 1e-6) << names[i];
    const Summary& ours = summaries[i];
    const double theirs = mc.number(i, "reps"), part = static_cast<double>(ours.valid) / count;
    const double times = std::sqrt(1 + static_cast<double>(ours.valid) / theirs);
    EXPECT_NEAR(theirs / 1000, part, 4.5 * std::sqrt(part * (1 - part) * (1e-3 + 1.0 / count)))
        << names[i];
    EXPECT_NEAR(ours.sd * elo_per_natural, mc.number(i, "sd"),
                4.5 * elo_per_natural * ours.sd_error * times)
        << names[i];
    EXPECT_NEAR(ours.bias * elo_per_natural, mc.number(i, "bias"),
                4.5 * elo_per_natural * ours.sd / std::sqrt(ours.valid) * times)
        << names[i];
  }
}

}  // namespace
}  // namespace banzuke::bradley_terry
