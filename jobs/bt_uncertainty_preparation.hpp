#pragma once
#include <memory>

#include "engine/batch/job.hpp"
#include "jobs/bt_uncertainty_keys.hpp"

namespace banzuke::bt_uncertainty {

/// Reads the games and rates the players of every point, before anything is simulated.
std::unique_ptr<Preparation> prepare(Keys keys);

}  // namespace banzuke::bt_uncertainty
