#include "engine/records/pair_table.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "tests/records/records_support.hpp"

namespace banzuke {
namespace {

PairTable read(std::string_view text, const PairTableOptions& options = {}) {
  const NamedText file{"g.csv", text};
  return read_pair_table({&file, 1}, options);
}

std::int64_t sum(const std::vector<std::int64_t>& values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

double sum(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0);
}

PairTable read_file(const std::string& path, const PairTableOptions& options = {}) {
  const std::string text = file_text(path);
  PairTable table = read(text, options);
  for (std::size_t i = 0; i < table.first.size(); ++i) {
    EXPECT_LT(table.first[i], table.second[i]);
    EXPECT_LT(table.second[i], table.names.size());
    if (i > 0) {
      EXPECT_LT(std::pair(table.first[i - 1], table.second[i - 1]),
                std::pair(table.first[i], table.second[i]));
    }
    if (table.has_results) {
      EXPECT_EQ(table.wins_first[i] + table.wins_second[i], static_cast<double>(table.games[i]));
    }
  }
  return table;
}

const std::string data = BANZUKE_TEST_DATA "/paired/";
const std::string configs = BANZUKE_SOURCE_DIR "/configs/data/";

TEST(PairTable, RowsOfAPairAddUpInEitherOrientation) {
  const PairTable table = read("player1,player2,wins1,wins2\nB,A,1,2\nA,C,3,0\nA,B,10,20\n");
  EXPECT_EQ(table.names, (std::vector<std::string>{"B", "A", "C"}));
  EXPECT_EQ(table.first, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(table.second, (std::vector<std::uint32_t>{1, 2}));
  EXPECT_EQ(table.wins_first, (std::vector<double>{21, 3}));
  EXPECT_EQ(table.wins_second, (std::vector<double>{12, 0}));
  EXPECT_EQ(table.games, (std::vector<std::int64_t>{33, 3}));
  EXPECT_TRUE(table.has_results);
  EXPECT_EQ(table.draws_total, 0);
  EXPECT_EQ(table.games_total, 36);
  EXPECT_TRUE(table.notes.empty());
}

TEST(PairTable, FilesAddUp) {
  const std::vector<NamedText> files{{"1.csv", "player1,player2,games\nA,B,2\n"},
                                     {"2.csv", "P,Q,Games\nB,A,3\nC,A,1\n"}};
  const PairTable table = read_pair_table(files, {});
  EXPECT_EQ(table.games, (std::vector<std::int64_t>{5, 1}));
  EXPECT_FALSE(table.has_results);
  EXPECT_TRUE(table.wins_first.empty());
  EXPECT_TRUE(table.notes.empty());
}

TEST(PairTable, DrawsAreHalvesOrDropped) {
  const std::string text = "p,q,x,t,y\nA,B,1,3,2\nB,C,0,4,0\n";
  const PairTable half = read(text);
  EXPECT_EQ(half.wins_first, (std::vector<double>{2.5, 2}));
  EXPECT_EQ(half.wins_second, (std::vector<double>{3.5, 2}));
  EXPECT_EQ(half.games, (std::vector<std::int64_t>{6, 4}));
  EXPECT_EQ(half.draws_total, 7);
  EXPECT_EQ(half.games_total, 10);
  const PairTable drop = read(text, {.draws = Draws::drop});
  EXPECT_EQ(drop.names.size(), 3u);
  EXPECT_EQ(drop.wins_first, (std::vector<double>{1}));
  EXPECT_EQ(drop.wins_second, (std::vector<double>{2}));
  EXPECT_EQ(drop.games, (std::vector<std::int64_t>{3}));
  EXPECT_EQ(drop.draws_total, 7);
  EXPECT_EQ(drop.games_total, 10);
  EXPECT_EQ(drop.notes, (std::vector<std::string>{"1 player has no game that counts: \"C\""}));
}

TEST(PairTable, GivenFilesHaveTheirTotals) {
  const PairTable h1 = read_file(configs + "floodgate/schedule_2016H1.csv");
  EXPECT_EQ(h1.names.size(), 319u);
  EXPECT_EQ(h1.first.size(), 3144u);
  EXPECT_EQ(sum(h1.games), 20001);
  EXPECT_EQ(h1.games_total, 20001);
  EXPECT_FALSE(h1.has_results);

  const PairTable baseball = read_file(configs + "baseball_pairs.csv");
  EXPECT_EQ(baseball.names.size(), 7u);
  EXPECT_EQ(baseball.first.size(), 21u);
  EXPECT_EQ(baseball.games_total, 273);

  const PairTable citations = read_file(data + "citations_pairs.csv");
  EXPECT_EQ(citations.names.size(), 4u);
  EXPECT_EQ(citations.games_total, 3727);

  const PairTable hockey = read_file(data + "icehockey_pairs_tiehalf.csv");
  EXPECT_EQ(hockey.names.size(), 58u);
  EXPECT_EQ(hockey.games_total, 1083);
  EXPECT_GT(hockey.half_rows, 0);

  const PairTable parties = read_file(data + "GermanParties2009_pairs.csv", {.draws = Draws::drop});
  EXPECT_EQ(parties.names.size(), 6u);
  EXPECT_EQ(sum(parties.games), 2880);
}

TEST(PairTable, FootballIsTheSameFromHalvesAndFromDraws) {
  const PairTable halves = read_file(data + "football_all_pairs_tiehalf.csv");
  const PairTable draws = read_file(data + "football_all_pairs_win_tie_loss.csv");
  EXPECT_EQ(halves.names.size(), 29u);
  EXPECT_EQ(halves.games_total, 1900);
  EXPECT_EQ(draws.games_total, 1900);
  EXPECT_EQ(draws.draws_total, 1900 - 1395);
  EXPECT_GT(halves.draws_total, 0);
  EXPECT_LE(halves.draws_total, draws.draws_total);
  const auto by_name = [](const PairTable& table) {
    std::map<std::pair<std::string, std::string>, double> wins;
    for (std::size_t i = 0; i < table.first.size(); ++i) {
      const std::string& first = table.names[table.first[i]];
      const std::string& second = table.names[table.second[i]];
      wins[{first, second}] = table.wins_first[i];
      wins[{second, first}] = table.wins_second[i];
    }
    return wins;
  };
  EXPECT_EQ(by_name(halves), by_name(draws));
  const PairTable dropped =
      read_file(data + "football_all_pairs_win_tie_loss.csv", {.draws = Draws::drop});
  EXPECT_EQ(sum(dropped.games), 1395);
  EXPECT_EQ(dropped.games_total, 1900);
}

TEST(PairTable, ColumnsOfNoUseAreNoted) {
  const PairTable table = read_file(data + "S6_Stage_2_pairs.csv");
  EXPECT_EQ(table.names.size(), 16u);
  EXPECT_EQ(table.first.size(), 120u);
  ASSERT_EQ(table.notes.size(), 2u);
  EXPECT_EQ(table.notes[0], "g.csv: not used: columns \"w\", \"t\", \"l\"");
  EXPECT_EQ(sum(table.wins_first) + sum(table.wins_second), 120.0);
  EXPECT_EQ(read_file(data + "S9_Stage_1a_pairs.csv").games_total, 120);
  // The same games from the columns of wins, draws and losses.
  const PairTable mapped = read_file(data + "S6_Stage_2_pairs.csv",
                                     {.columns = {.wins1 = "w", .wins2 = "l", .draws = "t"}});
  EXPECT_EQ(mapped.wins_first, table.wins_first);
  EXPECT_EQ(mapped.wins_second, table.wins_second);
  EXPECT_EQ(mapped.half_rows, 0);
  EXPECT_EQ(mapped.draws_total, table.draws_total)
      << "one game a pair, so one draw a row of halves";
  EXPECT_EQ(mapped.notes,
            (std::vector<std::string>{"g.csv: not used: columns \"wins1\", \"wins2\""}));
}

TEST(PairTable, AColumnMapReadsAnyHeader) {
  const PairTable home = read_file(data + "baseball.csv", {.columns = {.player1 = "home.team",
                                                                       .player2 = "away.team",
                                                                       .wins1 = "home.wins",
                                                                       .wins2 = "away.wins"}});
  EXPECT_EQ(home.games_total, 273);
  EXPECT_EQ(home.first.size(), 21u);
  const PairTable pudding = read_file(
      data + "pudding_win_loss_tie.csv",
      {.columns = {
           .player1 = "i", .player2 = "j", .wins1 = "w_ij", .wins2 = "w_ji", .draws = "t_ij"}});
  EXPECT_EQ(pudding.names.size(), 6u);
  EXPECT_EQ(pudding.games_total,
            sum(read_file(data + "pudding_win_loss_tie.csv",
                          {.columns = {.player1 = "i", .player2 = "j", .games = "r_ij"}})
                    .games));
}

TEST(PairTable, TheMapSettlesWhatIsAmbiguous) {
  const std::string both = "player1,player2,games,wins1,wins2\nA,B,5,1,2\n";
  EXPECT_EQ(read(both, {.columns = {.games = "games"}}).games_total, 5);
  EXPECT_EQ(read(both, {.columns = {.wins1 = "wins1", .wins2 = "wins2"}}).games_total, 3);
  // A mapped column is no candidate for another role, and the map leaves the rest recognised.
  const std::string odd = "player1,player2,games,losses\nA,B,5,1\n";
  EXPECT_EQ(read(odd, {.columns = {.wins1 = "games", .wins2 = "losses"}}).games_total, 6);
  EXPECT_EQ(read("p,q,x,t,y\nA,B,1,2,3\n", {.columns = {.draws = "t"}}).draws_total, 2);
  EXPECT_EQ(read("player1,player2,wins1,wins2,p\nA,B,1,2,3\n").games_total, 3)
      << "p alone names no player";
}

TEST(PairTable, NumbersMayBeWrittenInSeveralWays) {
  const PairTable table = read("player1,player2,games\nA,B,12.0\nA,C,1e3\nA,D, 7 \nA,E,+2\n");
  EXPECT_EQ(table.games, (std::vector<std::int64_t>{12, 1000, 7, 2}));
  EXPECT_EQ(read("player1,player2,games\nA,B,2147483647\n").games_total, 2147483647);
}

TEST(PairTable, NamesKeepTheirBytes) {
  const std::string long_name(2000, 'n');
  const PairTable table = read(
      "\xEF\xBB\xBFplayer1,player2,games\r\n\"O'Neil, \"\"Bo\"\"\",\xE7\xBE\xBD\xE7\x94\x9F,1\r\n" +
      long_name + ",\" x \",1");
  EXPECT_EQ(table.names, (std::vector<std::string>{"O'Neil, \"Bo\"", "\xE7\xBE\xBD\xE7\x94\x9F",
                                                   long_name, " x "}));
}

TEST(PairTable, NotesSayWhatIsOdd) {
  const PairTable table = read(
      "player1,player2,wins1,wins2,memo\nAnna,anna,1,0,\nAnna ,Bo,0.5,0.5,\nCy,Bo,0,0,\n"
      "\xE3\x80\x80"
      "bo,Anna,1,0,\n");
  EXPECT_EQ(table.notes,
            (std::vector<std::string>{
                "g.csv: not used: column \"memo\"",
                "1 row holds half wins: draws entered as halves, whose number is known only to be "
                "at least 1",
                "1 row holds no game: the players are listed, the pair is not",
                "1 player has no game that counts: \"Cy\"",
                "names that differ only in case or outer blanks are different players: \"Anna\" "
                "and \"anna\" and \"Anna \"; \"Bo\" and \"\xE3\x80\x80"
                "bo\""}));
  const std::vector<NamedText> twice{{"1.csv", "p,q,games\nA,B,2\n"},
                                     {"2.csv", "p,q,games\nA,B,2\n"}};
  EXPECT_EQ(
      read_pair_table(twice, {}).notes,
      (std::vector<std::string>{"1.csv and 2.csv have the same content, and both are counted"}));
}

TEST(PairTable, ManyPairsStaySorted) {
  std::string text = "player1,player2,games\n";
  for (int i = 0; i < 200; ++i) {
    for (int j = 199; j >= 0; --j) {
      if (i != j) text += fmt::format("n{},n{},1\n", i, j);
    }
  }
  const PairTable table = read(text);
  EXPECT_EQ(table.first.size(), 200u * 199 / 2);
  for (const std::int64_t games : table.games) ASSERT_EQ(games, 2);
  for (std::size_t i = 1; i < table.first.size(); ++i) {
    ASSERT_LT(std::pair(table.first[i - 1], table.second[i - 1]),
              std::pair(table.first[i], table.second[i]));
  }
}

}  // namespace
}  // namespace banzuke
