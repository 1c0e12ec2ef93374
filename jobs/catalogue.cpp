#include "jobs/catalogue.hpp"

namespace banzuke {

const Catalogue& catalogue() {
  static const Catalogue all{
      bt_recovery_job(),
      bt_uncertainty_job(),
      selfcheck_job(),
  };
  return all;
}

}  // namespace banzuke
