#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <optional>

#include "engine/base/error.hpp"
#include "engine/batch/pace.hpp"
#include "engine/batch/stop.hpp"
#include "tests/batch/batch_support.hpp"

namespace banzuke {
namespace {

using test::Folder;

/// Both clocks go by hand; the wall clock is 1,000,000 s ahead.
class TwoClocks final : public Clock {
 public:
  double seconds() const override { return now_; }
  double unix_seconds() const override { return 1e6 + now_; }
  void advance(double seconds) { now_ += seconds; }

 private:
  double now_ = 50;
};

/// An environment variable for the length of a test.
class Variable {
 public:
  Variable(const char* name, const char* value) : name_(name) { setenv(name, value, 1); }
  ~Variable() { unsetenv(name_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  const char* name_;
};

TEST(ScheduledEnd, IsReadFromTheEnvironment) {
  EXPECT_FALSE(scheduled_end());
  const Variable slurm("SLURM_JOB_END_TIME", "1700000000");
  EXPECT_EQ(scheduled_end(), 1700000000.0);
  const Variable ours("BANZUKE_END_TIME", "1700000100");
  EXPECT_EQ(scheduled_end(), 1700000100.0) << "ours comes first";
}

TEST(ScheduledEnd, IsRefusedWhereItIsNoNumber) {
  for (const char* text : {"2026-11-29T21:00:00", "", "nan", "inf"}) {
    const Variable wrong("BANZUKE_END_TIME", text);
    try {
      scheduled_end();
      FAIL() << "accepted: " << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("date +%s"), std::string::npos) << error.what();
    }
  }
}

TEST(StopRule, LeavesTheSchedulerTenSeconds) {
  TwoClocks clock;
  const StopRule rule(clock, {}, 1e6 + 50 + 100);
  EXPECT_DOUBLE_EQ(rule.seconds_left(), 90);
  clock.advance(60);
  EXPECT_FALSE(rule.reason(29, false));
  EXPECT_EQ(rule.reason(31, false), "scheduler's time limit");
}

TEST(StopRule, TheNearerLimitCounts) {
  const TwoClocks clock;
  const StopRule ours(clock, 40.0, 1e6 + 50 + 100);
  EXPECT_DOUBLE_EQ(ours.seconds_left(), 40);
  EXPECT_EQ(ours.reason(41, false), "time limit");
  const StopRule theirs(clock, 400.0, 1e6 + 50 + 100);
  EXPECT_DOUBLE_EQ(theirs.seconds_left(), 90);
  EXPECT_EQ(theirs.reason(91, false), "scheduler's time limit");
}

TEST(StopRule, AnEndThatIsPastStopsAtOnce) {
  const TwoClocks clock;
  const StopRule rule(clock, {}, 17.0);
  EXPECT_EQ(rule.reason(0, false), "scheduler's time limit");
  EXPECT_EQ(rule.room(), 0);
}

TEST(StopRule, LearnsTheMarginFromRounds) {
  TwoClocks clock;
  StopRule rule(clock, 100.0);
  const double before = rule.room();
  EXPECT_LT(before, 100);
  rule.learn(10, 30, 5);  // three times as long as expected, and a slow commit
  EXPECT_DOUBLE_EQ(rule.room(), (100 - 2 * 5) / 3.0);
  rule.learn(10, 10, 1);  // good rounds do not make it forget
  EXPECT_DOUBLE_EQ(rule.room(), (100 - 2 * 5) / 3.0);
  rule.learn(0, 50, 1);  // the first round was not expected to take any time
  EXPECT_DOUBLE_EQ(rule.room(), (100 - 2 * 5) / 3.0);
  EXPECT_FALSE(rule.reason(89, false));
  EXPECT_EQ(rule.reason(90, false), "time limit") << "the commit needs the rest";
  clock.advance(89);
  EXPECT_DOUBLE_EQ(rule.room(), 1 / 3.0);
}

TEST(StopRule, WithoutALimitThereIsRoomForAnything) {
  const TwoClocks clock;
  StopRule rule(clock, {});
  rule.learn(1, 20, 20);
  EXPECT_TRUE(std::isinf(rule.room()));
}

TEST(StopRule, AStopFileStopsOnceAndIsRemoved) {
  const TwoClocks clock;
  const Folder folder;
  StopRule rule(clock, {});
  rule.watch(folder.file("out.h5.stop"));
  EXPECT_FALSE(rule.reason(1, false));
  folder.write("out.h5.stop", "");
  EXPECT_EQ(rule.reason(1, true), "signal") << "that file may wait for the next session";
  EXPECT_EQ(rule.reason(1, false), "stop file");
  EXPECT_EQ(folder.entries(), 0U);
  EXPECT_FALSE(rule.reason(1, false));
}

// Rounds that always take twice their expected time, with commits of one second, under a fake
// clock: the last one ends before the limit, and little of the time is left unused.
TEST(StopRule, WithPaceEndsInTimeUnderLateRounds) {
  for (const double limit : {3.0, 20.0, 100.0, 1000.0}) {
    TwoClocks clock;
    StopRule rule(clock, limit);
    Pace pace(20);
    pace.begin(8);
    int rounds = 0;
    double row_seconds = 0.01;
    while (true) {
      const double needed =
          std::max(pace.shortest_seconds(), std::min(0.5, pace.expected_seconds()));
      pace.fit(rule.room());
      if (rule.reason(needed, false)) break;
      row_seconds *= rounds % 2 == 0 ? 2 : 0.5;  // every other round is slow
      const double seconds = row_seconds * pace.cost();
      clock.advance(seconds + 0.2);
      rule.learn(pace.expected_seconds(), seconds, 0.2);
      pace.learn(pace.cost(), seconds);
      ++rounds;
      ASSERT_GE(rule.seconds_left(), 0) << "limit " << limit << ", round " << rounds;
      ASSERT_LT(rounds, 10'000);
    }
    EXPECT_GT(rounds, 1);
    EXPECT_LT(rule.seconds_left(), std::max(1.5, 0.1 * limit)) << "limit " << limit;
  }
}

TEST(Pace, KnowsItsShortestRound) {
  Pace pace(20);
  pace.begin(8);
  EXPECT_EQ(pace.shortest_seconds(), 0);
  pace.learn(8, 4);  // half a second a unit: nothing is shorter than four seconds
  EXPECT_DOUBLE_EQ(pace.shortest_seconds(), 4);
}

}  // namespace
}  // namespace banzuke
