#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/records/pair_table.hpp"
#include "tests/records/records_support.hpp"

namespace banzuke {
namespace {

std::string error_of(const std::vector<NamedText>& files, const PairTableOptions& options = {}) {
  try {
    read_pair_table(files, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string error_of(std::string_view text, const PairTableOptions& options = {}) {
  return error_of(std::vector<NamedText>{{"g.csv", text}}, options);
}

TEST(PairTableErrors, FilesWithoutGames) {
  EXPECT_EQ(error_of(std::vector<NamedText>{}),
            "no file of games: name at least one under [games] files");
  EXPECT_EQ(error_of(""), "g.csv: the file is empty: give a CSV file with a header line");
  EXPECT_EQ(error_of("player1,player2,games\n"),
            "g.csv: the file has a header and no rows: give a file with games");
  EXPECT_EQ(error_of("player1,player2,games\nA,B,0\n"),
            "g.csv: the file has no games (all counts are 0): give a file with games");
  EXPECT_EQ(error_of("p,q,x,t,y\nA,B,0,3,0\n", {.draws = Draws::drop}),
            "no game is left (all games are draws, and draws = \"drop\"): set draws = \"half\" "
            "under [games]");
}

TEST(PairTableErrors, HeadersNotRecognised) {
  const std::string list =
      " (recognised headers: player1,player2 or p,q; with games; or with wins1,wins2 or win1,win2 "
      "and perhaps one of tie, ties, draw, draws; or p,q,x,t,y): ";
  const std::string remedy = "rename the columns, or name them under [games.columns]: ";
  EXPECT_EQ(error_of("white,black,result\nA,B,1\n"),
            "g.csv:1: no column for player1 and player2 in the header \"white\", \"black\", "
            "\"result\"" +
                list + remedy + "player1 = \"…\", player2 = \"…\"");
  EXPECT_EQ(error_of("\nplayr1,Player_2,games\nA,B,1\n"),
            "g.csv:2: no column for player1 and player2 in the header \"playr1\", \"Player_2\", "
            "\"games\"" +
                list + remedy + "player1 = \"playr1\", player2 = \"Player_2\"");
  EXPECT_EQ(error_of("player1,player2,win\nA,B,1\n"),
            "g.csv:1: no column for games or for wins1 and wins2 in the header \"player1\", "
            "\"player2\", \"win\"" +
                list + remedy + "games = \"…\", or wins1 = \"win\" and wins2 = \"…\"");
  EXPECT_EQ(error_of("player1,player2,wins1,win_2\nA,B,1,2\n"),
            "g.csv:1: no column for wins2 in the header \"player1\", \"player2\", \"wins1\", "
            "\"win_2\"" +
                list + remedy + "wins2 = \"win_2\"");
  EXPECT_EQ(error_of("p,q,x,y\nA,B,1,2\n"),
            "g.csv:1: no column for games or for wins1 and wins2 in the header \"p\", \"q\", "
            "\"x\", \"y\"" +
                list + remedy + "games = \"…\", or wins1 = \"…\" and wins2 = \"…\"");
  EXPECT_EQ(error_of("Anna,Bo,21\nA,B,1\n"),
            "g.csv:1: no column for player1 and player2 in the header \"Anna\", \"Bo\", \"21\"" +
                list + "if this line holds data, put a header line before it; or " + remedy +
                "player1 = \"…\", player2 = \"…\"");
  EXPECT_EQ(error_of("player1, player2, games\nA, B, 1\n"),
            "g.csv:1: no column for player2 in the header \"player1\", \" player2\", \" games\"" +
                list + "remove the blanks around the separators, in all lines; or " + remedy +
                "player2 = \" player2\"");
  EXPECT_EQ(error_of("a,b,c,d,e,f,g,h,i,j,k,l,m,player1,player2\n"),
            "g.csv:1: no column for games or for wins1 and wins2 in the header \"a\", \"b\", "
            "\"c\", \"d\", \"e\", \"f\", \"g\", \"h\", \"i\", \"j\", \"k\", \"l\" and 3 more" +
                list + remedy + "games = \"…\", or wins1 = \"…\" and wins2 = \"…\"");
}

TEST(PairTableErrors, AmbiguousHeaders) {
  EXPECT_EQ(error_of("player1,player2,games,wins1,wins2\nA,B,1,1,0\n"),
            "g.csv:1: the file has columns for games and for results (it is read either as a "
            "schedule or as results): to read a schedule, set games = \"games\"; to read results, "
            "wins1 = \"wins1\" and wins2 = \"wins2\", under [games.columns]");
  EXPECT_EQ(error_of("player1,player2,games,tie\nA,B,1,1\n"),
            "g.csv:1: the file has columns for games and for results (it is read either as a "
            "schedule or as results): to read a schedule, set games = \"games\", under "
            "[games.columns]");
  EXPECT_EQ(error_of("player1,player2,wins1,win1,wins2\nA,B,1,1,0\n"),
            "g.csv:1: columns \"wins1\", \"win1\" could all be wins1: say which it is under "
            "[games.columns], for example wins1 = \"wins1\"");
  EXPECT_EQ(error_of("player1,player2,wins1,wins2,tie,draws\nA,B,1,1,0,0\n"),
            "g.csv:1: columns \"tie\", \"draws\" could all be draws: say which it is under "
            "[games.columns], for example draws = \"tie\"");
  EXPECT_EQ(error_of("player1,player2,Games,games\nA,B,1,1\n"),
            "g.csv:1: columns \"Games\", \"games\" could all be games: say which it is under "
            "[games.columns], for example games = \"Games\"");
  EXPECT_EQ(error_of("player1,player2,games,games\nA,B,1,1\n"),
            "g.csv:1: columns \"games\", \"games\" could all be games: rename or delete one of "
            "them");
  EXPECT_EQ(error_of("p,q,player1,player2,games\nA,B,A,B,1\n"),
            "g.csv:1: columns \"p\", \"player1\" could all be player1: say which it is under "
            "[games.columns], for example player1 = \"p\"");
  EXPECT_EQ(error_of(std::vector<NamedText>{{"1.csv", "p,q,games\nA,B,1\n"},
                                            {"2.csv", "p,q,x,t,y\nA,B,1,2,3\n"}}),
            "2.csv: the file has results, but 1.csv is a schedule (a run takes either schedules or "
            "results): leave out one kind of file");
}

TEST(PairTableErrors, ColumnMapsThatDoNotFit) {
  const std::string_view text = "player1,player2,games\nA,B,1\n";
  EXPECT_EQ(error_of(text, {.columns = {.games = "GAMES"}}),
            "g.csv:1: no column \"GAMES\" in the header \"player1\", \"player2\", \"games\" (asked "
            "for by [games.columns] games): did you mean \"games\"?");
  EXPECT_EQ(error_of(text, {.columns = {.player1 = "player3"}}),
            "g.csv:1: no column \"player3\" in the header \"player1\", \"player2\", \"games\" "
            "(asked for by [games.columns] player1): did you mean \"player1\"?");
  EXPECT_EQ(error_of(text, {.columns = {.wins1 = "victories"}}),
            "g.csv:1: no column \"victories\" in the header \"player1\", \"player2\", \"games\" "
            "(asked for by [games.columns] wins1): name one of these columns");
  EXPECT_EQ(error_of(text, {.columns = {.player1 = "player2", .player2 = "player2"}}),
            "g.csv:1: column \"player2\" is named for two roles: give each role under "
            "[games.columns] a column of its own");
  EXPECT_EQ(error_of("player1,player2,n,n\nA,B,1,1\n", {.columns = {.games = "n"}}),
            "g.csv:1: two columns are called \"n\" (asked for by [games.columns] games): rename or "
            "delete one of them");
  EXPECT_EQ(error_of("player1,player2,games,wins1,wins2\nA,B,1,1,0\n",
                     {.columns = {.games = "games", .wins1 = "wins1"}}),
            "g.csv: both games and results are named (a file is a schedule or has results): under "
            "[games.columns], name either games, or wins1, wins2 and draws");
}

TEST(PairTableErrors, Counts) {
  const std::string whole = ": write a whole number of games";
  const std::string limit = " (the limit of a pair is 2147483647 games)" + whole;
  const std::vector<std::pair<std::string, std::string>> cases{
      {"-2", "\"-2\" (a count cannot be negative)" + whole},
      {"1.5", "\"1.5\" (not a whole number)" + whole},
      {"1e-300", "\"1e-300\" (not a whole number)" + whole},
      {"nan", "\"nan\" (not finite)" + whole},
      {"inf", "\"inf\" (not finite)" + whole},
      {"-inf", "\"-inf\" (not finite)" + whole},
      {"", "\"\" (a count is missing): write 0 where there were no games"},
      {" ", "\" \" (a count is missing): write 0 where there were no games"},
      {"NA", "\"NA\" (not a number)" + whole},
      {"0x10", "\"0x10\" (not a number)" + whole},
      {"2147483648", "\"2147483648\"" + limit},
      {"3e9", "\"3e9\"" + limit},
      {"9007199254740993", "\"9007199254740993\"" + limit},
      {"\"1,000\"",
       "\"1,000\" (not a number): write decimals with a point, and no separators of thousands"}};
  for (const auto& [cell, message] : cases) {
    EXPECT_EQ(error_of("player1,player2,games\nA,\"B\nb\",1\nA,C," + cell + "\n"),
              "g.csv:4: column \"games\" holds " + message);
  }
  EXPECT_EQ(error_of("player1,player2,games\nA,B,2147483647\nB,A,1\n"),
            "g.csv:3: \"B\" and \"A\" have more than 2147483647 games (the limit of a pair): "
            "correct the counts");
  EXPECT_EQ(error_of("p,q,x,t,y\nA,B,2147483647,2147483647,2147483647\n"),
            "g.csv:2: \"A\" and \"B\" have more than 2147483647 games (the limit of a pair): "
            "correct the counts");
}

TEST(PairTableErrors, HalfWins) {
  EXPECT_EQ(error_of("player1,player2,wins1,wins2\nA,B,0.5,1\n"),
            "g.csv:2: column \"wins1\" holds \"0.5\" (the wins of the two players do not add up to "
            "a whole number of games): give half a win to both for each draw");
  EXPECT_EQ(error_of("player1,player2,wins1,wins2\nA,B,0.25,0.75\n"),
            "g.csv:2: column \"wins1\" holds \"0.25\" (not a whole number): write a whole number "
            "of games");
  EXPECT_EQ(error_of("player1,player2,wins1,wins2\nA,B,.5,.5\n", {.draws = Draws::drop}),
            "g.csv:2: column \"wins1\" holds \".5\" (draws entered as halves cannot be taken out "
            "again): set draws = \"half\" under [games], or count wins without draws");
  EXPECT_EQ(error_of("player1,player2,wins1,wins2,tie\nA,B,.5,.5,1\n"),
            "g.csv:2: column \"wins1\" holds \".5\" (not a whole number, though the draws have a "
            "column of their own): count wins without draws, or rename the column of draws");
  EXPECT_EQ(error_of("player1,player2,wins1,wins2,tie\nA,B,1,0,1.5\n"),
            "g.csv:2: column \"tie\" holds \"1.5\" (not a whole number): write a whole number of "
            "games");
}

TEST(PairTableErrors, Players) {
  EXPECT_EQ(error_of("player1,player2,games\n\"A\nA\",B,1\nB,B,0\n"),
            "g.csv:4: \"B\" plays against itself: correct the name or delete the row");
  EXPECT_EQ(error_of("player1,player2,games\n,B,1\n"),
            "g.csv:2: column \"player1\" holds no name: give the player a name or delete the row");
  EXPECT_EQ(error_of("player1,player2,games\nA,\" \",1\n"),
            "g.csv:2: column \"player2\" holds no name: give the player a name or delete the row");
}

/// Random edits of good files either parse or are refused; nothing else, which the sanitizers see.
TEST(PairTableErrors, DamagedFilesNeverCrash) {
  const std::string data = BANZUKE_TEST_DATA "/paired/";
  std::vector<std::string> seeds{
      "\xEF\xBB\xBFplayer1,player2,wins1,wins2,tie\r\n\"O'Neil, \"\"Bo\"\"\",\xE7\xBE\xBD,1,2,0\r\n"
      "\"two\nlines\",B,1e2,12.0,3\r\n\r\nB,C,0,0,0",
      "player1;player2;games\nA;B;3\n", file_text(data + "S6_Stage_2_pairs.csv").substr(0, 600),
      file_text(data + "citations_pairs.csv")};
  constexpr std::string_view alphabet = "\",\n\r;\t.-+e019 \xFF\xC3\xE3\x81\xEF\xBB\xBF";
  std::mt19937 random(20160701);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  int parsed = 0;
  int refused = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const std::size_t seed = below(seeds.size());
    std::string text = seeds[seed];
    for (std::size_t edits = 1 + below(3); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(6)) {
        case 0:
          text[at] = static_cast<char>(below(256));
          break;
        case 1:
          text[at] = alphabet[below(alphabet.size())];
          break;
        case 2:
          text.insert(at, 1, alphabet[below(alphabet.size())]);
          break;
        case 3:
          text.erase(at, 1 + below(8));
          break;
        case 4:
          text.resize(at);
          break;
        default:
          text[at] = static_cast<char>('0' + below(10));
      }
    }
    // A copy of the exact size, so that a step beyond the end is seen.
    const std::vector<char> exact(text.begin(), text.end());
    const NamedText file{"g.csv", {exact.data(), exact.size()}};
    const PairTableOptions options{.draws = trial % 2 == 0 ? Draws::half : Draws::drop,
                                   .separator = seed == 1 ? ';' : ','};
    try {
      const PairTable table = read_pair_table({&file, 1}, options);
      ++parsed;
      ASSERT_FALSE(table.games.empty());
    } catch (const InputError& error) {
      ++refused;
      ASSERT_TRUE(std::string_view(error.what()).starts_with("g.csv") ||
                  std::string_view(error.what()).starts_with("no game is left"))
          << error.what();
    }
  }
  EXPECT_GT(parsed, 1000);
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace banzuke
