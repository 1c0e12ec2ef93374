#include "jobs/bt_inputs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/scale.hpp"

namespace banzuke::bt_inputs {
namespace {

namespace bt = bradley_terry;

/// Further from 0 the anchor would swallow digits of the ratings.
constexpr Range anchor_range{-1e6, 1e6};
/// Elo from the weakest to the strongest given rating. Far beyond it the probability of an upset
/// leaves the range of a double.
constexpr double widest_truth = 1e5;

char separator_of(const Section& table) {
  const std::string word =
      table.choice({"separator", "what divides the columns"}, {",", ";", "|", "tab"}, ",");
  return word == "tab" ? '\t' : word[0];
}

}  // namespace

CsvKeys csv_columns(const Section& table) {
  CsvKeys keys;
  keys.name = table.text({"name", "the column of players' names"}, "name");
  keys.separator = separator_of(table);
  return keys;
}

CsvKeys csv_file(const Section& table, const Config& config, const Key& key, CsvKeys columns) {
  columns.key = table.path(key.name);
  columns.path = config.resolve(table.text(key));
  columns.where = table.where(key.name);
  return columns;
}

RatingsTable read_ratings(Inputs& inputs, const CsvKeys& keys,
                          const std::vector<NumericColumn>& columns) {
  const Input& input = inputs.load(keys.key, keys.path, keys.where);
  return read_columns({input.path, input.content}, keys.name, columns, keys.separator);
}

PairTableOptions game_options(const Section& games) {
  PairTableOptions options;
  options.draws = games.choice({"draws", "a draw is half a win each, or left out"},
                               {"half", "drop"}, "half") == "half"
                      ? Draws::half
                      : Draws::drop;
  options.separator = separator_of(games);
  options.bad_records = games.choice({"bad_records",
                                      "a record of a PGN file that cannot be used: an error, or "
                                      "left out and listed"},
                                     {"error", "skip"}, "error") == "error"
                            ? BadRecords::error
                            : BadRecords::skip;
  options.pgn_encoding = games.choice({"pgn_encoding", "how names are written in PGN files"},
                                      {"utf-8", "latin-1"}, "utf-8") == "utf-8"
                             ? PgnEncoding::utf8
                             : PgnEncoding::latin1;
  const Section columns =
      games.optional_table({"columns",
                            "which column plays which role, where the header is not one "
                            "of the recognised ones"});
  ColumnMap& map = options.columns;
  for (const auto& [name, role, meaning] :
       {std::tuple{"player1", &map.player1, "the column of the first player"},
        std::tuple{"player2", &map.player2, "the column of the second player"},
        std::tuple{"games", &map.games, "the column of scheduled games"},
        std::tuple{"wins1", &map.wins1, "the column of the first player's wins"},
        std::tuple{"wins2", &map.wins2, "the column of the second player's wins"},
        std::tuple{"draws", &map.draws, "the column of draws"},
        std::tuple{"date", &map.date, "the column of dates, where games are cut by them"}}) {
    *role = columns.text({name, meaning}, "");
  }
  return options;
}

GamesKeys game_files(const Section& table, const Config& config, const PairTableOptions& options) {
  GamesKeys keys;
  for (const std::string& file : table.texts(
           {"files",
            "PGN files (.pgn), CSV files of pair totals or of scheduled games, and archives of "
            "them (.gz, .xz, .bz2, .zst, .zip, .tar), relative to the config",
            "", Role::operational})) {
    keys.files.push_back(config.resolve(file));
  }
  keys.key = table.path("files");
  keys.where = table.where("files");
  keys.options = options;
  return keys;
}

GamesKeys games_keys(const Section& games, const Config& config) {
  return game_files(games, config, game_options(games));
}

std::vector<PeriodTable> read_periods(Inputs& inputs, const GamesKeys& keys) {
  PairTableReader games(keys.options);
  for (std::size_t i = 0; i < keys.files.size(); ++i) {
    const std::string key = fmt::format("{}[{}]", keys.key, i);
    const std::string& path = keys.files[i];
    inputs.load_stream(key, path, keys.where,
                       [&](const PieceSource& source) { games.read(path, source); });
  }
  return games.tables();
}

PairTable read_games(Inputs& inputs, const GamesKeys& keys) {
  return read_periods(inputs, keys)[0].table;
}

TruthKeys truth_columns(const Section& truth) {
  TruthKeys keys;
  keys.csv = csv_columns(truth);
  keys.rating = truth.text({"rating", "the column of ratings", "Elo"}, "rating");
  keys.missing_drop = truth.choice({"missing",
                                    "players of the games without a rating: left out with their "
                                    "games, or an error"},
                                   {"error", "drop"}, "error") == "drop";
  return keys;
}

TruthKeys truth_keys(const Section& truth, const Config& config) {
  TruthKeys keys = truth_columns(truth);
  keys.csv = csv_file(truth, config, truth_file, keys.csv);
  return keys;
}

RatingsTable read_truth(Inputs& inputs, const TruthKeys& keys) {
  return read_ratings(inputs, keys.csv, {{keys.rating, keys.missing_drop}});
}

std::vector<double> truth_of(const RatingsTable& ratings, const TruthKeys& keys,
                             const std::vector<std::string>& names) {
  std::unordered_map<std::string, double> by_name;
  for (std::size_t i = 0; i < ratings.names.size(); ++i) {
    by_name[ratings.names[i]] = ratings.columns[0][i];
  }
  std::vector<double> truth;
  for (const std::string& name : names) {
    const auto entry = by_name.find(name);
    truth.push_back(entry == by_name.end() ? std::numeric_limits<double>::quiet_NaN()
                                           : entry->second);
    if (std::isnan(truth.back()) && !keys.missing_drop) {
      throw InputError(fmt::format("the player {} has no rating in {}", in_quotes(name),
                                   path_in_quotes(keys.csv.path)),
                       "truth.missing is \"error\"",
                       "add the rating, or set missing = \"drop\" to leave such players out",
                       keys.csv.where);
    }
  }
  return truth;
}

std::optional<std::string> note_on_absent(const RatingsTable& ratings,
                                          const std::vector<std::string>& names) {
  const std::unordered_set<std::string> present(names.begin(), names.end());
  const auto absent =
      std::count_if(ratings.names.begin(), ratings.names.end(),
                    [&](const std::string& name) { return !present.contains(name); });
  if (absent == 0) return std::nullopt;
  return fmt::format("{} of the {} players with a rating {} not in the games", absent,
                     ratings.names.size(), absent == 1 ? "is" : "are");
}

double Scale::unit() const {
  return elo ? bt::elo_per_natural : 1.0;
}
std::string Scale::units() const {
  return elo ? "Elo" : "1";
}

Scale read_scale(const Section& root) {
  Scale keys;
  const Section scale = root.table({"scale", "what ratings are relative to"});
  keys.has_reference = scale.has("reference");
  if (keys.has_reference && scale.has("mean")) {
    throw InputError("[scale] has both a reference and a mean", "ratings need one anchor",
                     "keep one of them", scale.where("mean"));
  }
  if (keys.has_reference) {
    keys.reference = scale.text({"reference", "the player whose rating is fixed"});
    keys.where = scale.where("reference");
    keys.anchor_value =
        scale.number({"rating", "the reference's rating, in the scale's unit"}, 0.0, anchor_range);
  } else if (scale.has("mean")) {
    keys.anchor_value = scale.number(
        {"mean", "the mean rating of all rated players, in the scale's unit"}, anchor_range);
  } else {
    // Ask for both, so that a misspelt name is told as such.
    scale.text({"reference",
                "the player whose rating is fixed; or `mean`, the mean rating of all "
                "rated players"});
  }
  keys.elo = scale.choice({"unit", "Elo points (400/ln 10 a natural unit) or natural-log units"},
                          {"elo", "natural"}, "elo") == "elo";
  return keys;
}

std::optional<std::uint32_t> find_reference(const Scale& scale,
                                            const std::vector<std::string>& names,
                                            const std::string& among) {
  if (!scale.has_reference) return std::nullopt;
  const auto found = std::find(names.begin(), names.end(), scale.reference);
  if (found == names.end()) {
    const auto near = nearest_name(scale.reference, names);
    throw InputError(
        fmt::format("the reference {} is not in {}", in_quotes(scale.reference), among), "",
        near ? fmt::format("did you mean {}?", in_quotes(*near)) : "name one of the players",
        scale.where);
  }
  return static_cast<std::uint32_t>(found - names.begin());
}

std::uint32_t anchor_among(std::optional<std::uint32_t> reference, const bt::Schedule& schedule) {
  return reference ? *reference : bt::player_with_most_games(schedule);
}

Rated rated_of(const bt::Component& component) {
  Rated rated;
  rated.keep = component.keep();
  for (std::uint32_t i = 0; i < rated.keep.size(); ++i) {
    rated.standing.emplace_back(bt::describe(component.standing[i]));
    if (!rated.keep[i]) continue;
    if (i == component.anchor) rated.anchor = static_cast<std::uint32_t>(rated.listed.size());
    rated.listed.push_back(i);
  }
  return rated;
}

double anchor_of(const Scale& scale, std::span<const double> values, std::uint32_t anchor) {
  if (scale.has_reference) return values[anchor];
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

void recentre(const Scale& scale, Rated& rated) {
  const double base = anchor_of(scale, rated.abilities, rated.anchor);
  for (double& ability : rated.abilities) ability -= base;
}

Given rate_given(const bt::Schedule& schedule, const std::vector<double>& truth, const Scale& scale,
                 std::optional<std::uint32_t> reference, const Location& where) {
  Given given;
  // Games of players without a rating are left out.
  bt::Schedule known{schedule.players, {}, {}, {}};
  for (std::size_t pair = 0; pair < schedule.size(); ++pair) {
    if (std::isnan(truth[schedule.first[pair]]) || std::isnan(truth[schedule.second[pair]])) {
      given.games_dropped += schedule.games[pair];
      continue;
    }
    known.first.push_back(schedule.first[pair]);
    known.second.push_back(schedule.second[pair]);
    known.games.push_back(schedule.games[pair]);
  }
  given.players_dropped =
      std::count_if(truth.begin(), truth.end(), [](double rating) { return std::isnan(rating); });
  const bt::Component component = bt::scheduled_component(known, anchor_among(reference, known));
  if (component.rated < 2) {
    throw InputError("fewer than two players with a rating are connected by games", "",
                     "check the names in the games and in the ratings", where);
  }
  given.rated = rated_of(component);
  Rated& rated = given.rated;
  rated.schedule = bt::restricted(known, rated.keep);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    if (std::isnan(truth[i])) rated.standing[i] = no_given_rating;
  }
  for (const std::uint32_t i : rated.listed) rated.given.push_back(truth[i]);
  const auto [least, most] = std::minmax_element(rated.given.begin(), rated.given.end());
  if (!(*most - *least <= widest_truth)) {
    throw InputError("the given ratings lie too far apart",
                     fmt::format("from {} to {}", shortest(*least), shortest(*most)),
                     fmt::format("give ratings in Elo that span at most {:.0f}", widest_truth),
                     where);
  }
  // Only differences count: put the anchor where the config wants it. In Elo, and the shift apart:
  // ratings that are where they should be come back as they are.
  const double base = anchor_of(scale, rated.given, rated.anchor);
  given.shift = scale.elo ? scale.anchor_value - base : 0.0;
  for (double& rating : rated.given) {
    rated.abilities.push_back((rating - base) / bt::elo_per_natural);
    rating += given.shift;
  }
  return given;
}

bt::Schedule schedule_of(const PairTable& table) {
  return {static_cast<std::uint32_t>(table.names.size()),
          table.first,
          table.second,
          {table.games.begin(), table.games.end()}};
}

std::vector<std::uint32_t> indices(std::span<const std::int64_t> stored) {
  std::vector<std::uint32_t> out;
  out.reserve(stored.size());
  for (const std::int64_t value : stored) out.push_back(static_cast<std::uint32_t>(value));
  return out;
}

}  // namespace banzuke::bt_inputs
