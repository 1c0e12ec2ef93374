#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <iostream>
#include <random>
#include <thread>

#include "child.hpp"
#include "engine/store/result_file.hpp"
#include "small_run.hpp"

namespace banzuke {
namespace {

using namespace testing;

constexpr std::size_t block = 7;

/// Commits block after block what is missing, telling the pipe after each commit.
int compute_missing(const std::filesystem::path& path, bool durable, int pipe) {
  FileAccess access;
  access.durable = durable;
  ResultFile file = ResultFile::open(path, access);
  file.begin_session(small_session());
  const auto missing = file.missing();
  for (std::size_t point = 0; point < missing.size(); ++point) {
    for (const RowRange& range : missing[point]) {
      for (std::uint64_t done = 0; done < range.count; done += block) {
        commit_rows(file, point, range.first + done, std::min(block, range.count - done));
        if (write(pipe, "c", 1) != 1) return 1;
      }
    }
  }
  return 0;
}

std::size_t bytes_in(int pipe) {
  std::size_t total = 0;
  char buffer[4096];
  for (ssize_t count = 0; (count = read(pipe, buffer, sizeof buffer)) > 0;) {
    total += static_cast<std::size_t>(count);
  }
  return total;
}

TEST(Kill, FortyKillsLoseAtMostTheCommitUnderWay) {
  const Folder folder;
  const auto path = folder / "a.h5";
  const Layout layout = small_layout(6000);
  ResultFile::create(path, layout, small_setup(), small_identity(), small_provenance());
  std::mt19937 random(20160701);
  std::uint64_t known = 0;
  std::size_t commits = 0;
  int interrupted = 0;
  for (int i = 0; i < 40; ++i) {
    int pipe[2];
    ASSERT_EQ(pipe2(pipe, O_CLOEXEC), 0);
    const pid_t child = start_child([&] { return compute_missing(path, i % 2 == 0, pipe[1]); });
    close(pipe[1]);
    // Mostly after the first commit; else while the child starts.
    char first = 0;
    const std::size_t heard = i % 5 != 0 && read(pipe[0], &first, 1) == 1 ? 1 : 0;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    kill(child, SIGKILL);
    interrupted += wait_for(child) == 128 + SIGKILL;
    const std::size_t told = heard + bytes_in(pipe[0]);
    close(pipe[0]);
    commits += told;

    const ResultFile file = ResultFile::open(path);
    const std::uint64_t now = check_rows(file, 0) + check_rows(file, 1);
    // Blocks at the end of a missing range may be shorter than `block`, never longer.
    EXPECT_LE(now, known + (told + 1) * block);
    EXPECT_GE(now, told > 0 ? known + (told - 1) * block + 1 : known);
    known = now;
    if (known == 2 * layout.replicates) break;
  }
  std::cout << interrupted << " kills, " << commits << " commits\n";
  EXPECT_GE(interrupted, 20);
  EXPECT_EQ(run_child([&] {
              const int null = ::open("/dev/null", O_WRONLY);
              return compute_missing(path, false, null);
            }),
            0);

  make_whole(folder / "whole.h5", layout);
  EXPECT_EQ(ResultFile::open(path).digest(), ResultFile::open(folder / "whole.h5").digest());
}

TEST(Kill, ACreationThatIsKilledLeavesNoResultAndCanBeRepeated) {
  const Folder folder;
  const auto path = folder / "a.h5";
  const Layout layout = small_layout(200'000);
  std::mt19937 random(1);
  for (int i = 0; i < 10; ++i) {
    const pid_t child = start_child([&] {
      ResultFile::create(path, layout, small_setup(), small_identity(), small_provenance());
      return 0;
    });
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 20'000));
    kill(child, SIGKILL);
    wait_for(child);
    if (!std::filesystem::exists(path)) continue;
    EXPECT_EQ(ResultFile::open(path).missing()[1].size(), 1u);
    std::filesystem::remove(path);
  }
  ResultFile::create(path, layout, small_setup(), small_identity(), small_provenance());
  EXPECT_EQ(folder.entries(), 1u);
}

}  // namespace
}  // namespace banzuke
