#include "engine/records/period.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/records/pair_table.hpp"

namespace banzuke {
namespace {

using Names = std::vector<std::string>;

std::string label_of(Period period, std::string_view text) {
  const auto date = parse_date(text);
  if (!date) return "no date";
  const auto number = period_of(period, *date);
  return number ? period_label(period, *number) : "unknown";
}

TEST(Period, DatesAreCutIntoPeriods) {
  const std::vector<std::pair<std::string, std::array<std::string, 4>>> cases{
      {"2016.05.03", {"2016", "2016-H1", "2016-Q2", "2016-05"}},
      {"2016-06-30", {"2016", "2016-H1", "2016-Q2", "2016-06"}},
      {"2016/07/01", {"2016", "2016-H2", "2016-Q3", "2016-07"}},
      {"2016.12.??", {"2016", "2016-H2", "2016-Q4", "2016-12"}},
      {"2016-01", {"2016", "2016-H1", "2016-Q1", "2016-01"}},
      {"2016.??.??", {"2016", "unknown", "unknown", "unknown"}},
      {"2016", {"2016", "unknown", "unknown", "unknown"}},
      {"????.05.03", {"unknown", "unknown", "unknown", "unknown"}},
      {"0987.03.31", {"0987", "0987-H1", "0987-Q1", "0987-03"}},
      {"2016-05-03T23:59:59Z", {"2016", "2016-H1", "2016-Q2", "2016-05"}},
      {"2016-02-29 10:00", {"2016", "2016-H1", "2016-Q1", "2016-02"}}};
  for (const auto& [text, labels] : cases) {
    EXPECT_EQ(label_of(Period::year, text), labels[0]) << text;
    EXPECT_EQ(label_of(Period::half_year, text), labels[1]) << text;
    EXPECT_EQ(label_of(Period::quarter, text), labels[2]) << text;
    EXPECT_EQ(label_of(Period::month, text), labels[3]) << text;
    EXPECT_EQ(label_of(Period::none, text), "") << text;
  }
  for (const std::string_view text :
       {"",           "?",          "03/05/2016",  "03.05.2016",      "05-2016",    "16-05-03",
        "2016-5-3",   "2016-13-01", "2016-00-01",  "2016-04-31",      "2015-02-29", "1900-02-29",
        "2016-05/03", "20160503",   "2016-05-03x", "2016-05-03 noon", "2016-05-",   "0000.00.00",
        "2016.0?.01", "May 2016"}) {
    EXPECT_EQ(label_of(Period::month, text), "no date") << text;
  }
}

/// Every day of four centuries: the number of days in a year, and periods that ascend.
TEST(Period, EveryDayOfTheCalendar) {
  int days = 0;
  int last = 0;
  for (int year = 1800; year < 2200; ++year) {
    for (int month = 1; month <= 12; ++month) {
      for (int day = 1; day <= 31; ++day) {
        const auto date = parse_date(fmt::format("{:04}.{:02}.{:02}", year, month, day));
        if (!date) continue;
        ++days;
        const auto number = period_of(Period::month, *date);
        ASSERT_TRUE(number && *number >= last);
        last = *number;
      }
    }
  }
  EXPECT_EQ(days, 146097) << "days in 400 Gregorian years";
}

std::string game(const std::string& date, const std::string& white, const std::string& black,
                 const std::string& result = "1-0") {
  return (date.empty() ? "" : "[Date \"" + date + "\"]\n") + "[White \"" + white +
         "\"]\n[Black \"" + black + "\"]\n[Result \"" + result + "\"]\n\n" + result + "\n\n";
}

std::vector<PeriodTable> read(const std::vector<NamedText>& files,
                              const PairTableOptions& options) {
  PairTableReader reader(options);
  for (const NamedText& file : files) reader.read(file);
  return reader.tables();
}

std::vector<PeriodTable> read(const std::string& name, std::string_view text,
                              const PairTableOptions& options) {
  return read({{name, text}}, options);
}

std::string error_of(const std::string& name, std::string_view text,
                     const PairTableOptions& options) {
  try {
    read(name, text, options);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(PeriodTables, OfPgn) {
  const std::string text = game("2016.07.01", "C", "B") + game("2016.05.??", "A", "B") +
                           game("2017.01.01", "B", "A", "1/2-1/2") + game("2016.05.03", "B", "A") +
                           game("2016.06.30", "D", "A", "*");
  const auto tables = read("g.pgn", text, {.period = Period::half_year});
  ASSERT_EQ(tables.size(), 3u);
  EXPECT_EQ(tables[0].label, "2016-H1");
  EXPECT_EQ(tables[0].table.names, (Names{"A", "B", "D"}));
  EXPECT_EQ(tables[0].table.games, (std::vector<std::int64_t>{2}));
  EXPECT_EQ(tables[0].table.wins_first, (std::vector<double>{1}));
  EXPECT_EQ(tables[1].label, "2016-H2");
  EXPECT_EQ(tables[1].table.names, (Names{"C", "B"}));
  EXPECT_EQ(tables[1].table.wins_first, (std::vector<double>{1}));
  EXPECT_EQ(tables[2].label, "2017-H1");
  EXPECT_EQ(tables[2].table.draws_total, 1);
  EXPECT_EQ(tables[0].table.notes,
            (Names{"1 unfinished game is left out (result * or ?; first: g.pgn:29)",
                   "games in each half-year: 2016-H1 2, 2016-H2 1, 2017-H1 1",
                   "2016-H1: 1 player has no game that counts: \"D\""}));
  EXPECT_TRUE(tables[1].table.notes.empty());

  Names labels;
  for (const auto& table : read("g.pgn", text, {.period = Period::month})) {
    labels.push_back(table.label);
  }
  EXPECT_EQ(labels, (Names{"2016-05", "2016-07", "2017-01"})) << "June has an unfinished game only";

  const auto whole = read("g.pgn", text, {});
  ASSERT_EQ(whole.size(), 1u);
  EXPECT_EQ(whole[0].label, "");
  EXPECT_EQ(whole[0].table.games_total, 4);
}

TEST(PeriodTables, UtcDateStandsInAndEventDateDoesNot) {
  const std::string utc = "[EventDate \"2015.01.01\"]\n[UTCDate \"2016.02.03\"]\n";
  for (const std::string date : {"", "????.??.??", "2016.??.??", "3 Feb 2016"}) {
    const auto tables = read("g.pgn", utc + game(date, "A", "B"), {.period = Period::month});
    ASSERT_EQ(tables.size(), 1u);
    EXPECT_EQ(tables[0].label, "2016-02");
  }
  EXPECT_EQ(read("g.pgn", utc + game("2016.01.31", "A", "B"), {.period = Period::month})[0].label,
            "2016-01");
  const std::string skip =
      "; or set bad_records = \"skip\" under [games] to leave out such records";
  EXPECT_EQ(error_of("g.pgn", "[EventDate \"2015.01.01\"]\n" + game("", "A", "B"),
                     {.period = Period::year}),
            "g.pgn:1: the game has no date (period = \"year\" needs the tag Date or UTCDate): add "
            "the tag, or delete the record" +
                skip);
  EXPECT_EQ(error_of("g.pgn", game("2016.01.01", "A", "B") + game("2016.??.??", "A", "B"),
                     {.period = Period::quarter}),
            "g.pgn:8: the date \"2016.??.??\" does not tell the month (period = \"quarter\"; dates "
            "are written 2016.05.03): correct the tag, or delete the record" +
                skip);
  EXPECT_EQ(error_of("g.pgn", "[Date \"2015.01.01\"]\n" + game("2016.01.01", "A", "B"),
                     {.period = Period::year}),
            "g.pgn:2: the record has a second tag Date (the first is in line 1): keep one of them, "
            "and put an empty line before each tag section" +
                skip);
  EXPECT_EQ(error_of("g.pgn", "[Date \"2015.01.01\"]\n" + game("2016.01.01", "A", "B"), {}),
            "no error");
}

TEST(PeriodTables, RecordsWithoutADateMayBeSkipped) {
  const std::string pgn = game("2016.01.01", "A", "B") + game("", "A", "C") +
                          game("????.??.??", "A", "D") + game("", "A", "E", "*");
  const std::string csv =
      "player1,player2,wins1,wins2,date\nA,B,1,0,2016-01-09\nA,C,1,0,03/05/2016\nA,B,2,0,\n"
      "A,F,1,1,2016\n";
  const auto tables = read({{"g.pgn", pgn}, {"g.csv", csv}},
                           {.bad_records = BadRecords::skip, .period = Period::month});
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].table.names, (Names{"A", "B"}));
  EXPECT_EQ(tables[0].table.games_total, 2);
  EXPECT_EQ(tables[0].table.notes,
            (Names{"5 bad records are skipped, as bad_records = \"skip\" asks for",
                   "skipped: g.pgn:8: the game has no date (period = \"month\" needs the tag Date "
                   "or UTCDate)",
                   "skipped: g.pgn:14: the date \"????.??.??\" does not tell the month (period = "
                   "\"month\"; dates are written 2016.05.03)",
                   "skipped: g.csv:3: column \"date\" holds \"03/05/2016\" (not a date that can be "
                   "read in one way only)",
                   "skipped: g.csv:4: column \"date\" holds no date (period = \"month\" needs the "
                   "month)",
                   "skipped: g.csv:5: column \"date\" holds \"2016\" (period = \"month\" needs the "
                   "month)",
                   "1 unfinished game is left out (result * or ?; first: g.pgn:21)",
                   "games in each month: 2016-01 2"}));
  EXPECT_EQ(error_of("g.csv", "p,q,games,date\nA,B,1,05/03/2016\n",
                     {.bad_records = BadRecords::skip, .period = Period::month}),
            "g.csv: no game is left (all records are unfinished games or skipped): give files with "
            "games");
}

TEST(PeriodTables, OfCsv) {
  const std::string text =
      "p,q,games,Date\nA,B,3,2016-05-03\nB,A,4, 2016/05/31 \nC,A,1,2015-12\nC,B,0,2014.01.01\n";
  const auto tables = read("g.csv", text, {.period = Period::month});
  ASSERT_EQ(tables.size(), 2u);
  EXPECT_EQ(tables[0].label, "2015-12");
  EXPECT_EQ(tables[0].table.names, (Names{"C", "A"}));
  EXPECT_EQ(tables[1].label, "2016-05");
  EXPECT_EQ(tables[1].table.games, (std::vector<std::int64_t>{7}));
  EXPECT_FALSE(tables[1].table.has_results);
  // A column of another name, and no use of the date without a period.
  const std::string played = "p,q,games,played on,date\nA,B,3,2016-05-03,soon\n";
  EXPECT_EQ(
      read("g.csv", played, {.columns = {.date = "played on"}, .period = Period::year})[0].label,
      "2016");
  EXPECT_EQ(read("g.csv", played, {})[0].table.notes,
            (Names{"g.csv: not used: columns \"played on\", \"date\""}));
}

TEST(PeriodTables, ColumnsThatDoNotFit) {
  const PairTableOptions month{.period = Period::month};
  EXPECT_EQ(
      error_of("g.csv", "p,q,games,dates\nA,B,3,2016-05-03\n", month),
      "g.csv:1: no column for the date in the header \"p\", \"q\", \"games\", \"dates\" "
      "(asked for by period = \"month\"; recognised header: date): rename the column, or name "
      "it under [games.columns]: date = \"dates\"");
  EXPECT_EQ(error_of("g.csv", "p,q,games\nA,B,3\n", month),
            "g.csv:1: no column for the date in the header \"p\", \"q\", \"games\" (asked for by "
            "period = \"month\"; recognised header: date): rename the column, or name it under "
            "[games.columns]: date = \"…\"");
  EXPECT_EQ(error_of("g.csv", "p,q,games,date,Date\nA,B,3,2016-05-03,2016-05-03\n", month),
            "g.csv:1: columns \"date\", \"Date\" could all be date: say which it is under "
            "[games.columns], for example date = \"date\"");
  EXPECT_EQ(error_of("g.csv", "p,q,games,date\nA,B,3,03/05/2016\n", month),
            "g.csv:2: column \"date\" holds \"03/05/2016\" (not a date that can be read in one way "
            "only): write dates with the year first, as in 2016-05-03; or set bad_records = "
            "\"skip\" under [games] to leave out such records");
}

TEST(PeriodTables, PeriodsOfDroppedDrawsAreLeftOut) {
  const std::string text = game("2016.01.01", "A", "B") + game("2016.02.01", "A", "B", "1/2-1/2");
  const auto tables = read("g.pgn", text, {.draws = Draws::drop, .period = Period::month});
  ASSERT_EQ(tables.size(), 1u);
  EXPECT_EQ(tables[0].table.notes,
            (Names{"games in each month: 2016-01 1",
                   "2016-02: left out: all games are draws, and draws = \"drop\""}));
}

TEST(PeriodTables, CopiesAreSeenWithinAPeriodOnly) {
  const std::string event = "[Event \"Cup\"]\n";
  const std::string text = event + game("2016.01.01", "A", "B") + event +
                           game("2016.02.01", "C", "D") + event + game("2016.01.01", "A", "B");
  const auto tables = read("g.pgn", text, {.period = Period::month});
  EXPECT_EQ(tables[0].table.notes[0],
            "1 game equals an earlier one in players, result, event, site, date, round and time; "
            "all are counted (first: g.pgn:17)");
}

TEST(PeriodTables, ManyPeriodsAddUpToTheWhole) {
  std::string text;
  std::map<std::string, std::int64_t> expected;
  for (int i = 0; i < 3000; ++i) {
    const int month = (i * i + 7 * i) % 60;
    const std::string date =
        fmt::format("{}.{:02}.{:02}", 2010 + month / 12, month % 12 + 1, 1 + i % 28);
    text += "[Round \"" + std::to_string(i) + "\"]\n" +
            game(date, fmt::format("P{}", i % 17), fmt::format("Q{}", i % 13));
    ++expected[fmt::format("{}-{:02}", 2010 + month / 12, month % 12 + 1)];
  }
  std::map<std::string, std::int64_t> found;
  for (const PeriodTable& period : read("g.pgn", text, {.period = Period::month})) {
    const auto& games = period.table.games;
    EXPECT_EQ(std::accumulate(games.begin(), games.end(), std::int64_t{0}),
              period.table.games_total);
    found[period.label] = period.table.games_total;
  }
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace banzuke
