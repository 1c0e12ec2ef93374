#include "engine/records/csv.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace banzuke {
namespace {

using Rows = std::vector<std::vector<std::string>>;

struct Read {
  Rows rows;  ///< the header first
  std::vector<long> lines;
};

Read read(std::string_view text, char separator = ',') {
  CsvReader csv({"a.csv", text}, separator);
  Read out;
  out.rows.push_back(csv.header());
  out.lines.push_back(csv.header_line());
  while (csv.next()) {
    out.rows.emplace_back(csv.fields().begin(), csv.fields().end());
    out.lines.push_back(csv.line());
  }
  return out;
}

std::string error_of(std::string_view text, char separator = ',') {
  try {
    read(text, separator);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Csv, LineEndsAreOneOfThree) {
  const Rows expected{{"a", "b"}, {"1", "2"}, {"3", ""}};
  EXPECT_EQ(read("a,b\n1,2\n3,\n").rows, expected);
  EXPECT_EQ(read("a,b\r\n1,2\r\n3,\r\n").rows, expected);
  EXPECT_EQ(read("a,b\r1,2\r3,\r").rows, expected);
  EXPECT_EQ(read("a,b\n1,2\n3,").rows, expected);
  EXPECT_EQ(read("a,b\n1,2\r\n3,\r").rows, expected);
  EXPECT_EQ(read("\xEF\xBB\xBF\"a\",b\n1,2\n3,\n").rows, expected);
}

TEST(Csv, BlankLinesAreSkippedAndCounted) {
  const Read out = read("\r\n\na,b\n\n1,2\n \t\n\r\n3,4\n\n");
  EXPECT_EQ(out.rows, (Rows{{"a", "b"}, {"1", "2"}, {"3", "4"}}));
  EXPECT_EQ(out.lines, (std::vector<long>{3, 5, 8}));
}

TEST(Csv, QuotedFieldsHoldAnything) {
  const Read out = read(
      "a,b\n\"x,\"\"y\"\"\",\"\"\n\"one\ntwo\r\nthree\rfour\",\"\"\"\"\n\"\"\"a\"\"\","
      "\"b\"\"c\"\n");
  EXPECT_EQ(
      out.rows,
      (Rows{{"a", "b"}, {"x,\"y\"", ""}, {"one\ntwo\r\nthree\rfour", "\""}, {"\"a\"", "b\"c"}}));
  EXPECT_EQ(out.lines, (std::vector<long>{1, 2, 3, 7}));
}

TEST(Csv, PlainFieldsKeepTheirBytes) {
  EXPECT_EQ(read("a,b\n 1 ,\xE3\x81\x82\n").rows, (Rows{{"a", "b"}, {" 1 ", "\xE3\x81\x82"}}));
}

TEST(Csv, OtherSeparatorsOnRequest) {
  const Rows expected{{"a", "b"}, {"1,5", "2"}};
  EXPECT_EQ(read("a;b\n1,5;2\n", ';').rows, expected);
  EXPECT_EQ(read("a\tb\n1,5\t2\n", '\t').rows, expected);
  EXPECT_EQ(read("a|b\n1,5|2\n", '|').rows, expected);
}

TEST(Csv, AnotherSeparatorIsNamed) {
  EXPECT_EQ(error_of("\n\"a\";b\n1;2\n"),
            "a.csv:2: the header is separated by semicolons, not by commas: set separator = \";\" "
            "in the config, or save the file with commas");
  EXPECT_EQ(error_of("a\tb\n1\t2\n"),
            "a.csv:1: the header is separated by tabs, not by commas: set separator = \"tab\" in "
            "the config, or save the file with commas");
  EXPECT_EQ(error_of("a,b\n1,2\n", ';'),
            "a.csv:1: the header is separated by commas, not by semicolons: set separator = \",\" "
            "in the config, or save the file with semicolons");
  EXPECT_EQ(error_of("a,b\n", 'x'),
            "a.csv: separator = \"x\" cannot be used: use a comma, a semicolon, a tab or a bar");
  EXPECT_EQ(read("\"a;b\"\n1\n").rows, (Rows{{"a;b"}, {"1"}})) << "quoted, so no separator";
}

TEST(Csv, EmptyFilesAreRefused) {
  for (const std::string_view text : {"", "\n\r\n", "\xEF\xBB\xBF", "  \n"}) {
    EXPECT_EQ(error_of(text), "a.csv: the file is empty: give a CSV file with a header line");
  }
}

TEST(Csv, RaggedRowsAreRefused) {
  const std::string rest =
      ": give every row one field for each column, and put fields that contain commas in double "
      "quotes";
  EXPECT_EQ(error_of("a,b\n\"x\n\ny\",2\n1,2,3\n"),
            "a.csv:5: the row has 3 fields, the header 2 fields" + rest);
  EXPECT_EQ(error_of("a,b\n1\n"), "a.csv:2: the row has 1 field, the header 2 fields" + rest);
  EXPECT_EQ(error_of("a,b\n\"\"\n"), "a.csv:2: the row has 1 field, the header 2 fields" + rest);
}

TEST(Csv, QuotesAreChecked) {
  EXPECT_EQ(error_of("a,b\n1,2\n3,\"x\ny,4\n"),
            "a.csv:3: a quoted field begins here and does not end: close it with a double quote, "
            "and write quotes inside it twice");
  EXPECT_EQ(error_of("a,b\n1,\"x\"y\n"),
            "a.csv:2: text after the quote that closes a field: write quotes inside a quoted field "
            "twice, and nothing between its end and the next separator");
  EXPECT_EQ(error_of("a,b\n\"x,1\n\n\"y\",2\n"),
            "a.csv:4: text after the quote that closes a field (the field began in line 2): write "
            "quotes inside a quoted field twice, and nothing between its end and the next "
            "separator");
  EXPECT_EQ(error_of("a,b\n1, \"x\"\n"),
            "a.csv:2: a double quote inside a field that does not begin with one: put the whole "
            "field in double quotes, without blanks around them, and write the quotes in it twice");
}

TEST(Csv, EncodingsAreNamed) {
  using std::string_literals::operator""s;
  EXPECT_EQ(error_of("a,b\n1,2\nJos\xE9,3\n"),
            "a.csv:3: the text is not UTF-8 (byte 0xE9; Latin-1, Shift_JIS or another encoding): "
            "save the file as UTF-8");
  EXPECT_EQ(error_of("a,b\r1,\xC3\xA9\r1,\xC3\xA9\xED\xA0\x80\r"),
            "a.csv:3: the text is not UTF-8 (byte 0xED; Latin-1, Shift_JIS or another encoding): "
            "save the file as UTF-8");
  EXPECT_EQ(error_of("a,b\n1,\xE3\x81"),
            "a.csv:2: the text is not UTF-8 (byte 0xE3; Latin-1, Shift_JIS or another encoding): "
            "save the file as UTF-8");
  const std::string utf16 =
      "a.csv:1: the text is UTF-16 (it begins with a UTF-16 byte order mark): save the file as "
      "UTF-8";
  EXPECT_EQ(error_of("\xFF\xFE"
                     "a\0,\0b\0\n\0"s),
            utf16);
  EXPECT_EQ(error_of("\xFE\xFF\0a\0,\0b"s), utf16);
  EXPECT_EQ(error_of("a,b\n1,\0\n"s),
            "a.csv:2: a NUL byte (UTF-16 text, or not a text file): save the file as CSV in UTF-8");
}

TEST(Csv, EveryPlaceOfABadByteIsFound) {
  // The check steps through ASCII eight bytes at a time.
  const std::string good = "a,b\n0123456789,\xC3\xA9\xE3\x81\x82 0123456789\nxyz,0123456789\n";
  EXPECT_EQ(error_of(good), "no error");
  long line = 1;
  for (std::size_t at = 0; at < good.size(); ++at) {
    if (static_cast<unsigned char>(good[at]) < 0x80) {
      std::string bad = good;
      bad[at] = '\xFF';
      EXPECT_TRUE(error_of(bad).starts_with("a.csv:" + std::to_string(line) + ": the text is not"))
          << at;
    }
    if (good[at] == '\n') ++line;
  }
}

}  // namespace
}  // namespace banzuke
