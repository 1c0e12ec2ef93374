#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/statvfs.h>

#include <fstream>
#include <iostream>

#include "child.hpp"
#include "engine/base/error.hpp"
#include "engine/store/result_file.hpp"
#include "small_run.hpp"

namespace banzuke {
namespace {

using namespace testing;

/// A disk of 2 MB in memory; `mounted` is false where we may not mount.
class SmallDisk {
 public:
  SmallDisk() { mounted = mount("none", folder_.path().c_str(), "tmpfs", 0, "size=2m") == 0; }
  ~SmallDisk() {
    if (mounted) umount2(folder_.path().c_str(), MNT_DETACH);
  }
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return folder_ / name; }
  std::size_t entries() const { return folder_.entries(); }
  std::uint64_t free() const {
    struct statvfs disk {};
    statvfs(folder_.path().c_str(), &disk);
    return disk.f_bavail * disk.f_frsize;
  }
  void fill_up() const {
    std::ofstream junk(folder_ / "junk", std::ios::binary);
    const std::string page(4096, 'x');
    while (junk.write(page.data(), 4096).flush()) {
    }
  }

  bool mounted = false;

 private:
  Folder folder_;
};

#define SKIP_UNLESS_MOUNTED(disk) \
  if (!(disk).mounted) GTEST_SKIP() << "a small tmpfs cannot be mounted: not root"

void create_small(const std::filesystem::path& path, std::uint64_t replicates) {
  ResultFile::create(path, small_layout(replicates), small_setup(), small_identity(),
                     small_provenance());
}

/// No file may grow beyond `bytes` in this process: the write fails with EFBIG, as on a full disk.
void limit_files(std::uint64_t bytes) {
  signal(SIGXFSZ, SIG_IGN);
  const rlimit limit{bytes, bytes};
  setrlimit(RLIMIT_FSIZE, &limit);
}

TEST(FullDisk, CreationIsRefusedAndLeavesNothing) {
  const SmallDisk disk;
  SKIP_UNLESS_MOUNTED(disk);
  const std::uint64_t free = disk.free();
  const std::string text =
      message_of<InputError>([&] { create_small(disk / "new folder/a.h5", 100'000); });
  EXPECT_NE(text.find("too small"), std::string::npos) << text;
  EXPECT_EQ(disk.entries(), 0u);
  EXPECT_EQ(disk.free(), free);
}

TEST(FullDisk, CommitsNeedNoSpace) {
  const SmallDisk disk;
  SKIP_UNLESS_MOUNTED(disk);
  create_small(disk / "a.h5", 2000);
  disk.fill_up();
  ASSERT_EQ(disk.free(), 0u);
  ResultFile file = ResultFile::open(disk / "a.h5");
  file.begin_session(small_session());
  for (std::uint64_t first = 0; first < 2000; first += 500) {
    commit_rows(file, 0, first, 500);
    commit_rows(file, 1, first, 500);
  }
  EXPECT_EQ(check_rows(file, 0) + check_rows(file, 1), 4000u);
}

TEST(FullDisk, ExtensionIsRefusedAndTheOldFileStays) {
  const SmallDisk disk;
  SKIP_UNLESS_MOUNTED(disk);
  make_whole(disk / "a.h5", small_layout(2000));
  const std::string digest = ResultFile::open(disk / "a.h5").digest();
  message_of<InputError>([&] {
    ResultFile::extend(disk / "a.h5", small_layout(20'000), small_setup(), small_identity(), {});
  });
  EXPECT_EQ(disk.entries(), 1u);
  EXPECT_EQ(ResultFile::open(disk / "a.h5").digest(), digest);
}

TEST(FailingWrites, CreationFailsInWordsAtEveryPlaceAndLeavesNothing) {
  const Folder folder;
  create_small(folder / "whole.h5", 1000);
  const std::uint64_t size = std::filesystem::file_size(folder / "whole.h5");
  for (std::uint64_t i = 0; i < 15; ++i) {
    const int code = run_child([&] {
      limit_files(size * i / 15);
      try {
        create_small(folder / "sub/a.h5", 1000);
      } catch (const InputError& error) {
        if (i == 8) std::cout << error.what() << std::endl;
        return std::string_view(error.what()).find("File too large") != std::string_view::npos ? 0
                                                                                               : 1;
      }
      return 2;
    });
    EXPECT_EQ(code, 0) << "limit " << size * i / 15;
    EXPECT_EQ(folder.entries(), 1u);
  }
}

TEST(FailingWrites, ACommitThatFailsSaysSoAndKeepsWhatWasCommitted) {
  const Folder folder;
  const auto path = folder / "a.h5";
  create_small(path, 3000);
  {
    ResultFile file = ResultFile::open(path);
    file.begin_session(small_session());
    commit_rows(file, 0, 0, 1000);
  }
  const std::uint64_t size = std::filesystem::file_size(path);
  int failed = 0;
  for (std::uint64_t i = 0; i < 15; ++i) {
    const int code = run_child([&] {
      ResultFile file = ResultFile::open(path);
      file.begin_session(small_session());
      limit_files(size * i / 15);
      try {
        commit_rows(file, 1, 2000, 1000);
      } catch (const SystemError& error) {
        if (i == 8) std::cout << error.what() << std::endl;
        return 1;
      }
      return 0;
    });
    EXPECT_LE(code, 1);
    failed += code == 1;
    const ResultFile file = ResultFile::open(path);
    EXPECT_EQ(check_rows(file, 0), 1000u);
    // All of the commit or nothing: the statuses of its rows come last, in one piece.
    const std::uint64_t done = check_rows(file, 1);
    EXPECT_TRUE(done == 0 || done == 1000) << done;
  }
  EXPECT_GE(failed, 10);
}

TEST(FailingWrites, AnExtensionThatFailsKeepsTheOldFile) {
  const Folder folder;
  const auto path = folder / "a.h5";
  make_whole(path, small_layout(1000));
  const std::string digest = ResultFile::open(path).digest();
  for (std::uint64_t i = 1; i < 10; ++i) {
    const int code = run_child([&] {
      limit_files(20'000 * i);
      try {
        ResultFile::extend(path, small_layout(3000), small_setup(), small_identity(), {});
      } catch (const InputError&) {
        return 0;
      }
      return 1;
    });
    EXPECT_EQ(code, 0);
    EXPECT_EQ(folder.entries(), 1u);
  }
  EXPECT_EQ(ResultFile::open(path).digest(), digest);
}

}  // namespace
}  // namespace banzuke
