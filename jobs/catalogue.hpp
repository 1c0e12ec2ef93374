#pragma once
#include "engine/batch/job.hpp"

namespace banzuke {

/// All jobs of the program: the one list.
const Catalogue& catalogue();

JobKind alpha_fit_job();
JobKind alpha_recovery_job();
JobKind discrete_posterior_job();
JobKind rank_posterior_job();
JobKind selfcheck_job();
JobKind bt_recovery_job();
JobKind bt_uncertainty_job();
JobKind reflection_sweep_job();

}  // namespace banzuke
