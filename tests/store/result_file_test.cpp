#include "engine/store/result_file.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>

#include "engine/base/error.hpp"
#include "small_run.hpp"

namespace banzuke {
namespace {

using namespace testing;

void create_small(const std::filesystem::path& path, const Layout& layout = small_layout()) {
  ResultFile::create(path, layout, small_setup(), small_identity(), small_provenance());
}

TEST(ResultFile, ANewFileHoldsAllButRows) {
  const Folder folder;
  create_small(folder / "a.h5");
  EXPECT_EQ(folder.entries(), 1u);
  const ResultFile file = ResultFile::open(folder / "a.h5");
  EXPECT_EQ(file.layout(), small_layout());
  EXPECT_EQ(difference(file.identity(), small_identity()), std::nullopt);
  EXPECT_EQ(file.identity().inputs[0].path, "data/a.csv");
  EXPECT_EQ(file.read_setup(), small_setup());
  EXPECT_EQ(file.provenance(), small_provenance());
  EXPECT_TRUE(file.sessions().empty());
  EXPECT_EQ(file.missing(), (std::vector<std::vector<RowRange>>{{{0, 40}}, {{0, 40}}}));
  EXPECT_TRUE(std::isnan(file.read_doubles(0, 1, {39, 1})[2]));
  EXPECT_EQ(file.read_integers(2, 1, {39, 1})[0], 0);
}

TEST(ResultFile, AllSpaceIsTakenAtCreation) {
  const Folder folder;
  const Layout layout = small_layout(100'000);
  create_small(folder / "a.h5", layout);
  struct stat entry {};
  ASSERT_EQ(stat((folder / "a.h5").c_str(), &entry), 0);
  EXPECT_GE(static_cast<std::uint64_t>(entry.st_size), layout.total_bytes());
  EXPECT_GE(static_cast<std::uint64_t>(entry.st_blocks) * 512, layout.total_bytes());
}

TEST(ResultFile, SetupDimensionsMayShareNamesWithAnythingAndDifferInSize) {
  const Folder folder;
  Bundle setup = small_setup();
  setup.set("a", std::vector<double>{1, 2}, "row");
  setup.set("b", std::vector<double>{1, 2, 3}, "row");
  setup.set("row_label", std::vector<std::string>{"x"}, "row_label");
  setup.set("wrong_size", std::vector<double>{1}, "player");
  setup.set("of_group", std::vector<std::int64_t>{1}, "records");
  setup.set("empty_axis", std::vector<double>{}, "empty");
  ResultFile::create(folder / "a.h5", small_layout(), setup, small_identity(), {});
  EXPECT_EQ(ResultFile::open(folder / "a.h5").read_setup(), setup);
}

TEST(ResultFile, CommittedRowsComeBack) {
  const Folder folder;
  create_small(folder / "a.h5");
  ResultFile file = ResultFile::open(folder / "a.h5");
  file.begin_session(small_session());
  const Layout layout = small_layout();  // a layout equal to the file's serves as well
  const Rows late(layout, 1, 20, 10);
  const Rows early(layout, 1, 0, 5);
  const Rows none(layout, 0, 3, 0);
  const std::vector<RowBlock> blocks{late.block(), none.block(), early.block()};
  Session session = small_session();
  session.rows_committed = 15;
  session.why_it_stopped = "done";
  file.commit(blocks, session);

  const ResultFile again = ResultFile::open(folder / "a.h5");
  EXPECT_EQ(check_rows(again, 0), 0u);
  EXPECT_EQ(check_rows(again, 1), 15u);
  EXPECT_EQ(again.missing(), (std::vector<std::vector<RowRange>>{{{0, 40}}, {{5, 15}, {30, 10}}}));
  EXPECT_EQ(again.status_counts(),
            (std::vector<std::vector<std::uint64_t>>{{40, 0, 0}, {25, 14, 1}}));
  EXPECT_EQ(again.sessions(), std::vector<Session>{session});
  EXPECT_EQ(again.read_doubles(0, 1, {22, 2}, ElementRange{1, 1}),
            (std::vector<double>{value_at(0, 1, 22, 1), value_at(0, 1, 23, 1)}));
  EXPECT_EQ(again.read_integers(4, 1, {2, 1}, ElementRange{2, 1}),
            std::vector<std::int64_t>{static_cast<std::int64_t>(value_at(4, 1, 2, 2))});
  EXPECT_THROW(again.read_integers(0, 1, {0, 1}), std::logic_error);
  EXPECT_THROW(again.read_doubles(0, 1, {0, 41}), std::out_of_range);
  EXPECT_THROW(again.read_doubles(0, 0, {0, 1}, ElementRange{2, 2}), std::out_of_range);
  EXPECT_EQ(again.read_first(2), (std::vector<double>{0.0, value_at(2, 1, 0, 0)}));
  EXPECT_EQ(again.read_first_status(),
            (std::vector<std::uint8_t>{status_missing, again.read_status(1, {0, 1})[0]}));
  EXPECT_THROW(again.read_first(0), std::logic_error);
}

TEST(ResultFile, WrongBlocksAreRefused) {
  const Folder folder;
  create_small(folder / "a.h5");
  ResultFile file = ResultFile::open(folder / "a.h5");
  const Rows rows(file.layout(), 0, 0, 5);
  EXPECT_THROW(file.commit({&rows.block(), 1}, small_session()), std::logic_error);
  file.begin_session(small_session());
  const Layout other = small_layout(41);
  const Rows foreign(other, 0, 0, 5);
  EXPECT_THROW(file.commit({&foreign.block(), 1}, small_session()), std::logic_error);
  rows.block().status()[3] = 3;
  EXPECT_THROW(file.commit({&rows.block(), 1}, small_session()), std::logic_error);
  EXPECT_EQ(check_rows(file, 0), 0u);
}

TEST(ResultFile, SessionsFillTheTableThenTheLastIsWrittenOver) {
  const Folder folder;
  create_small(folder / "a.h5", small_layout(4));
  FileAccess quick;
  quick.durable = false;
  ResultFile writer = ResultFile::open(folder / "a.h5", quick);
  Session session = small_session();
  for (std::size_t i = 0; i < session_capacity + 2; ++i) {
    session.start = static_cast<std::int64_t>(i);
    session.hosts = std::string(63, 'h') + "ü";  // 65 bytes: the cut may not split the letter
    writer.begin_session(session);
  }
  const ResultFile file = ResultFile::open(folder / "a.h5");
  ASSERT_EQ(file.sessions().size(), session_capacity);
  EXPECT_EQ(file.sessions()[998].start, 998);
  EXPECT_EQ(file.sessions().back().start, 1001);
  EXPECT_EQ(file.sessions().back().hosts, std::string(63, 'h'));
  EXPECT_EQ(file.sessions_overwritten(), 2u);
}

TEST(ResultFile, CreationRefusesBadPlacesAndLeavesNothing) {
  const Folder folder;
  std::ofstream(folder / "taken.h5") << "precious";
  std::ofstream(folder / "file") << "x";
  const auto refused = [&](const std::filesystem::path& path) {
    return message_of<InputError>([&] { create_small(path); });
  };
  EXPECT_NE(refused(folder / "taken.h5").find("exists"), std::string::npos);
  EXPECT_NE(refused(folder.path()).find("folder"), std::string::npos);
  EXPECT_NE(refused(folder / "new/").find("folder"), std::string::npos);
  EXPECT_NE(refused(folder / "file/a.h5").find("a file has its name"), std::string::npos);
  EXPECT_NE(refused(folder / ("a/" + std::string(300, 'n'))).find("too long"), std::string::npos);
  EXPECT_NE(refused(folder / std::string(253, 'n')).find("too long"), std::string::npos);
  EXPECT_NE(refused("/proc/self/new/a.h5").find("cannot be made"), std::string::npos);
  EXPECT_NE(refused("").find("no output"), std::string::npos);
  std::string content;
  std::ifstream(folder / "taken.h5") >> content;
  EXPECT_EQ(content, "precious");
  EXPECT_EQ(folder.entries(), 2u);

  create_small(folder / "made/for it/a.h5");
  EXPECT_EQ(ResultFile::open(folder / "made/for it/a.h5").layout(), small_layout());
}

TEST(ResultFile, MoreThanTheDiskHoldsIsRefusedAtOnce) {
  const Folder folder;
  const std::string text = message_of<InputError>(
      [&] { create_small(folder / "sub/a.h5", small_layout(std::uint64_t{1} << 45)); });
  EXPECT_NE(text.find("too small"), std::string::npos) << text;
  EXPECT_EQ(folder.entries(), 0u);
}

TEST(ResultFile, ExtensionKeepsRowsAndSessions) {
  const Folder folder;
  const auto path = folder / "a.h5";
  create_small(path);
  {
    ResultFile file = ResultFile::open(path);
    file.begin_session(small_session());
    commit_rows(file, 0, 0, 40);
    commit_rows(file, 1, 10, 20);
  }
  const std::string before = ResultFile::open(path).digest();
  const std::vector<Session> sessions = ResultFile::open(path).sessions();
  Bundle setup = small_setup();
  setup.set("more", 1.0);
  ResultFile::extend(path, small_layout(100, 3), setup, small_identity(), small_provenance());
  EXPECT_EQ(folder.entries(), 1u);
  const ResultFile file = ResultFile::open(path);
  EXPECT_EQ(file.layout(), small_layout(100, 3));
  EXPECT_EQ(file.read_setup(), setup);
  EXPECT_EQ(check_rows(file, 0), 40u);
  EXPECT_EQ(check_rows(file, 1), 20u);
  EXPECT_EQ(file.missing(),
            (std::vector<std::vector<RowRange>>{{{40, 60}}, {{0, 10}, {30, 70}}, {{0, 100}}}));
  EXPECT_EQ(file.sessions(), sessions);

  const std::string text = message_of<InputError>([&] {
    ResultFile::extend(path, small_layout(50, 3), setup, small_identity(), small_provenance());
  });
  EXPECT_NE(text.find("100 replicates"), std::string::npos) << text;
  EXPECT_EQ(ResultFile::open(path).layout().replicates, 100u);

  const auto other = folder / "b.h5";
  create_small(other);
  {
    ResultFile whole = ResultFile::open(other);
    whole.begin_session(small_session());
    commit_rows(whole, 0, 0, 40);
    commit_rows(whole, 1, 10, 20);
  }
  ResultFile::extend(other, small_layout(41), small_setup(), small_identity(), {});
  EXPECT_EQ(ResultFile::open(other).digest(40), before);
}

TEST(Digest, DependsOnContentAndNotOnHistory) {
  const Folder folder;
  make_whole(folder / "a.h5", small_layout());
  create_small(folder / "b.h5");
  ResultFile other = ResultFile::open(folder / "b.h5");
  for (const std::uint64_t first : {30u, 10u, 20u, 0u}) {  // other order, other sessions
    other.begin_session(small_session());
    commit_rows(other, 1, first, 10);
    commit_rows(other, 0, first, 10);
  }
  const std::string digest = ResultFile::open(folder / "a.h5").digest();
  EXPECT_EQ(digest.size(), 64u);
  EXPECT_EQ(other.digest(), digest);
  EXPECT_EQ(other.digest(40), digest);

  // Fewer replicates: as if run so.
  make_whole(folder / "c.h5", small_layout(15));
  EXPECT_EQ(other.digest(15), ResultFile::open(folder / "c.h5").digest());
  EXPECT_NE(other.digest(15), digest);
  EXPECT_THROW(static_cast<void>(other.digest(41)), InputError);
  EXPECT_THROW(static_cast<void>(other.digest(0)), InputError);
}

TEST(Digest, SeesEveryKindOfChange) {
  const Folder folder;
  make_whole(folder / "a.h5", small_layout());
  ResultFile file = ResultFile::open(folder / "a.h5");
  file.begin_session(small_session());
  std::string digest = file.digest();
  const auto changed = [&](auto change) {
    const Rows rows(file.layout(), 1, 0, 40);
    change(rows.block());
    file.commit({&rows.block(), 1}, small_session());
    const bool differs = file.digest() != digest;
    commit_rows(file, 1, 0, 40);
    EXPECT_EQ(file.digest(), digest);
    return differs;
  };
  EXPECT_TRUE(changed([](const RowBlock& b) { b.doubles(0)[119] += 1e-9; }));
  EXPECT_TRUE(changed([](const RowBlock& b) { b.floats(1)[0] = -1.0F; }));
  EXPECT_TRUE(changed([](const RowBlock& b) { ++b.integers(2)[39]; }));
  EXPECT_TRUE(changed([](const RowBlock& b) { ++b.octets(4)[39]; }));
  EXPECT_TRUE(changed([](const RowBlock& b) { b.status()[39] = 1; }));
  EXPECT_FALSE(changed([](const RowBlock&) {}));

  Identity identity = small_identity();
  identity.seed = 1;
  ResultFile::extend(folder / "a.h5", small_layout(), small_setup(), identity, {});
  EXPECT_NE(ResultFile::open(folder / "a.h5").digest(), digest);
}

TEST(Digest, CanonicalisesNaNsAndRowsThatWereNeverDone) {
  const Folder folder;
  make_whole(folder / "a.h5", small_layout());
  ResultFile file = ResultFile::open(folder / "a.h5");
  file.begin_session(small_session());
  const auto digest_with = [&](double value, std::uint8_t status) {
    const Rows rows(file.layout(), 0, 5, 1);
    rows.block().doubles(0)[1] = value;
    rows.block().status()[0] = status;
    file.commit({&rows.block(), 1}, small_session());
    return file.digest();
  };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(digest_with(nan, 1), digest_with(std::copysign(nan, -1.0), 1));
  EXPECT_NE(digest_with(1.0, 1), digest_with(2.0, 1));
  // A kill between rows and status leaves the row's values behind.
  EXPECT_EQ(digest_with(1.0, 0), digest_with(2.0, 0));
}

TEST(ResultFile, CommittingAMillionTinyRowsCostsFarLessThanAMicrosecondEach) {
  const Folder folder;
  Layout layout;
  layout.points = {"only"};
  layout.replicates = 1'000'000;
  layout.fields = {{"x", FieldType::float64, "", "1", "a number"}};
  create_small(folder / "a.h5", layout);
  FileAccess access;
  access.durable = false;  // what the disk takes is not ours
  ResultFile file = ResultFile::open(folder / "a.h5", access);
  file.begin_session(small_session());
  const Rows all(layout, 0, 0, 1000);
  std::vector<RowBlock> blocks;
  for (std::uint64_t first = 0; first < layout.replicates; first += 1000) {
    blocks.emplace_back(layout, 0, first, 1000, all.block().all().data());
  }
  const auto cpu_now = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  double start = cpu_now();
  file.commit(blocks, small_session());
  const double at_once = cpu_now() - start;
  start = cpu_now();
  for (int i = 0; i < 20; ++i) {
    file.commit({&blocks[static_cast<std::size_t>(i)], 1}, small_session());
  }
  const double one_commit = (cpu_now() - start) / 20;
  std::cout << "one commit of 1000 blocks: " << at_once * 1e3 << " ns CPU a row; a commit of one "
            << "block: " << one_commit * 1e3 << " ms CPU\n";
  EXPECT_LT(at_once, 0.5);  // seconds for 1e6 rows; a sanitizer's build keeps it as well
  EXPECT_TRUE(file.missing()[0].empty());
}

}  // namespace
}  // namespace banzuke
