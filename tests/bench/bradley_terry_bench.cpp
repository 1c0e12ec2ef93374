#include <benchmark/benchmark.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/replicate_kernel.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "engine/models/bradley_terry/tolerance.hpp"
#include "engine/random/binomial.hpp"
#include "tests/support/floodgate_season.hpp"
#include "tests/support/generated_season.hpp"

namespace {
using namespace banzuke::bradley_terry;
using banzuke::testing::GeneratedSeason;

/// Data sets by number: A, B, C of docs/performance.md, the floodgate half-year, hard ladders.
const GeneratedSeason& season(std::int64_t number) {
  using namespace banzuke::testing;
  static std::map<std::int64_t, GeneratedSeason> made;
  auto [entry, is_new] = made.try_emplace(number);
  if (is_new) {
    entry->second = number == 0   ? generate_season(season_a(), 1)
                    : number == 1 ? generate_season(season_b(), 2)
                    : number == 2 ? generate_season(season_c(), 3)
                    : number == 3 ? floodgate_season()
                                  : generate_ladder(100, 8);
  }
  return entry->second;
}

void name_of_season(benchmark::State& state) {
  const char* const names[] = {"A", "B", "C", "floodgate", "ladder"};
  state.SetLabel(names[state.range(0)]);
}

std::vector<banzuke::BinomialLaw> laws_of(const GeneratedSeason& set) {
  std::vector<banzuke::BinomialLaw> laws;
  for (std::size_t k = 0; k < set.schedule.size(); ++k) {
    const double d = set.truth[set.schedule.second[k]] - set.truth[set.schedule.first[k]];
    laws.push_back({set.schedule.games[k], 1 / (1 + std::exp(d)), 1 / (1 + std::exp(-d))});
  }
  return laws;
}

void cold_fit(benchmark::State& state) {
  name_of_season(state);
  const PairData all = banzuke::testing::play(season(state.range(0)), 7);
  const std::uint32_t anchor = player_with_most_games(all);
  const Component component = rated_component(all, anchor);
  const PairData pairs = restricted(all, component.keep());
  std::uint32_t ground = 0;
  for (std::uint32_t i = 0; i < anchor; ++i) ground += component.keep()[i];
  Fit last;
  for (auto _ : state) last = fit(pairs, ground);
  state.counters["iterations"] = last.iterations;
  state.counters["gradient"] = last.max_gradient;
  state.counters["step_elo"] = last.max_step * elo_per_natural;
}
BENCHMARK(cold_fit)->DenseRange(0, 4)->Unit(benchmark::kMicrosecond);

/// The wins alone, as the kernel draws them.
void sampling(benchmark::State& state) {
  name_of_season(state);
  const auto laws = laws_of(season(state.range(0)));
  const banzuke::BinomialSampler sampler(laws);
  constexpr std::size_t lanes = 64;
  std::vector<std::int32_t> wins(laws.size() * lanes);
  std::uint32_t replicate = 0;
  for (auto _ : state) sampler.sample(1, 0, replicate += 64, lanes, wins);
  state.counters["seconds_per_draw"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(wins.size()),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(sampling)->DenseRange(0, 4)->Unit(benchmark::kMillisecond);

/// The textbook: std::binomial_distribution for each pair, the rated component by two searches, and
/// Newton's method from logit((W + 1/2) / (L + 1/2)) with a dense Cholesky solve, all scalar.
void textbook(benchmark::State& state) {
  name_of_season(state);
  const GeneratedSeason& set = season(state.range(0));
  const auto laws = laws_of(set);
  const std::uint32_t anchor = player_with_most_games(set.schedule);
  std::mt19937_64 generator(1);
  PairData drawn{set.schedule.players, set.schedule.first, set.schedule.second, {}, {}};
  drawn.wins_first.resize(laws.size());
  drawn.wins_second.resize(laws.size());
  for (auto _ : state) {
    for (std::size_t k = 0; k < laws.size(); ++k) {
      std::binomial_distribution<std::int64_t> law(laws[k].n, laws[k].p);
      drawn.wins_first[k] = static_cast<double>(law(generator));
      drawn.wins_second[k] = static_cast<double>(laws[k].n) - drawn.wins_first[k];
    }
    const Component component = rated_component(drawn, anchor);
    const PairData pairs = restricted(drawn, component.keep());
    const auto n = static_cast<Eigen::Index>(pairs.players);
    Eigen::VectorXd won = Eigen::VectorXd::Constant(n, 0.5), lost = won, theta(n), gradient(n);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      won[pairs.first[k]] += pairs.wins_first[k];
      lost[pairs.first[k]] += pairs.wins_second[k];
      won[pairs.second[k]] += pairs.wins_second[k];
      lost[pairs.second[k]] += pairs.wins_first[k];
    }
    theta = (won.array() / lost.array()).log();
    Eigen::MatrixXd information(n, n);
    double step = 1;
    for (int pass = 0; pass < 50 && step > Tolerance::max_step; ++pass) {
      gradient.setZero();
      information.setZero();
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const auto i = static_cast<Eigen::Index>(pairs.first[k]);
        const auto j = static_cast<Eigen::Index>(pairs.second[k]);
        const double p = 1 / (1 + std::exp(theta[j] - theta[i])), games = pairs.games(k);
        const double surplus = pairs.wins_first[k] - games * p, weight = games * p * (1 - p);
        gradient[i] += surplus;
        gradient[j] -= surplus;
        information(i, i) += weight;
        information(j, j) += weight;
        information(std::max(i, j), std::min(i, j)) -= weight;
      }
      const Eigen::VectorXd change = information.topLeftCorner(n - 1, n - 1)
                                         .selfadjointView<Eigen::Lower>()
                                         .llt()
                                         .solve(gradient.head(n - 1));
      step = change.cwiseAbs().maxCoeff();
      theta.head(n - 1) += change * std::min(1.0, 2.0 / step);
    }
    double log_likelihood = 0;
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const double d = theta[pairs.first[k]] - theta[pairs.second[k]];
      log_likelihood -= pairs.wins_first[k] * std::log1p(std::exp(-d)) +
                        pairs.wins_second[k] * std::log1p(std::exp(d));
    }
    benchmark::DoNotOptimize(log_likelihood);
  }
}
BENCHMARK(textbook)->Arg(0)->Arg(3)->Unit(benchmark::kMicrosecond);

