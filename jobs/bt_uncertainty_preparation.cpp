#include "jobs/bt_uncertainty_preparation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <unordered_map>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/fisher_errors.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_uncertainty_points.hpp"
#include "jobs/bt_uncertainty_records.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;
using namespace bt_inputs;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// What was read for one point.
struct PointData {
  std::string label;  ///< empty: the only point, without a name
  const DataKeys* keys = nullptr;
  bool is_period = false;
  PairTable table;
  std::vector<double> truth;               ///< [listed] in Elo, NaN where not given; or none
  std::optional<std::uint32_t> reference;  ///< listed index
  const RatingsTable* published = nullptr;
};

bt::PairData pair_data_of(const PairTable& table) {
  return {static_cast<std::uint32_t>(table.names.size()), table.first, table.second,
          table.wins_first, table.wins_second};
}

class BtPreparation final : public Preparation {
 public:
  explicit BtPreparation(Keys keys) : keys_(std::move(keys)) {}

  void load(Inputs& inputs) override;
  Bundle set_up() override;

 private:
  void load(Inputs& inputs, const DataKeys& keys);
  /// Notes of a period's table that are not on the period stand with the run's.
  void take_general_notes(const DataKeys& keys, PeriodTable& period);
  /// Reads what belongs to the games; false for a period too thin to rate anybody.
  bool complete(Inputs& inputs, PointData& data);
  /// Why nobody can be rated in a period; empty where somebody can.
  std::string why_too_thin(const PointData& data) const;
  /// The file of a key, read once.
  const RatingsTable& truth_file(Inputs& inputs, const TruthKeys& keys);
  const RatingsTable& published_file(Inputs& inputs, const CompareKeys& keys);
  void note_absent_players();

  RatedPoint rate(const PointData& data) const;
  void rate_by_truth(const PointData& data, RatedPoint& point) const;
  void rate_by_fit(const PointData& data, RatedPoint& point) const;
  void describe_players(const PointData& data, RatedPoint& point) const;
  void add_comparison(const PointData& data, RatedPoint& point) const;
  /// Throws InputError, naming the point, where a kernel has no linearised estimates.
  void require_control(const std::vector<RatedPoint>& points) const;

  Keys keys_;
  std::vector<PointData> data_;
  std::map<std::string, RatingsTable> files_;  ///< by key of the config
  std::vector<std::string> notes_;             ///< that belong to no point
};

void BtPreparation::load(Inputs& inputs) {
  data_.clear();
  files_.clear();
  notes_.clear();
  for (const DataKeys& keys : keys_.data) load(inputs, keys);
  note_absent_players();
}

const RatingsTable& BtPreparation::truth_file(Inputs& inputs, const TruthKeys& keys) {
  const auto known = files_.find(keys.csv.key);
  if (known != files_.end()) return known->second;
  return files_[keys.csv.key] = read_truth(inputs, keys);
}

const RatingsTable& BtPreparation::published_file(Inputs& inputs, const CompareKeys& keys) {
  const auto known = files_.find(keys.csv.key);
  if (known != files_.end()) return known->second;
  std::vector<NumericColumn> columns{{keys.uncertainty, true}};
  if (!keys.replicates.empty()) columns.push_back({keys.replicates, true});
  return files_[keys.csv.key] = read_ratings(inputs, keys.csv, columns);
}

void BtPreparation::load(Inputs& inputs, const DataKeys& keys) {
  std::vector<PeriodTable> periods = read_periods(inputs, keys.games);
  const std::size_t before = data_.size();
  for (PeriodTable& period : periods) {
    take_general_notes(keys, period);
    PointData data;
    data.label = keys.label.empty() || period.label.empty()
                     ? keys.label + period.label
                     : fmt::format("{} {}", keys.label, period.label);
    data.keys = &keys;
    data.is_period = !period.label.empty();
    data.table = std::move(period.table);
    try {
      if (complete(inputs, data)) data_.push_back(std::move(data));
    } catch (const InputError& error) {
      throw data.label.empty() ? error : error.about(data.label);
    }
  }
  if (data_.size() == before) {
    const InputError error("there is no period in which anybody can be rated",
                           "each has too few games", "choose longer periods", keys.games.where);
    throw keys.label.empty() ? error : error.about(keys.label);
  }
}

