#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "engine/models/bradley_terry/lane_workspace.hpp"
#include "paired_data.hpp"

namespace banzuke::bradley_terry {
namespace {

using lane_kernel::LaneStatus;

/// One lane's games, and what became of it.
struct Lane {
  std::vector<double> first, second;  ///< wins of each pair
  std::vector<double> abilities;
  double last_step = 0, log_likelihood = 0;
  int iterations = 0;
  LaneStatus status = LaneStatus::open;

  bool operator==(const Lane& other) const {
    return std::memcmp(abilities.data(), other.abilities.data(), 8 * abilities.size()) == 0 &&
           last_step == other.last_step && log_likelihood == other.log_likelihood &&
           iterations == other.iterations && status == other.status;
  }
};

struct Set {
  std::uint32_t players = 14;
  std::vector<std::uint32_t> first, second;
  std::vector<double> games;
  Elimination elimination;
  std::vector<std::uint32_t> degree;

  Set() : Set(complete(14)) {}
  explicit Set(const PairData& pairs)
      : first(pairs.first),
        second(pairs.second),
        games(pairs.wins_first),
        elimination(pairs.players, first, second, 5) {}
  static PairData complete(std::uint32_t n) {
    std::vector<PairResult> rows;
    for (std::uint32_t i = 0; i < n; ++i)
      for (std::uint32_t j = 0; j < i; ++j)
        if ((i + j) % 3) rows.push_back({i, j, 1, 0});
    return make_pair_data(n, rows);
  }

  /// Results in both directions, so that every player can be rated; `hardness` in powers of ten.
  Lane lane(std::uint64_t seed, double hardness) const {
    testing::Cases cases(seed);
    Lane out;
    for (std::size_t k = 0; k < first.size(); ++k) {
      out.first.push_back(1 + std::floor(std::pow(10.0, hardness * cases.uniform())));
      out.second.push_back(1 + std::floor(std::pow(10.0, hardness * cases.uniform())));
    }
    return out;
  }

  /// Puts lanes[order[l]] into lane l and estimates.
  void estimate(std::vector<Lane>& lanes, const std::vector<std::size_t>& order, CpuPath path) {
    const std::size_t w = order.size();
    const auto& functions = lane_kernel::functions_of(path, static_cast<int>(w));
    const LaneWorkspace workspace(elimination, w);
    const lane_kernel::Lanes& x = workspace.lanes();
    const lane_kernel::Shared shared = shared_view(elimination, games, degree);
    for (std::size_t l = 0; l < w; ++l)
      for (std::size_t k = 0; k < first.size(); ++k) {
        x.wins_first[k * w + l] = lanes[order[l]].first[k];
        x.wins_second[k * w + l] = lanes[order[l]].second[k];
      }
    functions.estimate(shared, x);
    functions.log_likelihood(shared, x);
    for (std::size_t l = 0; l < w; ++l) {
      Lane& lane = lanes[order[l]];
      lane.abilities.clear();
      for (std::size_t i = 0; i < players; ++i) lane.abilities.push_back(x.abilities[i * w + l]);
      lane.last_step = x.last_step[l];
      lane.log_likelihood = x.log_likelihood[l];
      lane.iterations = x.iterations[l];
      lane.status = x.status[l];
    }
  }
};

std::vector<CpuPath> paths() {
  std::vector<CpuPath> out;
  for (const CpuPath path : {CpuPath::portable, CpuPath::avx2, CpuPath::avx512})
    if (is_available(path)) out.push_back(path);
  return out;
}

TEST(Lanes, ALaneIsTheSameAloneAndWithAnyNeighbours) {
  Set set;
  std::vector<Lane> alone;
  for (std::uint64_t seed = 0; seed < 64; ++seed)
    alone.push_back(set.lane(seed, seed % 8 == 7 ? 9.0 : 0.25 * static_cast<double>(seed % 8)));
  for (std::size_t l = 0; l < 64; ++l) set.estimate(alone, {l}, CpuPath::portable);
  int fewest = 1000, most = 0;
  for (const Lane& lane : alone) {
    EXPECT_NE(lane.status, LaneStatus::not_converged);
    fewest = std::min(fewest, lane.iterations);
    most = std::max(most, lane.iterations);
  }
  EXPECT_GT(most, 2 * fewest);  // there are easy and hard lanes
  testing::Cases cases(99);
  for (const CpuPath path : paths())
    for (const std::size_t w : {1UL, 8UL, 16UL, 64UL})
      for (int round = 0; round < 4; ++round) {
        std::vector<std::size_t> order(64);
        std::iota(order.begin(), order.end(), 0UL);
        for (std::size_t i = 63; i > 0; --i)
          std::swap(order[i], order[cases.below(static_cast<std::uint32_t>(i + 1))]);
        order.resize(w);
        std::vector<Lane> lanes = alone;
        set.estimate(lanes, order, path);
        for (const std::size_t l : order)
          ASSERT_TRUE(lanes[l] == alone[l]) << name_of(path) << ' ' << w << ' ' << l;
      }
}

TEST(Lanes, ANeighbourThatNeverConvergesChangesNothing) {
  Set set;
  // Nobody but one pair's first player ever wins there: no maximum exists.
  std::vector<Lane> lanes;
  for (std::uint64_t seed = 0; seed < 8; ++seed) lanes.push_back(set.lane(seed, 1.0));
  std::fill(lanes[3].second.begin(), lanes[3].second.end(), 0.0);
  std::vector<Lane> alone = lanes;
  for (std::size_t l = 0; l < 8; ++l) set.estimate(alone, {l}, CpuPath::portable);
  EXPECT_EQ(alone[3].status, LaneStatus::not_converged);
  for (const CpuPath path : paths()) {
    std::vector<Lane> together = lanes;
    set.estimate(together, {0, 1, 2, 3, 4, 5, 6, 7}, path);
    for (std::size_t l = 0; l < 8; ++l) EXPECT_TRUE(together[l] == alone[l]) << l;
  }
}

}  // namespace
}  // namespace banzuke::bradley_terry
