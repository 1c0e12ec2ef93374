#include "engine/models/dirichlet_multinomial/likelihood.hpp"

#include <array>
#include <limits>

#include "engine/base/elementary.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

using Lanes = std::array<double, 8>;

constexpr Lanes first_indices{0, 1, 2, 3, 4, 5, 6, 7};

double sum(const Lanes& x) {
  return ((x[0] + x[4]) + (x[1] + x[5])) + ((x[2] + x[6]) + (x[3] + x[7]));
}

/// Σ_m W_m log(1 + m/scale).
double tail_log_sum(const Tail& tail, double scale) {
  Lanes acc{}, at = first_indices;
  const double inverse = 1 / scale;
  for (std::size_t m = 0; m < tail.size(); m += 8) {
    for (std::size_t l = 0; l < 8; ++l) {
      acc[l] += tail[m + l] * det_log1p(at[l] * inverse);
      at[l] += 8;
    }
  }
  return sum(acc);
}

}  // namespace

Score tail_score(const Tail& tail, double scale) {
  Lanes first{}, second{}, third{}, at = first_indices;
  const double* weight = tail.data();
  const std::size_t size = tail.size();
  for (std::size_t m = 0; m < size; m += 8) {
    for (std::size_t l = 0; l < 8; ++l) {
      const double r = at[l] / (scale + at[l]);
      const double w1 = weight[m + l] * r;
      const double w2 = w1 * (1 - r);
      first[l] += w1;
      second[l] += w2;
      third[l] += w2 * (1 - 2 * r);
      at[l] += 8;
    }
  }
  return {sum(first), -sum(second), sum(third)};
}

Score score(const TailCounts& counts, double alpha) {
  const Score games = tail_score(counts.games_tail, counts.ranks * alpha);
  const Score ranks = tail_score(counts.rank_tail, alpha);
  return {games.first - ranks.first, games.second - ranks.second, games.third - ranks.third};
}

double log_likelihood_excess(const TailCounts& counts, double alpha) {
  return tail_log_sum(counts.rank_tail, alpha) -
         tail_log_sum(counts.games_tail, counts.ranks * alpha);
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
