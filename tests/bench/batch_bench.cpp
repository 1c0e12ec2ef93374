// What the batch loop costs beyond the work: the driver over replicates that cost nothing, the
// fixed and the growing part of a round's commit, and the plan for a large machine.
#include <benchmark/benchmark.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "engine/batch/driver.hpp"
#include "engine/batch/forecast.hpp"
#include "engine/batch/plan.hpp"
#include "engine/batch/round.hpp"
#include "engine/store/result_file.hpp"

namespace banzuke {
namespace {

/// A replicate is `width` numbers that cost nothing.
class Trivial final : public Job {
 public:
  explicit Trivial(std::size_t width) : width_(width) {}
  Layout layout(std::uint64_t replicates) const override {
    Layout layout;
    layout.points = {"the only one"};
    layout.replicates = replicates;
    layout.dimensions = {{"element", width_, {}, "element"}};
    layout.fields = {{"value", FieldType::float64, "element", "1", "number of the replicate"}};
    return layout;
  }
  void compute(const RowBlock& rows) const override {
    const std::span<double> values = rows.doubles(0);
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const auto number = static_cast<double>(rows.first() + i);
      for (std::size_t k = 0; k < width_; ++k) values[i * width_ + k] = number;
      rows.status()[i] = status_ok;
    }
  }

