#include "engine/config/config.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "engine/config/input_file.hpp"

namespace banzuke {
namespace {

constexpr const char* example = R"(job = "selfcheck"
seed = 7
rate = 0.5

[games]
files = ["a.csv", "b.csv"]
draws = "half"

[[rule]]
name = "x"
[[rule]]
name = "y"
)";

template <class F>
std::string message(F&& act) {
  try {
    act();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Config, ReadsTypesDefaultsAndTables) {
  const Config config = Config::parse(example, "c.toml");
  const Section root = config.root();
  EXPECT_EQ(root.text({"job", "the job"}), "selfcheck");
  EXPECT_EQ(root.integer({"seed", "the seed"}), 7);
  EXPECT_EQ(root.number({"rate", "the rate"}), 0.5);
  EXPECT_EQ(root.number({"seed", "as a number"}), 7.0);
  EXPECT_EQ(root.integer({"replicates", "how many"}, 1000), 1000);
  EXPECT_TRUE(root.is_text("job"));
  EXPECT_FALSE(root.is_text("seed"));
  EXPECT_FALSE(root.is_text("absent"));
  const Section games = root.table({"games", "the games"});
  EXPECT_EQ(games.texts({"files", "files"}), (std::vector<std::string>{"a.csv", "b.csv"}));
  EXPECT_EQ(games.choice({"draws", "draws"}, {"half", "drop"}, "half"), "half");
  const auto rules = root.tables({"rule", "rules"});
  ASSERT_EQ(rules.size(), 2u);
  EXPECT_EQ(rules[1].text({"name", "name"}), "y");
  EXPECT_EQ(rules[1].path("name"), "rule[1].name");
  EXPECT_EQ(rules[1].where("name").line, 12);
  EXPECT_NO_THROW({
    rules[0].text({"name", "name"});
    config.refuse_unknown_keys();
  });
  bool found = false;
  for (const EffectiveKey& key : config.effective()) {
    if (key.path == "replicates") {
      found = true;
      EXPECT_EQ(key.value, "1000");
      EXPECT_FALSE(key.written);
    }
  }
  EXPECT_TRUE(found);
}

TEST(Config, OverridesReplaceAndAreNamed) {
  const Config config =
      Config::parse(example, "c.toml", {"seed=9", "games.draws=drop", "output=out/x.h5"});
  const Section root = config.root();
  EXPECT_EQ(root.integer({"seed", ""}), 9);
  EXPECT_EQ(root.text({"output", ""}), "out/x.h5");
  EXPECT_EQ(root.table({"games", ""}).text({"draws", ""}), "drop");
  EXPECT_EQ(root.table({"games", ""}).texts({"files", ""}).size(), 2u);
  EXPECT_EQ(message([&] {
              root.text({"seed", "the seed"});
            }),
            "--set seed=9: \"seed\" must be a text in quotes (it is 9, a TOML integer): seed is "
            "the seed");
  EXPECT_NE(message([] { Config::parse("", "c.toml", {"nonsense"}); }).find("--set key=value"),
            std::string::npos);
}

TEST(Config, MistakesNameFileLineAndRemedy) {
  const Config config =
      Config::parse("sed = 1\nreplicates = \"1\"\nrate = -1\nodd = 1.5\n", "c.toml");
  const Section root = config.root();
  EXPECT_EQ(message([&] {
              root.integer({"seed", "the seed"});
            }),
            "c.toml:1: unknown key \"sed\" (\"seed\" is missing): did you mean \"seed\"?");
  EXPECT_EQ(message([&] {
              root.integer({"replicates", "the count"});
            }),
            "c.toml:2: \"replicates\" must be a whole number (it is \"1\", a TOML string): "
            "replicates is the count");
  EXPECT_EQ(message([&] {
              root.number({"rate", "the rate"}, {0, 1});
            }),
            "c.toml:3: \"rate\" is out of range (it is -1): give from 0 to 1");
  EXPECT_NE(message([&] {
              root.integer({"odd", "the count"});
            }).find("c.toml:4"),
            std::string::npos);
  EXPECT_NE(message([&] {
              root.table({"scale", "the scale"});
            }).find("is missing"),
            std::string::npos);
  EXPECT_EQ(message([] { Config::parse("a = = 1", "d.toml"); }).substr(0, 9), "d.toml:1:");
}

TEST(Config, TextsThatSayNothing) {
  const Config config =
      Config::parse("a = ''\nb = ' '\nc = \"x\\u0000y\"\nd = ['x', \"\\u0000\"]", "c.toml");
  const Section root = config.root();
  EXPECT_EQ(message([&] { root.text({"a", "a name"}); }), "c.toml:1: \"a\" is empty: give a name");
  EXPECT_EQ(message([&] {
              root.text({"a", "a name"}, "x");
            }),
            "c.toml:1: \"a\" is empty: give a name");
  EXPECT_EQ(root.text({"a", "a column; \"\" for none"}, ""), "");
  EXPECT_EQ(message([&] { root.text({"b", "a name"}); }), "c.toml:2: \"b\" is blank: give a name");
  EXPECT_EQ(message([&] {
              root.text({"b", "a column"}, "");
            }),
            "c.toml:2: \"b\" is blank: give a column");
  EXPECT_NE(message([&] {
              root.text({"c", "a name"});
            }).find("c.toml:3: \"c\" holds a NUL"),
            std::string::npos);
  EXPECT_NE(message([&] {
              root.texts({"d", "names"});
            }).find("c.toml:4: \"d\" holds a NUL"),
            std::string::npos);
}

TEST(Config, UnknownKeysAreRefusedEverywhere) {
  const Config config =
      Config::parse("seed = 1\n[games]\nfiles = [\"a\"]\ndraw = \"half\"\n", "c.toml");
  const Section root = config.root();
  root.integer({"seed", ""});
  const Section games = root.table({"games", ""});
  games.texts({"files", ""});
  games.text({"draws", ""}, "half");
  EXPECT_EQ(message([&] { config.refuse_unknown_keys(); }),
            "c.toml:4: unknown key \"games.draw\": did you mean \"draws\"?");
  const Config nested = Config::parse("[run]\nx = 1\n", "c.toml");
  EXPECT_EQ(message([&] { nested.refuse_unknown_keys(); }).substr(0, 30),
            "c.toml:1: unknown key \"run\": r");
}

TEST(Config, AKeyAskedForTwiceStandsOnce) {
  const Config config = Config::parse("seed = 7\n", "c.toml");
  const Section root = config.root();
  EXPECT_EQ(root.integer({"seed", ""}), root.integer({"seed", "the same to somebody else"}));
  ASSERT_EQ(config.effective().size(), 1u);
  EXPECT_EQ(config.effective()[0].value, "7");
}

TEST(Config, MessagesNameTheOverrideEvenInATableTheConfigLacks) {
  for (const char* text : {"", "[run]\ny = 2\n"}) {
    const Config config = Config::parse(text, "c.toml", {"run.x=1"});
    const Section run = config.root().table({"run", ""});
    EXPECT_EQ(message([&] {
                run.integer({"x", ""}, {2, 5});
              }),
              "--set run.x=1: \"run.x\" is out of range (it is 1): give from 2 to 5");
  }
}

TEST(Config, AxesOfSweeps) {
  const Config config = Config::parse(
      "a = [1, 2.5]\nb = 7\nc = { from = 0, to = 1, step = 0.25 }\n"
      "d = { from = 1, to = 1000, per_decade = 1 }\ne = { from = 1, to = 20, per_decade = 10 }\n"
      "f = { from = 1, to = 2 }\ng = { from = 5, to = 2, step = 1 }\nh = [1.5]\n",
      "c.toml");
  const Section root = config.root();
  EXPECT_EQ(root.axis({"a", ""}), (std::vector<double>{1, 2.5}));
  EXPECT_EQ(root.axis({"b", ""}), (std::vector<double>{7}));
  EXPECT_EQ(root.axis({"c", ""}), (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(root.axis({"d", ""}, {}, true), (std::vector<double>{1, 10, 100, 1000}));
  EXPECT_EQ(root.axis({"e", ""}, {}, true),
            (std::vector<double>{1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20}));
  EXPECT_NE(message([&] { root.axis({"f", ""}); }).find("c.toml:6"), std::string::npos);
  EXPECT_NE(message([&] { root.axis({"g", ""}); }).find("ascending"), std::string::npos);
  EXPECT_NE(message([&] { root.axis({"h", ""}, {}, true); }).find("whole"), std::string::npos);
  const Config slip = Config::parse("i = { from = 0, to = 1, step = 0.3, stop = 2 }", "c.toml");
  EXPECT_EQ(slip.root().axis({"i", ""}).back(), 1.0);
  EXPECT_EQ(message([&] { slip.refuse_unknown_keys(); }),
            "c.toml:1: unknown key \"i.stop\": did you mean \"step\"?");
}

TEST(Config, KeysOfSeveralTypesCanBeToldApart) {
  const Config config = Config::parse("games = { median = 3 }\nalpha = \"fit\"\nk = 4\n", "a.toml");
  const Section root = config.root();
  EXPECT_TRUE(root.is_table("games"));
  EXPECT_FALSE(root.is_text("games"));
  EXPECT_TRUE(root.is_text("alpha"));
  EXPECT_FALSE(root.is_table("alpha"));
  for (const char* name : {"k", "missing"}) {
    EXPECT_FALSE(root.is_table(name));
    EXPECT_FALSE(root.is_text(name));
  }
}

TEST(Config, PathsAreRelativeToTheConfig) {
  const Config config = Config::parse("", "configs/x.toml");
  EXPECT_EQ(config.resolve("data/a.csv"), "configs/data/a.csv");
  EXPECT_EQ(config.resolve("/tmp/a.csv"), "/tmp/a.csv");
}

TEST(Input, MissingFolderAndContent) {
  Inputs inputs;
  EXPECT_EQ(message([&] {
              inputs.load("games.files", "no/such.csv", {"c.toml", 3});
            }),
            "c.toml:3: cannot read the input \"no/such.csv\" (No such file or directory): check "
            "the name");
  EXPECT_EQ(message([&] { inputs.load("games.files", "/tmp"); }),
            "the input \"/tmp\" is a folder: name a file");
  const std::string path = std::filesystem::temp_directory_path() / "banzuke_input_test.csv";
  std::ofstream(path) << "abc";
  EXPECT_EQ(inputs.load("k", path).sha256,
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace banzuke
