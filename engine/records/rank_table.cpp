#include "engine/records/rank_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <unordered_map>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/records/columns.hpp"
#include "engine/records/csv.hpp"

namespace banzuke {
namespace {

constexpr std::string_view shape = "write {\"name\": [firsts, seconds, thirds], …}";

/// Collects players one by one and checks what both formats share.
class Collector {
 public:
  Collector(std::string file, int ranks) : file_(std::move(file)), expected_(ranks) {}

  void begin(std::string_view name, long line) {
    if (trimmed(name).empty()) {
      throw InputError("a player without a name", "", "give the player a name or delete the entry",
                       {file_, line});
    }
    const auto [known, is_new] = lines_.try_emplace(std::string(name), line);
    if (!is_new) {
      throw InputError(fmt::format("player {} appears twice", in_quotes(name)),
                       fmt::format("first on line {}", known->second),
                       "add the counts up or rename one of them", {file_, line});
    }
    table_.names.emplace_back(name);
    row_.clear();
  }

  void add(std::optional<std::int64_t> count, std::string_view text, long line) {
    if (!count) {
      fail(fmt::format("{} is not a whole number", in_quotes(text)), "ranks are counted",
           "write a whole number, without a point", line);
    }
    if (*count < 0) {
      fail(fmt::format("{} is negative", text), "ranks are counted", "write 0 or more", line);
    }
    if (*count > max_rank_games) too_many(line);
    row_.push_back(static_cast<std::uint32_t>(*count));
  }

  void end(long line) {
    const int ranks = static_cast<int>(std::min<std::size_t>(row_.size(), 65));
    if (table_.ranks == 0) {
      if (ranks < 2 || ranks > 64) {
        fail(fmt::format("{} counts", row_.size()), "a game has 2 to 64 ranks",
             "give one count for each rank", line);
      }
      table_.ranks = ranks;
      if (expected_ != 0 && ranks != expected_) {
        fail(fmt::format("{} counts", ranks), fmt::format("{} ranks are asked for", expected_),
             "give one count for each rank or change the number of ranks", line);
      }
    }
    if (row_.size() != static_cast<std::size_t>(table_.ranks)) {
      fail(fmt::format("{} counts", row_.size()),
           fmt::format("the first player has {}", table_.ranks), "give one count for each rank",
           line);
    }
    std::uint64_t games = 0;
    for (const std::uint32_t count : row_) games += count;
    if (games > max_rank_games) too_many(line);
    table_.counts.insert(table_.counts.end(), row_.begin(), row_.end());
  }

  RankTable table() {
    if (table_.names.empty()) {
      throw InputError("the file has no players", "", "give a file with rank counts", {file_, 0});
    }
    return std::move(table_);
  }

  const std::string& file() const { return file_; }

  [[noreturn]] void fail(std::string_view problem, std::string_view why, std::string_view remedy,
                         long line) const {
    throw InputError(fmt::format("player {}: {}", in_quotes(table_.names.back()), problem), why,
                     remedy, {file_, line});
  }

 private:
  [[noreturn]] void too_many(long line) const {
    fail(fmt::format("more than {} games", max_rank_games), "a slip, or too much for the tables",
         "check the counts", line);
  }

  std::string file_;
  int expected_;
  RankTable table_;
  std::vector<std::uint32_t> row_;
  std::unordered_map<std::string, long> lines_;
};

/// A position in the text that lets others see how far the parser has read.
class Cursor {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  Cursor(const char* at, const char** seen) : at_(at), seen_(seen) {}
  reference operator*() const { return *at_; }
  Cursor& operator++() {
    *seen_ = ++at_;
    return *this;
  }
  Cursor operator++(int) {
    const Cursor before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Cursor& a, const Cursor& b) { return a.at_ == b.at_; }

 private:
  const char* at_;
  const char** seen_;
};

/// Follows the parser through the two levels of the format.
class RankJson : public nlohmann::json_sax<nlohmann::json> {
 public:
  RankJson(std::string_view text, const char* const* seen, Collector& players)
      : counted_(text.data()), seen_(seen), players_(players) {}

