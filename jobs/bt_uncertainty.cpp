// Bradley–Terry ratings and their standard uncertainties: fit (or take) ratings, simulate all
// games again, refit, and keep every replicate.

#include "jobs/bt_uncertainty.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/covariance.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/replicate_kernel.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "engine/records/pair_table.hpp"
#include "engine/records/ratings_table.hpp"
#include "jobs/catalogue.hpp"

namespace banzuke {
namespace bt_uncertainty {
namespace {

namespace bt = bradley_terry;

/// Up to so many players the whole covariance matrix is stored (8 MB).
constexpr std::size_t covariance_players = 1000;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// A CSV file of the config: where its name was written, and the columns wanted.
struct CsvKeys {
  std::string key, path, name;
  char separator = ',';
  Location where;
};

char separator_of(const Section& table) {
  const std::string word =
      table.choice({"separator", "what divides the columns"}, {",", ";", "|", "tab"}, ",");
  return word == "tab" ? '\t' : word[0];
}

CsvKeys csv_keys(const Section& table, const Config& config, const char* file_key,
                 const char* meaning) {
  CsvKeys keys;
  keys.key = table.path(file_key);
  keys.path = config.resolve(table.text({file_key, meaning, "", Role::operational}));
  keys.where = table.where(file_key);
  keys.name = table.text({"name", "the column of players' names"}, "name");
  keys.separator = separator_of(table);
  return keys;
}

/// The config's wishes.
struct Keys {
  std::vector<std::string> files;
  Location files_where;
  PairTableOptions games;

  bool has_truth = false;
  CsvKeys truth;
  std::string truth_rating;
  bool truth_missing_drop = false;

  bool has_reference = false;
  std::string reference;
  Location reference_where;
  double anchor_value = 0;
  bool elo = true;

  bool has_compare = false;
  CsvKeys compare;
  std::string compare_uncertainty, compare_replicates;

  double stop_relative_error = 0;  ///< 0: all replicates
};

Keys read_keys(const Section& root, const Config& config) {
  Keys keys;
  const Section games = root.table({"games", "the games or the schedule"});
  for (const std::string& file : games.texts(
           {"files", "CSV files of pair totals or of scheduled games, relative to the config", "",
            Role::operational})) {
    keys.files.push_back(config.resolve(file));
  }
  keys.files_where = games.where("files");
  keys.games.draws = games.choice({"draws", "a draw is half a win each, or left out"},
                                  {"half", "drop"}, "half") == "half"
                         ? Draws::half
                         : Draws::drop;
  keys.games.separator = separator_of(games);
  const Section columns =
      games.optional_table({"columns",
                            "which column plays which role, where the header is not one "
                            "of the recognised ones"});
  ColumnMap& map = keys.games.columns;
  for (const auto& [name, role, meaning] :
       {std::tuple{"player1", &map.player1, "the column of the first player"},
        std::tuple{"player2", &map.player2, "the column of the second player"},
        std::tuple{"games", &map.games, "the column of scheduled games"},
        std::tuple{"wins1", &map.wins1, "the column of the first player's wins"},
        std::tuple{"wins2", &map.wins2, "the column of the second player's wins"},
        std::tuple{"draws", &map.draws, "the column of draws"}}) {
    *role = columns.text({name, meaning}, "");
  }

  if ((keys.has_truth = root.has("truth"))) {
    const Section truth = root.table({"truth", "ratings to simulate from, instead of the fit"});
    keys.truth = csv_keys(truth, config, "ratings", "the CSV file of ratings");
    keys.truth_rating = truth.text({"rating", "the column of ratings", "Elo"}, "rating");
    keys.truth_missing_drop =
        truth.choice({"missing",
                      "players of the games without a rating: left out with their "
                      "games, or an error"},
                     {"error", "drop"}, "error") == "drop";
  } else {
    root.optional_table({"truth", "ratings to simulate from, instead of the fit"});
  }

  const Section scale = root.table({"scale", "what ratings are relative to"});
  keys.has_reference = scale.has("reference");
  if (keys.has_reference && scale.has("mean")) {
    throw InputError("[scale] has both a reference and a mean", "ratings need one anchor",
                     "keep one of them", scale.where("mean"));
  }
  if (keys.has_reference) {
    keys.reference = scale.text({"reference", "the player whose rating is fixed"});
    keys.reference_where = scale.where("reference");
    keys.anchor_value = scale.number({"rating", "the reference's rating", "Elo"}, 0.0);
  } else if (scale.has("mean")) {
    keys.anchor_value = scale.number({"mean", "the mean rating of all rated players", "Elo"});
  } else {
    // Ask for both, so that a misspelt name is told as such.
    scale.text({"reference",
                "the player whose rating is fixed; or `mean`, the mean rating of all "
                "rated players"});
  }
  keys.elo = scale.choice({"unit", "Elo points (400/ln 10 a natural unit) or natural-log units"},
                          {"elo", "natural"}, "elo") == "elo";

  if ((keys.has_compare = root.has("compare"))) {
    const Section compare = root.table({"compare", "published uncertainties to print beside ours"});
    keys.compare = csv_keys(compare, config, "file", "the CSV file of published uncertainties");
    keys.compare_uncertainty = compare.text(
        {"standard_uncertainty", "the column of uncertainties", "Elo"}, "standard_uncertainty");
    keys.compare_replicates =
        compare.text({"replicates", "the column of valid replicates; \"\" for none"}, "");
  } else {
    root.optional_table({"compare", "published uncertainties to print beside ours"});
  }
  if (root.has("stop")) {
    keys.stop_relative_error =
        root.table({"stop", "when fewer replicates are enough"})
            .number({"relative_error",
                     "Monte Carlo standard error of every uncertainty, as a part of it, that is "
                     "enough; asked after 1000, 2000, 4000, … replicates"},
                    {1e-4, 1.0});
  } else {
    root.optional_table({"stop", "when fewer replicates are enough"});
  }
  return keys;
}

class BtPreparation final : public Preparation {
 public:
  BtPreparation(const Section& root, const Config& config) : keys_(read_keys(root, config)) {}

