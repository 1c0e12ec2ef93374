#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "engine/store/run_lock.hpp"

namespace banzuke {
namespace {

/// State of a process by /proc/PID/stat.
char state_of(pid_t pid) {
  std::ifstream in(fmt::format("/proc/{}/stat", pid));
  std::string text;
  std::getline(in, text);
  const std::size_t at = text.rfind(')');
  return at == text.npos ? ' ' : text.at(at + 2);
}

TEST(RunLock, OfAZombieIsTakenOver) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / fmt::format("banzuke_zombie_{}", getpid());
  std::filesystem::create_directories(folder);
  const pid_t child = fork();
  if (child == 0) {
    const RunLock lock(folder / "a.h5");
    _exit(0);  // leaves the lock behind
  }
  while (state_of(child) != 'Z') usleep(1000);
  ASSERT_TRUE(std::filesystem::exists(folder / "a.h5.lock"));
  {
    const RunLock lock(folder / "a.h5");
    EXPECT_NE(lock.note().find(fmt::format("process {}", child)), std::string::npos);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder));
  waitpid(child, nullptr, 0);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace banzuke
