// Bradley–Terry ratings and their standard uncertainties: fit (or take) ratings, simulate all
// games again, refit, and keep every replicate.

#include "jobs/bt_uncertainty.hpp"

#include <algorithm>
#include <limits>

#include "engine/models/bradley_terry/replicate_kernel.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_advice.hpp"
#include "jobs/bt_status.hpp"
#include "jobs/bt_uncertainty_points.hpp"
#include "jobs/bt_uncertainty_preparation.hpp"
#include "jobs/catalogue.hpp"

namespace banzuke {
namespace bt_uncertainty {
namespace {

namespace bt = bradley_terry;

class BtUncertainty final : public Job {
 public:
  BtUncertainty(const Bundle& set_up, std::uint64_t seed)
      : seed_(seed),
        labels_(point_labels(set_up)),
        names_(player_names(set_up)),
        offset_(set_up.scalar_double("anchor_value")),
        elo_(set_up.scalar_integer("unit_is_elo") == 1),
        adaptive_(set_up.scalar_double("stop_relative_error") > 0) {
    for (std::size_t point = 0; point < labels_.size(); ++point) {
      PointView view = view_point(set_up, point);
      points_.push_back({bt::ReplicateKernel(view.schedule, view.ability, view.anchor),
                         std::move(view.player), view.schedule.size()});
    }
  }

  Layout layout(std::uint64_t replicates) const override {
    const std::string units = elo_ ? "Elo" : "1";
    Layout layout;
    layout.points = labels_;
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
  bool is_adaptive() const override { return adaptive_; }
  double cost(std::size_t point) const override {
    return static_cast<double>(points_[point].pairs + points_[point].player.size());
  }

  void compute(const RowBlock& rows) const override {
    const Point& point = points_[rows.point()];
    const double unit = elo_ ? bt::elo_per_natural : 1.0;
    std::vector<bt::ReplicateStatus> status(rows.count());
    const std::span<double> ratings = rows.doubles(field_rating);
    const std::span<double> own = ratings.first(rows.count() * point.player.size());
    const std::span<double> last_step = rows.doubles(field_last_step);
    point.kernel.run(seed_, static_cast<std::uint32_t>(rows.point()), rows.first(), rows.count(),
                     {own, rows.doubles(field_log_likelihood), rows.integers32(field_iterations),
                      rows.integers32(field_players_rated), status, last_step});
    for (double& rating : own) rating = offset_ + rating * unit;
    spread(point.player, rows.count(), ratings);
    for (double& step : last_step) step *= unit;
    for (std::size_t i = 0; i < status.size(); ++i) {
      rows.status()[i] = bt_status::code_of(status[i]);
    }
  }

 private:
  struct Point {
    bt::ReplicateKernel kernel;
    std::vector<std::size_t> player;  ///< [rated] place in a row
    std::size_t pairs;
  };

  /// From rows of the point's rated players, packed at the front, to rows of all players. In place,
  /// from the last row: a row never begins before its packed form.
  void spread(const std::vector<std::size_t>& player, std::size_t count,
              std::span<double> ratings) const {
    std::vector<double> row(player.size());
    for (std::size_t r = count; r-- > 0;) {
      std::copy_n(ratings.begin() + static_cast<long>(r * row.size()), row.size(), row.begin());
      const std::span<double> whole = ratings.subspan(r * names_.size(), names_.size());
      std::fill(whole.begin(), whole.end(), std::numeric_limits<double>::quiet_NaN());
      for (std::size_t i = 0; i < row.size(); ++i) whole[player[i]] = row[i];
    }
  }

  std::uint64_t seed_;
  std::vector<std::string> labels_, names_;
  double offset_;
  bool elo_;
  bool adaptive_;
  std::vector<Point> points_;
};

}  // namespace
}  // namespace bt_uncertainty

JobKind bt_uncertainty_job() {
  using namespace bt_uncertainty;
  JobKind kind;
  kind.name = "bt_uncertainty";
  kind.version = 3;  // 2: the refit's fast path; 3: several points
  kind.summary = "Bradley–Terry ratings and their standard uncertainties by simulation";
  kind.configure = [](const Section& root, const Config& config) -> std::unique_ptr<Preparation> {
    return prepare(read_keys(root, config));
  };
  kind.make = [](const Bundle& set_up, std::uint64_t seed) -> std::unique_ptr<Job> {
    return std::make_unique<BtUncertainty>(set_up, seed);
  };
  kind.enough = is_known_enough;
  kind.advice = advise;
  kind.tabulate = tabulate;
  kind.tables = {
      {"players", "rating and uncertainty of every player, point by point", tabulate_players}};
  return kind;
}

}  // namespace banzuke
