#include "engine/config/description.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace banzuke {
namespace {

/// A reader with all that makes keys hard to find.
void read(const Config& config) {
  const Section root = config.root();
  root.integer({"always", "read always", "1"}, {1, 9});
  if (root.has("extra")) {
    const Section extra = root.table({"extra", "a table that may be left out"});
    extra.number({"inner", "in it", "s"}, 2.5, {0, 10});
    if (extra.is_text("kind")) {
      extra.choice({"kind", "a word or a number"}, {"auto"}, "");
    } else {
      extra.number({"kind", "a word or a number"});
    }
  }
  const std::string mode = root.choice({"mode", "how"}, {"plain", "fancy"}, "plain");
  if (mode == "fancy") {
    for (const char* needed : {"first", "second"}) {
      if (!root.has(needed)) throw InputError("fancy needs more", "", "");
    }
    root.integer({"first", "one of two that fancy needs"});
    root.integer({"second", "the other"});
    if (root.flag({"deep", "deeper still"}, false)) root.text({"deepest", "at the bottom"});
  }
  const auto items = root.tables({"item", "things"});
  if (items.empty()) throw InputError("no item", "", "");
  for (const Section& item : items) {
    item.text({"name", "what it is called", "", Role::operational});
    if (item.is_table("size")) {
      item.table({"size", "how large"}).number({"width", "how wide"});
    } else {
      item.axis({"size", "how large"}, {1, 5});
    }
  }
  root.integer({"last", "after the items", "1", Role::extendable}, 7);
}

const KeyDescription& find(const std::vector<KeyDescription>& keys, const std::string& path) {
  const auto found = std::find_if(keys.begin(), keys.end(),
                                  [&](const KeyDescription& key) { return key.path == path; });
  if (found == keys.end()) throw std::out_of_range("no key " + path);
  return *found;
}

TEST(Description, FindsEveryKey) {
  const auto keys = describe_keys(read);
  std::vector<std::string> paths;
  for (const KeyDescription& key : keys) paths.push_back(key.path);
  std::sort(paths.begin(), paths.end());
  const std::vector<std::string> expected{
      "always", "deep",  "deepest",     "extra",       "extra.inner",       "extra.kind",
      "first",  "item",  "item[].name", "item[].size", "item[].size.width", "last",
      "mode",   "second"};
  EXPECT_EQ(paths, expected);
}

TEST(Description, TellsWhatKeysAre) {
  const auto keys = describe_keys(read);
  EXPECT_TRUE(find(keys, "always").required);
  EXPECT_TRUE(find(keys, "always").always);
  EXPECT_EQ(range_text(find(keys, "always").range), "1 to 9");
  EXPECT_FALSE(find(keys, "extra").required);
  EXPECT_EQ(find(keys, "extra.inner").default_value, "2.5");
  EXPECT_EQ(find(keys, "mode").words, (std::vector<std::string>{"plain", "fancy"}));
  EXPECT_EQ(find(keys, "mode").default_value, "\"plain\"");
  EXPECT_EQ(find(keys, "deepest").when, "mode = \"fancy\", first, second, deep = true");
  EXPECT_EQ(find(keys, "item").type, "tables");
  EXPECT_TRUE(find(keys, "item").required);
  EXPECT_EQ(find(keys, "item[].name").when, "");
  EXPECT_EQ(role_text(find(keys, "item[].name").key.role), "without effect on the numbers");
  EXPECT_FALSE(find(keys, "first").always);
  EXPECT_EQ(find(keys, "last").default_value, "7");
}

TEST(Description, RangesInWords) {
  EXPECT_EQ(range_text({}), "");
  EXPECT_EQ(range_text({0, std::numeric_limits<double>::infinity()}), "at least 0");
  EXPECT_EQ(range_text({-std::numeric_limits<double>::infinity(), 2.5}), "at most 2.5");
}

TEST(Description, ListsOfWordsAreChecked) {
  const Config config = Config::parse("a = [\"x\", \"z\"]\n", "test");
  try {
    config.root().choices({"a", "letters"}, {"x", "y"});
    FAIL();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("\"a\" cannot be \"z\""), std::string::npos);
  }
  EXPECT_EQ(Config::parse("a = [\"y\"]\n", "test").root().choices({"a", ""}, {"x", "y"}),
            std::vector<std::string>{"y"});
}

}  // namespace
}  // namespace banzuke