  void load(Inputs& inputs) override;
  Bundle set_up() override;

 private:
  struct Rated {
    std::vector<std::uint8_t> keep;      ///< [listed]
    std::vector<std::uint32_t> listed;   ///< rated player -> listed player
    std::vector<std::int64_t> standing;  ///< [listed]
    std::uint32_t anchor = 0;            ///< rated index
    bt::Schedule schedule;               ///< among rated players
    std::vector<double> abilities;       ///< [rated], natural
  };

  std::uint32_t anchor_among(const bt::Schedule& schedule) const;
  Rated rate_by_truth(Bundle& set_up);
  Rated rate_by_fit(Bundle& set_up);
  void describe_players(const Rated& rated, Bundle& set_up) const;
  void add_comparison(const Rated& rated, Bundle& set_up) const;
  void note(std::string text) { notes_.push_back(std::move(text)); }

  Keys keys_;
  PairTable table_;
  std::vector<double> truth_;  ///< [listed] in Elo, NaN where not given
  RatingsTable published_;
  std::optional<std::uint32_t> reference_;  ///< listed index
  std::vector<std::string> notes_;
};

RatingsTable read_ratings(Inputs& inputs, const CsvKeys& keys,
                          const std::vector<NumericColumn>& columns) {
  const Input& input = inputs.load(keys.key, keys.path, keys.where);
  return read_columns({input.path, input.content}, keys.name, columns, keys.separator);
}

void BtPreparation::load(Inputs& inputs) {
  std::vector<NamedText> texts;
  for (std::size_t i = 0; i < keys_.files.size(); ++i) {
    const Input& input =
        inputs.load(fmt::format("games.files[{}]", i), keys_.files[i], keys_.files_where);
    texts.push_back({input.path, input.content});
  }
  table_ = read_pair_table(texts, keys_.games);
  notes_ = table_.notes;

  if (keys_.has_reference) {
    const auto found = std::find(table_.names.begin(), table_.names.end(), keys_.reference);
    if (found == table_.names.end()) {
      const auto near = nearest_name(keys_.reference, table_.names);
      throw InputError(
          fmt::format("the reference {} is not in the games", in_quotes(keys_.reference)), "",
          near ? fmt::format("did you mean {}?", in_quotes(*near)) : "name one of the players",
          keys_.reference_where);
    }
    reference_ = static_cast<std::uint32_t>(found - table_.names.begin());
  }
  if (!keys_.has_truth && !table_.has_results) {
    throw InputError("these games have no results to fit", "the files hold a schedule",
                     "give ratings under [truth], or files with results", keys_.files_where);
  }
  if (keys_.has_truth) {
    const RatingsTable ratings =
        read_ratings(inputs, keys_.truth, {{keys_.truth_rating, keys_.truth_missing_drop}});
    std::unordered_map<std::string, double> by_name;
    for (std::size_t i = 0; i < ratings.names.size(); ++i) {
      by_name[ratings.names[i]] = ratings.columns[0][i];
    }
    for (const std::string& name : table_.names) {
      const auto entry = by_name.find(name);
      truth_.push_back(entry == by_name.end() ? not_a_number : entry->second);
      if (std::isnan(truth_.back()) && !keys_.truth_missing_drop) {
        throw InputError(fmt::format("the player {} has no rating in {}", in_quotes(name),
                                     path_in_quotes(keys_.truth.path)),
                         "truth.missing is \"error\"",
                         "add the rating, or set missing = \"drop\" to leave such players out",
                         keys_.truth.where);
      }
    }
    const auto absent = static_cast<std::size_t>(
        std::count_if(ratings.names.begin(), ratings.names.end(), [&](const std::string& name) {
          return std::find(table_.names.begin(), table_.names.end(), name) == table_.names.end();
        }));
    if (absent > 0) {
      note(fmt::format("{} of the {} players with a rating are not in the games", absent,
                       ratings.names.size()));
    }
  }
  if (keys_.has_compare) {
    std::vector<NumericColumn> columns{{keys_.compare_uncertainty, true}};
    if (!keys_.compare_replicates.empty()) columns.push_back({keys_.compare_replicates, true});
    published_ = read_ratings(inputs, keys_.compare, columns);
  }
}

std::uint32_t BtPreparation::anchor_among(const bt::Schedule& schedule) const {
  return reference_ ? *reference_ : bt::player_with_most_games(schedule);
}

BtPreparation::Rated BtPreparation::rate_by_truth(Bundle& set_up) {
  const auto players = static_cast<std::uint32_t>(table_.names.size());
  Rated rated;
  if (reference_ && std::isnan(truth_[*reference_])) {
    throw InputError(fmt::format("the reference {} has no rating in {}", in_quotes(keys_.reference),
                                 path_in_quotes(keys_.truth.path)),
                     "", "name a player who has one", keys_.reference_where);
  }
  // Games of players without a rating are left out.
  bt::Schedule known{players, {}, {}, {}};
  std::int64_t dropped_games = 0;
  for (std::size_t pair = 0; pair < table_.first.size(); ++pair) {
    if (std::isnan(truth_[table_.first[pair]]) || std::isnan(truth_[table_.second[pair]])) {
      dropped_games += table_.games[pair];
      continue;
    }
    known.first.push_back(table_.first[pair]);
    known.second.push_back(table_.second[pair]);
    known.games.push_back(static_cast<std::uint32_t>(table_.games[pair]));
  }
  const auto dropped =
      std::count_if(truth_.begin(), truth_.end(), [](double rating) { return std::isnan(rating); });
  if (dropped > 0) {
    note(fmt::format("{} players without a rating in {} are left out, with {} games", dropped,
                     path_in_quotes(keys_.truth.path), dropped_games));
  }
  const bt::Component component = bt::scheduled_component(known, anchor_among(known));
  if (component.rated < 2) {
    throw InputError("fewer than two players with a rating are connected by games", "",
                     "check the names in the games and in the ratings", keys_.truth.where);
  }
  rated.keep = component.keep();
  for (std::uint32_t i = 0; i < players; ++i) {
    rated.standing.push_back(static_cast<std::int64_t>(component.standing[i]));
    if (!rated.keep[i]) continue;
    if (i == component.anchor) rated.anchor = static_cast<std::uint32_t>(rated.listed.size());
    rated.listed.push_back(i);
    rated.abilities.push_back(truth_[i] / bt::elo_per_natural);
  }
  rated.schedule = bt::restricted(known, rated.keep);
  // Only differences count: put the anchor where the config wants it.
  double base = rated.abilities[rated.anchor];
  if (!keys_.has_reference) {
    base = 0;
    for (const double ability : rated.abilities) base += ability;
    base /= static_cast<double>(rated.abilities.size());
  }
  const double shift = keys_.anchor_value - base * bt::elo_per_natural;
  if (keys_.elo && std::abs(shift) > 1e-6) {
    note(fmt::format("the given ratings are shifted by {:+.2f} Elo to meet [scale]", shift));
  }
  for (double& ability : rated.abilities) ability -= base;
  set_up.set("truth", "given ratings", "what the games are simulated from");
  return rated;
}

BtPreparation::Rated BtPreparation::rate_by_fit(Bundle& set_up) {
  const auto players = static_cast<std::uint32_t>(table_.names.size());
  Rated rated;
  const bt::PairData all{players, table_.first, table_.second, table_.wins_first,
                         table_.wins_second};
  const bt::Component component = bt::rated_component(all, anchor_among(bt::schedule_of(all)));
  if (component.rated < 2) {
    const std::string& anchor = table_.names[component.anchor];
    throw InputError(
        fmt::format("{} {} cannot be rated against anybody",
                    reference_ ? "the reference" : "the player with the most games",
                    in_quotes(anchor)),
        "ratings need chains of wins in both directions (a strongly connected component)",
        "choose a reference who both won and lost, or add games",
        reference_ ? keys_.reference_where : keys_.files_where);
  }
  rated.keep = component.keep();
  for (std::uint32_t i = 0; i < players; ++i) {
    rated.standing.push_back(static_cast<std::int64_t>(component.standing[i]));
    if (!rated.keep[i]) continue;
    if (i == component.anchor) rated.anchor = static_cast<std::uint32_t>(rated.listed.size());
    rated.listed.push_back(i);
  }
  const bt::PairData data = bt::restricted(all, rated.keep);
  rated.schedule = bt::schedule_of(data);
  const bt::Fit fit = bt::fit(data, rated.anchor);
  if (fit.status == bt::FitStatus::not_converged) {
    throw InputError(
        "the maximum-likelihood fit does not converge",
        fmt::format("after {} iterations the gradient is {:.2g} games and the step "
                    "{:.2g} Elo",
                    fit.iterations, fit.max_gradient, fit.max_step * bt::elo_per_natural),
        "the data are close to separable: check for players or groups with almost no "
        "wins or losses against the rest",
        keys_.files_where);
  }
  if (fit.status == bt::FitStatus::rounding_floor) {
    note(fmt::format("the data are close to separable: the fit is exact only to about {:.2g} Elo",
                     fit.max_step * bt::elo_per_natural));
  }
  rated.abilities = fit.abilities;
  if (!keys_.has_reference) {
    double mean = 0;
    for (const double ability : rated.abilities) mean += ability;
    mean /= static_cast<double>(rated.abilities.size());
    for (double& ability : rated.abilities) ability -= mean;
  }
  set_up.set("truth", "maximum-likelihood fit", "what the games are simulated from");
  set_up.set("log_likelihood", fit.log_likelihood, "1",
             "log-likelihood of the fit, without binomial coefficients");
  set_up.set("deviance", fit.deviance, "1", "deviance of the fit over pair totals");
  set_up.set("fit_iterations", std::int64_t{fit.iterations}, "1",
             "gradient evaluations of the fit");
  set_up.set("fit_last_step", fit.max_step * bt::elo_per_natural, "Elo",
             "largest change of a rating in the fit's last step");
  return rated;
}

void BtPreparation::describe_players(const Rated& rated, Bundle& set_up) const {
  const double unit = keys_.elo ? bt::elo_per_natural : 1.0;
  const std::string units = keys_.elo ? "Elo" : "1";
  const std::vector<double> errors =
      bt::standard_errors(rated.schedule, rated.abilities, {rated.anchor, !keys_.has_reference});
  const std::size_t players = table_.names.size();
  std::vector<double> games(players, 0.0), wins(players, 0.0);
  for (std::size_t pair = 0; pair < table_.first.size(); ++pair) {
    for (const std::uint32_t i : {table_.first[pair], table_.second[pair]}) {
      games[i] += static_cast<double>(table_.games[pair]);
    }
    if (!table_.has_results) continue;
    wins[table_.first[pair]] += table_.wins_first[pair];
    wins[table_.second[pair]] += table_.wins_second[pair];
  }
  if (!table_.has_results) std::fill(wins.begin(), wins.end(), not_a_number);
  std::vector<double> rated_games(rated.listed.size(), 0.0);
  for (std::size_t pair = 0; pair < rated.schedule.size(); ++pair) {
    rated_games[rated.schedule.first[pair]] += rated.schedule.games[pair];
    rated_games[rated.schedule.second[pair]] += rated.schedule.games[pair];
  }
  std::vector<std::string> names;
  std::vector<double> ratings, scaled_errors;
  std::vector<std::int64_t> listed;
  for (std::size_t i = 0; i < rated.listed.size(); ++i) {
    names.push_back(table_.names[rated.listed[i]]);
    listed.push_back(rated.listed[i]);
    ratings.push_back(keys_.anchor_value + rated.abilities[i] * unit);
    scaled_errors.push_back(errors[i] * unit);
  }
  if (rated.listed.size() <= covariance_players) {
    const Eigen::MatrixXd covariance =
        bt::covariance(rated.schedule, rated.abilities, {rated.anchor, !keys_.has_reference});
    Array array;
    array.shape = {rated.listed.size(), rated.listed.size()};
    array.dimensions = {"player", "player"};
    std::vector<double> values(covariance.data(), covariance.data() + covariance.size());
    for (double& value : values) value *= unit * unit;
    array.values = std::move(values);
    array.units = keys_.elo ? "Elo^2" : "1";
    array.long_name = "covariance of the ratings: inverse Fisher information";
    set_up.set("rated_covariance", std::move(array));
  }
  set_up.set("listed_name", table_.names, "listed_player",
             "all players of the input, in its order");
  set_up.set("listed_games", games, "listed_player", "1", "games in the input");
  set_up.set("listed_wins", wins, "listed_player", "1", "wins in the input, draws as chosen");
  set_up.set("listed_standing", rated.standing, "listed_player", "1",
             "0 rated, else why not: see docs/bt_uncertainty.md");
  set_up.set("rated_listed", listed, "player", "1", "place of a rated player among the listed");
  set_up.set("rated_name", names, "player", "rated players, in the order of the input");
  set_up.set("rated_games", rated_games, "player", "1", "games against rated players");
  set_up.set("rated_rating", ratings, "player", units, "rating the games are simulated from");
  set_up.set("rated_ability", rated.abilities, "player", "1",
             "the same on the natural-log scale, relative to the anchor");
  set_up.set("rated_standard_error", scaled_errors, "player", units,
             "standard error from the inverse Fisher information");
}

void BtPreparation::add_comparison(const Rated& rated, Bundle& set_up) const {
  if (!keys_.has_compare) return;
  std::unordered_map<std::string, std::size_t> rows;
  for (std::size_t i = 0; i < published_.names.size(); ++i) rows[published_.names[i]] = i;
  std::vector<double> uncertainty, replicates;
  for (const std::uint32_t i : rated.listed) {
    const auto entry = rows.find(table_.names[i]);
    const bool there = entry != rows.end();
    uncertainty.push_back(there ? published_.columns[0][entry->second] : not_a_number);
    replicates.push_back(there && published_.columns.size() > 1
                             ? published_.columns[1][entry->second]
                             : not_a_number);
  }
  set_up.set("published_standard_uncertainty", uncertainty, "player", "Elo",
             "uncertainty published elsewhere");
  set_up.set("published_replicates", replicates, "player", "1",
             "valid replicates published elsewhere");
}

Bundle BtPreparation::set_up() {
  Bundle set_up;
  const Rated rated = keys_.has_truth ? rate_by_truth(set_up) : rate_by_fit(set_up);
  describe_players(rated, set_up);
  add_comparison(rated, set_up);
  const auto whole = [](const auto& values) {
    return std::vector<std::int64_t>(values.begin(), values.end());
  };
  set_up.set("pair_first", whole(rated.schedule.first), "pair", "1", "first player, rated index");
  set_up.set("pair_second", whole(rated.schedule.second), "pair", "1", "second player");
  set_up.set("pair_games", whole(rated.schedule.games), "pair", "1", "games of the pair");
  set_up.set("anchor_player", std::int64_t{rated.anchor}, "1",
             "rated index of the player whose component is rated");
  set_up.set("anchor_is_mean", std::int64_t{keys_.has_reference ? 0 : 1}, "1",
             "1: ratings are relative to the mean of the rated players");
  set_up.set("anchor_value", keys_.anchor_value, keys_.elo ? "Elo" : "1", "rating of the anchor");
  set_up.set("stop_relative_error", keys_.stop_relative_error, "1",
             "relative error of every uncertainty that is enough; 0: all replicates wanted");
  set_up.set("unit_is_elo", std::int64_t{keys_.elo ? 1 : 0}, "1", "1: Elo, 0: natural-log units");
  std::int64_t rated_games = 0;
  for (const std::uint32_t games : rated.schedule.games) rated_games += games;
  set_up.set("games_total", table_.games_total, "1", "games in the input");
  set_up.set("games_rated", rated_games, "1", "games between rated players");
  set_up.set("draws_total", table_.draws_total, "1", "draws in the input");
  set_up.set("notes", notes_, "note", "what the user should know of the input");
  return set_up;
}

class BtUncertainty final : public Job {
 public:
  BtUncertainty(const Bundle& set_up, std::uint64_t seed)
      : seed_(seed),
        names_(set_up.strings("rated_name")),
        offset_(set_up.scalar_double("anchor_value")),
        elo_(set_up.scalar_integer("unit_is_elo") == 1),
        kernel_(schedule_of(set_up), set_up.doubles("rated_ability"),
                {static_cast<std::uint32_t>(set_up.scalar_integer("anchor_player")),
                 set_up.scalar_integer("anchor_is_mean") == 1}) {}

