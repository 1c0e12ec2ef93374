#include "engine/batch/forecast.hpp"

#include <algorithm>
#include <ctime>

#include "engine/batch/pace.hpp"
#include "engine/batch/round.hpp"

namespace banzuke {

Forecast forecast(Missing missing, const Machine& machine, std::uint64_t most_rounds) {
  Forecast result;
  const WorkShape shape = missing.shape();
  const auto threads = static_cast<double>(machine.threads);
  const std::size_t workers = machine.ranks * machine.threads;
  const double total_cost = missing.cost();
  const auto total_rows = static_cast<double>(missing.rows());
  double played_cost = 0;
  double mean_busy = 0;
  Pace pace(machine.round_seconds);
  pace.begin(missing.mean_cost() * static_cast<double>(workers * shape.lane_group));
  while (!missing.empty() && result.rounds < most_rounds) {
    const double cost_before = missing.cost();
    const auto blocks = missing.take(pace.cost(), round_bytes, workers);
    double longest = 0;
    for (const auto& hand : deal(blocks, shape.cost, machine.ranks)) {
      // Within a rank threads take the longest block first: Graham's bound for them.
      double cost = 0;
      double largest = 0;
      for (const Block& block : hand) {
        const double of_block = static_cast<double>(block.count) * shape.cost[block.point];
        cost += of_block;
        largest = std::max(largest, of_block);
      }
      longest = std::max(longest, std::max(largest, cost / threads));
    }
    std::size_t bytes = 0;
    for (const Block& block : blocks) bytes += block.count * shape.row_bytes;
    const double cost = cost_before - missing.cost();
    const double seconds = longest * machine.seconds_per_cost;
    played_cost += cost;
    mean_busy += cost / static_cast<double>(workers) * machine.seconds_per_cost;
    result.compute_seconds += seconds;
    result.writer_seconds += machine.seconds_per_round +
                             static_cast<double>(bytes) / machine.write_bytes_per_second +
                             static_cast<double>(bytes) / machine.network_bytes_per_second;
    result.largest_round_bytes = std::max(result.largest_round_bytes, bytes);
    result.most_blocks = std::max(result.most_blocks, blocks.size());
    ++result.rounds;
    pace.learn(cost, std::max(seconds, 1e-9));
  }
  result.balance = result.compute_seconds > 0 ? mean_busy / result.compute_seconds : 1.0;
  result.efficiency = result.wall_seconds() > 0 ? mean_busy / result.wall_seconds() : 1.0;
  if (played_cost > 0) {
    // The rounds played at the end are the typical ones; short first rounds count little.
    const double scale = total_cost / played_cost;
    result.rounds = static_cast<std::uint64_t>(static_cast<double>(result.rounds) * scale + 0.5);
    result.compute_seconds *= scale;
    result.writer_seconds *= scale;
  }
  const double cost_a_row = total_rows > 0 ? total_cost / total_rows : 0;
  result.saturation_threads = cost_a_row * machine.seconds_per_cost *
                              machine.write_bytes_per_second / static_cast<double>(shape.row_bytes);
  return result;
}

namespace {

/// Processor time of this thread: other programs on the machine do not count.
double thread_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

double measure_cost(const Job& job, const Layout& layout, double seconds) {
  const std::uint64_t group = std::min(layout.rows(), job.lane_group());
  std::vector<std::byte> bytes(RowBlock::bytes(layout, group));
  const auto pass = [&](std::size_t point) {
    const RowBlock rows(layout, point, 0, group, bytes.data());
    rows.fill();
    job.compute(rows);
    return static_cast<double>(group) * job.cost(point);
  };
  // The first pass fills caches and pages; it counts only where it is all there is time for.
  double begin = thread_seconds();
  double cost = pass(0);
  double busy = thread_seconds() - begin;
  if (busy >= seconds) return busy / cost;
  begin = thread_seconds();
  cost = 0;
  busy = 0;
  for (std::size_t point = 0; busy < seconds; point = (point + 1) % layout.points.size()) {
    cost += pass(point);
    busy = thread_seconds() - begin;
  }
  return busy / cost;
}

}  // namespace banzuke
