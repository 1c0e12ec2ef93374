#include "engine/records/ratings_table.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/records/pair_table.hpp"
#include "tests/records/records_support.hpp"

namespace banzuke {
namespace {

std::string error_of(std::string_view text, bool blank_allowed = false) {
  try {
    const std::vector<NumericColumn> columns{{"mle", blank_allowed}};
    read_columns({"r.csv", text}, "name", columns);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(RatingsTable, ReadsThePublishedTable) {
  const std::string text =
      file_text(BANZUKE_SOURCE_DIR "/configs/data/floodgate/published_2016H1.csv");
  const std::vector<NumericColumn> columns{
      {"mle"}, {"standard_uncertainty"}, {"replicates"}, {"full_year_estimate", true}};
  const RatingsTable table = read_columns({"published.csv", text}, "name", columns);
  ASSERT_EQ(table.names.size(), 111u);
  EXPECT_EQ(table.names[0], "jsus");
  EXPECT_EQ(table.lines[0], 2);
  EXPECT_EQ(table.columns[0][0], 3534);
  EXPECT_EQ(table.columns[1][0], 24);
  EXPECT_EQ(table.columns[2][0], 1000);
  bool blank = false;
  int references = 0;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    if (std::isnan(table.columns[3][i])) blank = true;
    if (table.columns[1][i] == 0) {
      ++references;
      EXPECT_EQ(table.names[i], "gpsfish_normal_1c");
      EXPECT_EQ(table.columns[0][i], 2800);
    }
  }
  EXPECT_TRUE(blank);
  EXPECT_EQ(references, 1);
}

TEST(RatingsTable, JoinsWithTheScheduleByName) {
  const std::string ratings =
      file_text(BANZUKE_SOURCE_DIR "/configs/data/floodgate/published_2016H1.csv");
  const std::string schedule =
      file_text(BANZUKE_SOURCE_DIR "/configs/data/floodgate/schedule_2016H1.csv");
  const std::vector<NumericColumn> columns{{"mle"}};
  const RatingsTable table = read_columns({"published.csv", ratings}, "name", columns);
  const NamedText file{"schedule.csv", schedule};
  const PairTable games = read_pair_table({&file, 1}, {});
  const std::set<std::string> published(table.names.begin(), table.names.end());
  std::set<std::string> playing;
  std::int64_t between = 0;
  for (std::size_t i = 0; i < games.first.size(); ++i) {
    const std::string& first = games.names[games.first[i]];
    const std::string& second = games.names[games.second[i]];
    if (!published.contains(first) || !published.contains(second)) continue;
    between += games.games[i];
    playing.insert(first);
    playing.insert(second);
  }
  EXPECT_EQ(between, 11171);
  EXPECT_EQ(playing.size(), 107u);
}

TEST(RatingsTable, TakesColumnsInAnyOrderAndOtherSeparators) {
  const std::vector<NumericColumn> columns{{"sd"}, {"elo"}};
  const RatingsTable table =
      read_columns({"r.csv", "elo;name;sd\n-12.5;\"a;b\";1e1\n 3 ;c;0\n"}, "name", columns, ';');
  EXPECT_EQ(table.names, (std::vector<std::string>{"a;b", "c"}));
  EXPECT_EQ(table.columns, (std::vector<std::vector<double>>{{10, 0}, {-12.5, 3}}));
}

TEST(RatingsTable, RefusesWithThePlace) {
  EXPECT_EQ(error_of("name,mle\na,1\nb,2\na,1\n"),
            "r.csv:4: \"a\" is listed twice (first in line 2): delete one of the rows");
  EXPECT_EQ(error_of("name,MLE\na,1\n"),
            "r.csv:1: no column \"mle\" in the header \"name\", \"MLE\": did you mean \"MLE\"?");
  EXPECT_EQ(error_of("nmae,mle\na,1\n"),
            "r.csv:1: no column \"name\" in the header \"nmae\", \"mle\": did you mean \"nmae\"?");
  EXPECT_EQ(error_of("name,mle\na,x\n"),
            "r.csv:2: column \"mle\" holds \"x\" (not a number): write a number");
  EXPECT_EQ(error_of("name,mle\na,inf\n"),
            "r.csv:2: column \"mle\" holds \"inf\" (not finite): write a number");
  EXPECT_EQ(error_of("name,mle\na,\n"),
            "r.csv:2: column \"mle\" holds \"\" (a number is missing): write a number");
  EXPECT_EQ(error_of("name,mle\na,\n", true), "no error");
  EXPECT_EQ(error_of("name,mle\na,NA\n", true),
            "r.csv:2: column \"mle\" holds \"NA\" (not a number): write a number, or leave the "
            "cell blank");
  EXPECT_EQ(error_of("name,mle\n,1\n"),
            "r.csv:2: column \"name\" holds no name: give the player a name or delete the row");
  EXPECT_EQ(error_of("name,mle\n"),
            "r.csv: the file has a header and no rows: give a file with ratings");
}

}  // namespace
}  // namespace banzuke