  Layout layout(std::uint64_t replicates) const override {
    const std::string units = elo_ ? "Elo" : "1";
    Layout layout;
    layout.points = {"all games"};
    layout.replicates = replicates;
    layout.dimensions = {{"player", names_.size(), names_, "rated players"}};
    layout.fields = {
        {"rating", FieldType::float64, "player", units, "refitted rating; NaN where not rated"},
        {"log_likelihood", FieldType::float64, "", "1",
         "log-likelihood of the refit, without binomial coefficients"},
        {"iterations", FieldType::int32, "", "1", "gradient evaluations of the refit"},
        {"players_rated", FieldType::int32, "", "1", "players in the anchor's component"},
        {"last_step", FieldType::float64, "", units,
         "largest change of a rating in the refit's last step"}};
    layout.statuses = {"missing", "ok", "unsolvable", "not_converged", "not_needed"};
    return layout;
  }

  std::uint64_t lane_group() const override { return 8; }

  void compute(const RowBlock& rows) const override {
    const double unit = elo_ ? bt::elo_per_natural : 1.0;
    std::vector<bt::ReplicateStatus> status(rows.count());
    const std::span<double> ratings = rows.doubles(field_rating);
    const std::span<double> last_step = rows.doubles(field_last_step);
    kernel_.run(seed_, static_cast<std::uint32_t>(rows.point()), rows.first(), rows.count(),
                {ratings, rows.doubles(field_log_likelihood), rows.integers32(field_iterations),
                 rows.integers32(field_players_rated), status, last_step});
    for (double& rating : ratings) rating = offset_ + rating * unit;
    for (double& step : last_step) step *= unit;
    for (std::size_t i = 0; i < status.size(); ++i) {
      rows.status()[i] = status[i] == bt::ReplicateStatus::ok           ? status_ok
                         : status[i] == bt::ReplicateStatus::unsolvable ? status_unsolvable
                                                                        : status_not_converged;
    }
  }

