#include "engine/records/pgn.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/records/pair_table.hpp"
#include "tests/records/records_support.hpp"

namespace banzuke {
namespace {

using Names = std::vector<std::string>;
constexpr std::string_view or_skip =
    "; or set bad_records = \"skip\" under [games] to leave out such records";

PairTable read(std::string_view text, const PairTableOptions& options = {}) {
  const NamedText file{"g.pgn", text};
  return read_pair_table({&file, 1}, options);
}

std::string error_of(std::string_view text, const PairTableOptions& options = {}) {
  try {
    read(text, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

/// Everything of a table, for comparison.
std::string shown(const PairTable& table) {
  std::string out;
  for (std::size_t i = 0; i < table.first.size(); ++i) {
    out += table.names[table.first[i]] + "-" + table.names[table.second[i]] + " " +
           std::to_string(table.wins_first[i]) + ":" + std::to_string(table.wins_second[i]) + "/" +
           std::to_string(table.games[i]) + "\n";
  }
  for (const std::string& name : table.names) out += name + "\n";
  for (const std::string& note : table.notes) out += note + "\n";
  return out;
}

/// Wins as "A-B 1:0, B-C 0.5:0.5".
std::string wins(const PairTable& table) {
  std::string out;
  for (std::size_t i = 0; i < table.first.size(); ++i) {
    const auto number = [](double x) {
      std::string text = std::to_string(x);
      text.erase(text.find_last_not_of('0') + 1);
      if (text.back() == '.') text.pop_back();
      return text;
    };
    out += (i > 0 ? ", " : "") + table.names[table.first[i]] + "-" + table.names[table.second[i]] +
           " " + number(table.wins_first[i]) + ":" + number(table.wins_second[i]);
  }
  return out;
}

std::string game(const std::string& white, const std::string& black, const std::string& result) {
  return "[White \"" + white + "\"]\n[Black \"" + black + "\"]\n[Result \"" + result + "\"]\n\n" +
         result + "\n\n";
}

TEST(Pgn, CountsResultsAndLeavesOutUnfinishedGames) {
  const PairTable table =
      read(game("A", "B", "1-0") + game("B", "A", "1-0") + game("A", "B", "1/2-1/2") +
           game("A", "C", "*") + game("A", "B", "?"));
  EXPECT_EQ(wins(table), "A-B 1.5:1.5");
  EXPECT_EQ(table.games_total, 3);
  EXPECT_EQ(table.draws_total, 1);
  EXPECT_EQ(table.names, (Names{"A", "B", "C"}));
  EXPECT_EQ(table.notes, (Names{"2 unfinished games are left out (result * or ?; first: g.pgn:19)",
                                "1 player has no game that counts: \"C\""}));
  EXPECT_EQ(wins(read(game("A", "B", "1-0") + game("A", "B", "1/2-1/2"), {.draws = Draws::drop})),
            "A-B 1:0");
}

TEST(Pgn, WhatLooksLikeATagInsideCommentsAndVariationsIsNone) {
  const std::string trap = "[White \"X\"] [Black \"Y\"] [Result \"0-1\"]";
  const std::string head = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n";
  const std::vector<std::string> movetexts{
      "1. e4 {" + trap + "} e5 1-0\n",
      "1. e4 ; " + trap + " }\n1... e5 1-0\n",
      "1. e4 (1. d4 " + trap + " (1. c4 {)} " + trap + ")) 1-0\n",
      "1. e4 { ( } e5 { ; { } 1-0\n",
      "% " + trap + "\n1. e4 1-0\n",
      "{ \\} 1. e4 ; } {\n1-0\n",
      "1-0 ; end\n"};
  for (const std::string& moves : movetexts) {
    const PairTable table = read(head + moves + "\n" + game("B", "C", "0-1"));
    EXPECT_EQ(wins(table), "A-B 1:0, B-C 0:1") << moves;
    EXPECT_TRUE(table.notes.empty()) << moves;
  }
  const PairTable table = read(head + "{\n" + trap + "\n} 1-0\n\n" + game("B", "C", "0-1"));
  EXPECT_EQ(wins(table), "A-B 1:0, B-C 0:1");
  EXPECT_EQ(table.notes, (Names{"1 line inside a comment looks like a tag of a game and is read as "
                                "comment (first: g.pgn:6): if a closing brace is missing before "
                                "it, games are lost"}));
}

TEST(Pgn, TagsMayBeWrittenInManyWays) {
  EXPECT_EQ(wins(read("\xEF\xBB\xBF[Event \"x\"]\r\n[White \"A\"]\r\n[Black \"B\"]\r\n[Result "
                      "\"1-0\"]\r\n\r\n1. e4 1-0\r\n\r\n[White \"B\"]\r\n[Black \"C\"]\r\n[Result "
                      "\"0-1\"]\r\n\r\n0-1")),
            "A-B 1:0, B-C 0:1");
  EXPECT_EQ(wins(read("[White \"A\"]\r[Black \"B\"]\r[Result \"1-0\"]\r\r1-0\r\r[White "
                      "\"B\"]\r[Black \"C\"]\r[Result \"0-1\"]\r")),
            "A-B 1:0, B-C 0:1");
  EXPECT_EQ(wins(read("[White \"A\"][Black \"B\"] [Result \"1-0\"] 1. e4 1-0 [White \"B\"] [ Black "
                      "\"C\" ] ; note\n{ two\nlines }\n[Result\t\"0-1\"]\n0-1")),
            "A-B 1:0, B-C 0:1");
  const std::string tags_only = "[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n";
  EXPECT_EQ(wins(read(tags_only + "\n" + tags_only)), "A-B 2:0");
  EXPECT_EQ(read(game(R"(a \"b\" \\ c\d)", R"(e "f" g)", "1-0")).names,
            (Names{R"(a "b" \ c\d)", R"(e "f" g)"}));
}

TEST(Pgn, TheMarkerStandsInForAMissingResult) {
  const std::string head = "[White \"A\"]\n[Black \"B\"]\n";
  const PairTable table = read(head + "\n1. e4 {x} 1/2-1/2 {drawn [so]} (0-1)\n");
  EXPECT_EQ(wins(table), "A-B 0.5:0.5");
  EXPECT_EQ(table.notes, (Names{"1 game has no tag Result; the marker at the end of the moves is "
                                "taken (first: g.pgn:1)"}));
  EXPECT_EQ(error_of(head + "\n1. e4 {1-0}\n"),
            "g.pgn:1: the record has no result (neither a tag Result nor a marker at the end of "
            "the moves): add the tag, or delete the record" +
                std::string(or_skip));
  const PairTable tag = read(head + "[Result \"0-1\"]\n\n1. e4 1-0\n");
  EXPECT_EQ(wins(tag), "A-B 0:1");
  EXPECT_EQ(tag.notes, (Names{"1 game has another result at the end of the moves than in the tag; "
                              "the tag is taken (first: g.pgn:3)"}));
}

TEST(Pgn, CopiesAreCountedAndReported) {
  const auto dated = [](const std::string& round) {
    return "[Event \"Cup\"]\n[Round \"" + round + "\"]\n" + game("A", "B", "1-0");
  };
  EXPECT_TRUE(read(dated("1") + dated("2")).notes.empty());
  const PairTable table = read(dated("1") + dated("2") + dated("1"));
  EXPECT_EQ(wins(table), "A-B 3:0");
  EXPECT_EQ(table.notes, (Names{"1 game equals an earlier one in players, result, event, site, "
                                "date, round and time; all are counted (first: g.pgn:17)"}));
  const std::string text = dated("1");
  const std::vector<NamedText> files{
      {"1.pgn", text}, {"2.PGN", text}, {"c.csv", "p,q,x,t,y\nA,B,1,0,1\n"}};
  const PairTable both = read_pair_table(files, {});
  EXPECT_EQ(wins(both), "A-B 3:1");
  ASSERT_EQ(both.notes.size(), 1u);
  EXPECT_NE(both.notes[0].find("(first: 2.PGN:1)"), std::string::npos);
}

TEST(Pgn, BadRecordsAreRefusedWithTheirLine) {
  const std::string good = game("A", "B", "1-0");  // six lines
  const std::string skip(or_skip);
  const std::string result =
      " is not understood (results are 1-0, 0-1, 1/2-1/2, and * or ? for an unfinished game): "
      "correct the result" +
      skip;
  const std::vector<std::pair<std::string, std::string>> cases{
      {game("A", "B", "1 - 0"), "9: the result \"1 - 0\"" + result},
      {game("A", "B", "1-0 "), "9: the result \"1-0 \"" + result},
      {game("A", "B", "0.5-0.5"), "9: the result \"0.5-0.5\"" + result},
      {game("A", "B", "1/2"), "9: the result \"1/2\"" + result},
      {game("A", "B", ""), "9: the result \"\"" + result},
      {game("A", "?", "1-0"),
       "8: Black is \"?\" (nobody is named): give the player a name or "
       "delete the record" +
           skip},
      {game(" ", "B", "1-0"),
       "7: White is \" \" (nobody is named): give the player a name or "
       "delete the record" +
           skip},
      {game("A", "A", "1-0"),
       "7: \"A\" plays against itself: correct the name or delete the game" + skip},
      {"[Event \"e\"]\n[White \"A\"]\n[Result \"1-0\"]\n\n1-0\n\n" + good,
       "7: the record has no Black: add the tag, or delete the record" + skip},
      {"[White \"A\"]\n[Result \"1-0\"]\n\n" + good,
       "7: the record has no Black: add the tag, or delete the record" + skip},
      {"[White \"A\"]\n\n[Black \"B\"]\n[Result \"1-0\"]\n",
       "7: the record has no Black: add the tag, or delete the record" + skip},
      {"[White \"A\"]\n[Black \"B\"]\n[White \"C\"]\n[Result \"1-0\"]\n",
       "9: the record has a second tag White (the first is in line 7): keep one of them, and put "
       "an empty line before each tag section" +
           skip},
      {"[White \"A\n[Black \"B\"]\n[Result \"1-0\"]\n",
       "7: the tag White is malformed (no quote and bracket close it in its line): correct the "
       "tag" +
           skip},
      {"[White A]\n[Black \"B\"]\n",
       "7: the tag White is malformed (a tag is written [Name \"value\"]): correct the tag" + skip},
      {"[\"White\"]\n",
       "7: a bracket that begins no tag (a tag is written [Name \"value\"]): correct the tag, or "
       "put other text into a comment in braces" +
           skip},
      {"[White \"A\"]\n[Black \"B\"]\n[Result \"1-0\"]\n\n1. e4\n{ open\n\n" + good,
       "12: a comment begins here and does not end (the file ends inside it): close it with a "
       "brace, or complete the file" +
           skip},
      {"[White \"Caf\xE9\"]\n[Black \"B\"]\n[Result \"1-0\"]\n",
       "7: the name \"Caf\\xe9\" is not UTF-8 (the PGN standard has Latin-1, most programs write "
       "UTF-8): set pgn_encoding = \"latin-1\" under [games] if that is it, or save the file as "
       "UTF-8" +
           skip},
      {std::string("[White \"A\0\"]\n[Black \"B\"]\n[Result \"1-0\"]\n", 40),
       "7: the name \"A\\x00\" holds a control character: correct the name" + skip}};
  for (const auto& [text, message] : cases) EXPECT_EQ(error_of(good + text), "g.pgn:" + message);
  EXPECT_EQ(error_of("1. e4 e5\n" + good),
            "g.pgn:1: the record has no White (moves, or other text, without the tags of a game): "
            "add the tag, or delete the record" +
                skip);
  EXPECT_EQ(error_of("\xFF\xFE[\0"),
            "g.pgn:1: the text is UTF-16 (it begins with a UTF-16 byte "
            "order mark): save the file as UTF-8");
  EXPECT_EQ(error_of(game("A", "B", "*")),
            "g.pgn: no game is left (all records are unfinished games or skipped): give files "
            "with games");
  EXPECT_EQ(error_of("{ only a comment }\n\n"),
            "g.pgn: the file has no games (no tag and no moves in it): give a PGN file with games");
}

TEST(Pgn, BadRecordsMayBeSkippedAndAreListed) {
  std::string text = game("A", "B", "1-0");
  for (int i = 0; i < 30; ++i) text += game("A", "A", "1-0");
  text += "[White \"A\"]\n[Result \"1-0\"]\n\n1-0\n\n" + game("B", "C", "0-1");
  const PairTable table = read(text, {.bad_records = BadRecords::skip});
  EXPECT_EQ(wins(table), "A-B 1:0, B-C 0:1");
  ASSERT_EQ(table.notes.size(), 22u);
  EXPECT_EQ(table.notes[0], "31 bad records are skipped, as bad_records = \"skip\" asks for");
  EXPECT_EQ(table.notes[1], "skipped: g.pgn:7: \"A\" plays against itself");
  EXPECT_EQ(table.notes[21], "skipped: and 11 more");
}

TEST(Pgn, Latin1NamesAreConverted) {
  EXPECT_EQ(read(game("Caf\xE9", "B", "1-0"), {.pgn_encoding = PgnEncoding::latin1}).names,
            (Names{"Caf\xC3\xA9", "B"}));
}

/// The small files: what a user wants of each.
PairTable small(const std::string& name, const PairTableOptions& options = {}) {
  const std::string text = file_text(BANZUKE_TEST_DATA "/pgn/small/" + name + ".pgn");
  const NamedText file{name + ".pgn", text};
  return read_pair_table({&file, 1}, options);
}

std::string small_error(const std::string& name) {
  try {
    small(name);
  } catch (const InputError& error) {
    const std::string text = error.what();
    // Without the reason and the remedy.
    return text.substr(0, std::min(text.find(" ("), text.find(": ", text.find(": ") + 2)));
  }
  return "no error";
}

constexpr std::string_view base_wins = "A-B 7:3, A-C 8:2, B-C 6:4";

std::string equal_games(int count, int line, const std::string& name) {
  return std::to_string(count) +
         " games equal an earlier one in players and result, and no event, site, date or round "
         "tells games from copies; all are counted (first: " +
         name + ".pgn:" + std::to_string(line) + ")";
}

TEST(PgnSmall, Readable) {
  const std::map<std::string, std::string> expected{
      {"base", std::string(base_wins)},
      {"crlf", std::string(base_wins)},
      {"one_game", "A-B 1:0"},
      {"dup", "A-B 14:6, A-C 16:4, B-C 12:8"},
      {"star", std::string(base_wins)},
      {"qmark", std::string(base_wins)},
      {"allwin", "A-B 7:3, A-C 8:2, A-X 0:5, B-C 6:4"},
  };
  for (const auto& [name, text] : expected) EXPECT_EQ(wins(small(name)), text) << name;
  EXPECT_EQ(small("base").notes, (Names{equal_games(24, 7, "base")}));
  EXPECT_EQ(small("dup").notes, (Names{equal_games(54, 7, "dup")}));
  for (const std::string name : {"star", "qmark"}) {
    EXPECT_EQ(small(name).notes[0],
              "1 unfinished game is left out (result * or ?; first: " + name + ".pgn:181)");
  }
  const PairTable cases = small("case");
  EXPECT_EQ(cases.names, (Names{"A", "B", "C", "a", "a "}));
  EXPECT_EQ(cases.notes.back(),
            "names that differ only in case or outer blanks are different players: \"A\" and "
            "\"a\" and \"a \"");
  EXPECT_EQ(small("longname").names[3], std::string(2000, 'L'));
  const PairTable unicode = small("unicode");
  EXPECT_EQ(unicode.names, (Names{"技巧", "Ponanza☗", "Gikou \"2\" x"}));
  EXPECT_EQ(unicode.games_total, 18);
  const PairTable sparse = small("sparse");
  EXPECT_EQ(sparse.names.size(), 60u);
  EXPECT_EQ(sparse.games_total, 246);
}

TEST(PgnSmall, Refused) {
  EXPECT_EQ(small_error("empty"), "empty.pgn: the file has no games");
  EXPECT_EQ(small_error("badres"), "badres.pgn:183: the result \"1 - 0\" is not understood");
  EXPECT_EQ(small_error("self"), "self.pgn:181: \"A\" plays against itself");
  EXPECT_EQ(small_error("missing"), "missing.pgn:181: the record has no Black");
  EXPECT_EQ(small_error("unterminated"), "unterminated.pgn:181: the tag White is malformed");
  const PairTableOptions skip{.bad_records = BadRecords::skip};
  for (const std::string name : {"badres", "self", "unterminated"}) {
    EXPECT_EQ(wins(small(name, skip)), base_wins) << name;
  }
  // The game after the bad one counts as it is.
  EXPECT_EQ(wins(small("missing", skip)), "A-B 7:3, A-C 8:2, B-C 6:5");
}

/// Published files, where they are at hand: pair totals equal those of an independent reader.
TEST(PgnTcec, PairTotals) {
  const std::string shared = BANZUKE_SHARED "/data/pgn/TCEC_";
  for (const auto& [pgn, csv] : {std::pair{"Season_6_-_Stage_2", "S6_Stage_2"},
                                 std::pair{"Season_9_-_Stage_1a", "S9_Stage_1a"}}) {
    const std::string path = shared + pgn + ".pgn";
    if (!std::filesystem::exists(path)) GTEST_SKIP() << "no file " << path;
    const auto totals = [](const PairTable& table) {
      std::map<std::pair<std::string, std::string>, std::pair<double, double>> out;
      for (std::size_t i = 0; i < table.first.size(); ++i) {
        std::pair names{table.names[table.first[i]], table.names[table.second[i]]};
        std::pair won{table.wins_first[i], table.wins_second[i]};
        if (names.second < names.first) {
          std::swap(names.first, names.second);
          std::swap(won.first, won.second);
        }
        out[names] = won;
      }
      return out;
    };
    const std::string text = file_text(path);
    const PairTable table = read(text);
    const std::string reference =
        file_text(std::string(BANZUKE_TEST_DATA "/paired/") + csv + "_pairs.csv");
    const NamedText file{"r.csv", reference};
    PairTableOptions options;
    options.columns.wins1 = "wins1";
    options.columns.wins2 = "wins2";
    EXPECT_EQ(totals(table), totals(read_pair_table({&file, 1}, options)));
    EXPECT_TRUE(table.notes.empty()) << table.notes[0];
  }
}

/// Random edits of good files: read or refused, never anything else (the sanitizers see), and the
/// same whether the text comes whole or in pieces.
TEST(Pgn, DamagedFilesAndPiecesOfAnySize) {
  const std::vector<std::string> seeds{
      "\xEF\xBB\xBF[Event \"x\"]\r\n[White \"A \\\"q\\\"\"]\r\n[Black \"B\"]\r\n[Result "
      "\"1/2-1/2\"]\r\n\r\n1. e4 {[%clk 1:00]\n[White \"x\"] } e5 (1... c5 {)} 2. d4) ; [\r\n% "
      "{\r\n2. Nf3 $1 1/2-1/2\r\n\r\n" +
          game("B", "C", "0-1"),
      game("A", "B", "1-0") + "[White \"A\"][Black \"C\"]\n\n1. e4 {x} 0-1 {y}\n\n" +
          game("C", "B", "*"),
      file_text(BANZUKE_TEST_DATA "/pgn/small/unicode.pgn").substr(0, 700)};
  constexpr std::string_view alphabet = "[]{}()\"\\;%*\n\r 1-0/2?\xE9\xEF\xBB\xBF";
  std::mt19937 random(20160702);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  int parsed = 0;
  int refused = 0;
  for (int trial = 0; trial < 8000; ++trial) {
    std::string text = seeds[below(seeds.size())];
    for (std::size_t edits = below(4); edits > 0 && !text.empty(); --edits) {
      const std::size_t at = below(text.size());
      switch (below(5)) {
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
          text.erase(at, 1 + below(30));
          break;
        default:
          text.resize(at);
      }
    }
    PairTableOptions options;
    options.bad_records = trial % 2 == 0 ? BadRecords::skip : BadRecords::error;
    // Copies of the exact size, so that a step beyond the end is seen.
    const auto outcome = [&](std::size_t largest) -> std::string {
      try {
        PairTableReader reader(options);
        reader.begin_pgn("g.pgn");
        for (std::size_t at = 0; at < text.size();) {
          const std::size_t size = std::min(text.size() - at, 1 + below(largest));
          const std::vector<char> piece(text.begin() + static_cast<std::ptrdiff_t>(at),
                                        text.begin() + static_cast<std::ptrdiff_t>(at + size));
          reader.feed_pgn({piece.data(), piece.size()});
          at += size;
        }
        reader.end_pgn();
        return shown(reader.table());
      } catch (const InputError& error) {
        return error.what();
      }
    };
    std::string whole;
    try {
      whole = shown(read(text, options));
      ++parsed;
    } catch (const InputError& error) {
      whole = error.what();
      ASSERT_TRUE(whole.starts_with("g.pgn")) << whole;
      ++refused;
    }
    ASSERT_EQ(outcome(1 + below(40)), whole) << text;
    ASSERT_EQ(outcome(1), whole) << text;
  }
  EXPECT_GT(parsed, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(Pgn, AnEndlessTagIsRefusedAndNotKept) {
  std::string text = game("A", "B", "1-0") + "[White \"" + std::string(1 << 20, 'x');
  const std::string error = error_of(text);
  EXPECT_TRUE(error.starts_with(
      "g.pgn:7: the tag White is malformed (it is longer than 65536 bytes): correct the tag"))
      << error;
}

}  // namespace
}  // namespace banzuke
