#pragma once
#include <cstddef>
#include <ostream>
#include <string_view>
#include <vector>

#include "engine/batch/job.hpp"
#include "engine/models/bradley_terry/moments.hpp"
#include "jobs/bt_uncertainty_points.hpp"

namespace banzuke::bt_uncertainty {

/// Fields of a record, in the layout's order.
enum Fields : std::size_t {
  field_rating,
  field_log_likelihood,
  field_iterations,
  field_players_rated,
  field_last_step
};

/// Summaries of a point's rated players over replicates [0, count), in the unit of the ratings.
std::vector<bradley_terry::Summary> summarise_players(const ResultFile& file, std::size_t point,
                                                      const PointView& view, std::uint64_t count);

/// Whether [stop] is met: every rated player's uncertainty is known to the relative error asked for
/// (its Monte Carlo standard error over itself), from the first `count` replicates of the point.
/// The reference, who has none, is left out. Without [stop]: false.
bool is_known_enough(const ResultFile& file, std::size_t point, std::uint64_t count);

/// The ranking sheet of each point, see docs/bt_uncertainty.md.
void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out);
/// The players of all points, a row each, with their rating and uncertainty at every point.
void tabulate_players(const ResultFile& file, const TableRequest& request, std::ostream& out);

}  // namespace banzuke::bt_uncertainty
