#pragma once
#include <cstddef>
#include <ostream>

#include "engine/batch/job.hpp"

namespace banzuke::alpha_recovery {

/// Fields of a record, in the layout's order.
enum Fields : std::size_t {
  field_alpha,
  field_standard_error,
  field_wald_lower,
  field_wald_upper,
  field_profile_lower,
  field_profile_upper,
  field_log_likelihood,
  field_log_likelihood_at_infinity,
  field_games,
  field_players,
  field_iterations,
  field_verdict
};

/// The summary of a result file, see docs/alpha_recovery.md.
void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out);

}  // namespace banzuke::alpha_recovery
