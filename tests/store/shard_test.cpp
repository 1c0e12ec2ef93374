#include "engine/store/shard.hpp"

#include <gtest/gtest.h>

#include "engine/base/error.hpp"
#include "engine/store/result_file.hpp"
#include "tests/store/small_run.hpp"

namespace banzuke {
namespace {

using testing::Folder;
using testing::small_identity;
using testing::small_layout;
using testing::small_provenance;
using testing::small_setup;

TEST(Shard, CutsCoverEveryRowOnceAtMultiplesOfTheLaneGroup) {
  for (const std::uint64_t replicates : {1u, 7u, 8u, 40u, 1000u, 1003u}) {
    for (const std::uint64_t lanes : {1u, 8u, 64u}) {
      for (const std::uint32_t count : {1u, 2u, 3u, 5u, 125u}) {
        const Layout whole = small_layout(replicates, 7);
        const std::uint64_t groups = (replicates + lanes - 1) / lanes;
        if (groups < count && whole.points.size() < count) {
          EXPECT_THROW(cut(whole, lanes, 1, count), InputError);
          continue;
        }
        std::vector<int> seen(whole.points.size() * replicates, 0);
        for (std::uint32_t i = 1; i <= count; ++i) {
          const Shard shard = cut(whole, lanes, i, count);
          EXPECT_EQ(shard.first_row % lanes, 0u);
          EXPECT_GT(shard.points * shard.rows, 0u);
          EXPECT_EQ(shard.own().points.size(), shard.points);
          for (std::size_t p = 0; p < shard.points; ++p) {
            for (std::uint64_t r = 0; r < shard.rows; ++r) {
              ++seen[(shard.first_point + p) * replicates + shard.first_row + r];
            }
          }
        }
        EXPECT_EQ(seen, std::vector<int>(seen.size(), 1));
      }
    }
  }
  EXPECT_THROW(cut(small_layout(), 1, 0, 2), InputError);
  EXPECT_THROW(cut(small_layout(), 1, 3, 2), InputError);
}

/// A recognisable value for each place of the run.
void compute(const RowBlock& rows, double extra = 0) {
  rows.fill();
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const double value =
        1000.0 * static_cast<double>(rows.point()) + static_cast<double>(rows.first() + i) + extra;
    for (std::size_t j = 0; j < 3; ++j)
      rows.doubles(0)[3 * i + j] = value + 0.1 * static_cast<double>(j);
    rows.doubles(0)[3 * i + 1] = std::numeric_limits<double>::quiet_NaN();
    rows.integers(2)[i] = static_cast<std::int64_t>(value);
    rows.status()[i] = status_ok;
  }
}

void fill_file(ResultFile& file, std::size_t point, std::uint64_t first, std::size_t count,
               double extra = 0) {
  Session session;
  session.hosts = "host";
  file.begin_session(session);
  std::vector<std::byte> bytes(RowBlock::bytes(file.run_layout(), count));
  const RowBlock rows(file.run_layout(), point, first, count, bytes.data());
  compute(rows, extra);
  file.commit({&rows, 1}, session);
}

ResultFile make_shard(const Folder& folder, std::uint32_t i, std::uint32_t count) {
  const auto path = folder / ("s" + std::to_string(i) + ".h5");
  ResultFile::create(path, cut(small_layout(), 8, i, count), small_setup(), small_identity(),
                     small_provenance());
  return ResultFile::open(path);
}

TEST(Shard, FileHoldsItsOwnRowsOnlyAndKnowsItsPlace) {
  const Folder folder;
  ResultFile file = make_shard(folder, 2, 3);
  ASSERT_TRUE(file.shard().has_value());
  EXPECT_EQ(*file.shard(), cut(small_layout(), 8, 2, 3));
  EXPECT_EQ(file.shard()->describe(), "shard 2 of 3: replicates 8 to 23");
  EXPECT_EQ(file.layout().replicates, 16u);
  EXPECT_EQ(file.run_layout(), small_layout());
  fill_file(file, 1, 10, 5);
  EXPECT_EQ(file.missing()[1], (std::vector<RowRange>{{0, 2}, {7, 9}}));
  EXPECT_EQ(file.read_integers(2, 1, {2, 1})[0], 1010);
  EXPECT_THROW(fill_file(file, 1, 0, 5), std::logic_error);
  EXPECT_THROW(ResultFile::extend(file.path(), small_layout(80), small_setup(), small_identity(),
                                  small_provenance()),
               InputError);
}

TEST(Merge, MakesTheWholeRunFromPartsInAnyOrder) {
  const Folder folder;
  const auto direct_path = folder / "direct.h5";
  ResultFile::create(direct_path, small_layout(), small_setup(), small_identity(),
                     small_provenance());
  ResultFile direct = ResultFile::open(direct_path);
  for (std::size_t point : {0u, 1u}) fill_file(direct, point, 0, 40);

  const auto merged_path = folder / "merged.h5";
  ResultFile::create(merged_path, small_layout(), small_setup(), small_identity(),
                     small_provenance());
  ResultFile merged = ResultFile::open(merged_path);
  std::uint64_t taken = 0;
  for (const std::uint32_t i : {3u, 1u, 2u}) {
    ResultFile shard = make_shard(folder, i, 3);
    const Shard& part = *shard.shard();
    for (std::size_t point : {0u, 1u}) {
      fill_file(shard, point, part.first_row, part.rows);
    }
    taken += merged.take_rows(shard);
    EXPECT_EQ(merged.take_rows(shard), 0u);  // equal overlaps are fine
  }
  EXPECT_EQ(taken, 80u);
  EXPECT_EQ(merged.digest(), direct.digest());
}

TEST(Merge, TakesWhatAnIncompleteShardHas) {
  const Folder folder;
  const auto path = folder / "merged.h5";
  ResultFile::create(path, small_layout(), small_setup(), small_identity(), small_provenance());
  ResultFile merged = ResultFile::open(path);
  ResultFile shard = make_shard(folder, 1, 2);
  fill_file(shard, 0, 3, 4);
  fill_file(shard, 1, 0, 1);
  EXPECT_EQ(merged.take_rows(shard), 5u);
  EXPECT_EQ(merged.missing()[0], (std::vector<RowRange>{{0, 3}, {7, 33}}));
}

TEST(Merge, RefusesContradictionsAndOtherRunsBeforeWriting) {
  const Folder folder;
  const auto path = folder / "merged.h5";
  ResultFile::create(path, small_layout(), small_setup(), small_identity(), small_provenance());
  ResultFile merged = ResultFile::open(path);
  fill_file(merged, 1, 4, 1);
  const std::string before = merged.digest();

  ResultFile shard = make_shard(folder, 1, 2);
  fill_file(shard, 0, 0, 3);
  fill_file(shard, 1, 4, 1, 1e-9);
  try {
    merged.take_rows(shard);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("point 1, replicate 4 differs"), std::string::npos)
        << error.what();
  }

  Identity other = small_identity();
  other.seed = 3;
  ResultFile::create(folder / "other.h5", small_layout(), small_setup(), other, small_provenance());
  EXPECT_THROW(merged.take_rows(ResultFile::open(folder / "other.h5")), InputError);
  ResultFile::create(folder / "longer.h5", small_layout(41), small_setup(), small_identity(),
                     small_provenance());
  EXPECT_THROW(merged.take_rows(ResultFile::open(folder / "longer.h5")), InputError);
  Bundle set_up = small_setup();
  set_up.set("log_likelihood", -12.5, "1");
  ResultFile::create(folder / "setup.h5", small_layout(), set_up, small_identity(),
                     small_provenance());
  EXPECT_THROW(merged.take_rows(ResultFile::open(folder / "setup.h5")), InputError);
  EXPECT_EQ(merged.digest(), before);
}

}  // namespace
}  // namespace banzuke
