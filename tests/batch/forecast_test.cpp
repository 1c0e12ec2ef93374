#include "engine/batch/forecast.hpp"

#include <gtest/gtest.h>

namespace banzuke {
namespace {

Missing work(std::uint64_t rows, std::size_t row_bytes = 8) {
  return Missing({{0, 0, rows}}, WorkShape{8, row_bytes, {1.0}});
}

TEST(Forecast, OneThreadTakesTheSumOfItsWork) {
  Machine machine;
  machine.seconds_per_cost = 1e-3;
  machine.seconds_per_round = 0;
  const Forecast f = forecast(work(100'000), machine);
  EXPECT_NEAR(f.compute_seconds, 100.0, 1e-6);
  EXPECT_NEAR(f.balance, 1.0, 1e-9);
  EXPECT_NEAR(f.efficiency, 1.0, 1e-4);
  EXPECT_GE(f.rounds, 6u);  // 100 s in rounds of at most 20 s, the first ones short
}

TEST(Forecast, TenThousandRanksShareTheWorkUntilTheWriterSaturates) {
  Machine machine;
  machine.ranks = 10'000;
  machine.seconds_per_cost = 1e-2;
  const Forecast small = forecast(work(100'000'000, 80), machine);
  EXPECT_NEAR(small.compute_seconds, 100.0, 10.0);
  EXPECT_GT(small.balance, 0.9);
  EXPECT_DOUBLE_EQ(small.saturation_threads, 1e-2 * machine.write_bytes_per_second / 80);
  // A thousand times the bytes: the writer's time grows with them, the computing does not.
  const Forecast large = forecast(work(100'000'000, 80'000), machine, 20);
  EXPECT_GT(large.writer_seconds, 500 * (80e8 / machine.write_bytes_per_second));
  EXPECT_LE(large.largest_round_bytes, round_bytes + 8 * 80'000u);
  EXPECT_LT(large.efficiency, 0.02);
}

TEST(Forecast, TellsHowManyThreadsARoundCanBusy) {
  Machine machine;
  machine.ranks = 10'000;
  machine.seconds_per_cost = 1;
  // Groups of eight rows of 1 MB: 34 fill a round's 256 MiB.
  const Forecast wide = forecast(work(100'000, 1'000'000), machine, 20);
  EXPECT_EQ(wide.most_blocks, (round_bytes - 1) / 8'000'000 + 1);
  EXPECT_GE(wide.largest_round_bytes, round_bytes);
  EXPECT_NEAR(wide.balance, 34.0 / 10'000, 2e-4);
  EXPECT_EQ(forecast(work(64, 8), machine).most_blocks, 8u);
  machine.ranks = 4;
  EXPECT_GE(forecast(work(100'000, 8), machine).most_blocks, 4u);
}

}  // namespace
}  // namespace banzuke