  bool null() override { return unexpected("null"); }
  bool boolean(bool value) override { return unexpected(value ? "true" : "false"); }
  bool string(string_t& value) override { return unexpected(in_quotes(value)); }
  bool binary(binary_t&) override { return unexpected("binary data"); }
  bool number_integer(number_integer_t value) override {
    return number(value, fmt::format("{}", value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    const bool fits = value <= max_rank_games;
    return number(fits ? static_cast<std::int64_t>(value) : std::int64_t{max_rank_games} + 1,
                  fmt::format("{}", value));
  }
  bool number_float(number_float_t, const string_t& text) override {
    return number(std::nullopt, text);
  }
  bool start_object(std::size_t) override {
    if (in_file_) return unexpected("an object");
    in_file_ = true;
    return true;
  }
  bool key(string_t& name) override {
    players_.begin(name, line());
    in_player_ = true;
    return true;
  }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override {
    if (!in_player_ || in_counts_) return unexpected("an array");
    in_counts_ = true;
    return true;
  }
  bool end_array() override {
    players_.end(line());
    in_player_ = in_counts_ = false;
    return true;
  }
  bool parse_error(std::size_t, const std::string& token,
                   const nlohmann::detail::exception& error) override {
    // Without the parser's own position, and without what was read last: raw bytes, told before.
    std::string_view what = error.what();
    what.remove_prefix(std::min(what.find("syntax error"), what.size()));
    what = what.substr(0, what.find("; last read"));
    throw InputError(fmt::format("not JSON near {}", in_quotes(token)), what, "correct the syntax",
                     {players_.file(), line()});
  }

 private:
  bool number(std::optional<std::int64_t> value, const std::string& text) {
    if (!in_counts_) return unexpected(text);
    players_.add(value, text, line());
    return true;
  }

  bool unexpected(const std::string& what) {
    if (in_player_) players_.fail(fmt::format("{} instead of a count", what), "", shape, line());
    throw InputError(fmt::format("{} instead of players", what), "", shape,
                     {players_.file(), line()});
  }

  /// The line of the last character of the current token. The parser looks one character beyond
  /// a number, so the last one read does not count.
  long line() {
    const char* end = *seen_;
    for (; counted_ + 1 < end; ++counted_) line_ += *counted_ == '\n' ? 1 : 0;
    return line_;
  }

  const char* counted_;
  long line_ = 1;
  const char* const* seen_;
  Collector& players_;
  bool in_file_ = false;
  bool in_player_ = false;
  bool in_counts_ = false;
};

std::size_t name_column(const std::vector<std::string>& header) {
  for (const std::string_view known : {"name", "player"}) {
    const auto at = std::find(header.begin(), header.end(), known);
    if (at != header.end()) return static_cast<std::size_t>(at - header.begin());
  }
  return 0;
}

std::vector<std::size_t> rank_columns(const CsvReader& csv, std::size_t name,
                                      const std::vector<std::string>& asked) {
  std::vector<std::size_t> columns;
  for (const std::string& column : asked) columns.push_back(find_column(csv, column, "columns"));
  if (!columns.empty()) return columns;
  const std::vector<std::string>& header = csv.header();
  for (const std::string_view ordinal :
       {"first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth"}) {
    if (std::find(header.begin(), header.end(), ordinal) == header.end()) break;
    columns.push_back(find_column(csv, std::string(ordinal)));
  }
  if (!columns.empty()) return columns;
  for (std::size_t i = 0; i < header.size(); ++i) {
    if (i != name) columns.push_back(i);
  }
  return columns;
}

bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() &&
         std::equal(
             ending.begin(), ending.end(), text.end() - static_cast<long>(ending.size()),
             [](char a, char b) { return a == std::tolower(static_cast<unsigned char>(b)); });
}

}  // namespace

RankTable read_rank_json(const NamedText& file, const RankTableOptions& options) {
  Collector players(file.name, options.ranks);
  const char* begin = file.text.data();
  const char* seen = begin;
  RankJson events(file.text, &seen, players);
  nlohmann::json::sax_parse(Cursor(begin, &seen), Cursor(begin + file.text.size(), &seen), &events);
  return players.table();
}

RankTable read_rank_csv(const NamedText& file, const RankTableOptions& options) {
  CsvReader csv(file, options.separator);
  const std::size_t name = name_column(csv.header());
  const std::vector<std::size_t> columns = rank_columns(csv, name, options.columns);
  Collector players(file.name, options.ranks);
  while (csv.next()) {
    players.begin(csv.fields()[name], csv.line());
    for (const std::size_t column : columns) {
      const std::string_view text = trimmed(csv.fields()[column]);
      players.add(parse_integer(text), text, csv.line());
    }
    players.end(csv.line());
  }
  return players.table();
}

RankTable read_rank_table(const NamedText& file, const RankTableOptions& options) {
  if (ends_with(file.name, ".json")) return read_rank_json(file, options);
  if (ends_with(file.name, ".csv")) return read_rank_csv(file, options);
  throw InputError("neither JSON nor CSV by its name", "rank counts are read from .json and .csv",
                   "give the file one of these endings", {file.name, 0});
}

}  // namespace banzuke
