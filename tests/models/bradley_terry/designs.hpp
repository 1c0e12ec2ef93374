#pragma once
#include <cmath>
#include <string>
#include <vector>

#include "engine/models/bradley_terry/replicate_kernel.hpp"
#include "engine/random/binomial.hpp"
#include "paired_data.hpp"

// Schedules with known abilities, their replicates, and the seasons these come from.
namespace banzuke::bradley_terry::testing {

/// Outputs of replicates.
struct Rows {
  std::uint32_t players;
  std::vector<double> ratings, log_likelihood, last_step, deviance, control;
  std::vector<std::int32_t> iterations, rated;
  std::vector<ReplicateStatus> status;

  Rows(std::uint32_t n, std::uint64_t count, bool with_control = false)
      : players(n),
        ratings(count * n),
        log_likelihood(count),
        last_step(count),
        deviance(count),
        control(with_control ? count * n : 0),
        iterations(count),
        rated(count),
        status(count) {}
  ReplicateOutput output() {
    return {ratings, log_likelihood, iterations, rated, status, last_step, deviance, control};
  }
  double rating(std::uint64_t r, std::uint32_t i) const { return ratings[r * players + i]; }
};

struct Design {
  std::string name;
  Schedule schedule;
  std::vector<double> truth;
};

inline Design random_design(const std::string& name, std::uint64_t seed, std::uint32_t players,
                            std::uint32_t pairs, std::uint32_t most_games, double range) {
  Cases cases(seed);
  std::vector<PairResult> rows;
  for (std::uint32_t i = 1; i < players; ++i)
    rows.push_back({i, cases.below(i), 1.0 + cases.below(most_games), 0});
  for (std::uint32_t k = 0; k < pairs; ++k) {
    const std::uint32_t i = cases.below(players), j = cases.below(players);
    if (i != j) rows.push_back({i, j, 1.0 + cases.below(most_games), 0});
  }
  Design out{name, schedule_of(make_pair_data(players, rows)), {}};
  for (std::uint32_t i = 0; i < players; ++i) out.truth.push_back(range * (cases.uniform() - 0.5));
  return out;
}

/// A ladder: neighbours meet often, over a range of more than 6,000 Elo.
inline Design ladder(std::uint32_t players, std::uint32_t games, double range) {
  std::vector<PairResult> rows;
  Design out{"ladder", {}, {}};
  for (std::uint32_t i = 0; i < players; ++i) {
    out.truth.push_back(range * i / (players - 1));
    for (const std::uint32_t gap : {1U, 2U, 5U})
      if (i + gap < players) rows.push_back({i, i + gap, static_cast<double>(games), 0});
  }
  out.schedule = schedule_of(make_pair_data(players, rows));
  return out;
}

inline std::vector<Design> designs() {
  return {random_design("dense", 1, 20, 300, 20, 3),
          random_design("sparse", 2, 40, 50, 4, 3),
          random_design("fewgames", 3, 8, 4, 2, 2),
          random_design("widerange", 4, 30, 200, 50, 36),
          ladder(25, 40, 36),
          ladder(60, 8, 30),
          random_design("two", 6, 2, 0, 9, 1),
          random_design("fill", 7, 260, 1400, 9, 2),
          random_design("large", 8, 1100, 12000, 9, 2),
          random_design("largehard", 9, 1100, 12000, 3, 60)};
}

inline std::vector<PairData> simulated(const Design& design, std::uint64_t seed,
                                       std::uint32_t point, std::size_t count) {
  std::vector<BinomialLaw> laws;
  for (std::size_t k = 0; k < design.schedule.size(); ++k) {
    const double d =
        design.truth[design.schedule.second[k]] - design.truth[design.schedule.first[k]];
    // The same expressions as in R: any rounding of p changes no draw but with probability 1e-16.
    laws.push_back({design.schedule.games[k], 1 / (1 + std::exp(d)), 1 / (1 + std::exp(-d))});
  }
  const BinomialSampler sampler(laws, CpuPath::portable);
  std::vector<std::int32_t> wins(laws.size() * 8);
  std::vector<PairData> out;
  for (std::size_t r = 0; r < count; ++r) {
    if (r % 8 == 0) sampler.sample(seed, point, static_cast<std::uint32_t>(r), 8, wins);
    PairData pairs{design.schedule.players, design.schedule.first, design.schedule.second, {}, {}};
    for (std::size_t k = 0; k < laws.size(); ++k) {
      const double won = wins[k * 8 + r % 8];
      pairs.wins_first.push_back(won);
      pairs.wins_second.push_back(design.schedule.games[k] - won);
    }
    out.push_back(std::move(pairs));
  }
  return out;
}

}  // namespace banzuke::bradley_terry::testing
