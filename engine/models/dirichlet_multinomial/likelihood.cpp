#include "engine/models/dirichlet_multinomial/likelihood.hpp"

#include <limits>

#include "engine/base/elementary.hpp"
#include "engine/models/dirichlet_multinomial/tail_kernel.hpp"

namespace banzuke::dirichlet_multinomial {
Score tail_score(const Tail& tail, double scale) {
  const auto sums = tail_kernel::best_kernel().score(tail.data(), tail.size(), scale);
  return {sums.first, -sums.second, sums.third};
}

Score score(const TailCounts& counts, double alpha) {
  const Score games = tail_score(counts.games_tail, counts.ranks * alpha);
  const Score ranks = tail_score(counts.rank_tail, alpha);
  return {games.first - ranks.first, games.second - ranks.second, games.third - ranks.third};
}

double log_likelihood_excess(const TailCounts& counts, double alpha) {
  const auto log_sum = tail_kernel::best_kernel().log_sum;
  const Tail& ranks = counts.rank_tail;
  const Tail& games = counts.games_tail;
  return log_sum(ranks.data(), ranks.size(), alpha) -
         log_sum(games.data(), games.size(), counts.ranks * alpha);
}

double log_likelihood_at_infinity(const TailCounts& counts) {
  return -counts.games * det_log(counts.ranks);
}

double score_at_zero(const TailCounts& counts) {
  return counts.games_tail.empty() ? 0.0 : counts.rank_tail[0] - counts.games_tail[0];
}

double overdispersion(const TailCounts& counts) {
  return 2 * (counts.ranks * first_moment(counts.rank_tail) - first_moment(counts.games_tail));
}

double moment_alpha(const TailCounts& counts) {
  const double ratio = first_moment(counts.rank_tail) / first_moment(counts.games_tail);
  const double alpha = (1 - ratio) / (counts.ranks * ratio - 1);
  return alpha > 0 && alpha < std::numeric_limits<double>::infinity()
             ? alpha
             : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace banzuke::dirichlet_multinomial
