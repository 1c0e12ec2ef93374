#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <random>

#include "engine/base/error.hpp"
#include "engine/store/hdf5.hpp"
#include "engine/store/result_file.hpp"
#include "small_run.hpp"

namespace banzuke {
namespace {

using namespace testing;

std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void write_bytes(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

/// All that one can do with a file; the number of refusals in words.
int use_all(const std::filesystem::path& path) {
  int refused = 0;
  const auto attempt = [&](auto f) {
    try {
      f();
    } catch (const InputError&) {
      ++refused;
    } catch (const SystemError&) {
      ++refused;
    }
  };
  attempt([&] {
    FileAccess access;
    access.durable = false;
    ResultFile file = ResultFile::open(path, access);
    attempt([&] { file.read_setup(); });
    attempt([&] { file.provenance(); });
    attempt([&] { file.sessions(); });
    attempt([&] { file.missing(); });
    attempt([&] { static_cast<void>(file.digest()); });
    attempt([&] { file.read_doubles(0, 0, {0, file.layout().replicates}); });
    attempt([&] {
      file.begin_session(small_session());
      commit_rows(file, 0, 0, 4);
    });
    Layout larger = file.layout();
    larger.replicates += 5;
    attempt([&] {
      ResultFile::extend(path, larger, small_setup(), small_identity(), small_provenance());
    });
  });
  return refused;
}

TEST(Damage, ForeignFilesAreNamed) {
  const Folder folder;
  const auto message = [&](const std::filesystem::path& path) {
    return message_of<InputError>([&] { ResultFile::open(path); });
  };
  EXPECT_NE(message(folder / "absent.h5").find("no result file"), std::string::npos);
  EXPECT_NE(message(folder.path()).find("folder"), std::string::npos);
  EXPECT_NE(message("/dev/null").find("regular"), std::string::npos);
  write_bytes(folder / "empty.h5", "");
  EXPECT_NE(message(folder / "empty.h5").find("empty"), std::string::npos);
  write_bytes(folder / "text.h5", "player1,player2,games\n");
  EXPECT_NE(message(folder / "text.h5").find("no HDF5 file"), std::string::npos);
  { const hdf5::File other = hdf5::create_file((folder / "other.h5").string()); }
  EXPECT_NE(message(folder / "other.h5").find("another program"), std::string::npos);
}

TEST(Damage, AnotherSchemaIsNamed) {
  const Folder folder;
  const auto path = folder / "a.h5";
  make_whole(path, small_layout());
  {
    const hdf5::File file = hdf5::open_file(path.string(), H5F_ACC_RDWR, true);
    hdf5::checked(H5Adelete(file, "banzuke_schema"), "deleting");
    hdf5::set_integer(file, "banzuke_schema", 7);
  }
  const std::string text = message_of<InputError>([&] { ResultFile::open(path); });
  EXPECT_NE(text.find("schema 7"), std::string::npos) << text;
}

TEST(Damage, TruncatedFilesAreNamed) {
  const Folder folder;
  make_whole(folder / "a.h5", small_layout());
  const std::string good = read_bytes(folder / "a.h5");
  const auto path = folder / "cut.h5";
  for (std::size_t size = 8; size < good.size(); size += good.size() / 25) {
    write_bytes(path, good.substr(0, size));
    const std::string text = message_of<InputError>([&] { ResultFile::open(path); });
    EXPECT_NE(text.find(size > 100 ? "truncated" : "damaged"), std::string::npos) << text;
  }
}

TEST(Damage, FlippedBitsAreRefusedOrHarmless) {
  const Folder folder;
  make_whole(folder / "a.h5", small_layout(4));
  const std::string good = read_bytes(folder / "a.h5");
  const auto path = folder / "bad.h5";
  std::mt19937 random(7);
  int noticed = 0;
  for (int i = 0; i < 110; ++i) {
    std::string bad = good;
    const std::size_t at = i < 48 ? static_cast<std::size_t>(i) : random() % bad.size();
    bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    write_bytes(path, bad);
    noticed += use_all(path) > 0;
  }
  // Bits of rows and unused bytes cannot be noticed, nor need they be.
  EXPECT_GE(noticed, 48);
}

TEST(Damage, OverwrittenStretchesAreRefusedOrHarmless) {
  const Folder folder;
  make_whole(folder / "a.h5", small_layout(4));
  const std::string good = read_bytes(folder / "a.h5");
  const auto path = folder / "bad.h5";
  std::mt19937 random(8);
  for (int i = 0; i < 40; ++i) {
    std::string bad = good;
    const std::size_t at = random() % bad.size();
    const std::size_t end = std::min(bad.size(), at + 1 + random() % 600);
    for (std::size_t k = at; k < end; ++k) bad[k] = static_cast<char>(i % 2 == 0 ? 0 : random());
    write_bytes(path, bad);
    use_all(path);
  }
}

}  // namespace
}  // namespace banzuke
