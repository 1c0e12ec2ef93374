#include <benchmark/benchmark.h>

#include <cmath>
#include <vector>

#include "engine/models/reflection/monte_carlo.hpp"
#include "engine/models/reflection/point.hpp"
#include "engine/models/reflection/triple_trapezoid.hpp"

namespace {

using namespace banzuke;
using namespace banzuke::reflection;

Game game_of(int k, double alpha) {
  Rule rule;
  rule.payoff = k == 3 ? std::vector<double>{1, 0, -1} : std::vector<double>{2, 1, 0, -3};
  rule.alpha.assign(rule.payoff.size(), alpha);
  return reduce(rule);
}

CpuPath path_of(const benchmark::State& state, std::size_t index) {
  return static_cast<CpuPath>(state.range(index));
}

bool skip(benchmark::State& state, CpuPath path) {
  if (is_available(path)) return false;
  state.SkipWithError("this machine lacks the path");
  return true;
}

/// hn4 by the trapezoid: N, CPU path. Goal: 1 ms for N = 100 … 5000, 25 ms at a million.
void exact_point(benchmark::State& state) {
  const CpuPath path = path_of(state, 1);
  if (skip(state, path)) return;
  const Game game = game_of(4, 194.5);
  for (auto _ : state) {
    benchmark::DoNotOptimize(triple_trapezoid(game, state.range(0), path));
  }
}
BENCHMARK(exact_point)
    ->ArgsProduct({{1, 30, 100, 1000, 5000, 1000000}, {0, 1, 2}})
    ->Unit(benchmark::kMillisecond);

void exact_point_three_outcomes(benchmark::State& state) {
  const Game game = game_of(3, 191.6);
  for (auto _ : state) {
    benchmark::DoNotOptimize(compute_point(game, state.range(0), Method::exact, CpuPath::avx2));
  }
}
BENCHMARK(exact_point_three_outcomes)
    ->Arg(100)
    ->Arg(5000)
    ->Arg(1000000)
    ->Unit(benchmark::kMillisecond);

/// Three rules, 200 N from 1 to the argument in equal steps of log N. Goal: 0.3 s.
void sweep_of_three_rules(benchmark::State& state) {
  const Game games[] = {game_of(3, 191.6), game_of(4, 262.1), game_of(4, 194.5)};
  for (auto _ : state) {
    for (const Game& game : games) {
      for (int i = 0; i < 200; ++i) {
        const double n = std::pow(static_cast<double>(state.range(0)), i / 199.0);
        benchmark::DoNotOptimize(
            compute_point(game, std::llround(n), Method::exact, CpuPath::avx2));
      }
    }
  }
}
BENCHMARK(sweep_of_three_rules)->Arg(5000)->Arg(1000000)->Unit(benchmark::kMillisecond);

/// Goal: 100 ms at N = 1000.
void head_to_head_point(benchmark::State& state) {
  const Game game = game_of(4, 194.5);
  for (auto _ : state) {
    benchmark::DoNotOptimize(head_to_head(game, state.range(0), CpuPath::avx2));
  }
}
BENCHMARK(head_to_head_point)->Arg(30)->Arg(1000)->Arg(5000)->Unit(benchmark::kMillisecond);

void by_quadrature(benchmark::State& state) {
  const Game game = game_of(static_cast<int>(state.range(0)), 3.0);
  for (auto _ : state) {
    benchmark::DoNotOptimize(
        compute_by_route(game, state.range(1), Route::conditional_quadrature, CpuPath::avx2));
  }
}
BENCHMARK(by_quadrature)
    ->Args({3, 100})
    ->Args({3, 5000})
    ->Args({4, 10})
    ->Args({4, 5000})
    ->Unit(benchmark::kMillisecond);

void normal_method(benchmark::State& state) {
  const Game game = game_of(4, 194.5);
  for (auto _ : state) {
    benchmark::DoNotOptimize(compute_point(game, 1000, Method::normal));
  }
}
BENCHMARK(normal_method)->Unit(benchmark::kMillisecond);

/// Nanoseconds a draw: k, N, sampling, CPU path. Goal for plain: 250 (k = 3) and 320 (k = 4).
void monte_carlo(benchmark::State& state) {
  const CpuPath path = path_of(state, 3);
  if (skip(state, path)) return;
  const auto k = static_cast<int>(state.range(0));
  constexpr std::uint32_t draws = 8192;
  const MonteCarlo run(game_of(k, k == 3 ? 191.6 : 194.5), state.range(1),
                       static_cast<Sampling>(state.range(2)), draws, path);
  std::uint32_t replicate = 0;
  for (auto _ : state) benchmark::DoNotOptimize(run.run(1, 0, replicate++));
  state.counters["time_per_draw"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * draws,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(monte_carlo)
    ->ArgsProduct({{3, 4}, {100, 5000, 1000000}, {0}, {0, 1, 2}})
    ->ArgsProduct({{3, 4}, {5000}, {1, 2}, {1}})
    ->Unit(benchmark::kMillisecond);

/// 10^8 plain draws against exact: distances in standard errors, to stay below 4. Arguments: rule
/// (0: k = 3, alpha 191.6; 1: k = 4, 262.1; 2: k = 4, 194.5), N.
void confirmation(benchmark::State& state) {
  constexpr double alphas[] = {191.6, 262.1, 194.5};
  const auto rule = static_cast<std::size_t>(state.range(0));
  const Game game = game_of(rule == 0 ? 3 : 4, alphas[rule]);
  const Probabilities exact = compute_point(game, state.range(1), Method::exact).value;
  constexpr std::uint32_t draws = 1U << 18;
  constexpr std::uint32_t replicates = 382;  // 1.001e8 draws
  const MonteCarlo run(game, state.range(1), Sampling::plain, draws);
  for (auto _ : state) {
    std::vector<BlockSums> sums;
    for (std::uint32_t r = 0; r < replicates; ++r) sums.push_back(run.run(1, 0, r));
    const MonteCarloEstimate got = estimate(sums);
    state.counters["positive"] = (got.value.p_positive - exact.p_positive) / got.value.error;
    state.counters["zero"] = (got.value.p_zero - exact.p_zero) / got.error_zero;
    state.counters["half"] = (got.value.p_half - exact.p_half) / got.error_half;
    state.counters["skill"] =
        (got.value.p_skill_positive - exact.p_skill_positive) / got.error_skill;
  }
}
BENCHMARK(confirmation)->ArgsProduct({{0, 1, 2}, {1000}})->Iterations(1)->Unit(benchmark::kSecond);

}  // namespace