void BtPreparation::take_general_notes(const DataKeys& keys, PeriodTable& period) {
  if (period.label.empty()) return;
  std::vector<std::string> own;
  const std::string prefix = period.label + ": ";
  for (const std::string& note : period.table.notes) {
    if (note.starts_with(prefix)) {
      own.push_back(note.substr(prefix.size()));
    } else {
      notes_.push_back(keys.label.empty() ? note : fmt::format("{}: {}", keys.label, note));
    }
  }
  period.table.notes = std::move(own);
}

bool BtPreparation::complete(Inputs& inputs, PointData& data) {
  const DataKeys& keys = *data.keys;
  if (keys.truth) {
    data.truth = truth_of(truth_file(inputs, *keys.truth), *keys.truth, data.table.names);
  } else if (!data.table.has_results) {
    throw InputError("these games have no results to fit", "the files hold a schedule",
                     "give ratings under [truth], or files with results", keys.games.where);
  }
  if (keys.compare) data.published = &published_file(inputs, *keys.compare);
  if (data.is_period) {
    if (const std::string why = why_too_thin(data); !why.empty()) {
      notes_.push_back(fmt::format("{}: left out: {}", data.label, why));
      return false;
    }
  }
  data.reference = find_reference(keys_.scale, data.table.names, "the games");
  return true;
}

std::string BtPreparation::why_too_thin(const PointData& data) const {
  const std::string nobody = "nobody can be rated";
  const PairTable& table = data.table;
  if (keys_.scale.has_reference || data.keys->truth) {
    const bt::PairData all = pair_data_of(table);
    for (std::size_t pair = 0; pair < table.first.size(); ++pair) {
      const std::uint32_t i = table.first[pair], j = table.second[pair];
      const bool rated = data.keys->truth ? !std::isnan(data.truth[i]) && !std::isnan(data.truth[j])
                                          : bt::rated_component(all, i).rated >= 2;
      if (rated) return {};
    }
    return nobody;
  }
  const bt::PairData all = pair_data_of(table);
  const std::uint32_t anchor = bt::player_with_most_games(all);
  if (bt::rated_component(all, anchor).rated >= 2) return {};
  return fmt::format("{} against {}, who has the most games", nobody,
                     in_quotes(table.names[anchor]));
}

void BtPreparation::note_absent_players() {
  // A file of ratings may serve several points: only who is in none of them is absent.
  std::map<std::string, std::vector<std::string>> names;
  for (const PointData& data : data_) {
    if (!data.keys->truth) continue;
    std::vector<std::string>& known = names[data.keys->truth->csv.key];
    known.insert(known.end(), data.table.names.begin(), data.table.names.end());
  }
  for (const auto& [key, known] : names) {
    auto note = note_on_absent(files_.at(key), known);
    if (!note) continue;
    notes_.push_back(names.size() > 1 ? fmt::format("{}: {}", key, *note) : *note);
  }
}

void BtPreparation::rate_by_truth(const PointData& data, RatedPoint& point) const {
  const CsvKeys& file = data.keys->truth->csv;
  if (data.reference && std::isnan(data.truth[*data.reference])) {
    throw InputError(fmt::format("the reference {} has no rating in {}",
                                 in_quotes(keys_.scale.reference), path_in_quotes(file.path)),
                     "", "name a player who has one", keys_.scale.where);
  }
  Given given =
      rate_given(schedule_of(data.table), data.truth, keys_.scale, data.reference, file.where);
  if (given.players_dropped > 0) {
    const bool one = given.players_dropped == 1;
    point.notes.push_back(
        fmt::format("{} without a rating in {} {} left out, with {} games",
                    one ? "1 player" : fmt::format("{} players", given.players_dropped),
                    path_in_quotes(file.path), one ? "is" : "are", given.games_dropped));
  }
  if (std::abs(given.shift) > 1e-6) {
    point.notes.push_back(
        fmt::format("the given ratings are shifted by {:+.2f} Elo to meet [scale]", given.shift));
  }
  point.rated = std::move(given.rated);
}

