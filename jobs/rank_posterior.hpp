#pragma once
#include <cstddef>
#include <ostream>

#include "engine/batch/job.hpp"
#include "engine/models/dirichlet_multinomial/payoff.hpp"

namespace banzuke::rank_posterior {

/// Fields of a record, in the layout's order.
enum Fields : std::size_t {
  field_raw,
  field_adjusted,
  field_mean,
  field_standard_deviation,
  field_place
};

/// The payoffs of a set-up, in the order of the points.
std::vector<dirichlet_multinomial::Payoff> stored_payoffs(const Bundle& set_up);

/// The ranking of a result file, see docs/rank_posterior.md.
void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out);

}  // namespace banzuke::rank_posterior
