#include "engine/batch/round.hpp"

#include <fmt/format.h>
#include <omp.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>

#include "engine/batch/stop.hpp"

namespace banzuke {

std::size_t bytes_of(const Layout& layout, std::span<const Block> blocks) {
  std::size_t total = 0;
  for (const Block& block : blocks) total += RowBlock::bytes(layout, block.count);
  return total;
}

std::vector<RowBlock> views(const Layout& layout, std::span<const Block> blocks, std::byte* bytes) {
  std::vector<RowBlock> rows;
  rows.reserve(blocks.size());
  for (const Block& block : blocks) {
    rows.emplace_back(layout, block.point, block.first, block.count, bytes);
    bytes += RowBlock::bytes(layout, block.count);
  }
  return rows;
}

int thread_limit() {
  return std::min(omp_get_thread_limit(), most_threads);
}

int default_threads() {
  return std::min(omp_get_max_threads(), thread_limit());
}

RoundResult compute_round(const Job& job, const Layout& layout, std::span<const Block> blocks,
                          int threads, std::vector<std::byte> memory) {
  RoundResult result;
  result.rows = std::move(memory);
  result.rows.resize(bytes_of(layout, blocks));
  const std::vector<RowBlock> rows = views(layout, blocks, result.rows.data());
  std::atomic<bool> failed = false;
  double busy = 0;
  const auto count = static_cast<std::int64_t>(rows.size());
#pragma omp parallel for schedule(dynamic, 1) num_threads(threads) reduction(+ : busy)
  for (std::int64_t i = 0; i < count; ++i) {
    const RowBlock& block = rows[static_cast<std::size_t>(i)];
    block.fill();
    if (failed || stop_signal() != 0) continue;
    const double start = omp_get_wtime();
    const auto fail = [&](const char* why) {
      if (failed.exchange(true)) return;  // the first one tells
      result.failure = fmt::format("point {} ({}), {}s {} to {}: {}", block.point(),
                                   layout.points[block.point()], layout.row_noun(), block.first(),
                                   block.first() + block.count() - 1, why);
    };
    try {
      job.compute(block);
    } catch (const std::exception& error) {
      fail(error.what());
    } catch (...) {
      fail("an exception of unknown type");
    }
    busy += omp_get_wtime() - start;
  }
  result.busy_seconds = busy;
  return result;
}

}  // namespace banzuke
