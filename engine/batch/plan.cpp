#include "engine/batch/plan.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <queue>
#include <stdexcept>
#include <utility>

namespace banzuke {
namespace {

constexpr std::size_t blocks_per_worker = 8;

std::uint64_t round_up(std::uint64_t value, std::uint64_t multiple) {
  return (value + multiple - 1) / multiple * multiple;
}

}  // namespace

Missing::Missing(std::vector<Block> ranges, WorkShape shape)
    : ranges_(std::move(ranges)), shape_(std::move(shape)) {
  for (const double cost : shape_.cost) {
    if (!(cost > 0 && std::isfinite(cost))) {
      throw std::logic_error("a job has a point whose cost is not a positive number");
    }
  }
  for (const Block& range : ranges_) {
    rows_ += range.count;
    cost_ += static_cast<double>(range.count) * shape_.cost[range.point];
  }
}

std::vector<Block> Missing::take(double cost, std::size_t bytes, std::size_t workers) {
  std::vector<Block> blocks;
  const double block_cost =
      std::min(cost, cost_) / static_cast<double>(workers * blocks_per_worker);
  double taken_cost = 0;
  std::size_t taken_bytes = 0;
  while (!empty() && (blocks.empty() || (taken_cost < cost && taken_bytes < bytes))) {
    Block& range = ranges_[next_];
    const double row_cost = shape_.cost[range.point];
    const auto wanted = [&](double by_cost) {
      return static_cast<std::uint64_t>(std::clamp(std::ceil(by_cost / row_cost), 1.0, 0x1.0p62));
    };
    const std::uint64_t by_bytes =
        std::max<std::uint64_t>(1, (bytes - std::min(bytes, taken_bytes)) / shape_.row_bytes);
    const std::uint64_t want = std::min({wanted(block_cost), wanted(cost - taken_cost), by_bytes});
    // Up to a multiple of the lane group, whatever the range began with.
    const std::uint64_t end = round_up(range.first + want, shape_.lane_group);
    const std::uint64_t count = std::min(range.count, end - range.first);
    blocks.push_back({range.point, range.first, count});
    range.first += count;
    range.count -= count;
    rows_ -= count;
    cost_ -= static_cast<double>(count) * row_cost;
    taken_cost += static_cast<double>(count) * row_cost;
    taken_bytes += count * shape_.row_bytes;
    if (range.count == 0) ++next_;
  }
  return blocks;
}

std::vector<std::vector<Block>> deal(const std::vector<Block>& blocks,
                                     const std::vector<double>& cost, std::size_t ranks) {
  std::vector<std::vector<Block>> hands(ranks);
  const auto cost_of = [&](const Block& block) {
    return static_cast<double>(block.count) * cost[block.point];
  };
  std::vector<std::size_t> order(blocks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return cost_of(blocks[a]) > cost_of(blocks[b]);
  });
  // (load, rank): ties go to the lower rank.
  using Load = std::pair<double, std::size_t>;
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (std::size_t rank = 0; rank < ranks; ++rank) loads.push({0.0, rank});
  for (const std::size_t index : order) {
    const auto [load, rank] = loads.top();
    loads.pop();
    hands[rank].push_back(blocks[index]);
    loads.push({load + cost_of(blocks[index]), rank});
  }
  return hands;
}

}  // namespace banzuke
