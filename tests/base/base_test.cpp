#include <gtest/gtest.h>

#include "engine/base/error.hpp"
#include "engine/base/sha256.hpp"
#include "engine/base/text.hpp"

namespace banzuke {
namespace {

TEST(Error, HasOneGrammar) {
  EXPECT_STREQ(
      InputError("unknown key \"sed\"", "no job has it", "did you mean \"seed\"?", {"a.toml", 3})
          .what(),
      "a.toml:3: unknown key \"sed\" (no job has it): did you mean \"seed\"?");
  EXPECT_STREQ(InputError("the file is empty", "", "give a file with games", {"a.csv", 0}).what(),
               "a.csv: the file is empty: give a file with games");
  const InputError slip("no games", "", "give some", {"a.toml", 3});
  EXPECT_STREQ(slip.about("spring").what(), "a.toml:3: spring: no games: give some");
  EXPECT_STREQ(InputError("no games", "", "give some").about("spring").what(),
               "spring: no games: give some");
}

TEST(Text, NumbersAreReadWholeOrNotAtAll) {
  EXPECT_EQ(parse_double("2.5"), 2.5);
  EXPECT_EQ(parse_double("+2.5"), 2.5);
  EXPECT_EQ(parse_double("2.5x"), std::nullopt);
  EXPECT_EQ(parse_double(""), std::nullopt);
  EXPECT_EQ(parse_double("2,5"), std::nullopt);
  EXPECT_EQ(parse_double("+-2"), std::nullopt);
  EXPECT_EQ(parse_integer("12"), 12);
  EXPECT_EQ(parse_integer("12.0"), std::nullopt);
  EXPECT_EQ(parse_integer("99999999999999999999"), std::nullopt);
}

TEST(Text, NearestNameFindsSlipsAndNothingElse) {
  const std::vector<std::string> known{"seed", "replicates", "output"};
  EXPECT_EQ(nearest_name("sede", known), "seed");
  EXPECT_EQ(nearest_name("replicate", known), "replicates");
  EXPECT_EQ(nearest_name("zzzzzz", known), std::nullopt);
}

TEST(Text, QuotedIsShortPrintableAndValid) {
  EXPECT_EQ(in_quotes("a\nb"), "\"a\\x0ab\"");
  const std::string long_name = in_quotes(std::string(2000, 'x'));
  EXPECT_LT(long_name.size(), 70u);
  std::string japanese;
  for (int i = 0; i < 100; ++i) japanese += "将";
  EXPECT_TRUE(is_valid_utf8(in_quotes(japanese)));
  EXPECT_EQ(path_in_quotes("/tmp/a\tb/" + std::string(200, 'x')),
            "\"/tmp/a\\x09b/" + std::string(200, 'x') + "\"");
}

TEST(Text, Utf8AndWidth) {
  EXPECT_TRUE(is_valid_utf8("将棋 Überraschung"));
  EXPECT_FALSE(is_valid_utf8("\xff\xfe"));
  EXPECT_FALSE(is_valid_utf8("\xc0\x80"));
  EXPECT_FALSE(is_valid_utf8("\xe5\xb0"));
  EXPECT_EQ(display_width("将棋"), 4u);
  EXPECT_EQ(display_width("Ü"), 1u);
}

TEST(Sha256, MeetsThePublishedVectors) {
  // FIPS 180-4 examples.
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace banzuke
