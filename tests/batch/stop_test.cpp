#include "engine/batch/stop.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <csignal>
#include <filesystem>

#include "engine/batch/pace.hpp"
#include "tests/batch/batch_support.hpp"

namespace banzuke {
namespace {

using test::FakeClock;

TEST(StopRule, StopsWhenAnotherRoundDoesNotFit) {
  FakeClock clock;
  const StopRule rule(clock, 60.0);
  EXPECT_FALSE(rule.reason(10, false));
  clock.advance(45);
  EXPECT_DOUBLE_EQ(rule.seconds_left(), 15);
  EXPECT_FALSE(rule.reason(14.9, false));
  EXPECT_EQ(rule.reason(15.1, false), "time limit");
  clock.advance(100);
  EXPECT_EQ(rule.reason(0, false), "time limit");
}

TEST(StopRule, ALimitOfZeroStopsAtOnceOnAClockThatStands) {
  const FakeClock clock;
  EXPECT_EQ(StopRule(clock, 0.0).reason(0, false), "time limit");
}

TEST(StopRule, WithoutALimitOnlyASignalStops) {
  FakeClock clock;
  const StopRule rule(clock, {});
  clock.advance(1e9);
  EXPECT_TRUE(std::isinf(rule.seconds_left()));
  EXPECT_FALSE(rule.reason(1e9, false));
  EXPECT_EQ(rule.reason(0, true), "signal");
}

TEST(StopRule, AFolderIsNoStopFile) {
  const FakeClock clock;
  const test::Folder folder;
  StopRule rule(clock, {});
  rule.watch(folder.file("out.h5.stop"));
  std::filesystem::create_directories(folder.file("out.h5.stop/of_something_else"));
  EXPECT_FALSE(rule.reason(0, false));
}

// The flag stays up once a signal was seen, so each case has a process of its own.
class StopSignal : public testing::TestWithParam<int> {};

TEST_P(StopSignal, IsNotedAndDoesNotKill) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        catch_stop_signals();
        const bool clean = stop_signal() == 0;
        std::raise(GetParam());
        std::exit(clean && stop_signal() == GetParam() ? 0 : 1);
      },
      testing::ExitedWithCode(0), "");
}

INSTANTIATE_TEST_SUITE_P(All, StopSignal, testing::Values(SIGINT, SIGTERM, SIGUSR1));

TEST(StopSignals, ASecondInterruptEndsTheProcess) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_EXIT(
      {
        catch_stop_signals();
        std::raise(SIGINT);
        std::raise(SIGINT);
        std::exit(0);
      },
      testing::KilledBySignal(SIGINT), "");
}

TEST(Pace, DoublesTheTimeUpToTheLongestWanted) {
  Pace pace(20);
  pace.begin(16);
  EXPECT_EQ(pace.cost(), 16);
  EXPECT_EQ(pace.expected_seconds(), 0);
  const double rate = 1000;  // cost a second
  double longest = 0;
  for (int round = 0; round < 20; ++round) {
    const double seconds = pace.cost() / rate;
    EXPECT_LE(seconds, std::max(0.5, 2 * longest) * (1 + 1e-12));
    longest = seconds;
    pace.learn(pace.cost(), seconds);
    EXPECT_NEAR(pace.expected_seconds(), pace.cost() / rate, 1e-9);
  }
  EXPECT_NEAR(pace.cost(), 20 * rate, 1e-6);
}

TEST(Pace, DoesNotLeapAfterARoundTooShortToMeasure) {
  Pace pace(20);
  pace.begin(1);
  pace.learn(1, 0);
  EXPECT_LE(pace.cost(), 100);
}

TEST(Pace, GivesEveryWorkerARowHoweverLongRowsTake) {
  Pace pace(20);
  pace.begin(100);  // a row a worker
  for (int round = 0; round < 5; ++round) {
    pace.learn(100, 40);
    EXPECT_EQ(pace.cost(), 100);
    EXPECT_EQ(pace.expected_seconds(), 40);
  }
  pace.learn(37, 40);  // bounded by bytes, or the last of a stage: as long as a full one
  EXPECT_EQ(pace.cost(), 100);
  EXPECT_EQ(pace.expected_seconds(), 40);
}

TEST(Pace, KeepsWhatItLearnedWhenAnotherStageBegins) {
  Pace pace(20);
  pace.begin(16);
  pace.learn(16, 1);
  const double learned = pace.cost();
  pace.begin(16);
  EXPECT_EQ(pace.cost(), learned);
}

TEST(Pace, FitsIntoWhatIsLeft) {
  Pace pace(20);
  pace.begin(1);
  pace.learn(100, 1);
  EXPECT_NEAR(pace.expected_seconds(), 2, 1e-12);
  pace.fit(5);
  EXPECT_NEAR(pace.cost(), 200, 1e-9);
  pace.fit(0.5);
  EXPECT_NEAR(pace.cost(), 50, 1e-9);
  EXPECT_NEAR(pace.expected_seconds(), 0.5, 1e-12);
}

}  // namespace
}  // namespace banzuke
