// Rows that sum up several replicates.

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/error.hpp"
#include "engine/store/result_file.hpp"
#include "tests/store/small_run.hpp"

namespace banzuke {
namespace {

using testing::Folder;
using testing::small_identity;
using testing::small_provenance;
using testing::small_setup;

Layout in_segments(std::uint64_t replicates, std::uint64_t segment = 16) {
  Layout layout = testing::small_layout(replicates);
  layout.segment = segment;
  return layout;
}

ResultFile make(const std::filesystem::path& path, const Layout& layout) {
  ResultFile::create(path, layout, small_setup(), small_identity(), small_provenance());
  return ResultFile::open(path);
}

TEST(Segment, RowsOfALayout) {
  const Layout layout = in_segments(100);
  EXPECT_EQ(layout.rows(), 7U);
  EXPECT_EQ(layout.rows_of(100), 7U);
  EXPECT_EQ(layout.rows_of(96), 6U);
  EXPECT_THROW(static_cast<void>(layout.rows_of(90)), InputError);
  EXPECT_EQ(layout.total_bytes(), 2 * 7 * layout.row_bytes());
  EXPECT_EQ(in_segments(100, 1).rows(), 100U);
  EXPECT_THROW(in_segments(100, 0).check(), std::exception);
}

TEST(Segment, AFileComesBackWithItsSegments) {
  const Folder folder;
  const Layout layout = in_segments(100);
  ResultFile file = make(folder / "a.h5", layout);
  EXPECT_EQ(file.layout(), layout);
  EXPECT_EQ(file.missing()[1], (std::vector<RowRange>{{0, 7}}));
  file.begin_session(testing::small_session());
  testing::commit_rows(file, 1, 2, 5);
  EXPECT_EQ(file.missing()[1], (std::vector<RowRange>{{0, 2}}));
  EXPECT_EQ(testing::check_rows(file, 1), 5U);
  EXPECT_THROW(testing::Rows(layout, 0, 6, 2), std::out_of_range);
}

TEST(Segment, TheDigestKnowsTheSegmentAndEndsBetweenSegments) {
  const Folder folder;
  for (const auto& [name, replicates, segment] :
       {std::tuple{"a.h5", 100U, 16U}, std::tuple{"b.h5", 112U, 16U}, std::tuple{"c.h5", 7U, 1U}}) {
    const Layout layout = in_segments(replicates, segment);
    ResultFile file = make(folder / name, layout);
    file.begin_session(testing::small_session());
    for (const std::size_t point : {0U, 1U}) testing::commit_rows(file, point, 0, 7);
  }
  const ResultFile a = ResultFile::open(folder / "a.h5"), b = ResultFile::open(folder / "b.h5"),
                   c = ResultFile::open(folder / "c.h5");
  EXPECT_EQ(a.digest(96), b.digest(96));
  EXPECT_NE(a.digest(), b.digest());
  EXPECT_NE(a.digest(), c.digest());
  EXPECT_THROW(static_cast<void>(a.digest(90)), InputError);
}

TEST(Segment, AnExtensionComputesAShortLastSegmentAgain) {
  const Folder folder;
  const auto path = folder / "a.h5";
  ResultFile file = make(path, in_segments(100));
  file.begin_session(testing::small_session());
  testing::commit_rows(file, 0, 0, 7);
  EXPECT_THROW(ResultFile::extend(path, in_segments(200, 32), small_setup(), small_identity(),
                                  small_provenance()),
               InputError);
  ResultFile::extend(path, in_segments(200), small_setup(), small_identity(), small_provenance());
  const ResultFile larger = ResultFile::open(path);
  EXPECT_EQ(larger.missing()[0], (std::vector<RowRange>{{6, 7}}));
  EXPECT_EQ(testing::check_rows(larger, 0), 6U);

  // With points only added, nothing grows.
  const auto other_path = folder / "b.h5";
  ResultFile other = make(other_path, in_segments(100));
  other.begin_session(testing::small_session());
  testing::commit_rows(other, 0, 0, 7);
  Layout more_points = in_segments(100);
  more_points.points.push_back("third");
  ResultFile::extend(other_path, more_points, small_setup(), small_identity(), small_provenance());
  EXPECT_TRUE(ResultFile::open(other_path).missing()[0].empty());
}

TEST(Segment, ShardsAreCutBetweenSegmentsAndMergeToTheWhole) {
  const Folder folder;
  const Layout layout = in_segments(100);
  ResultFile direct = make(folder / "direct.h5", layout);
  ResultFile merged = make(folder / "merged.h5", layout);
  direct.begin_session(testing::small_session());
  for (const std::size_t point : {0U, 1U}) testing::commit_rows(direct, point, 0, 7);
  std::uint64_t replicates = 0;
  for (const std::uint32_t i : {3U, 1U, 2U}) {
    const auto path = folder / ("s" + std::to_string(i) + ".h5");
    const Shard part = cut(layout, 1, i, 3);
    ResultFile::create(path, part, small_setup(), small_identity(), small_provenance());
    ResultFile shard = ResultFile::open(path);
    EXPECT_EQ(*shard.shard(), part);
    replicates += shard.layout().replicates;
    shard.begin_session(testing::small_session());
    for (const std::size_t point : {0U, 1U}) {
      const testing::Rows rows(layout, point, part.first_row, part.rows);
      shard.commit({&rows.block(), 1}, testing::small_session());
    }
    EXPECT_EQ(merged.take_rows(shard), 2 * part.rows);
  }
  EXPECT_EQ(replicates, 100U);
  EXPECT_EQ(merged.digest(), direct.digest());
}

TEST(Dimension, GrowsAtItsEndWithNewPointsOnly) {
  const Folder folder;
  const auto path = folder / "a.h5";
  ResultFile file = make(path, testing::small_layout(20));
  file.begin_session(testing::small_session());
  for (const std::size_t point : {0U, 1U}) testing::commit_rows(file, point, 0, 20);
  const auto before = file.read_doubles(0, 1, {0, 20});

  Layout wider = testing::small_layout(20);
  wider.dimensions[0].labels.push_back("newcomer");
  wider.dimensions[0].size = 4;
  const auto extend = [&](const Layout& layout) {
    ResultFile::extend(path, layout, small_setup(), small_identity(), small_provenance());
  };
  EXPECT_THROW(extend(wider), InputError);
  wider.points.push_back("third");
  Layout renamed = wider;
  renamed.dimensions[0].labels[0] = "somebody else";
  EXPECT_THROW(extend(renamed), InputError);
  extend(wider);

  const ResultFile larger = ResultFile::open(path);
  EXPECT_EQ(larger.layout(), wider);
  EXPECT_EQ(larger.read_doubles(0, 1, {0, 20}, ElementRange{0, 3}), before);
  for (const double value : larger.read_doubles(0, 1, {0, 20}, ElementRange{3, 1})) {
    EXPECT_TRUE(std::isnan(value));
  }
  EXPECT_TRUE(larger.missing()[1].empty());
  EXPECT_EQ(larger.missing()[2], (std::vector<RowRange>{{0, 20}}));
}

}  // namespace
}  // namespace banzuke
