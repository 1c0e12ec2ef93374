#include <benchmark/benchmark.h>

#include <cmath>
#include <fstream>
#include <map>
#include <sstream>
#include <string>

#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/replicate_kernel.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "engine/random/binomial.hpp"

namespace {
using namespace banzuke::bradley_terry;

struct Floodgate {
  Schedule schedule;
  std::vector<double> truth;
  std::uint32_t reference = 0;
};

std::vector<std::vector<std::string>> rows_of(const std::string& name) {
  std::ifstream file(std::string(BANZUKE_SOURCE_DIR) + "/configs/data/floodgate/" + name);
  std::vector<std::vector<std::string>> rows;
  std::string line, cell;
  std::getline(file, line);
  while (std::getline(file, line)) {
    rows.emplace_back();
    std::stringstream cells(line);
    while (std::getline(cells, cell, ',')) rows.back().push_back(cell);
  }
  return rows;
}

/// The first half of 2016 between published players, at their published ratings.
const Floodgate& floodgate() {
  static const Floodgate set = [] {
    std::map<std::string, double> rating;
    for (const auto& row : rows_of("published_2016H1.csv")) rating[row[1]] = std::stod(row[3]);
    std::map<std::string, std::uint32_t> index;
    std::vector<PairResult> pairs;
    Floodgate out;
    for (const auto& row : rows_of("schedule_2016H1.csv")) {
      if (!rating.count(row[0]) || !rating.count(row[1])) continue;
      std::uint32_t player[2];
      for (std::size_t side = 0; side < 2; ++side) {
        const auto [found, is_new] =
            index.emplace(row[side], static_cast<std::uint32_t>(index.size()));
        if (is_new) out.truth.push_back(rating[row[side]] / elo_per_natural);
        player[side] = found->second;
      }
      pairs.push_back({player[0], player[1], std::stod(row[2]), 0});
    }
    out.schedule = schedule_of(make_pair_data(static_cast<std::uint32_t>(index.size()), pairs));
    out.reference = index.at("gpsfish_normal_1c");
    return out;
  }();
  return set;
}

/// Expected results as whole wins, at least one each way: data whose fit is near the truth.
PairData expected_results(const Floodgate& set) {
  std::vector<PairResult> rows;
  for (std::size_t k = 0; k < set.schedule.size(); ++k) {
    const std::uint32_t i = set.schedule.first[k], j = set.schedule.second[k];
    const double p = 1 / (1 + std::exp(set.truth[j] - set.truth[i]));
    const double wins = std::floor(set.schedule.games[k] * p) + 1;
    rows.push_back({i, j, wins, std::floor(set.schedule.games[k] * (1 - p)) + 1});
  }
  return make_pair_data(set.schedule.players, rows);
}

void cold_fit(benchmark::State& state) {
  const Floodgate& set = floodgate();
  const PairData pairs = expected_results(set);
  for (auto _ : state) benchmark::DoNotOptimize(fit(pairs, set.reference).log_likelihood);
}
BENCHMARK(cold_fit)->Unit(benchmark::kMicrosecond);

/// What the replicates' kernel replaces: every season restricted and fitted from scratch.
void textbook_replicates(benchmark::State& state) {
  const Floodgate& set = floodgate();
  std::vector<banzuke::BinomialLaw> laws;
  for (std::size_t k = 0; k < set.schedule.size(); ++k) {
    const double d = set.truth[set.schedule.second[k]] - set.truth[set.schedule.first[k]];
    laws.push_back({set.schedule.games[k], 1 / (1 + std::exp(d)), 1 / (1 + std::exp(-d))});
  }
  const banzuke::BinomialSampler sampler(laws, banzuke::CpuPath::portable);
  std::vector<std::int32_t> wins(laws.size() * 8);
  PairData season{set.schedule.players, set.schedule.first, set.schedule.second, {}, {}};
  season.wins_first.resize(laws.size());
  season.wins_second.resize(laws.size());
  std::uint32_t replicate = 0;
  for (auto _ : state) {
    if (replicate % 8 == 0) sampler.sample(1, 0, replicate, 8, wins);
    for (std::size_t k = 0; k < laws.size(); ++k) {
      season.wins_first[k] = wins[k * 8 + replicate % 8];
      season.wins_second[k] = set.schedule.games[k] - season.wins_first[k];
    }
    const Component component = rated_component(season, set.reference);
    const PairData part = restricted(season, component.keep());
    std::uint32_t ground = 0;
    for (std::uint32_t i = 0; i < set.reference; ++i) ground += component.keep()[i];
    benchmark::DoNotOptimize(fit(part, ground).log_likelihood);
    ++replicate;
  }
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(textbook_replicates)->Unit(benchmark::kMicrosecond);

void replicates(benchmark::State& state) {
  const Floodgate& set = floodgate();
  const auto path = static_cast<banzuke::CpuPath>(state.range(0));
  if (!banzuke::is_available(path)) return state.SkipWithError("this machine lacks the path");
  const ReplicateKernel kernel(set.schedule, set.truth, {set.reference, false},
                               {path, static_cast<int>(state.range(1))});
  constexpr std::uint64_t count = 1024;
  std::vector<double> ratings(count * kernel.players()), log_likelihood(count);
  std::vector<std::int32_t> iterations(count), rated(count);
  std::vector<ReplicateStatus> status(count);
  for (auto _ : state)
    kernel.run(1, 0, 0, count, {ratings, log_likelihood, iterations, rated, status});
  double passes = 0, failed = 0;
  for (std::size_t r = 0; r < count; ++r) {
    passes += iterations[r];
    failed += status[r] == ReplicateStatus::not_converged;
  }
  state.counters["passes"] = passes / static_cast<double>(count);
  state.counters["not_converged"] = failed;
  state.counters["seconds_per_replicate"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * static_cast<double>(count),
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(count));
}
BENCHMARK(replicates)
    ->ArgNames({"path", "lanes"})
    ->ArgsProduct({{0, 1, 2}, {1, 8, 16, 64}})
    ->Unit(benchmark::kMillisecond);

}  // namespace
