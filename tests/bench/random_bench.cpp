#include <benchmark/benchmark.h>

#include <random>
#include <vector>

#include "engine/base/elementary.hpp"
#include "engine/random/binomial.hpp"
#include "engine/random/stream.hpp"

namespace banzuke {
namespace {

// 2,500 pairs with `games` games each and winning probabilities spread over (0.1, 0.9): with 18
// games, the shape of a small floodgate year.
std::vector<BinomialLaw> laws(std::int64_t games) {
  std::vector<BinomialLaw> result;
  for (int i = 0; i < 2500; ++i) {
    const double p = 0.1 + 0.8 * (i + 0.5) / 2500;
    result.push_back({games, p, 1.0 - p});
  }
  return result;
}

void report(benchmark::State& state, std::size_t draws_an_iteration) {
  const auto draws =
      static_cast<double>(state.iterations()) * static_cast<double>(draws_an_iteration);
  state.counters["ns_per_draw"] =
      benchmark::Counter(draws * 1e-9, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void sampler(benchmark::State& state) {
  const auto path = static_cast<CpuPath>(state.range(0));
  const auto lanes = static_cast<std::size_t>(state.range(2));
  if (!is_available(path)) {
    state.SkipWithError("not on this machine");
    return;
  }
  const BinomialSampler binomials(laws(state.range(1)), path);
  std::vector<std::int32_t> wins(binomials.pairs() * lanes);
  std::uint32_t replicate = 0;
  for (auto _ : state) {
    binomials.sample(1, 0, replicate, lanes, wins);
    replicate += static_cast<std::uint32_t>(lanes);
    benchmark::DoNotOptimize(wins.data());
  }
  state.SetLabel(name_of(path));
  report(state, wins.size());
}
BENCHMARK(sampler)
    ->ArgNames({"path", "games", "lanes"})
    ->ArgsProduct({{0, 1, 2}, {18}, {8, 16, 64}})
    ->ArgsProduct({{0, 1, 2}, {2, 100, 1000, 20000}, {64}});

void scalar_inverse_cdf(benchmark::State& state) {
  std::vector<BinomialTable> tables;
  for (const auto& law : laws(state.range(0))) tables.emplace_back(law.n, law.p, law.q);
  std::mt19937_64 engine(1);
  std::int64_t sum = 0;
  for (auto _ : state) {
    for (const auto& table : tables) sum += table.quantile(engine());
    benchmark::DoNotOptimize(sum);
  }
  report(state, tables.size());
}
BENCHMARK(scalar_inverse_cdf)->ArgName("games")->Arg(18)->Arg(1000);

void std_binomial_distribution(benchmark::State& state) {
  std::vector<std::binomial_distribution<int>> distributions;
  for (const auto& law : laws(state.range(0))) {
    distributions.emplace_back(static_cast<int>(law.n), law.p);
  }
  std::mt19937_64 engine(1);
  std::int64_t sum = 0;
  for (auto _ : state) {
    for (auto& distribution : distributions) sum += distribution(engine);
    benchmark::DoNotOptimize(sum);
  }
  report(state, distributions.size());
}
BENCHMARK(std_binomial_distribution)->ArgName("games")->Arg(18)->Arg(1000);

void table_setup(benchmark::State& state) {
  const auto all = laws(state.range(0));
  for (auto _ : state) {
    const BinomialSampler binomials(all);
    benchmark::DoNotOptimize(&binomials);
  }
  report(state, all.size());
}
BENCHMARK(table_setup)->ArgName("games")->Arg(18)->Arg(1000);

void stream_uniform(benchmark::State& state) {
  std::uint32_t entity = 0;
  double sum = 0.0;
  for (auto _ : state) {
    Stream stream({.seed = 1, .stream = StreamId::selfcheck, .entity = entity++});
    for (int i = 0; i < 64; ++i) sum += stream.uniform();
    benchmark::DoNotOptimize(sum);
  }
  report(state, 64);
}
BENCHMARK(stream_uniform);

void exponential(benchmark::State& state) {
  std::vector<double> x(1024);
  std::vector<double> y(1024);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.01 * static_cast<double>(i) - 5.0;
  for (auto _ : state) {
    for (std::size_t i = 0; i < x.size(); ++i) y[i] = det_exp(x[i]);
    benchmark::DoNotOptimize(y.data());
    benchmark::ClobberMemory();
  }
  report(state, x.size());
}
BENCHMARK(exponential);

}  // namespace
}  // namespace banzuke
