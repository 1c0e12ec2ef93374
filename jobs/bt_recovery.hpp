#pragma once
#include <cstddef>
#include <ostream>
#include <span>
#include <string>

#include "engine/batch/job.hpp"
#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::bt_recovery {

/// Fields of a record, in the layout's order; the last two with inner replicates only.
enum Fields : std::size_t {
  field_rating,
  field_standard_error,
  field_truth_offset,
  field_log_likelihood,
  field_iterations,
  field_players_rated,
  field_last_step,
  field_standard_uncertainty,
  field_inner_rated
};

/// One population of the set-up, a view.
struct Population {
  std::span<const double> abilities;  ///< true, natural-log scale, relative to the anchor
  std::span<const double> games;      ///< of each player
  bradley_terry::Schedule schedule;
  std::uint32_t anchor = 0;
  double stretch = 1;
};
Population population_of(const Bundle& set_up, std::size_t point);

/// Bias, spread and coverage in groups of players, see docs/bt_recovery.md.
void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out);

}  // namespace banzuke::bt_recovery