/// Time for `replicates` replicates, set-up apart.
void replicates(benchmark::State& state) {
  name_of_season(state);
  const GeneratedSeason& set = season(state.range(0));
  const auto count = static_cast<std::uint64_t>(state.range(1));
  const auto path = static_cast<banzuke::CpuPath>(state.range(2));
  if (!banzuke::is_available(path)) return state.SkipWithError("this machine lacks the path");
  KernelOptions options;
  options.path = path;
  options.lanes = static_cast<int>(state.range(3));
  const ReplicateKernel kernel(set.schedule, set.truth,
                               {player_with_most_games(set.schedule), true}, options);
  std::vector<double> ratings(count * kernel.players()), log_likelihood(count);
  std::vector<std::int32_t> iterations(count), rated(count);
  std::vector<ReplicateStatus> status(count);
  for (auto _ : state)
    kernel.run(1, 0, 0, count, {ratings, log_likelihood, iterations, rated, status});
  double passes = 0, failed = 0, most = 0, out = 0;
  for (std::size_t r = 0; r < count; ++r) {
    passes += iterations[r];
    failed += status[r] == ReplicateStatus::not_converged;
    most = std::max<double>(most, iterations[r]);
    out += kernel.players() - static_cast<double>(rated[r]);
  }
  state.counters["passes"] = passes / static_cast<double>(count);
  state.counters["most_passes"] = most;
  state.counters["left_out"] = out / static_cast<double>(count);
  state.counters["not_converged"] = failed;
  state.counters["seconds_per_replicate"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(count),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(replicates)
    ->ArgNames({"set", "replicates", "path", "lanes"})
    ->ArgsProduct({{0, 3, 4}, {1000}, {0, 1, 2}, {1, 8, 16, 64}})
    ->Args({0, 100'000, 1, 16})
    ->ArgsProduct({{1}, {1000}, {0, 1, 2}, {16}})
    ->ArgsProduct({{2}, {100}, {0, 1, 2}, {16}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
