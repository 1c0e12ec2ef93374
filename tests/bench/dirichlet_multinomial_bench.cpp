#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "engine/models/dirichlet_multinomial/likelihood.hpp"
#include "engine/models/dirichlet_multinomial/recovery.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

struct Rule {
  int ranks;
  double alpha;
  std::uint32_t players;
  double median_games;
};

/// The eight published rules; the largest is the sixth.
const std::vector<Rule> rules{{3, 72.4, 11182, 150}, {3, 64.6, 45898, 150}, {3, 150.0, 631, 150},
                              {3, 191.6, 3115, 300}, {4, 37.5, 56527, 150}, {4, 51.0, 79383, 150},
                              {4, 262.1, 4611, 300}, {4, 194.5, 7874, 300}};

struct Population {
  std::vector<std::uint32_t> games;
  std::vector<std::uint32_t> counts;
  int ranks = 0;
};

Population simulate(const Rule& rule, std::uint32_t point) {
  Population out;
  out.ranks = rule.ranks;
  out.games.resize(rule.players);
  draw_games(LognormalGames{rule.median_games, 1.1, 8000},
             {1, StreamId::games_per_player, point, 0, 0}, out.games);
  out.counts.resize(rule.players * static_cast<std::size_t>(rule.ranks));
  CareerSampler(rule.ranks, rule.alpha, 8000)
      .draw({1, StreamId::dirichlet_multinomial_counts, point, 0, 0}, out.games, out.counts);
  return out;
}

const Population& largest() {
  static const Population population = simulate(rules[5], 5);
  return population;
}

void fit_of_the_largest_table(benchmark::State& state) {
  const Population& data = largest();
  for (auto _ : state) {
    benchmark::DoNotOptimize(fit_symmetric(compress(data.ranks, data.counts)).alpha);
  }
}
BENCHMARK(fit_of_the_largest_table)->Unit(benchmark::kMicrosecond);

void compress_the_largest_table(benchmark::State& state) {
  const Population& data = largest();
  for (auto _ : state) benchmark::DoNotOptimize(compress(data.ranks, data.counts).games);
}
BENCHMARK(compress_the_largest_table)->Unit(benchmark::kMicrosecond);

void fit_of_eight_rules(benchmark::State& state) {
  std::vector<Population> all;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    all.push_back(simulate(rules[i], static_cast<std::uint32_t>(i)));
  }
  for (auto _ : state) {
    for (const Population& data : all) {
      benchmark::DoNotOptimize(fit_symmetric(compress(data.ranks, data.counts)).alpha);
    }
  }
}
BENCHMARK(fit_of_eight_rules)->Unit(benchmark::kMicrosecond);

/// One value of the likelihood, player by player with lgamma.
void naive_likelihood(benchmark::State& state) {
  const Population& data = largest();
  const double alpha = 50;
  for (auto _ : state) {
    double sum = 0;
    for (std::size_t i = 0; i < data.games.size(); ++i) {
      for (std::size_t j = 0; j < 4; ++j) sum += std::lgamma(alpha + data.counts[4 * i + j]);
      sum -= 4 * std::lgamma(alpha);
      sum += std::lgamma(4 * alpha) - std::lgamma(4 * alpha + data.games[i]);
    }
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(naive_likelihood)->Unit(benchmark::kMicrosecond);

void likelihood(benchmark::State& state) {
  const TailCounts counts = compress(4, largest().counts);
  for (auto _ : state) benchmark::DoNotOptimize(log_likelihood_excess(counts, 50));
}
BENCHMARK(likelihood)->Unit(benchmark::kMicrosecond);

void likelihood_with_three_derivatives(benchmark::State& state) {
  const TailCounts counts = compress(4, largest().counts);
  for (auto _ : state) benchmark::DoNotOptimize(score(counts, 50).first);
}
BENCHMARK(likelihood_with_three_derivatives)->Unit(benchmark::kMicrosecond);

/// Argument: the rule. Items are players.
void sampler(benchmark::State& state) {
  const auto index = static_cast<std::size_t>(state.range(0));
  Population data = simulate(rules[index], 0);
  const CareerSampler careers(rules[index].ranks, rules[index].alpha, 8000);
  std::uint32_t replicate = 0;
  for (auto _ : state) {
    careers.draw({1, StreamId::dirichlet_multinomial_counts, 0, ++replicate, 0}, data.games,
                 data.counts);
    benchmark::DoNotOptimize(data.counts.data());
  }
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(data.games.size()));
}
BENCHMARK(sampler)->Arg(1)->Arg(3)->Arg(5)->Arg(7)->Unit(benchmark::kMicrosecond);

/// Tables of a rule's sampler.
void sampler_tables(benchmark::State& state) {
  const auto index = static_cast<std::size_t>(state.range(0));
  for (auto _ : state) {
    benchmark::DoNotOptimize(CareerSampler(rules[index].ranks, rules[index].alpha, 8000).ranks());
  }
}
BENCHMARK(sampler_tables)->Arg(1)->Arg(5)->Unit(benchmark::kMicrosecond);

/// One replicate of the recovery of all eight rules: a thousandth of the full study.
void recovery_of_eight_rules(benchmark::State& state) {
  std::vector<RecoveryPoint> points;
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const Rule& rule = rules[i];
    points.emplace_back(RecoveryRule{rule.ranks, rule.alpha, rule.players,
                                     LognormalGames{rule.median_games, 1.1, 8000}},
                        1, static_cast<std::uint32_t>(i));
  }
  std::uint32_t replicate = 0;
  for (auto _ : state) {
    for (const RecoveryPoint& point : points) {
      benchmark::DoNotOptimize(point.simulate_and_fit(replicate).alpha);
    }
    ++replicate;
  }
  state.SetItemsProcessed(state.iterations() * 209221);
}
BENCHMARK(recovery_of_eight_rules)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace banzuke::dirichlet_multinomial
