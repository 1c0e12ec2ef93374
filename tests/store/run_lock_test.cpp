#include "engine/store/run_lock.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

#include "child.hpp"
#include "engine/base/error.hpp"
#include "small_run.hpp"

namespace banzuke {
namespace {

using namespace testing;

TEST(RunLock, IsHeldByOneAndLeavesNothing) {
  const Folder folder;
  {
    RunLock lock(folder / "a.h5");
    EXPECT_EQ(lock.note(), "");
    const std::string text = message_of<InputError>([&] { RunLock(folder / "a.h5"); });
    EXPECT_NE(text.find(fmt::format("process {}", getpid())), std::string::npos) << text;
    EXPECT_NE(text.find("on host "), std::string::npos) << text;
    EXPECT_NE(text.find("UTC"), std::string::npos) << text;
    const RunLock moved = std::move(lock);
    EXPECT_TRUE(std::filesystem::exists(folder / "a.h5.lock"));
  }
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(RunLock, OfADeadProcessIsTakenOver) {
  const Folder folder;
  const pid_t child = start_child([&] {
    const RunLock lock(folder / "a.h5");
    raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(wait_for(child), 128 + SIGKILL);
  ASSERT_TRUE(std::filesystem::exists(folder / "a.h5.lock"));
  const RunLock lock(folder / "a.h5");
  EXPECT_NE(lock.note().find(fmt::format("process {}", child)), std::string::npos) << lock.note();
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(RunLock, OfAReusedProcessIdIsTakenOver) {
  const Folder folder;
  std::string content;
  {
    const RunLock lock(folder / "a.h5");
    std::ifstream in(folder / "a.h5.lock");
    content.assign(std::istreambuf_iterator<char>(in), {});
  }
  const std::size_t at = content.find("process start: ");
  ASSERT_NE(at, std::string::npos);
  content.insert(at + 15, "1");
  std::ofstream(folder / "a.h5.lock") << content;
  EXPECT_NE(RunLock(folder / "a.h5").note(), "");
}

TEST(RunLock, OfAnotherHostIsNeverTakenOver) {
  const Folder folder;
  std::ofstream(folder / "a.h5.lock")
      << "host: elsewhere\npid: 1\nprocess start: 5\nuser: ann\ntime: 2016-07-01 00:00:00 UTC\n";
  const std::string text = message_of<InputError>([&] { RunLock(folder / "a.h5"); });
  EXPECT_NE(text.find("of ann on host elsewhere since 2016-07-01"), std::string::npos) << text;
  EXPECT_NE(text.find("delete the lock file"), std::string::npos) << text;
}

TEST(RunLock, AnUnreadableOneOrABadFolderIsRefused) {
  const Folder folder;
  std::ofstream(folder / "a.h5.lock") << "what is this";
  message_of<InputError>([&] { RunLock(folder / "a.h5"); });
  message_of<InputError>([&] { RunLock(folder / "absent/a.h5"); });
}

TEST(RunLock, OfSeveralTakersOneWins) {
  const Folder folder;
  for (int round = 0; round < 10; ++round) {
    const pid_t dead = start_child([&] {
      const RunLock lock(folder / "a.h5");
      raise(SIGKILL);
      return 0;
    });
    wait_for(dead);
    std::vector<pid_t> takers;
    for (int i = 0; i < 4; ++i) {
      takers.push_back(start_child([&] {
        try {
          const RunLock lock(folder / "a.h5");
          usleep(100'000);
          return 0;
        } catch (const InputError&) {
          return 1;
        }
      }));
    }
    int winners = 0;
    for (const pid_t taker : takers) winners += wait_for(taker) == 0;
    EXPECT_EQ(winners, 1);
  }
}

}  // namespace
}  // namespace banzuke
