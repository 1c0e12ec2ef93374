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
#include "jobs/bt_inputs.hpp"
#include "jobs/bt_status.hpp"
#include "jobs/catalogue.hpp"

namespace banzuke {
namespace bt_uncertainty {
namespace {

namespace bt = bradley_terry;
using namespace bt_inputs;

/// Up to so many players the whole covariance matrix is stored (8 MB).
constexpr std::size_t covariance_players = 1000;
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// The config's wishes.
struct Keys {
  GamesKeys games;
  std::optional<TruthKeys> truth;
  Scale scale;

  bool has_compare = false;
  CsvKeys compare;
  std::string compare_uncertainty, compare_replicates;

  double stop_relative_error = 0;  ///< 0: all replicates
};

Keys read_keys(const Section& root, const Config& config) {
  Keys keys;
  keys.games = games_keys(root.table({"games", "the games or the schedule"}), config);
  const Section truth =
      root.optional_table({"truth", "ratings to simulate from, instead of the fit"});
  if (root.has("truth")) keys.truth = truth_keys(truth, config);
  keys.scale = read_scale(root);

  const Section compare =
      root.optional_table({"compare", "published uncertainties to print beside ours"});
  if ((keys.has_compare = root.has("compare"))) {
    keys.compare = csv_keys(compare, config, "file", "the CSV file of published uncertainties");
    keys.compare_uncertainty = compare.text(
        {"standard_uncertainty", "the column of uncertainties", "Elo"}, "standard_uncertainty");
    keys.compare_replicates =
        compare.text({"replicates", "the column of valid replicates; \"\" for none"}, "");
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

void BtPreparation::load(Inputs& inputs) {
  table_ = read_games(inputs, keys_.games);
  notes_ = table_.notes;
  reference_ = find_reference(keys_.scale, table_.names, "the games");
  if (!keys_.truth && !table_.has_results) {
    throw InputError("these games have no results to fit", "the files hold a schedule",
                     "give ratings under [truth], or files with results", keys_.games.where);
  }
  if (keys_.truth) truth_ = read_truth(inputs, *keys_.truth, table_.names, notes_);
  if (keys_.has_compare) {
    std::vector<NumericColumn> columns{{keys_.compare_uncertainty, true}};
    if (!keys_.compare_replicates.empty()) columns.push_back({keys_.compare_replicates, true});
    published_ = read_ratings(inputs, keys_.compare, columns);
  }
}

Rated BtPreparation::rate_by_truth(Bundle& set_up) {
  const CsvKeys& file = keys_.truth->csv;
  if (reference_ && std::isnan(truth_[*reference_])) {
    throw InputError(fmt::format("the reference {} has no rating in {}",
                                 in_quotes(keys_.scale.reference), path_in_quotes(file.path)),
                     "", "name a player who has one", keys_.scale.where);
  }
  Given given = rate_given(schedule_of(table_), truth_, keys_.scale, reference_, file.where);
  if (given.players_dropped > 0) {
    const bool one = given.players_dropped == 1;
    note(fmt::format("{} without a rating in {} {} left out, with {} games",
                     one ? "1 player" : fmt::format("{} players", given.players_dropped),
                     path_in_quotes(file.path), one ? "is" : "are", given.games_dropped));
  }
  if (std::abs(given.shift) > 1e-6) {
    note(fmt::format("the given ratings are shifted by {:+.2f} Elo to meet [scale]", given.shift));
  }
  set_up.set("truth", "given ratings", "what the games are simulated from");
  return std::move(given.rated);
}

Rated BtPreparation::rate_by_fit(Bundle& set_up) {
  const auto players = static_cast<std::uint32_t>(table_.names.size());
  const bt::PairData all{players, table_.first, table_.second, table_.wins_first,
                         table_.wins_second};
  const bt::Component component =
      bt::rated_component(all, anchor_among(reference_, bt::schedule_of(all)));
  if (component.rated < 2) {
    const std::string& anchor = table_.names[component.anchor];
    throw InputError(
        fmt::format("{} {} cannot be rated against anybody",
                    reference_ ? "the reference" : "the player with the most games",
                    in_quotes(anchor)),
        "ratings need chains of wins in both directions (a strongly connected component)",
        "choose a reference who both won and lost, or add games",
        reference_ ? keys_.scale.where : keys_.games.where);
  }
  Rated rated = rated_of(component);
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
        keys_.games.where);
  }
  if (fit.status == bt::FitStatus::rounding_floor) {
    note(fmt::format("the data are close to separable: the fit is exact only to about {:.2g} Elo",
                     fit.max_step * bt::elo_per_natural));
  }
  rated.abilities = fit.abilities;
  recentre(keys_.scale, rated);
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
  const double unit = keys_.scale.unit();
  const std::string units = keys_.scale.units();
  const std::vector<double> errors = bt::standard_errors(
      rated.schedule, rated.abilities, {rated.anchor, !keys_.scale.has_reference});
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
    ratings.push_back(keys_.scale.elo && !rated.given.empty()
                          ? rated.given[i]
                          : keys_.scale.anchor_value + rated.abilities[i] * unit);
    scaled_errors.push_back(errors[i] * unit);
  }
  if (rated.listed.size() <= covariance_players) {
    const Eigen::MatrixXd covariance =
        bt::covariance(rated.schedule, rated.abilities, {rated.anchor, !keys_.scale.has_reference});
    Array array;
    array.shape = {rated.listed.size(), rated.listed.size()};
    array.dimensions = {"player", "player"};
    std::vector<double> values(covariance.data(), covariance.data() + covariance.size());
    for (double& value : values) value *= unit * unit;
    array.values = std::move(values);
    array.units = keys_.scale.elo ? "Elo^2" : "1";
    array.long_name = "covariance of the ratings: inverse Fisher information";
    set_up.set("rated_covariance", std::move(array));
  }
  set_up.set("listed_name", table_.names, "listed_player",
             "all players of the input, in its order");
  set_up.set("listed_games", games, "listed_player", "1", "games in the input");
  set_up.set("listed_wins", wins, "listed_player", "1", "wins in the input, draws as chosen");
  set_up.set("listed_standing", rated.standing, "listed_player", "rated, or why not");
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
  // Published in Elo, whatever the unit here.
  const double unit = keys_.scale.elo ? 1.0 : 1.0 / bt::elo_per_natural;
  std::vector<double> uncertainty, replicates;
  for (const std::uint32_t i : rated.listed) {
    const auto entry = rows.find(table_.names[i]);
    const bool there = entry != rows.end();
    uncertainty.push_back(there ? unit * published_.columns[0][entry->second] : not_a_number);
    replicates.push_back(there && published_.columns.size() > 1
                             ? published_.columns[1][entry->second]
                             : not_a_number);
  }
  set_up.set("published_standard_uncertainty", uncertainty, "player", keys_.scale.elo ? "Elo" : "1",
             "uncertainty published elsewhere");
  set_up.set("published_replicates", replicates, "player", "1",
             "valid replicates published elsewhere");
}

Bundle BtPreparation::set_up() {
  Bundle set_up;
  const Rated rated = keys_.truth ? rate_by_truth(set_up) : rate_by_fit(set_up);
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
  set_up.set("anchor_is_mean", std::int64_t{keys_.scale.has_reference ? 0 : 1}, "1",
             "1: ratings are relative to the mean of the rated players");
  set_up.set("anchor_value", keys_.scale.anchor_value, keys_.scale.elo ? "Elo" : "1",
             "rating of the anchor");
  set_up.set("stop_relative_error", keys_.stop_relative_error, "1",
             "relative error of every uncertainty that is enough; 0: all replicates wanted");
  set_up.set("unit_is_elo", std::int64_t{keys_.scale.elo ? 1 : 0}, "1",
             "1: Elo, 0: natural-log units");
  std::int64_t rated_games = 0;
  for (const std::uint32_t games : rated.schedule.games) rated_games += games;
  set_up.set("games_total", table_.games_total, "1", "games in the input");
  set_up.set("games_rated", rated_games, "1", "games between rated players");
  set_up.set("draws_total", table_.draws_total, "1", "draws in the input");
  set_up.set("draws_are_half", std::int64_t{keys_.games.options.draws == Draws::half ? 1 : 0}, "1",
             "1: a draw counts as half a win each, 0: draws are left out");
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
    layout.statuses = bt_status::names();
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
      rows.status()[i] = bt_status::code_of(status[i]);
    }
  }

 private:
  static bt::Schedule schedule_of(const Bundle& set_up) {
    return {static_cast<std::uint32_t>(set_up.strings("rated_name").size()),
            indices(set_up.integers("pair_first")), indices(set_up.integers("pair_second")),
            indices(set_up.integers("pair_games"))};
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
