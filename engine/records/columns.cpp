#include "engine/records/columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

namespace banzuke {
namespace {

enum Role : std::size_t { player1, player2, games, wins1, wins2, draws, date, role_count };

constexpr std::array<std::string_view, role_count> role_names{
    "player1", "player2", "games", "wins1", "wins2", "draws", "date"};

constexpr std::string_view recognised =
    "recognised headers: player1,player2 or p,q; with games; or with wins1,wins2 or win1,win2 and "
    "perhaps one of tie, ties, draw, draws; or p,q,x,t,y";

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

/// A setting as the user writes it: `wins1 = "W"`.
std::string setting_text(Role role, std::string_view column) {
  return fmt::format("{} = {}", role_names[role], in_quotes(column));
}

class Finder {
 public:
  Finder(const CsvReader& file, const ColumnMap& map, Period period)
      : file_(file),
        map_{&map.player1, &map.player2, &map.games, &map.wins1, &map.wins2, &map.draws, &map.date},
        period_(period) {
    for (const std::string& name : file.header()) lower_.push_back(lower_case(name));
    for (std::size_t column = 0; column < lower_.size(); ++column) free_.push_back(column);
  }

  GameColumns find() {
    take_mapped();
    const bool letters_for_results = has("p") && has("q") && has("x") && has("t") && has("y");
    const bool letters_for_players = has("p") && has("q");
    collect(player1, {"player1"}, letters_for_players, "p");
    collect(player2, {"player2"}, letters_for_players, "q");
    const bool results_named = named(wins1) || named(wins2) || named(draws);
    if (named(games) && results_named) {
      throw InputError("both games and results are named", "a file is a schedule or has results",
                       "under [games.columns], name either games, or wins1, wins2 and draws",
                       {file_.file(), 0});
    }
    if (!results_named) collect(games, {"games"}, false, "");
    if (!named(games)) {
      collect(wins1, {"wins1", "win1"}, letters_for_results, "x");
      collect(wins2, {"wins2", "win2"}, letters_for_results, "y");
      collect(draws, {"tie", "ties", "draw", "draws"}, letters_for_results, "t");
    }
    if (period_ != Period::none) collect(date, {"date"}, false, "");
    check();
    GameColumns columns;
    columns.player1 = found_[player1][0];
    columns.player2 = found_[player2][0];
    columns.games = one(games);
    columns.wins1 = one(wins1);
    columns.wins2 = one(wins2);
    columns.draws = one(draws);
    columns.date = one(date);
    return columns;
  }

 private:
  bool named(Role role) const {
    return !map_[role]->empty() && (role != date || period_ != Period::none);
  }

  bool has(std::string_view name) const {
    return std::find(lower_.begin(), lower_.end(), name) != lower_.end();
  }

  std::optional<std::size_t> one(Role role) const {
    return found_[role].empty() ? std::nullopt : std::optional(found_[role][0]);
  }

  /// Columns named in the map; they are no candidates for any other role.
  void take_mapped() {
    for (std::size_t i = 0; i < role_count; ++i) {
      const auto role = static_cast<Role>(i);
      if (!named(role)) continue;
      const std::size_t column =
          find_column(file_, *map_[role], fmt::format("[games.columns] {}", role_names[role]));
      const auto at = std::find(free_.begin(), free_.end(), column);
      if (at == free_.end()) {
        throw InputError(fmt::format("column {} is named for two roles", in_quotes(*map_[role])),
                         "", "give each role under [games.columns] a column of its own",
                         {file_.file(), file_.header_line()});
      }
      free_.erase(at);
      found_[role].push_back(column);
    }
  }

  void collect(Role role, std::initializer_list<std::string_view> names, bool with_letter,
               std::string_view letter) {
    if (named(role)) return;
    for (const std::size_t column : free_) {
      const std::string& name = lower_[column];
      if (std::find(names.begin(), names.end(), name) != names.end() ||
          (with_letter && name == letter)) {
        found_[role].push_back(column);
      }
    }
  }

  void check() const {
    const auto& header = file_.header();
    const Location where{file_.file(), file_.header_line()};
    for (std::size_t i = 0; i < role_count; ++i) {
      const auto& found = found_[i];
      if (found.size() < 2) continue;
      const auto role = static_cast<Role>(i);
      std::vector<std::string> names;
      for (const std::size_t column : found) names.push_back(in_quotes(header[column]));
      const bool repeated = header[found[0]] == header[found[1]];
      throw InputError(
          fmt::format("columns {} could all be {}", join(names, ", "), role_names[role]), "",
          repeated ? "rename or delete one of them"
                   : fmt::format("say which it is under [games.columns], for example {}",
                                 setting_text(role, header[found[0]])),
          where);
    }
    if (found_[player1].empty() || found_[player2].empty()) fail_missing(missing_players());
    const bool schedule = !found_[games].empty();
    const bool results = !found_[wins1].empty() && !found_[wins2].empty();
    const bool some_results =
        !found_[wins1].empty() || !found_[wins2].empty() || !found_[draws].empty();
    if (schedule && some_results) {
      std::string remedy =
          fmt::format("to read a schedule, set {}", setting_text(games, header[found_[games][0]]));
      if (results) {
        remedy += fmt::format("; to read results, {} and {}",
                              setting_text(wins1, header[found_[wins1][0]]),
                              setting_text(wins2, header[found_[wins2][0]]));
      }
      throw InputError("the file has columns for games and for results",
                       "it is read either as a schedule or as results",
                       remedy + ", under [games.columns]", where);
    }
    if (schedule || results) return check_date();
    if (!some_results) fail_missing({games, wins1, wins2});
    std::vector<Role> missing;
    if (found_[wins1].empty()) missing.push_back(wins1);
    if (found_[wins2].empty()) missing.push_back(wins2);
    fail_missing(missing);
  }

