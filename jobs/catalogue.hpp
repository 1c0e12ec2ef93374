#pragma once
#include "engine/batch/job.hpp"

namespace banzuke {

/// All jobs of the program: the one list.
const Catalogue& catalogue();

JobKind selfcheck_job();
JobKind bt_recovery_job();
JobKind bt_uncertainty_job();

}  // namespace banzuke