 private:
  std::size_t width_;
};

class TrivialPreparation final : public Preparation {
 public:
  void load(Inputs&) override {}
  Bundle set_up() override { return {}; }
};

Catalogue trivial_catalogue() {
  JobKind kind;
  kind.name = "trivial";
  kind.configure = [](const Section&, const Config&) -> std::unique_ptr<Preparation> {
    return std::make_unique<TrivialPreparation>();
  };
  kind.make = [](const Bundle&, std::uint64_t) -> std::unique_ptr<Job> {
    return std::make_unique<Trivial>(1);
  };
  return {kind};
}

/// A folder in memory or on the disk, gone at the end.
class Folder {
 public:
  explicit Folder(bool in_memory) {
    const std::filesystem::path parent =
        in_memory ? "/dev/shm" : std::filesystem::temp_directory_path();
    std::string name = (parent / "banzuke_bench_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

benchmark::Counter nanoseconds_each(std::uint64_t count) {
  return {static_cast<double>(count) * 1e-9,
          benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert};
}

constexpr std::uint64_t million = 1'000'000;

void work_alone(benchmark::State& state) {
  const Trivial job(1);
  const Layout layout = job.layout(million);
  std::vector<std::byte> bytes(RowBlock::bytes(layout, million));
  const RowBlock rows(layout, 0, 0, million, bytes.data());
  for (auto _ : state) {
    job.compute(rows);
    benchmark::DoNotOptimize(bytes.data());
  }
  state.counters["ns_a_replicate"] = nanoseconds_each(million);
}
BENCHMARK(work_alone)->Unit(benchmark::kMillisecond);

void round_alone(benchmark::State& state) {
  const auto threads = static_cast<int>(state.range(0));
  const Trivial job(1);
  const Layout layout = job.layout(million);
  for (auto _ : state) {
    Missing missing({{0, 0, million}}, {1, layout.row_bytes(), {1.0}});
    const auto blocks = missing.take(2e6, round_bytes, static_cast<std::size_t>(threads));
    const auto hands = deal(blocks, {1.0}, 1);
    benchmark::DoNotOptimize(compute_round(job, layout, hands[0], threads));
  }
  state.counters["ns_a_replicate"] = nanoseconds_each(million);
}
BENCHMARK(round_alone)
    ->ArgName("threads")
    ->Arg(1)
    ->Arg(2)
    ->Unit(benchmark::kMillisecond)
    ->MeasureProcessCPUTime();

// Config, creation of the file, rounds, commits, end of the session.
void driver(benchmark::State& state) {
  const Folder folder(state.range(0) == 0);
  RunOptions options;
  options.config = folder.file("trivial.toml");
  options.output = folder.file("out.h5");
  options.quiet = true;
  std::ofstream(options.config) << "job = \"trivial\"\nseed = 1\nreplicates = " << million
                                << "\n[run]\nthreads = 1\n";
  const Catalogue catalogue = trivial_catalogue();
  const auto self = make_self_communicator();
  const SteadyClock clock;
  for (auto _ : state) {
    if (run(catalogue, options, *self, clock) != exit_done) state.SkipWithError("the run failed");
    state.PauseTiming();
    std::filesystem::remove(*options.output);
    state.ResumeTiming();
  }
  state.SetLabel(state.range(0) == 0 ? "file in memory" : "file on the disk");
  state.counters["ns_a_replicate"] = nanoseconds_each(million);
}
BENCHMARK(driver)->ArgName("disk")->Arg(0)->Arg(1)->Unit(benchmark::kMillisecond)->UseRealTime();

// Plan, empty work, gather and commit of a round of so many rows of so many bytes, with the
// flushes to the disk; share_of_5_s is that of a round of five seconds.
void round_with_commit(benchmark::State& state) {
  const auto width = static_cast<std::size_t>(state.range(0));
  const auto count = static_cast<std::uint64_t>(state.range(1));
  const Folder folder(state.range(2) == 0);
  const Trivial job(width);
  const Layout layout = job.layout(count);
  ResultFile::create(folder.file("out.h5"), layout, {}, {}, {});
  ResultFile file = ResultFile::open(folder.file("out.h5"));
  Session session;
  session.ranks = 1;
  session.threads = 1;
  file.begin_session(session);
  const auto self = make_self_communicator();
  std::vector<std::byte> memory;
  for (auto _ : state) {
    Missing missing({{0, 0, count}}, {1, layout.row_bytes(), {1.0}});
    const auto blocks = missing.take(static_cast<double>(count), round_bytes, 1);
    const auto hands = deal(blocks, {1.0}, 1);
    memory = compute_round(job, layout, hands[0], 1, std::move(memory)).rows;
    self->gather(memory, std::vector<std::size_t>{memory.size()});
    file.commit(views(layout, hands[0], memory.data()), session);
  }
  state.SetLabel(state.range(2) == 0 ? "file in memory" : "file on the disk");
  state.counters["row_bytes"] = static_cast<double>(layout.row_bytes());
  state.counters["share_of_5_s"] = {
      5.0, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert};
}
// Rows of 17, 81 and 881 bytes: a check, seven and 107 players.
BENCHMARK(round_with_commit)
    ->ArgNames({"width", "rows", "disk"})
    ->ArgsProduct({{2, 10, 110}, {8, 10000, 100000}, {0, 1}})
    ->Unit(benchmark::kMillisecond)
    ->UseRealTime();

// A million blocks for 10,000 ranks, from one range or from a thousand holes.
void plan(benchmark::State& state) {
  const auto points = static_cast<std::size_t>(state.range(0));
  constexpr std::size_t ranks = 10'000;
  constexpr std::size_t workers = million / 8;
  std::vector<Block> ranges;
  WorkShape shape{16, 881, {}};
  for (std::size_t point = 0; point < points; ++point) {
    ranges.push_back({point, 0, 1000 * million / points});
    shape.cost.push_back(1.0 + static_cast<double>(point % 7));
  }
  std::size_t blocks_taken = 0;
  for (auto _ : state) {
    Missing missing(ranges, shape);
    const auto blocks = missing.take(missing.cost(), std::size_t{1} << 60, workers);
    const auto hands = deal(blocks, shape.cost, ranks);
    benchmark::DoNotOptimize(hands.data());
    blocks_taken = blocks.size();
  }
  state.counters["blocks"] = static_cast<double>(blocks_taken);
}
BENCHMARK(plan)->ArgName("points")->Arg(1)->Arg(1000)->Unit(benchmark::kMillisecond);

// What `check --ranks 10000` does after it has measured: a run of 200 rounds at most.
void forecast_of_10000_ranks(benchmark::State& state) {
  Machine machine;
  machine.ranks = 10'000;
  machine.threads = 1;
  machine.seconds_per_cost = 5e-3;
  std::uint64_t rounds = 0;
  for (auto _ : state) {
    const Forecast result = forecast(Missing({{0, 0, 100 * million}}, {16, 881, {1.0}}), machine);
    rounds = result.rounds;
  }
  state.counters["rounds"] = static_cast<double>(rounds);
}
BENCHMARK(forecast_of_10000_ranks)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace banzuke
