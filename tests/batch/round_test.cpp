#include "engine/batch/round.hpp"

#include <gtest/gtest.h>

#include "engine/batch/progress.hpp"
#include "engine/batch/word.hpp"
#include "tests/batch/batch_support.hpp"

namespace banzuke {
namespace {

Bundle lottery_set_up() {
  Bundle set_up;
  set_up.set("salt", std::int64_t{7});
  set_up.set("segment", std::int64_t{1});
  set_up.set("more", std::vector<std::string>{});
  return set_up;
}

const std::vector<Block> blocks{{0, 0, 40}, {1, 4, 36}, {0, 40, 3}, {1, 100, 28}, {1, 40, 60}};

TEST(Round, GivesTheSameBytesOnAnyNumberOfThreads) {
  const test::Lottery job(lottery_set_up(), 5, {});
  const Layout layout = job.layout(200);
  const RoundResult one = compute_round(job, layout, blocks, 1);
  EXPECT_FALSE(one.failure);
  EXPECT_EQ(one.rows.size(), bytes_of(layout, blocks));
  for (const int threads : {2, 4}) {
    EXPECT_EQ(compute_round(job, layout, blocks, threads).rows, one.rows);
  }
}

TEST(Round, PutsEveryRowInItsPlace) {
  const test::Lottery job(lottery_set_up(), 5, {});
  const Layout layout = job.layout(200);
  RoundResult whole = compute_round(job, layout, blocks, 2);
  for (const RowBlock& rows : views(layout, blocks, whole.rows.data())) {
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const std::vector<Block> alone{{rows.point(), rows.first() + i, 1}};
      RoundResult single = compute_round(job, layout, alone, 1);
      const RowBlock row = views(layout, alone, single.rows.data())[0];
      EXPECT_EQ(row.integers32(1)[0], rows.integers32(1)[i]);
      EXPECT_EQ(row.doubles(0)[2], rows.doubles(0)[3 * i + 2]);
      EXPECT_EQ(row.status()[0], rows.status()[i]);
    }
  }
}

TEST(Round, NamesPointAndReplicatesOfAnException) {
  for (const int threads : {1, 2, 4}) {
    const test::Lottery job(lottery_set_up(), 5, [](std::size_t point, std::uint64_t replicate) {
      if (point == 1 && replicate == 111) throw std::runtime_error("the drum broke");
    });
    const RoundResult result = compute_round(job, job.layout(200), blocks, threads);
    ASSERT_TRUE(result.failure);
    EXPECT_EQ(*result.failure, "point 1 (dear), replicates 100 to 127: the drum broke");
  }
}

TEST(Round, SurvivesManyExceptionsAtOnce) {
  const test::Lottery job(lottery_set_up(), 5, [](std::size_t, std::uint64_t) {
    throw std::runtime_error("everything broke");
  });
  const RoundResult result = compute_round(job, job.layout(200), blocks, 4);
  ASSERT_TRUE(result.failure);
  EXPECT_NE(result.failure->find("everything broke"), std::string::npos);
}

TEST(Round, SurvivesExceptionsThatAreNoStandardOnes) {
  const test::Lottery job(lottery_set_up(), 5, [](std::size_t, std::uint64_t) { throw 42; });
  EXPECT_TRUE(compute_round(job, job.layout(200), blocks, 2).failure);
}

TEST(Round, OfNoBlocksIsEmpty) {
  const test::Lottery job(lottery_set_up(), 5, {});
  const RoundResult result = compute_round(job, job.layout(8), {}, 2);
  EXPECT_TRUE(result.rows.empty());
  EXPECT_FALSE(result.failure);
}

TEST(Word, ReachesEveryRank) {
  test::Crowd crowd(3);
  std::vector<StartWord> starts(3);
  std::vector<RoundWord> rounds(3);
  std::vector<StageWord> stages(3);
  stages[1].missing = {{7, 7, 7}};
  starts[0] = {0, "lottery", 0x7FFF'FFFF'FFFF'FFFFU, 4294967295U, 5, lottery_set_up()};
  stages[0].missing = {{0, 3, 9}, {1, 0, 4}};
  rounds[0] = {12.5, exit_stopped};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&, rank] {
      test::ThreadCommunicator comm(crowd, rank);
      broadcast(starts[static_cast<std::size_t>(rank)], comm);
      broadcast(stages[static_cast<std::size_t>(rank)], comm);
      broadcast(rounds[static_cast<std::size_t>(rank)], comm);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_EQ(starts[rank].job, "lottery");
    EXPECT_EQ(starts[rank].seed, 0x7FFF'FFFF'FFFF'FFFFU);
    EXPECT_EQ(starts[rank].replicates, 4294967295U);
    EXPECT_EQ(starts[rank].threads, 5);
    EXPECT_EQ(stages[rank].missing, (std::vector<Block>{{0, 3, 9}, {1, 0, 4}}));
    EXPECT_EQ(starts[rank].set_up, lottery_set_up());
    EXPECT_EQ(rounds[rank].cost, 12.5);
    EXPECT_EQ(rounds[rank].exit_code, exit_stopped);
  }
}

TEST(Word, OfARunThatCannotBeginIsItsExitCode) {
  test::Crowd crowd(2);
  std::vector<StartWord> starts(2);
  starts[0].exit_code = exit_input;
  std::thread other([&] {
    test::ThreadCommunicator comm(crowd, 1);
    broadcast(starts[1], comm);
  });
  test::ThreadCommunicator comm(crowd, 0);
  broadcast(starts[0], comm);
  other.join();
  EXPECT_EQ(starts[1].exit_code, exit_input);
}

TEST(Progress, SaysTimesAndSizesInWords) {
  EXPECT_EQ(duration_text(1.25), "1.2 s");
  EXPECT_EQ(duration_text(9.97), "10 s");
  EXPECT_EQ(duration_text(59.6), "1 min 0 s");
  EXPECT_EQ(duration_text(200), "3 min 20 s");
  EXPECT_EQ(duration_text(7500), "2 h 5 min");
  EXPECT_EQ(duration_text(std::numeric_limits<double>::infinity()), "very long");
  EXPECT_EQ(bytes_text(812), "812 B");
  EXPECT_EQ(bytes_text(1536), "1.5 KiB");
  EXPECT_EQ(bytes_text(3.0 * 1024 * 1024 * 1024), "3.0 GiB");
}

TEST(Progress, IsOneLineARoundWhereThereIsNoTerminal) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  Progress progress(file, false, "replicate", 1000, 200);
  progress.update(600, 4);
  progress.update(1000, 8);
  progress.finish();
  std::rewind(file);
  std::string text(1000, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  EXPECT_EQ(text,
            "600 of 1000 replicates (60.0 %), 100/s, 4.0 s left\n"
            "1000 of 1000 replicates (100.0 %), 100/s, in 8.0 s\n");
}

}  // namespace
}  // namespace banzuke
