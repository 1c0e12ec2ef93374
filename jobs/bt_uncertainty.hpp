#pragma once
#include <cstddef>
#include <optional>
#include <ostream>
#include <vector>

#include "engine/batch/job.hpp"
#include "engine/models/bradley_terry/control_variate.hpp"
#include "engine/models/bradley_terry/goodness_of_fit.hpp"
#include "engine/models/bradley_terry/moments.hpp"
#include "jobs/bt_uncertainty_points.hpp"
#include "jobs/bt_uncertainty_records.hpp"

namespace banzuke::bt_uncertainty {

/// What the rows of a point say, in the unit of the ratings.
struct PointSummary {
  /// [rated]; where the control variate is used, mean, bias, sd and sd_error come from it. Without
  /// quantiles where moments only are kept.
  std::vector<bradley_terry::Summary> players;
  /// [rated] what the control variate says; none where it is not asked for.
  std::vector<bradley_terry::ControlledSummary> controlled;
  std::uint64_t ok = 0, unsolvable = 0, not_converged = 0;  ///< replicates
  double coarsest_step = 0;                                 ///< largest last step of a refit
  std::optional<bradley_terry::GoodnessOfFit> goodness;     ///< of a fit

  std::uint64_t done() const { return ok + unsolvable + not_converged; }
};

/// From rows [0, count) of a point, read in tiles of bounded size.
PointSummary summarise_point(const ResultFile& file, std::size_t point, const PointView& view,
                             const Storage& storage, std::uint64_t count);

/// Whether [stop] is met: every rated player's uncertainty is known to the relative error asked for
/// (its Monte Carlo standard error over itself), from the first `count` rows of the point.
/// The reference, who has none, is left out. Without [stop]: false.
bool is_known_enough(const ResultFile& file, std::size_t point, std::uint64_t count);

/// The ranking sheet of each point, see docs/bt_uncertainty.md.
void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out);
/// The players of all points, a row each, with their rating and uncertainty at every point.
void tabulate_players(const ResultFile& file, const TableRequest& request, std::ostream& out);

}  // namespace banzuke::bt_uncertainty