void BtPreparation::rate_by_fit(const PointData& data, RatedPoint& point) const {
  const PairTable& table = data.table;
  const Location& where = data.keys->games.where;
  const bt::PairData all = pair_data_of(table);
  const bt::Component component =
      bt::rated_component(all, anchor_among(data.reference, bt::schedule_of(all)));
  if (component.rated < 2) {
    throw InputError(
        fmt::format("{} {} cannot be rated against anybody",
                    data.reference ? "the reference" : "the player with the most games",
                    in_quotes(table.names[component.anchor])),
        "ratings need chains of wins in both directions (a strongly connected component)",
        "choose a reference who both won and lost, or add games",
        data.reference ? keys_.scale.where : where);
  }
  Rated& rated = point.rated = rated_of(component);
  const bt::PairData kept = bt::restricted(all, rated.keep);
  rated.schedule = bt::schedule_of(kept);
  const bt::Fit fit = bt::fit(kept, rated.anchor);
  if (fit.status == bt::FitStatus::not_converged) {
    throw InputError(
        "the maximum-likelihood fit does not converge",
        fmt::format("after {} iterations the gradient is {:.2g} games and the step "
                    "{:.2g} Elo",
                    fit.iterations, fit.max_gradient, fit.max_step * bt::elo_per_natural),
        "the data are close to separable: check for players or groups with almost no "
        "wins or losses against the rest",
        where);
  }
  if (fit.status == bt::FitStatus::rounding_floor) {
    point.notes.push_back(
        fmt::format("the data are close to separable: the fit is exact only to about {:.2g} Elo",
                    fit.max_step * bt::elo_per_natural));
  }
  rated.abilities = fit.abilities;
  recentre(keys_.scale, rated);
  point.log_likelihood = fit.log_likelihood;
  point.deviance = fit.deviance;
  point.fit_iterations = fit.iterations;
  point.fit_last_step = fit.max_step * bt::elo_per_natural;
}

void BtPreparation::describe_players(const PointData& data, RatedPoint& point) const {
  const PairTable& table = data.table;
  const Rated& rated = point.rated;
  const double unit = keys_.scale.unit();
  point.listed_name = table.names;
  point.listed_games.assign(table.names.size(), 0.0);
  point.listed_wins.assign(table.names.size(), table.has_results ? 0.0 : not_a_number);
  for (std::size_t pair = 0; pair < table.first.size(); ++pair) {
    for (const std::uint32_t i : {table.first[pair], table.second[pair]}) {
      point.listed_games[i] += static_cast<double>(table.games[pair]);
    }
    if (!table.has_results) continue;
    point.listed_wins[table.first[pair]] += table.wins_first[pair];
    point.listed_wins[table.second[pair]] += table.wins_second[pair];
  }
  bt::StandardErrors errors = bt::FisherErrors(rated.schedule, rated.abilities)
                                  .relative_to({rated.anchor, !keys_.scale.has_reference});
  point.errors_are_estimates = errors.is_estimate;
  if (errors.is_estimate) {
    point.notes.push_back(fmt::format(
        "for so many pairs the standard errors (not the uncertainties) are estimates, to about "
        "{:.2g} %",
        100 * errors.relative_error));
  }
  point.standard_error = std::move(errors.value);
  for (double& error : point.standard_error) error *= unit;
  for (std::size_t i = 0; i < rated.listed.size(); ++i) {
    point.rating.push_back(keys_.scale.elo && !rated.given.empty()
                               ? rated.given[i]
                               : keys_.scale.anchor_value + rated.abilities[i] * unit);
  }
  point.games_total = table.games_total;
  point.draws_total = table.draws_total;
}

