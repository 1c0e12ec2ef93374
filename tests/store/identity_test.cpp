#include "engine/store/identity.hpp"

#include <gtest/gtest.h>

#include "small_run.hpp"

namespace banzuke {
namespace {

using testing::small_identity;

TEST(Identity, EqualOnesHaveNoDifferenceWhateverThePaths) {
  Identity now = small_identity();
  now.inputs[0].path = "elsewhere/b.csv";
  EXPECT_EQ(difference(small_identity(), now), std::nullopt);
  EXPECT_EQ(small_identity().canonical_text(), now.canonical_text());
}

TEST(Identity, DifferenceNamesEachItemOnALine) {
  Identity now = small_identity();
  now.seed = 5;
  now.keys[0].second = "\"drop\"";
  now.keys[1].first = "scale.mean";
  now.inputs[0].sha256 = std::string(64, 'b');
  EXPECT_EQ(difference(small_identity(), now),
            "seed: 18446744073709551615 → 5\n"
            "games.draws: \"half\" → \"drop\"\n"
            "scale.rating: 2800 → (not set)\n"
            "input games.files[0]: sha256 " +
                std::string(64, 'a') + " of 123 bytes → sha256 " + std::string(64, 'b') +
                " of 123 bytes\n"
                "scale.mean: (not set) → 2800");
}

TEST(Identity, OrderCounts) {
  Identity now = small_identity();
  std::swap(now.keys[0], now.keys[1]);
  EXPECT_NE(difference(small_identity(), now), std::nullopt);
}

TEST(Identity, LineBreaksCannotImitateKeys) {
  Identity one = small_identity();
  Identity two = small_identity();
  one.keys = {{"a", "1\nconfig b: 2"}};
  two.keys = {{"a", "1"}, {"b", "2"}};
  EXPECT_NE(one.canonical_text(), two.canonical_text());
}

}  // namespace
}  // namespace banzuke
