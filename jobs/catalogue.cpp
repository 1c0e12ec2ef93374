#include "jobs/catalogue.hpp"

namespace banzuke {

const Catalogue& catalogue() {
  static const Catalogue all{
      alpha_fit_job(),          alpha_recovery_job(), bt_recovery_job(),      bt_uncertainty_job(),
      discrete_posterior_job(), rank_posterior_job(), reflection_sweep_job(), selfcheck_job(),
  };
  return all;
}

}  // namespace banzuke
