#include "engine/batch/plan.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <limits>
#include <map>
#include <numeric>
#include <random>
#include <stdexcept>

namespace banzuke {
namespace {

constexpr double no_cost_limit = 1e300;
constexpr std::size_t no_byte_limit = std::numeric_limits<std::size_t>::max();

/// Random ascending ranges, as interrupted runs leave them.
std::vector<Block> random_ranges(std::mt19937& engine, std::size_t points) {
  std::vector<Block> ranges;
  for (std::size_t point = 0; point < points; ++point) {
    std::uint64_t at = 0;
    const unsigned count = engine() % 4;
    for (unsigned i = 0; i < count; ++i) {
      const std::uint64_t first = at + engine() % 50;
      const std::uint64_t rows = 1 + engine() % 300;
      ranges.push_back({point, first, rows});
      at = first + rows + 1;
    }
  }
  return ranges;
}

double cost_of(const std::vector<Block>& blocks, const std::vector<double>& cost) {
  double sum = 0;
  for (const Block& block : blocks) sum += static_cast<double>(block.count) * cost[block.point];
  return sum;
}

TEST(Missing, TakesEveryRowOnceAlignedAndWithinLimits) {
  std::mt19937 engine(20160701);
  for (int repeat = 0; repeat < 400; ++repeat) {
    const std::size_t points = 1 + engine() % 4;
    const std::vector<Block> ranges = random_ranges(engine, points);
    WorkShape shape;
    shape.lane_group = std::vector<std::uint64_t>{1, 3, 8, 64}[engine() % 4];
    shape.row_bytes = 1 + engine() % 100;
    for (std::size_t i = 0; i < points; ++i)
      shape.cost.push_back(0.01 + static_cast<double>(engine() % 1000));
    const double dearest = *std::max_element(shape.cost.begin(), shape.cost.end());
    const double cost_limit = 1 + static_cast<double>(engine() % 100000);
    const std::size_t byte_limit = 1 + engine() % 5000;
    const std::size_t workers = 1 + engine() % 9;

    std::map<std::pair<std::size_t, std::uint64_t>, int> taken;
    Missing missing(ranges, shape);
    std::uint64_t rows_before = missing.rows();
    while (!missing.empty()) {
      const auto blocks = missing.take(cost_limit, byte_limit, workers);
      ASSERT_FALSE(blocks.empty());
      std::uint64_t rows = 0;
      for (const Block& block : blocks) {
        ASSERT_GT(block.count, 0U);
        rows += block.count;
        for (std::uint64_t i = 0; i < block.count; ++i) ++taken[{block.point, block.first + i}];
        const auto range = std::find_if(ranges.begin(), ranges.end(), [&](const Block& r) {
          return r.point == block.point && block.first >= r.first &&
                 block.first + block.count <= r.first + r.count;
        });
        ASSERT_NE(range, ranges.end()) << "a block reaches over its range";
        const std::uint64_t end = block.first + block.count;
        EXPECT_TRUE(block.first % shape.lane_group == 0 || block.first == range->first);
        EXPECT_TRUE(end % shape.lane_group == 0 || end == range->first + range->count);
      }
      // A round goes over a limit by less than one lane group.
      const double group = static_cast<double>(shape.lane_group);
      EXPECT_LT(cost_of(blocks, shape.cost), cost_limit + (group + 1) * dearest);
      EXPECT_LT(rows * shape.row_bytes, byte_limit + (shape.lane_group + 1) * shape.row_bytes);
      EXPECT_EQ(missing.rows(), rows_before - rows);
      rows_before = missing.rows();
    }
    std::uint64_t wanted = 0;
    for (const Block& range : ranges) {
      wanted += range.count;
      for (std::uint64_t i = 0; i < range.count; ++i) {
        EXPECT_EQ((taken[{range.point, range.first + i}]), 1);
      }
    }
    EXPECT_EQ(taken.size(), wanted);
    EXPECT_EQ(missing.rows(), 0U);
  }
}

TEST(Missing, CutsAboutEightBlocksAWorker) {
  Missing missing({{0, 0, 100000}, {1, 0, 100000}}, {8, 100, {1.0, 4.0}});
  const auto blocks = missing.take(no_cost_limit, no_byte_limit, 4);
  EXPECT_GE(blocks.size(), 30U);
  EXPECT_LE(blocks.size(), 34U);
  EXPECT_TRUE(missing.empty());
}

TEST(Missing, TakesOneLaneGroupHoweverSmallTheLimit) {
  Missing missing({{0, 0, 100}}, {8, 1000, {1.0}});
  const auto blocks = missing.take(1e-12, 1, 1);
  EXPECT_EQ(blocks, (std::vector<Block>{{0, 0, 8}}));
}

TEST(Missing, EndsThoughCostsDifferByMoreThanRoundingHolds) {
  // Taking the dear rows rounds the cheap ones' cost away.
  Missing missing({{0, 0, 1000}, {1, 0, 1000}}, {8, 8, {0.1e17, 1e-3}});
  std::uint64_t rows = 0;
  while (!missing.empty()) {
    for (const Block& block : missing.take(1e18, no_byte_limit, 2)) rows += block.count;
  }
  EXPECT_EQ(rows, 2000U);
}

TEST(Missing, RefusesCostsThatAreNotPositive) {
  for (const double cost : {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(),
                            std::numeric_limits<double>::infinity()}) {
    EXPECT_THROW(Missing({{0, 0, 10}}, {1, 8, {cost}}), std::logic_error) << cost;
  }
}

std::vector<double> loads_of(const std::vector<std::vector<Block>>& hands,
                             const std::vector<double>& cost) {
  std::vector<double> loads;
  for (const auto& hand : hands) loads.push_back(cost_of(hand, cost));
  return loads;
}

/// Least possible makespan, by trying all assignments.
double best_makespan(const std::vector<double>& costs, std::vector<double>& loads, std::size_t at) {
  if (at == costs.size()) return *std::max_element(loads.begin(), loads.end());
  double best = std::numeric_limits<double>::infinity();
  for (double& load : loads) {
    load += costs[at];
    best = std::min(best, best_makespan(costs, loads, at + 1));
    load -= costs[at];
  }
  return best;
}

TEST(Deal, IsCompleteDeterministicAndKeepsGrahamsBound) {
  std::mt19937 engine(1969);
  for (int repeat = 0; repeat < 60; ++repeat) {
    const std::vector<double> cost{1.0, 2.5, 7.0};
    std::vector<Block> blocks;
    std::vector<double> costs;
    const std::size_t count = 1 + engine() % 8;
    for (std::size_t i = 0; i < count; ++i) {
      blocks.push_back({engine() % 3, 8 * i, 1 + engine() % 20});
      costs.push_back(cost_of({blocks.back()}, cost));
    }
    const std::size_t ranks = 1 + engine() % 3;
    const auto hands = deal(blocks, cost, ranks);
    ASSERT_EQ(hands.size(), ranks);
    EXPECT_EQ(hands, deal(blocks, cost, ranks));

    std::vector<Block> dealt;
    for (const auto& hand : hands) dealt.insert(dealt.end(), hand.begin(), hand.end());
    const auto by_place = [](const Block& a, const Block& b) { return a.first < b.first; };
    std::sort(dealt.begin(), dealt.end(), by_place);
    EXPECT_EQ(dealt, blocks);

    std::vector<double> loads(ranks, 0.0);
    const double best = best_makespan(costs, loads, 0);
    const auto found = loads_of(hands, cost);
    const double bound = 4.0 / 3.0 - 1.0 / (3.0 * static_cast<double>(ranks));
    EXPECT_LE(*std::max_element(found.begin(), found.end()), bound * best * (1 + 1e-12));
  }
}

TEST(Deal, GivesTheCostliestFirst) {
  const auto hands = deal({{0, 0, 1}, {0, 1, 9}, {0, 10, 5}, {0, 15, 4}}, {1.0}, 2);
  EXPECT_EQ(hands[0], (std::vector<Block>{{0, 1, 9}, {0, 0, 1}}));
  EXPECT_EQ(hands[1], (std::vector<Block>{{0, 10, 5}, {0, 15, 4}}));
}

TEST(Deal, BalancesTenThousandRanks) {
  // Points whose costs span a factor of 1,000, as a sweep over sizes has them.
  WorkShape shape{8, 1000, {}};
  std::vector<Block> ranges;
  for (std::size_t point = 0; point < 40; ++point) {
    shape.cost.push_back(std::pow(1000.0, static_cast<double>(point) / 39.0));
    ranges.push_back({point, 0, 100'000'000});
  }
  constexpr std::size_t ranks = 10'000, threads = 8;
  Missing missing(ranges, shape);
  const auto blocks = missing.take(missing.cost() / 10, no_byte_limit, ranks * threads);
  EXPECT_LE(blocks.size(), 8 * ranks * threads + shape.cost.size());
  const auto loads = loads_of(deal(blocks, shape.cost, ranks), shape.cost);
  const double mean = std::accumulate(loads.begin(), loads.end(), 0.0) / ranks;
  const auto [least, most] = std::minmax_element(loads.begin(), loads.end());
  EXPECT_LT(*most, 1.01 * mean);
  EXPECT_GT(*least, 0.98 * mean);
}

double cpu_seconds_to_deal(std::size_t count) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) blocks.push_back({i % 7, i, 1 + i * 7919 % 64});
  const std::clock_t begin = std::clock();
  const auto hands = deal(blocks, {1, 2, 3, 5, 7, 11, 13}, 10'000);
  EXPECT_EQ(hands.size(), 10'000U);
  return static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
}

TEST(Deal, WorkGrowsAsNLogN) {
  // Ten times the blocks are 12 times the work of n log n, and 100 times that of n squared. The
  // processor's time of this process does not see who else uses the machine.
  const double small = cpu_seconds_to_deal(100'000);
  EXPECT_LT(cpu_seconds_to_deal(1'000'000), 50 * std::max(small, 2e-3));
}

}  // namespace
}  // namespace banzuke
