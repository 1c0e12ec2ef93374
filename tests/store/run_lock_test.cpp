#include "engine/store/run_lock.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

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

TEST(RunLock, RemovesWhatDeadProcessesLeftBesideIt) {
  const Folder folder;
  const auto make = [&](const std::string& name) { std::ofstream(folder / name) << "host: "; };
  char host[256] = {};
  ASSERT_EQ(gethostname(host, sizeof host - 1), 0);
  const pid_t dead = start_child([] { return 0; });
  EXPECT_EQ(wait_for(dead), 0);
  make("a.h5.part");
  make(fmt::format("a.h5.lock.{}.{}", host, dead));
  const std::vector<std::string> kept{fmt::format("a.h5.lock.{}.{}", host, getppid()),
                                      fmt::format("a.h5.lock.elsewhere.{}", dead),
                                      fmt::format("b.h5.lock.{}.{}", host, dead),
                                      "b.h5.part",
                                      "a.h5.lock.",
                                      fmt::format("a.h5.lock.{}.x", host)};
  for (const std::string& name : kept) make(name);
  const RunLock lock(folder / "a.h5");
  for (const std::string& name : kept) EXPECT_TRUE(std::filesystem::exists(folder / name)) << name;
  EXPECT_EQ(folder.entries(), kept.size() + 1);
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
  std::ofstream(folder / "a.h5.lock") << content.substr(0, at + 15) << 1 << content.substr(at + 15);
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

TEST(RunLock, OfAnotherContainerIsNeverTakenOver) {
  const Folder folder;
  std::string content;
  {
    const RunLock lock(folder / "a.h5");
    std::ifstream in(folder / "a.h5.lock");
    content.assign(std::istreambuf_iterator<char>(in), {});
  }
  // The same process, as another container would have written it: here its start is another's.
  const std::size_t start = content.find("process start: ");
  const std::size_t space = content.find("pid:[");
  ASSERT_NE(start, std::string::npos);
  ASSERT_NE(space, std::string::npos) << content;
  content.insert(space + 5, "1");
  content.insert(start + 15, "1");
  std::ofstream(folder / "a.h5.lock") << content;
  const std::string text = message_of<InputError>([&] { RunLock(folder / "a.h5"); });
  EXPECT_NE(text.find("in another container since"), std::string::npos) << text;
  EXPECT_NE(text.find("if that container has ended, delete the lock file"), std::string::npos);
}

TEST(RunLock, IsOneForAFileAndALinkToIt) {
  const Folder folder;
  std::ofstream(folder / "a.h5") << "result";
  std::filesystem::create_symlink("a.h5", folder / "link.h5");
  const RunLock lock(folder / "link.h5");
  EXPECT_TRUE(std::filesystem::exists(folder / "a.h5.lock"));
  message_of<InputError>([&] { RunLock(folder / "a.h5"); });
  message_of<InputError>([&] { RunLock(folder / "link.h5"); });
}

TEST(RunLock, AnUnreadableOneOrABadFolderIsRefused) {
  const Folder folder;
  std::ofstream(folder / "a.h5.lock") << "what is this";
  message_of<InputError>([&] { RunLock(folder / "a.h5"); });
  message_of<InputError>([&] { RunLock(folder / "absent/a.h5"); });
  const std::string text =
      message_of<InputError>([&] { RunLock(folder / (std::string(240, 'a') + ".h5")); });
  EXPECT_NE(text.find("choose an output with a shorter name"), std::string::npos) << text;
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
    // Whoever wins holds the lock until all have tried.
    int told[2];
    int hold[2];
    ASSERT_EQ(pipe(told), 0);
    ASSERT_EQ(pipe(hold), 0);
    std::vector<pid_t> takers;
    for (int i = 0; i < 4; ++i) {
      takers.push_back(start_child([&] {
        close(hold[1]);
        char byte = 'l';
        try {
          const RunLock lock(folder / "a.h5");
          byte = 'w';
          if (write(told[1], &byte, 1) != 1) return 1;
          return read(hold[0], &byte, 1) == 0 ? 0 : 1;
        } catch (const InputError&) {
          return write(told[1], &byte, 1) == 1 ? 0 : 1;
        }
      }));
    }
    int winners = 0;
    for (std::size_t i = 0; i < takers.size(); ++i) {
      char byte = 0;
      ASSERT_EQ(read(told[0], &byte, 1), 1);
      winners += byte == 'w';
    }
    close(hold[1]);
    for (const pid_t taker : takers) EXPECT_EQ(wait_for(taker), 0);
    for (const int end : {told[0], told[1], hold[0]}) close(end);
    EXPECT_EQ(winners, 1);
  }
}

TEST(RunLock, OfAFolderIsRefusedWithAReason) {
  const Folder folder;
  std::filesystem::create_directory(folder / "a.h5.lock");
  const std::string text = message_of<InputError>([&] { RunLock(folder / "a.h5"); });
  EXPECT_NE(text.find("the lock file names no owner"), std::string::npos) << text;
}

TEST(RunLock, CanBeReadByItsOwnerWhateverTheUmask) {
  const Folder folder;
  const mode_t umask_before = ::umask(0777);
  const RunLock lock(folder / "out.h5");
  ::umask(umask_before);
  const auto mode = std::filesystem::status(folder / "out.h5.lock").permissions();
  EXPECT_NE(mode & std::filesystem::perms::owner_read, std::filesystem::perms::none);
}

}  // namespace
}  // namespace banzuke
