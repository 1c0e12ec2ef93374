#include "engine/models/dirichlet_multinomial/fit_summary.hpp"

namespace banzuke::dirichlet_multinomial {

FitSummary summarise_fit(int ranks, std::span<const std::uint32_t> counts,
                         const FitOptions& options) {
  constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
  FitSummary out;
  out.symmetric = fit_symmetric(compress(ranks, counts), options);
  if (out.symmetric.games > 0) {
    out.asymmetric = fit_asymmetric(ranks, counts);
  } else {
    const std::vector<double> unknown(static_cast<std::size_t>(ranks), not_a_number);
    out.asymmetric = {Verdict::flat, unknown, unknown, unknown, 0.0, 0};
  }
  out.symmetry = test_symmetry(out.symmetric, out.asymmetric);
  if (out.symmetric.verdict == Verdict::flat) out.symmetry.p_value = not_a_number;
  return out;
}

}  // namespace banzuke::dirichlet_multinomial
