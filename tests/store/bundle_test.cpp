#include "engine/store/bundle.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "small_run.hpp"

namespace banzuke {
namespace {

using testing::small_setup;

TEST(Bundle, KeepsOrderTypesAndShapes) {
  const Bundle setup = small_setup();
  EXPECT_EQ(setup.names(), (std::vector<std::string>{"truth", "wins", "names", "log_likelihood",
                                                     "note", "nothing", "no_names"}));
  EXPECT_EQ(setup.doubles("truth")[2], 1e300);
  EXPECT_EQ(setup.integers("wins").size(), 6u);
  EXPECT_EQ(setup.scalar_double("log_likelihood"), -12.25);
  EXPECT_EQ(setup.scalar_string("note"), "");
  EXPECT_TRUE(setup.has("truth"));
  EXPECT_FALSE(setup.has("Truth"));
}

TEST(Bundle, SettingAgainReplacesInPlace) {
  Bundle setup = small_setup();
  setup.set("truth", std::int64_t{3});
  EXPECT_EQ(setup.names().front(), "truth");
  EXPECT_EQ(setup.scalar_integer("truth"), 3);
  EXPECT_EQ(setup.size(), 7u);
}

TEST(Bundle, WrongUsesAreNamed) {
  Bundle setup = small_setup();
  EXPECT_THROW(setup.doubles("absent"), std::out_of_range);
  EXPECT_THROW(setup.doubles("wins"), std::out_of_range);
  EXPECT_THROW(setup.scalar_double("truth"), std::out_of_range);
  EXPECT_THROW(setup.set("two words", 1.0), std::invalid_argument);
  EXPECT_THROW(setup.set("a/b", 1.0), std::invalid_argument);
  EXPECT_THROW(setup.set("x", std::string("a\0b", 3)), std::invalid_argument);
  EXPECT_THROW(setup.set("x", Array{{2, 2}, std::vector<double>{1, 2, 3}, {}, "", ""}),
               std::invalid_argument);
}

TEST(Bundle, BytesGiveTheSameBundle) {
  Bundle setup = small_setup();
  EXPECT_EQ(Bundle::from_bytes(setup.to_bytes()), setup);
  setup.set("nan", std::numeric_limits<double>::quiet_NaN());
  EXPECT_EQ(Bundle::from_bytes(setup.to_bytes()).to_bytes(), setup.to_bytes());
  EXPECT_EQ(Bundle::from_bytes(Bundle().to_bytes()), Bundle());
}

TEST(Bundle, DamagedBytesAreRefusedOrReadButNeverCrash) {
  const std::vector<std::byte> good = small_setup().to_bytes();
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_THROW(Bundle::from_bytes({good.data(), size}), std::invalid_argument);
  }
  std::mt19937 random(1);
  for (int i = 0; i < 3000; ++i) {
    std::vector<std::byte> bad = good;
    bad[random() % bad.size()] ^= std::byte{1} << (random() % 8);
    try {
      Bundle::from_bytes(bad);
    } catch (const std::invalid_argument&) {
    }
  }
}

}  // namespace
}  // namespace banzuke