  void check_date() const {
    if (period_ == Period::none || !found_[date].empty()) return;
    const std::vector<std::string> setting = suggestions({date});
    throw InputError(
        fmt::format("no column for the date in the header {}", header_text(file_.header())),
        fmt::format("asked for by period = \"{}\"; recognised header: date", period_word(period_)),
        fmt::format("rename the column, or name it under [games.columns]: {}", setting[0]),
        {file_.file(), file_.header_line()});
  }

  std::vector<Role> missing_players() const {
    std::vector<Role> missing;
    if (found_[player1].empty()) missing.push_back(player1);
    if (found_[player2].empty()) missing.push_back(player2);
    return missing;
  }

  [[noreturn]] void fail_missing(const std::vector<Role>& missing) const {
    const auto& header = file_.header();
    const bool neither = missing.size() == 3;
    const bool data = std::any_of(header.begin(), header.end(), [](const std::string& name) {
      return parse_double(trimmed(name)).has_value();
    });
    const bool blanks = std::any_of(header.begin(), header.end(),
                                    [](const std::string& name) { return trimmed(name) != name; });
    std::string remedy;
    if (data) remedy = "if this line holds data, put a header line before it; or ";
    if (blanks) remedy += "remove the blanks around the separators, in all lines; or ";
    remedy += "rename the columns, or name them under [games.columns]: ";
    const std::vector<std::string> settings = suggestions(missing);
    remedy += neither ? fmt::format("{}, or {} and {}", settings[0], settings[1], settings[2])
                      : join(settings, ", ");
    throw InputError(fmt::format("no column for {} in the header {}",
                                 neither ? "games or for wins1 and wins2" : role_list(missing),
                                 header_text(header)),
                     recognised, remedy, {file_.file(), file_.header_line()});
  }

  static std::string role_list(const std::vector<Role>& roles) {
    std::vector<std::string> names;
    for (const Role role : roles) names.emplace_back(role_names[role]);
    return join(names, " and ");
  }

  /// A setting for each missing role: with the unused column whose name is nearest, if one is.
  std::vector<std::string> suggestions(const std::vector<Role>& missing) const {
    std::vector<std::size_t> unused;
    for (const std::size_t column : free_) {
      const bool taken = std::any_of(found_.begin(), found_.end(), [&](const auto& found) {
        return std::find(found.begin(), found.end(), column) != found.end();
      });
      if (!taken) unused.push_back(column);
    }
    std::vector<std::string> settings;
    for (const Role role : missing) {
      std::vector<std::string> names;
      for (const std::size_t column : unused) names.push_back(lower_[column]);
      const auto near = nearest_name(role_names[role], names);
      if (!near) {
        settings.push_back(setting_text(role, "…"));
        continue;
      }
      const auto at =
          unused.begin() + (std::find(names.begin(), names.end(), *near) - names.begin());
      settings.push_back(setting_text(role, file_.header()[*at]));
      unused.erase(at);
    }
    return settings;
  }

  const CsvReader& file_;
  std::array<const std::string*, role_count> map_;
  Period period_;
  std::vector<std::string> lower_;  ///< the header in lower case
  std::vector<std::size_t> free_;   ///< columns the map does not name
  std::array<std::vector<std::size_t>, role_count> found_;
};

}  // namespace

GameColumns find_columns(const CsvReader& file, const ColumnMap& map, Period period) {
  return Finder(file, map, period).find();
}

std::size_t find_column(const CsvReader& file, const std::string& name, std::string_view setting) {
  const auto& header = file.header();
  const Location where{file.file(), file.header_line()};
  const std::string asked = setting.empty() ? "" : fmt::format("asked for by {}", setting);
  const auto at = std::find(header.begin(), header.end(), name);
  if (at == header.end()) {
    const auto same = std::find_if(header.begin(), header.end(), [&](const std::string& other) {
      return lower_case(trimmed(other)) == lower_case(trimmed(name));
    });
    const auto near = same != header.end() ? std::optional(*same) : nearest_name(name, header);
    throw InputError(
        fmt::format("no column {} in the header {}", in_quotes(name), header_text(header)), asked,
        near ? fmt::format("did you mean {}?", in_quotes(*near)) : "name one of these columns",
        where);
  }
  if (std::find(at + 1, header.end(), name) != header.end()) {
    throw InputError(fmt::format("two columns are called {}", in_quotes(name)), asked,
                     "rename or delete one of them", where);
  }
  return static_cast<std::size_t>(at - header.begin());
}

std::string header_text(const std::vector<std::string>& header) {
  constexpr std::size_t shown = 12;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(shown, header.size()); ++i) {
    names.push_back(in_quotes(header[i]));
  }
  std::string text = join(names, ", ");
  if (header.size() > shown) text += fmt::format(" and {} more", header.size() - shown);
  return text;
}

}  // namespace banzuke