void BtPreparation::add_comparison(const PointData& data, RatedPoint& point) const {
  if (!data.published) return;
  const RatingsTable& published = *data.published;
  std::unordered_map<std::string, std::size_t> rows;
  for (std::size_t i = 0; i < published.names.size(); ++i) rows[published.names[i]] = i;
  // Published in Elo, whatever the unit here.
  const double unit = keys_.scale.elo ? 1.0 : 1.0 / bt::elo_per_natural;
  for (const std::uint32_t i : point.rated.listed) {
    const auto entry = rows.find(data.table.names[i]);
    const bool there = entry != rows.end();
    point.published_uncertainty.push_back(there ? unit * published.columns[0][entry->second]
                                                : not_a_number);
    point.published_replicates.push_back(
        there && published.columns.size() > 1 ? published.columns[1][entry->second] : not_a_number);
  }
}

RatedPoint BtPreparation::rate(const PointData& data) const {
  RatedPoint point;
  point.label = data.label;
  point.notes = data.table.notes;
  try {
    if (data.keys->truth) {
      rate_by_truth(data, point);
    } else {
      rate_by_fit(data, point);
    }
  } catch (const InputError& error) {
    throw data.label.empty() ? error : error.about(data.label);
  }
  describe_players(data, point);
  add_comparison(data, point);
  return point;
}

void BtPreparation::require_control(const std::vector<RatedPoint>& points) const {
  for (const RatedPoint& point : points) {
    const Rated& rated = point.rated;
    const bt::ReplicateKernel kernel(rated.schedule, rated.abilities,
                                     {rated.anchor, !keys_.scale.has_reference});
    // The control's variance must be known exactly.
    if (kernel.has_control() && !point.errors_are_estimates) continue;
    const InputError error(
        "there is no control variate for these games",
        "the linearised estimate needs a complete factor of the information, which is too large "
        "where so many players meet so often, and less than 2^31 games a player",
        "set variance_reduction = \"none\"", keys_.control_where);
    throw point.label.empty() ? error : error.about(point.label);
  }
}

Bundle BtPreparation::set_up() {
  const bool given = keys_.data.front().truth.has_value();
  const Scale& scale = keys_.scale;
  std::vector<RatedPoint> points;
  for (const PointData& data : data_) points.push_back(rate(data));
  if (keys_.control_variate) require_control(points);
  Bundle set_up;
  set_up.set("truth", given ? "given ratings" : "maximum-likelihood fit",
             "what the games are simulated from");
  store_points(points, scale, !given, notes_, set_up);
  set_up.set("anchor_is_mean", std::int64_t{scale.has_reference ? 0 : 1}, "1",
             "1: ratings are relative to the mean of the rated players");
  set_up.set("anchor_value", scale.anchor_value, scale.units(), "rating of the anchor");
  set_up.set("stop_relative_error", keys_.stop_relative_error, "1",
             "relative error of every uncertainty that is enough; 0: all replicates wanted");
  set_up.set("unit_is_elo", std::int64_t{scale.elo ? 1 : 0}, "1", "1: Elo, 0: natural-log units");
  store_storage({keys_.segment, keys_.control_variate, !given}, set_up);
  const Draws draws = keys_.data.front().games.options.draws;
  set_up.set("draws_are_half", std::int64_t{draws == Draws::half ? 1 : 0}, "1",
             "1: a draw counts as half a win each, 0: draws are left out");
  return set_up;
}

}  // namespace

std::unique_ptr<Preparation> prepare(Keys keys) {
  return std::make_unique<BtPreparation>(std::move(keys));
}

}  // namespace banzuke::bt_uncertainty
