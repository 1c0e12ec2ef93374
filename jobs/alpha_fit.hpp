#pragma once
#include <cstddef>
#include <ostream>

#include "engine/batch/job.hpp"

namespace banzuke::alpha_fit {

/// Fields of a record, in the layout's order.
enum Fields : std::size_t {
  field_alpha,
  field_standard_error,
  field_wald_lower,
  field_wald_upper,
  field_profile_lower,
  field_profile_upper,
  field_second_alpha,
  field_log_likelihood,
  field_log_likelihood_at_infinity,
  field_second_log_likelihood,
  field_overdispersion,
  field_players,
  field_games,
  field_verdict,
  field_iterations,
  field_asymmetric_alpha,
  field_asymmetric_mean,
  field_asymmetric_standard_error,
  field_asymmetric_log_likelihood,
  field_asymmetric_verdict,
  field_symmetry_statistic
};

/// The table of a result file, see docs/alpha_fit.md.
void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out);

}  // namespace banzuke::alpha_fit
