// Bradley–Terry ratings and their standard uncertainties: fit (or take) ratings, simulate all
// games again, refit, and keep every replicate, or their moments.

#include "jobs/bt_uncertainty.hpp"

#include <algorithm>

#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_advice.hpp"
#include "jobs/bt_status.hpp"
#include "jobs/bt_uncertainty_points.hpp"
#include "jobs/bt_uncertainty_preparation.hpp"
#include "jobs/bt_uncertainty_records.hpp"
#include "jobs/catalogue.hpp"

namespace banzuke {
namespace bt_uncertainty {
namespace {

/// Replicates that the kernel plays side by side.
constexpr std::uint64_t lanes = 16;

class BtUncertainty final : public Job {
 public:
  BtUncertainty(const Bundle& set_up, std::uint64_t seed)
      : seed_(seed),
        labels_(point_labels(set_up)),
        names_(player_names(set_up)),
        elo_(set_up.scalar_integer("unit_is_elo") == 1),
        adaptive_(set_up.scalar_double("stop_relative_error") > 0),
        storage_(storage_of(set_up)) {
    const RatingScale scale{set_up.scalar_double("anchor_value"),
                            elo_ ? bradley_terry::elo_per_natural : 1.0};
    for (std::size_t point = 0; point < labels_.size(); ++point) {
      points_.emplace_back(view_point(set_up, point), storage_, scale);
    }
  }

  Layout layout(std::uint64_t replicates) const override {
    Layout layout;
    layout.points = labels_;
    layout.replicates = replicates;
    layout.segment = storage_.segment;
    layout.dimensions = {{"player", names_.size(), names_, "rated players"}};
    layout.fields = fields_of(storage_, elo_ ? "Elo" : "1");
    layout.statuses = bt_status::names();
    return layout;
  }

  std::uint64_t lane_group() const override { return storage_.moments_only() ? 1 : lanes; }
  bool is_adaptive() const override { return adaptive_; }
  double cost(std::size_t point) const override { return points_[point].cost(); }
  std::size_t workspace_bytes() const override {
    std::size_t most = 0;
    for (const Recorder& point : points_) most = std::max(most, point.workspace_bytes());
    return most;
  }
  void compute(const RowBlock& rows) const override { points_[rows.point()].compute(seed_, rows); }

 private:
  std::uint64_t seed_;
  std::vector<std::string> labels_, names_;
  bool elo_;
  bool adaptive_;
  Storage storage_;
  std::vector<Recorder> points_;
};

}  // namespace
}  // namespace bt_uncertainty

JobKind bt_uncertainty_job() {
  using namespace bt_uncertainty;
  JobKind kind;
  kind.name = "bt_uncertainty";
  kind.version = 4;  // 2: the refit's fast path; 3: several points; 4: its incomplete factor
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
