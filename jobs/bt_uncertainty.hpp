#pragma once
#include <cstddef>
#include <ostream>
#include <string_view>

#include "engine/batch/job.hpp"

namespace banzuke::bt_uncertainty {

/// Fields of a record, in the layout's order.
enum Fields : std::size_t {
  field_rating,
  field_log_likelihood,
  field_iterations,
  field_players_rated,
  field_last_step
};

/// The ranking sheet of a result file, see docs/bt_uncertainty.md.
void tabulate(const ResultFile& file, TableFormat format, std::ostream& out);

}  // namespace banzuke::bt_uncertainty