 private:
  static bt::Schedule schedule_of(const Bundle& set_up) {
    const auto narrow = [&](const char* name) {
      const auto values = set_up.integers(name);
      std::vector<std::uint32_t> out;
      for (const std::int64_t value : values) out.push_back(static_cast<std::uint32_t>(value));
      return out;
    };
    return {static_cast<std::uint32_t>(set_up.strings("rated_name").size()), narrow("pair_first"),
            narrow("pair_second"), narrow("pair_games")};
  }

  std::uint64_t seed_;
  std::vector<std::string> names_;
  double offset_;
  bool elo_;
  bt::ReplicateKernel kernel_;
};

}  // namespace
}  // namespace bt_uncertainty

JobKind bt_uncertainty_job() {
  using namespace bt_uncertainty;
  JobKind kind;
  kind.name = "bt_uncertainty";
  kind.version = 2;  // 2: the refit's fast path
  kind.summary = "Bradley–Terry ratings and their standard uncertainties by simulation";
  kind.configure = [](const Section& root, const Config& config) -> std::unique_ptr<Preparation> {
    return std::make_unique<BtPreparation>(root, config);
  };
  kind.make = [](const Bundle& set_up, std::uint64_t seed) -> std::unique_ptr<Job> {
    return std::make_unique<BtUncertainty>(set_up, seed);
  };
  kind.enough = is_known_enough;
  kind.tabulate = tabulate;
  return kind;
}

}  // namespace banzuke
