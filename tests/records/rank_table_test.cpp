#include "engine/records/rank_table.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include "engine/base/error.hpp"

namespace banzuke {
namespace {

std::string content(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

std::string error_of(std::string_view name, std::string_view text,
                     const RankTableOptions& options = {}) {
  try {
    read_rank_table({std::string(name), text}, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RankTable, ReadsJson) {
  const std::string text =
      "\xEF\xBB\xBF{\n  \"園田賢\": [55, 50,\n 46, 50],\n  \"b\\u00e9\": [0,0,0,0]\n}\n";
  const RankTable table = read_rank_json({"a.json", text});
  EXPECT_EQ(table.ranks, 4);
  EXPECT_EQ(table.names, (std::vector<std::string>{"園田賢", "bé"}));
  EXPECT_EQ(table.counts, (std::vector<std::uint32_t>{55, 50, 46, 50, 0, 0, 0, 0}));
}

TEST(RankTable, JsonErrorsNameLineAndPlayer) {
  EXPECT_EQ(error_of("a.json", "{\"a\": [1, 2, 3],\n \"b\": [1, 2.5,\n 3]}"),
            "a.json:2: player \"b\": \"2.5\" is not a whole number (ranks are counted): write a "
            "whole number, without a point");
  EXPECT_EQ(error_of("a.json", "{\"a\": [1,\n-2\n, 3]}"),
            "a.json:2: player \"a\": -2 is negative (ranks are counted): write 0 or more");
  EXPECT_EQ(error_of("a.json", "{\"a\": [1, 2, 3],\n\"b\": [1, 2, 3],\n\"a\": [1, 2, 3]}"),
            "a.json:3: player \"a\" appears twice (first on line 1): add the counts up or rename "
            "one of them");
  EXPECT_EQ(error_of("a.json", "{\"a\": [1, 2, 3],\n\n\"b\": [1, 2, 3, 4]}"),
            "a.json:3: player \"b\": 4 counts (the first player has 3): give one count for each "
            "rank");
  EXPECT_EQ(error_of("a.json", "{\"a\": [1, 2, 3]}", {.ranks = 4}),
            "a.json:1: player \"a\": 3 counts (4 ranks are asked for): give one count for each "
            "rank or change the number of ranks");
  EXPECT_EQ(error_of("a.json", "{\"a\":\n[7]}"),
            "a.json:2: player \"a\": 1 counts (a game has 2 to 64 ranks): give one count for each "
            "rank");
  EXPECT_EQ(error_of("a.json", "{\"a\": {\"b\": 1}}"),
            "a.json:1: player \"a\": an object instead of a count: write {\"name\": [firsts, "
            "seconds, thirds], …}");
  EXPECT_EQ(error_of("a.json", "{\"a\":\n 5}"),
            "a.json:2: player \"a\": 5 instead of a count: write {\"name\": [firsts, seconds, "
            "thirds], …}");
  EXPECT_EQ(error_of("a.json", "[[1, 2]]"),
            "a.json:1: an array instead of players: write {\"name\": [firsts, seconds, thirds], "
            "…}");
  EXPECT_EQ(error_of("a.json", "{\"a\": [1, 99999999999]}"),
            "a.json:1: player \"a\": more than 4194303 games (a slip, or too much for the tables): "
            "check the counts");
  EXPECT_EQ(error_of("a.json", "{}"),
            "a.json: the file has no players: give a file with rank counts");
  EXPECT_EQ(error_of("a.json", "{\" \": [1, 2]}"),
            "a.json:1: a player without a name: give the player a name or delete the entry");
}

TEST(RankTable, JsonThatIsNoJsonIsRefusedWithItsLine) {
  for (const char* text : {"", "{\n\"a\": [1, 2\n", "{\n\"a\": [1, 2]\n}}", "{\n\"a\": [1,, 2]}",
                           "{\n\"\xFF\": [1, 2]}", "{\n'a': [1, 2]}", "{\n\"a\": [NaN, 2]}"}) {
    const std::string error = error_of("a.json", text);
    EXPECT_EQ(error.find(*text == 0 ? "a.json:1: not JSON" : "a.json:"), 0u) << text << error;
    EXPECT_NE(error.find("not JSON near "), std::string::npos) << error;
    EXPECT_NE(error.find("(syntax error while parsing "), std::string::npos) << error;
  }
}

TEST(RankTable, ReadsCsv) {
  const RankTable table =
      read_rank_csv({"a.csv", "name,first,second,third\nä,1,2,3\n\"b, c\",4,5,6\n"});
  EXPECT_EQ(table.ranks, 3);
  EXPECT_EQ(table.names, (std::vector<std::string>{"ä", "b, c"}));
  EXPECT_EQ(table.counts, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read_rank_csv({"a.csv", "who,x,y\na,1,2\n"}).ranks, 2);
  EXPECT_EQ(read_rank_csv({"a.csv", "1st,2nd,player\n1,2,a\n"}).names.front(), "a");
  EXPECT_EQ(read_rank_csv({"a.csv", "name,good,bad,first\na,1,2,9\n"}, {.columns = {"good", "bad"}})
                .counts,
            (std::vector<std::uint32_t>{1, 2}));
}

TEST(RankTable, FurtherColumnsDoNotDisturbNamedRanks) {
  const std::string text =
      content(std::filesystem::path(BANZUKE_TEST_DATA) / "alpha" / "xhat_top10.csv");
  const RankTable table = read_rank_csv({"xhat_top10.csv", text});
  EXPECT_EQ(table.ranks, 4);
  ASSERT_EQ(table.names.size(), 10u);
  EXPECT_EQ(table.names.front(), "一蓮峻潤");
  EXPECT_EQ(table.counts[39], 1254u);
}

TEST(RankTable, CsvErrorsNameLineAndPlayer) {
  EXPECT_EQ(error_of("a.csv", "name,first,second\na,1,2\n\nb,1.5,2\n"),
            "a.csv:4: player \"b\": \"1.5\" is not a whole number (ranks are counted): write a "
            "whole number, without a point");
  EXPECT_EQ(error_of("a.csv", "name,first,second\na,-1,2\n"),
            "a.csv:2: player \"a\": -1 is negative (ranks are counted): write 0 or more");
  EXPECT_EQ(error_of("a.csv", "name,first,second\na,1,2\na,3,4\n"),
            "a.csv:3: player \"a\" appears twice (first on line 2): add the counts up or rename "
            "one of them");
  EXPECT_EQ(error_of("a.csv", "name,first\na,1\n"),
            "a.csv:2: player \"a\": 1 counts (a game has 2 to 64 ranks): give one count for each "
            "rank");
  EXPECT_EQ(error_of("a.csv", "name,first,second\n"),
            "a.csv: the file has no players: give a file with rank counts");
  EXPECT_NE(error_of("a.csv", "name,first,second\na,1\n").find("a.csv:2:"), std::string::npos);
  EXPECT_EQ(error_of("a.csv", "name,first,second\na,4194303,1\n"),
            "a.csv:2: player \"a\": more than 4194303 games (a slip, or too much for the tables): "
            "check the counts");
  EXPECT_EQ(error_of("ranks.txt", "x"),
            "ranks.txt: neither JSON nor CSV by its name (rank counts are read from .json and "
            ".csv): give the file one of these endings");
}

TEST(RankTable, ReadsACareerFileOfALeague) {
  const std::filesystem::path path =
      std::filesystem::path(BANZUKE_SHARED) / "data" / "ranks" / "mleague_career.json";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << path << " is not there";
  const RankTable table = read_rank_table({path.string(), content(path)});
  EXPECT_EQ(table.ranks, 4);
  EXPECT_EQ(table.names.size(), 47u);
  EXPECT_EQ(table.counts[1], 50u);
}

}  // namespace
}  // namespace banzuke
