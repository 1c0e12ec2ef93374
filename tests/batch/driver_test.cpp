#include "engine/batch/driver.hpp"

#include <gtest/gtest.h>

#include "engine/batch/stop.hpp"
#include "engine/store/run_lock.hpp"
#include "tests/batch/batch_support.hpp"

namespace banzuke {
namespace {

using test::Folder;
using test::Incident;

/// A config of the lottery in a folder, and runs of it.
class Driver : public testing::Test {
 protected:
  void SetUp() override {
    options_.config = folder_.write("lottery.toml", R"(job = "lottery"
seed = 11
replicates = 300
table = "table.csv"
[run]
round_seconds = 0.001
threads = 1
)");
    folder_.write("table.csv", "name\nAnna\n");
    options_.output = folder_.file("out.h5");
    options_.quiet = true;
  }

  int go(const Catalogue& catalogue = test::lottery_catalogue(), int ranks = 1) {
    testing::internal::CaptureStderr();
    int code = 0;
    if (ranks == 1) {
      const auto self = make_self_communicator();
      code = run(catalogue, options_, *self, clock_);
    } else {
      code = test::run_on(ranks, catalogue, options_, clock_);
    }
    said_ = testing::internal::GetCapturedStderr();
    return code;
  }
  ResultFile file() const { return ResultFile::open(*options_.output); }
  std::uint64_t rows_missing() const {
    std::uint64_t rows = 0;
    for (const auto& point : file().missing()) {
      for (const RowRange& range : point) rows += range.count;
    }
    return rows;
  }
  bool said(const std::string& words) const { return said_.find(words) != std::string::npos; }

