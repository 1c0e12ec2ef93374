#include "jobs/catalogue.hpp"

namespace banzuke {

const Catalogue& catalogue() {
  static const Catalogue all{
      bt_uncertainty_job(),
      reflection_sweep_job(),
      selfcheck_job(),
  };
  return all;
}

}  // namespace banzuke
