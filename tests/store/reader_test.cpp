#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>

#include "child.hpp"
#include "engine/base/error.hpp"
#include "engine/store/result_file.hpp"
#include "small_run.hpp"

namespace banzuke {
namespace {

using namespace testing;

constexpr const char* python = "/usr/bin/python3";

bool has_h5py() {
  return std::system((std::string(python) + " -c 'import h5py' 2>/dev/null").c_str()) == 0;
}

/// Runs the script that lies beside this test on a file.
int run_script(const std::string& name, const std::filesystem::path& file) {
  const std::string command =
      std::string(python) + " " BANZUKE_SOURCE_DIR "/tests/store/" + name + " " + file.string();
  return std::system(command.c_str());
}

std::string output_of(const std::string& script, const std::string& arguments) {
  const std::string command =
      std::string(python) + " " BANZUKE_SOURCE_DIR "/" + script + " " + arguments;
  FILE* pipe = popen(command.c_str(), "r");
  char text[200] = {};
  const std::size_t size = fread(text, 1, sizeof text, pipe);
  pclose(pipe);
  return {text, size};
}

/// The lock a reader built on HDF5 takes.
class Hold {
 public:
  Hold(const std::filesystem::path& path, int kind)
      : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    EXPECT_EQ(flock(descriptor_, kind | LOCK_NB), 0);
  }
  ~Hold() { release(); }
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  void release() {
    if (descriptor_ >= 0) close(descriptor_);
    descriptor_ = -1;
  }

 private:
  int descriptor_;
};

class Reader : public ::testing::Test {
 protected:
  void SetUp() override {
    ResultFile::create(path_, small_layout(), small_setup(), small_identity(), small_provenance());
  }
  Folder folder_;
  std::filesystem::path path_ = folder_ / "a.h5";
};

TEST_F(Reader, ACommitWaitsForAReaderAndThenSucceeds) {
  FileAccess access;
  std::string told;
  access.on_wait = [&](const std::string& text) { told += text; };
  ResultFile file = ResultFile::open(path_, access);
  file.begin_session(small_session());
  EXPECT_EQ(told, "");
  Hold hold(path_, LOCK_SH);
  std::thread reader([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    hold.release();
  });
  commit_rows(file, 0, 0, 40);
  reader.join();
  EXPECT_NE(told.find("another program holds the result file"), std::string::npos) << told;
  EXPECT_EQ(check_rows(file, 0), 40u);
}

TEST_F(Reader, ACommitGivesUpAfterItsTimeAndCanBeRepeated) {
  FileAccess access;
  access.wait_seconds = 0.1;
  ResultFile file = ResultFile::open(path_, access);
  file.begin_session(small_session());
  {
    const Hold hold(path_, LOCK_SH);
    const std::string text = message_of<SystemError>([&] { commit_rows(file, 0, 0, 40); });
    EXPECT_NE(text.find("another program holds it"), std::string::npos) << text;
  }
  commit_rows(file, 0, 0, 40);
  EXPECT_EQ(check_rows(file, 0), 40u);
}

TEST_F(Reader, WithoutLockingACommitDoesNotWait) {
  FileAccess access;
  access.locking = false;
  access.wait_seconds = 0.0;
  ResultFile file = ResultFile::open(path_, access);
  file.begin_session(small_session());
  const Hold hold(path_, LOCK_SH);
  commit_rows(file, 0, 0, 40);
  EXPECT_EQ(check_rows(file, 0), 40u);
}

TEST_F(Reader, ReadingWorksWhileAWriterHoldsTheFile) {
  const Hold hold(path_, LOCK_EX);
  const ResultFile file = ResultFile::open(path_);
  EXPECT_EQ(file.missing()[0].size(), 1u);
  EXPECT_EQ(file.digest().size(), 64u);
}

TEST_F(Reader, H5pyReadsRecordsNamesAndUnits) {
  if (!has_h5py()) GTEST_SKIP() << "python3-h5py is not installed";
  ResultFile file = ResultFile::open(path_);
  file.begin_session(small_session());
  commit_rows(file, 1, 0, 20);
  EXPECT_EQ(run_script("read_small_run.py", path_), 0);
}

TEST_F(Reader, TheDigestsDefinitionInPythonGivesTheSameDigest) {
  if (!has_h5py()) GTEST_SKIP() << "python3-h5py is not installed";
  ResultFile file = ResultFile::open(path_);
  file.begin_session(small_session());
  commit_rows(file, 1, 0, 20);
  const Rows undone(file.layout(), 0, 0, 5);
  std::ranges::fill(undone.block().status(), status_missing);
  file.commit({&undone.block(), 1}, small_session());
  EXPECT_EQ(output_of("scripts/digest.py", path_), file.digest() + "\n");
  EXPECT_EQ(output_of("scripts/digest.py", path_.string() + " 15"), file.digest(15) + "\n");
}

TEST_F(Reader, ACommitWaitsForH5py) {
  if (!has_h5py()) GTEST_SKIP() << "python3-h5py is not installed";
  bool waited = false;
  FileAccess access;
  access.on_wait = [&](const std::string&) { waited = true; };
  ResultFile file = ResultFile::open(path_, access);
  file.begin_session(small_session());
  const pid_t reader = start_child([&] { return run_script("hold_file.py", path_) == 0 ? 0 : 1; });
  while (!std::filesystem::exists(path_.string() + ".held")) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  commit_rows(file, 0, 0, 40);
  EXPECT_TRUE(waited);
  EXPECT_EQ(check_rows(file, 0), 40u);
  EXPECT_EQ(wait_for(reader), 0);
}

}  // namespace
}  // namespace banzuke