  Folder folder_;
  RunOptions options_;
  SteadyClock clock_;
  std::string said_;
};

TEST_F(Driver, RunsToTheEndAndHasNothingToDoThen) {
  ASSERT_EQ(go(), exit_done);
  EXPECT_EQ(said_, "");
  EXPECT_EQ(rows_missing(), 0U);
  const auto sessions = file().sessions();
  ASSERT_EQ(sessions.size(), 1U);
  EXPECT_EQ(sessions[0].rows_committed, 600U);
  EXPECT_EQ(sessions[0].why_it_stopped, "done");
  EXPECT_EQ(sessions[0].ranks, 1);
  EXPECT_EQ(sessions[0].threads, 1);
  EXPECT_GE(sessions[0].imbalance, 1.0);

  const std::string before = test::content_of(*options_.output);
  options_.quiet = false;
  EXPECT_EQ(go(), exit_done);
  EXPECT_TRUE(said("0 of 600 to compute")) << said_;
  EXPECT_TRUE(said("note: a note of the lottery")) << said_;
  EXPECT_EQ(test::content_of(*options_.output), before);
}

TEST_F(Driver, GivesTheSameBytesOnRanksAndThreads) {
  ASSERT_EQ(go(), exit_done);
  const std::string digest = file().digest();
  for (const int ranks : {2, 3, 4}) {
    for (const int threads : {1, 2}) {
      options_.output = folder_.file("out" + std::to_string(10 * ranks + threads) + ".h5");
      options_.threads = threads;
      ASSERT_EQ(go(test::lottery_catalogue(), ranks), exit_done) << said_;
      EXPECT_EQ(file().digest(), digest) << ranks << " × " << threads;
      EXPECT_EQ(file().sessions()[0].ranks, ranks);
      EXPECT_EQ(file().sessions()[0].threads, threads);
    }
  }
}

/// Breaks once at a replicate, as a machine might.
Incident broken_once(std::size_t at_point, std::uint64_t at_replicate) {
  const auto armed = std::make_shared<std::atomic<bool>>(true);
  return [=](std::size_t point, std::uint64_t replicate) {
    if (point == at_point && replicate == at_replicate && armed->exchange(false)) {
      throw std::runtime_error("the drum broke");
    }
  };
}

TEST_F(Driver, GoesOnAfterAnErrorOnAnyRank) {
  ASSERT_EQ(go(), exit_done);
  const std::string digest = file().digest();
  for (const int ranks : {1, 3}) {
    options_.output = folder_.file("broken" + std::to_string(ranks) + ".h5");
    const Catalogue catalogue = test::lottery_catalogue(broken_once(1, 137));
    ASSERT_EQ(go(catalogue, ranks), exit_bug);
    EXPECT_TRUE(said("point 1 (dear), replicates")) << said_;
    EXPECT_TRUE(said("the drum broke")) << said_;
    EXPECT_TRUE(said("the same command goes on")) << said_;
    EXPECT_GT(rows_missing(), 0U);
    EXPECT_LT(rows_missing(), 600U) << "the rounds before are committed";
    ASSERT_EQ(go(catalogue, ranks), exit_done) << said_;
    EXPECT_EQ(file().digest(), digest);
    const auto sessions = file().sessions();
    ASSERT_EQ(sessions.size(), 2U);
    EXPECT_EQ(sessions[0].why_it_stopped, "error");
    EXPECT_EQ(sessions[1].why_it_stopped, "done");
    EXPECT_EQ(sessions[0].rows_committed + sessions[1].rows_committed, 600U);
  }
}

TEST_F(Driver, MoreReplicatesKeepTheOldRows) {
  ASSERT_EQ(go(), exit_done);
  const std::string of_300 = file().digest();
  options_.overrides = {"replicates=1000"};
  ASSERT_EQ(go(), exit_done) << said_;
  EXPECT_EQ(file().digest(300), of_300);
  EXPECT_EQ(file().sessions().size(), 2U);
  EXPECT_EQ(file().sessions()[1].rows_committed, 1400U);
  const std::string extended = file().digest();
  options_.output = folder_.file("fresh.h5");
  ASSERT_EQ(go(), exit_done);
  EXPECT_EQ(file().digest(), extended);
}

TEST_F(Driver, MoreReplicatesMayBeAskedForBeforeTheFirstAreDone) {
  ASSERT_EQ(go(test::lottery_catalogue(broken_once(1, 37))), exit_bug);
  options_.overrides = {"replicates=1000"};
  ASSERT_EQ(go(), exit_done) << said_;
  const std::string extended = file().digest();
  options_.output = folder_.file("fresh.h5");
  ASSERT_EQ(go(), exit_done);
  EXPECT_EQ(file().digest(), extended);
}

TEST_F(Driver, MorePointsAtTheEndKeepTheOldRows) {
  const std::string config = options_.config;
  const std::string text = test::content_of(config);
  folder_.write("lottery.toml", text + "[[more]]\nname = \"third\"\n");
  ASSERT_EQ(go(), exit_done) << said_;
  const auto first_rows = file().read_doubles(0, 2, {0, 300});
  folder_.write("lottery.toml", text + "[[more]]\nname = \"third\"\n[[more]]\nname = \"fourth\"\n");
  ASSERT_EQ(go(test::lottery_catalogue(), 2), exit_done) << said_;
  EXPECT_EQ(file().layout().points.size(), 4U);
  EXPECT_EQ(file().read_doubles(0, 2, {0, 300}), first_rows);
  EXPECT_EQ(file().sessions().at(1).rows_committed, 300U);
  const std::string extended = file().digest();
  options_.output = folder_.file("fresh.h5");
  ASSERT_EQ(go(), exit_done);
  EXPECT_EQ(file().digest(), extended);
  // Fewer points, or a changed one, are another run.
  folder_.write("lottery.toml", text);
  EXPECT_EQ(go(), exit_input);
  folder_.write("lottery.toml", text + "[[more]]\nname = \"3rd\"\n[[more]]\nname = \"fourth\"\n");
  EXPECT_EQ(go(), exit_input);
  EXPECT_EQ(file().digest(), extended);
}

TEST_F(Driver, RowsMaySumUpSegmentsOfReplicates) {
  options_.overrides = {"segment=16"};
  options_.quiet = false;
  ASSERT_EQ(go(), exit_done) << said_;
  EXPECT_TRUE(said("300 replicates in segments of 16, 38 of 38 to compute")) << said_;
  EXPECT_EQ(file().layout().rows(), 19U);
  const std::string digest = file().digest();
  options_.output = folder_.file("ranks.h5");
  ASSERT_EQ(go(test::lottery_catalogue(), 3), exit_done);
  EXPECT_EQ(file().digest(), digest);

  // The last segment had 12 replicates: it is computed again.
  options_.overrides = {"segment=16", "replicates=320"};
  ASSERT_EQ(go(), exit_done) << said_;
  EXPECT_EQ(file().sessions().back().rows_committed, 2 * 2U);
  const std::string extended = file().digest();
  options_.output = folder_.file("fresh.h5");
  ASSERT_EQ(go(), exit_done);
  EXPECT_EQ(file().digest(), extended);
  EXPECT_NE(extended, digest);
  options_.overrides = {"segment=32", "replicates=320"};
  EXPECT_EQ(go(), exit_input);
}

/// A lottery that has enough at 40 tickets of the cheap point, and never of the dear one; counts
/// where it was asked.
Catalogue adaptive(std::vector<std::pair<std::size_t, std::uint64_t>>* asked) {
  Catalogue catalogue = test::lottery_catalogue({}, true);
  catalogue[0].first_checkpoint = 20;
  catalogue[0].enough = [asked](const ResultFile& file, std::size_t point, std::uint64_t count) {
    for (const std::uint8_t status : file.read_status(point, {0, count})) {
      EXPECT_NE(status, status_missing);
    }
    asked->emplace_back(point, count);
    return point == 0 && count >= 40;
  };
  return catalogue;
}

TEST_F(Driver, AdaptiveJobsStopAtCheckpointsOnly) {
  std::vector<std::pair<std::size_t, std::uint64_t>> asked;
  ASSERT_EQ(go(adaptive(&asked)), exit_done) << said_;
  const std::vector<std::pair<std::size_t, std::uint64_t>> expected{{0, 20}, {1, 20}, {0, 40},
                                                                    {1, 40}, {1, 80}, {1, 160}};
  EXPECT_EQ(asked, expected);
  const auto counts = file().status_counts();
  EXPECT_EQ(counts[0][3], 260U);
  EXPECT_EQ(counts[1][3], 0U);
  EXPECT_EQ(counts[1][0], 0U);
  const std::string digest = file().digest();

  // The same on other ranks, after an early stop, and when the maximum is raised.
  options_.output = folder_.file("ranks.h5");
  ASSERT_EQ(go(adaptive(&asked), 3), exit_done);
  EXPECT_EQ(file().digest(), digest);
  options_.output = folder_.file("stopped.h5");
  options_.time_limit = 0;
  ASSERT_EQ(go(adaptive(&asked)), exit_stopped);
  options_.time_limit.reset();
  ASSERT_EQ(go(adaptive(&asked)), exit_done);
  EXPECT_EQ(file().digest(), digest);
  options_.overrides = {"replicates=500"};
  ASSERT_EQ(go(adaptive(&asked)), exit_done);
  EXPECT_EQ(file().digest(300), digest);
  EXPECT_EQ(file().status_counts()[0][3], 460U);

  // No shard has a prefix to judge.
  options_.shard = ShardNumber{1, 2};
  EXPECT_EQ(go(adaptive(&asked)), exit_input);
  EXPECT_TRUE(said("cannot be cut in shards")) << said_;
}

TEST_F(Driver, AdaptiveJobsInSegmentsStopBetweenThem) {
  std::vector<std::pair<std::size_t, std::uint64_t>> asked;
  Catalogue catalogue = adaptive(&asked);
  catalogue[0].enough = [&](const ResultFile&, std::size_t point, std::uint64_t count) {
    asked.emplace_back(point, count);
    return point == 0 && count >= 10;
  };
  options_.overrides = {"segment=16"};
  ASSERT_EQ(go(catalogue), exit_done) << said_;
  // 20 replicates are two segments; 19 segments in all.
  const std::vector<std::pair<std::size_t, std::uint64_t>> expected{
      {0, 2}, {1, 2}, {0, 4}, {1, 4}, {0, 8}, {1, 8}, {0, 16}, {1, 16}};
  EXPECT_EQ(asked, expected);
  EXPECT_EQ(file().status_counts()[0][3], 3U);
}

TEST_F(Driver, RefusesTheOutputOfAnotherRun) {
  ASSERT_EQ(go(), exit_done);
  const std::string before = test::content_of(*options_.output);
  const std::size_t entries = folder_.entries();
  const auto refuses = [&](const std::string& words) {
    EXPECT_EQ(go(), exit_input);
    EXPECT_TRUE(said(words)) << said_;
    EXPECT_EQ(test::content_of(*options_.output), before);
    EXPECT_EQ(folder_.entries(), entries);
  };
  options_.overrides = {"salt=2"};
  refuses("salt: 1 → 2");
  options_.overrides = {"seed=12"};
  refuses("seed: 11 → 12");
  options_.overrides = {"replicates=299"};
  refuses("already has 300 replicates");
  options_.overrides = {};
  folder_.write("table.csv", "name\nBo\n");
  refuses("table");
  folder_.write("table.csv", "name\nAnna\n");
  EXPECT_EQ(go(), exit_done) << said_;
}

TEST_F(Driver, KeysWithoutEffectOnTheNumbersMayChange) {
  ASSERT_EQ(go(), exit_done);
  folder_.write("same_content.csv", "name\nAnna\n");
  options_.overrides = {"run.round_seconds=5", "table=same_content.csv", "run.threads=2"};
  EXPECT_EQ(go(), exit_done) << said_;
}

TEST_F(Driver, RefusesAFileOfSomebodyElse) {
  for (const char* content : {"", "dear diary", "\x89HDF\r\n\x1a\n cut off"}) {
    folder_.write("out.h5", content);
    const std::size_t entries = folder_.entries();
    EXPECT_EQ(go(), exit_input);
    EXPECT_TRUE(said("out.h5")) << said_;
    EXPECT_EQ(test::content_of(*options_.output), content);
    EXPECT_EQ(folder_.entries(), entries);
  }
}

TEST_F(Driver, RefusesBeforeAnythingIsMade) {
  const std::size_t entries = folder_.entries();
  const auto refuses = [&](const std::string& words) {
    for (const int ranks : {1, 2}) {
      EXPECT_EQ(go(test::lottery_catalogue(), ranks), exit_input);
      EXPECT_TRUE(said(words)) << said_;
      EXPECT_EQ(folder_.entries(), entries);
    }
  };
  options_.overrides = {"sat=2"};
  refuses("did you mean \"salt\"?");
  options_.overrides = {"job=lotery"};
  refuses("did you mean \"lottery\"?");
  options_.overrides = {"replicates=0"};
  refuses("out of range");
  options_.overrides = {"table=nowhere.csv"};
  refuses("nowhere.csv");
  options_.overrides = {};
  options_.config = folder_.file("nowhere.toml");
  refuses("nowhere.toml");
}

TEST_F(Driver, MakesTheOutputsFolder) {
  options_.output = folder_.file("results/of/today.h5");
  EXPECT_EQ(go(), exit_done) << said_;
  EXPECT_EQ(rows_missing(), 0U);
}

TEST_F(Driver, LeavesNoFolderWhereTheRunCannotBegin) {
  options_.output = folder_.file("table.csv/out.h5");
  const std::size_t entries = folder_.entries();
  EXPECT_EQ(go(), exit_input);
  EXPECT_TRUE(said("table.csv")) << said_;
  EXPECT_EQ(folder_.entries(), entries);
}

TEST_F(Driver, ATimeLimitOfZeroComputesNothingAndCanGoOn) {
  options_.time_limit = 0;
  for (const int ranks : {1, 2}) {
    EXPECT_EQ(go(test::lottery_catalogue(), ranks), exit_stopped);
    EXPECT_TRUE(said("stopped (time limit) with 0 of 600")) << said_;
    EXPECT_EQ(rows_missing(), 600U);
  }
  options_.time_limit = {};
  EXPECT_EQ(go(), exit_done);
  EXPECT_EQ(file().sessions()[0].why_it_stopped, "time limit");
}

TEST_F(Driver, KeepsItsTimeLimitAndLosesNothing) {
  ASSERT_EQ(go(), exit_done);
  const std::string digest = file().digest();
  options_.output = folder_.file("limited.h5");
  const auto self = make_self_communicator();
  int code = exit_stopped, sessions = 0;
  while (code == exit_stopped && sessions < 200) {
    // Each look at the clock costs 0.1 s, so a session has room for a few rounds.
    const test::FakeClock clock(0.1);
    options_.time_limit = 4;
    const double begin = clock.seconds();
    testing::internal::CaptureStderr();
    code = run(test::lottery_catalogue(), options_, *self, clock);
    testing::internal::GetCapturedStderr();
    EXPECT_LE(clock.seconds() - begin, 4 + 0.3);
    ++sessions;
  }
  EXPECT_EQ(code, exit_done);
  EXPECT_GT(sessions, 2);
  EXPECT_EQ(file().digest(), digest);
}

TEST_F(Driver, TellsOfAnotherRunThatWritesToTheOutput) {
  const RunLock lock(*options_.output);
  EXPECT_EQ(go(), exit_input);
  EXPECT_TRUE(said("another run is writing to this output")) << said_;
  EXPECT_FALSE(std::filesystem::exists(*options_.output));
}

}  // namespace
}  // namespace banzuke
