#include "engine/store/layout.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/base/error.hpp"
#include "engine/store/rows.hpp"
#include "small_run.hpp"

namespace banzuke {
namespace {

using testing::small_layout;

TEST(Layout, SizesAreThoseOfTheFields) {
  const Layout layout = small_layout();
  layout.check();
  EXPECT_EQ(layout.width(0), 3u);
  EXPECT_EQ(layout.width(2), 1u);
  EXPECT_EQ(layout.row_bytes(), 3 * 8 + 5 * 4 + 8 + 4 + 3 + 1u);
  EXPECT_EQ(layout.total_bytes(), 80 * layout.row_bytes());
  EXPECT_EQ(layout.field_index("games"), 2u);
  EXPECT_THROW(layout.field_index("game"), std::out_of_range);
}

TEST(Layout, WhatCannotBeStoredIsRefused) {
  const auto refused = [](auto change) {
    Layout layout = small_layout();
    change(layout);
    EXPECT_THROW(layout.check(), std::invalid_argument);
  };
  refused([](Layout& l) { l.points.clear(); });
  refused([](Layout& l) { l.replicates = 0; });
  refused([](Layout& l) { l.fields[0].name = "point"; });
  refused([](Layout& l) { l.fields[0].name = "status"; });
  refused([](Layout& l) { l.fields[0].name = "a b"; });
  refused([](Layout& l) { l.fields[0].name = l.fields[1].name; });
  refused([](Layout& l) { l.fields[0].dimension = "nobody"; });
  refused([](Layout& l) { l.dimensions[0].labels.pop_back(); });
  refused([](Layout& l) { l.dimensions[0].name = "records"; });
  refused([](Layout& l) { l.statuses[1] = "fine"; });
  refused([](Layout& l) { l.statuses.push_back("not converged"); });
  refused([](Layout& l) { l.statuses.resize(300, "x"); });
  Layout huge = small_layout();
  huge.replicates = ~std::uint64_t{0} / 2;
  EXPECT_THROW(huge.total_bytes(), InputError);
}

TEST(Layout, ExtensionsAddReplicatesAndPointsAtTheEnd) {
  EXPECT_EQ(why_not_extendable(small_layout(40, 2), small_layout(50, 3)), "");
  EXPECT_NE(why_not_extendable(small_layout(40, 2), small_layout(39, 2)), "");
  EXPECT_NE(why_not_extendable(small_layout(40, 2), small_layout(40, 1)), "");
  Layout other = small_layout();
  other.points[0] = "new";
  EXPECT_NE(why_not_extendable(small_layout(), other), "");
  other = small_layout();
  other.dimensions[0].labels[0] = "new";
  EXPECT_NE(why_not_extendable(small_layout(), other), "");
}

TEST(RowBlock, SectionsAreAlignedAndApart) {
  const Layout layout = small_layout();
  std::vector<std::byte> bytes(RowBlock::bytes(layout, 7));
  const RowBlock block(layout, 1, 30, 7, bytes.data());
  block.fill();
  EXPECT_TRUE(std::isnan(block.doubles(0)[20]));
  EXPECT_TRUE(std::isnan(block.floats(1)[34]));
  EXPECT_EQ(block.status()[6], status_missing);
  const std::byte* end = bytes.data();
  for (std::size_t i = 0; i < layout.fields.size(); ++i) {
    EXPECT_GE(block.section(i), end);
    EXPECT_EQ((block.section(i) - bytes.data()) % 8, 0);
    end = block.section(i) + 7 * layout.width(i) * bytes_of(layout.fields[i].type);
  }
  EXPECT_GE(reinterpret_cast<std::byte*>(block.status().data()), end);
  EXPECT_LE(reinterpret_cast<std::byte*>(block.status().data()) + 7, bytes.data() + bytes.size());
  EXPECT_THROW(block.doubles(1), std::logic_error);
  EXPECT_THROW(RowBlock(layout, 2, 0, 1, bytes.data()), std::out_of_range);
  EXPECT_THROW(RowBlock(layout, 0, 34, 7, bytes.data()), std::out_of_range);
}

}  // namespace
}  // namespace banzuke
