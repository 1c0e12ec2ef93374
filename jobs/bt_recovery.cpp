// When a published ± can be believed: data sets simulated from ratings that are known, refitted,
// each with the uncertainties that its owner would publish.

#include "jobs/bt_recovery.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "engine/models/bradley_terry/recovery.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_recovery_keys.hpp"
#include "jobs/bt_status.hpp"
#include "jobs/catalogue.hpp"

namespace banzuke {
namespace bt_recovery {
namespace {

namespace bt = bradley_terry;

class BtRecovery final : public Job {
 public:
  BtRecovery(const Bundle& set_up, std::uint64_t seed)
      : labels_(set_up.strings("population")),
        most_players_(static_cast<std::size_t>(set_up.scalar_integer("most_players"))),
        inner_(static_cast<std::uint32_t>(set_up.scalar_integer("inner_replicates"))),
        offset_(set_up.scalar_double("anchor_value")),
        elo_(set_up.scalar_integer("unit_is_elo") == 1) {
    const bool mean = set_up.scalar_integer("anchor_is_mean") == 1;
    for (std::size_t point = 0; point < labels_.size(); ++point) {
      Population population = population_of(set_up, point);
      pairs_.push_back(static_cast<double>(population.schedule.size()));
      points_.emplace_back(
          std::move(population.schedule),
          std::vector<double>(population.abilities.begin(), population.abilities.end()),
          bt::Anchor{population.anchor, mean}, population.stretch, inner_, seed,
          static_cast<std::uint32_t>(point));
    }
  }

  Layout layout(std::uint64_t replicates) const override;
  std::uint64_t lane_group() const override { return 8; }
  double cost(std::size_t point) const override { return pairs_[point] + 10.0; }
  void compute(const RowBlock& rows) const override;

 private:
  std::vector<std::string> labels_;
  std::size_t most_players_;
  std::uint32_t inner_;
  double offset_;
  bool elo_;
  std::vector<bt::RecoveryPoint> points_;
  std::vector<double> pairs_;
};

Layout BtRecovery::layout(std::uint64_t replicates) const {
  const std::uint64_t most = bt::RecoveryPoint::most_replicates(inner_);
  if (replicates > most) {
    throw InputError(fmt::format("{} replicates of {} inner ones are too many", replicates, inner_),
                     "random streams have addresses for 2^32 inner replicates a population",
                     fmt::format("set replicates to at most {}", most));
  }
  const std::string units = elo_ ? "Elo" : "1";
  Layout layout;
  layout.points = labels_;
  layout.replicates = replicates;
  layout.dimensions = {{"player", most_players_, {}, "players, in the order of the set-up"}};
  layout.fields = {
      {"rating", FieldType::float64, "player", units, "estimate; NaN where not rated"},
      {"standard_error", FieldType::float64, "player", units,
       "standard error from the inverse Fisher information at the estimate"},
      {"truth_offset", FieldType::float64, "", units,
       "add to an estimate before comparing it with the true rating: the mean true rating of the "
       "players rated, relative to that of all; 0 with a reference"},
      {"log_likelihood", FieldType::float64, "", "1",
       "log-likelihood of the fit, without binomial coefficients"},
      {"iterations", FieldType::int32, "", "1", "gradient evaluations of the fit"},
      {"players_rated", FieldType::int32, "", "1", "players in the anchor's component"},
      {"last_step", FieldType::float64, "", units,
       "largest change of a rating in the fit's last step"}};
  if (inner_ > 0) {
    layout.fields.push_back({"standard_uncertainty", FieldType::float64, "player", units,
                             "standard deviation of the inner replicates' ratings"});
    layout.fields.push_back({"inner_rated", FieldType::int32, "player", "1",
                             "inner replicates in which the player could be rated"});
  }
  layout.statuses = bt_status::names();
  return layout;
}

void BtRecovery::compute(const RowBlock& rows) const {
  const bt::RecoveryPoint& point = points_[rows.point()];
  const std::size_t n = point.players(), count = rows.count();
  const double unit = elo_ ? bt::elo_per_natural : 1.0;
  std::vector<double> ratings(count * n), errors(count * n), uncertainties;
  std::vector<std::int32_t> inner_rated;
  if (inner_ > 0) {
    uncertainties.resize(count * n);
    inner_rated.resize(count * n);
  }
  std::vector<bt::ReplicateStatus> status(count);
  const std::span<double> last_step = rows.doubles(field_last_step);
  const std::span<double> truth_offset = rows.doubles(field_truth_offset);
  point.run(rows.first(), count,
            {{ratings, rows.doubles(field_log_likelihood), rows.integers32(field_iterations),
              rows.integers32(field_players_rated), status, last_step},
             errors,
             uncertainties,
             inner_rated,
             truth_offset});
  // A record has room for the largest population; the rest of it stays as it is filled.
  for (std::size_t r = 0; r < count; ++r) {
    double* const rating = rows.doubles(field_rating).data() + r * most_players_;
    double* const error = rows.doubles(field_standard_error).data() + r * most_players_;
    for (std::size_t i = 0; i < n; ++i) {
      rating[i] = offset_ + ratings[r * n + i] * unit;
      error[i] = errors[r * n + i] * unit;
    }
    if (inner_ > 0) {
      double* const u = rows.doubles(field_standard_uncertainty).data() + r * most_players_;
      for (std::size_t i = 0; i < n; ++i) u[i] = uncertainties[r * n + i] * unit;
      std::copy_n(inner_rated.data() + r * n, n,
                  rows.integers32(field_inner_rated).data() + r * most_players_);
    }
    last_step[r] *= unit;
    truth_offset[r] *= unit;
    rows.status()[r] = bt_status::code_of(status[r]);
  }
}

}  // namespace

Population population_of(const Bundle& set_up, std::size_t point) {
  const auto integer = [&](const char* name, std::size_t i) {
    return static_cast<std::size_t>(set_up.integers(name)[i]);
  };
  std::size_t first_player = 0, first_pair = 0;
  for (std::size_t i = 0; i < point; ++i) {
    first_player += integer("players", i);
    first_pair += integer("pairs", i);
  }
  const std::size_t players = integer("players", point), pairs = integer("pairs", point);
  const auto part = [&](const char* name) {
    return bt_inputs::indices(set_up.integers(name).subspan(first_pair, pairs));
  };
  return {set_up.doubles("true_ability").subspan(first_player, players),
          set_up.doubles("player_games").subspan(first_player, players),
          {static_cast<std::uint32_t>(players), part("pair_first"), part("pair_second"),
           part("pair_games")},
          static_cast<std::uint32_t>(integer("anchor_player", point)),
          set_up.doubles("stretch")[point]};
}

}  // namespace bt_recovery

JobKind bt_recovery_job() {
  using namespace bt_recovery;
  JobKind kind;
  kind.name = "bt_recovery";
  kind.version = 2;  // 2: the refit's incomplete factor
  kind.summary = "when a Bradley–Terry ± can be believed: known ratings simulated and refitted";
  kind.configure = [](const Section& root, const Config& config) -> std::unique_ptr<Preparation> {
    return prepare(read_keys(root, config));
  };
  kind.make = [](const Bundle& set_up, std::uint64_t seed) -> std::unique_ptr<Job> {
    return std::make_unique<BtRecovery>(set_up, seed);
  };
  kind.tabulate = tabulate;
  return kind;
}

}  // namespace banzuke
