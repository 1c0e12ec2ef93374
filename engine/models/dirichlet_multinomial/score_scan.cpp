#include "engine/models/dirichlet_multinomial/score_scan.hpp"

#include <algorithm>

#include "engine/base/elementary.hpp"
#include "engine/models/dirichlet_multinomial/likelihood.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

constexpr std::size_t singles = 16;
constexpr double step = 0.25;

/// For a bin of relative width w, the remainder of the two-point rule for m/(s+m) is at most
/// w^4/64 W r (1-r) r³ ≤ 6.2e-5 W r (1-r); the factor up to 2e-4 allows for r at the bin's nodes.
constexpr double relative_error = 2e-4;

void add_bin(CondensedTail& out, const Tail& tail, std::size_t begin, std::size_t end) {
  const double centre = 0.5 * static_cast<double>(begin + end - 1);
  double w0 = 0, w1 = 0, w2 = 0, w3 = 0;
  double x = static_cast<double>(begin) - centre;
  for (std::size_t m = begin; m < end; ++m, x += 1) {
    const double a = tail[m], b = a * x, c = b * x;
    w0 += a;
    w1 += b;
    w2 += c;
    w3 += c * x;
  }
  if (w0 <= 0) return;
  out.first_moment += centre * w0 + w1;
  out.second_moment += centre * centre * w0 + 2 * centre * w1 + w2;
  const double mean = w1 / w0;
  const double variance = w2 / w0 - mean * mean;
  if (!(variance > 1e-9 * (1 + mean * mean))) {
    out.at.push_back(centre + mean);
    out.weight.push_back(w0);
    return;
  }
  const double third = w3 / w0 - mean * (3 * w2 / w0 - 2 * mean * mean);
  const double skew = third / variance;
  const double root = __builtin_sqrt(skew * skew + 4 * variance);
  const double left = 0.5 * (skew - root), right = 0.5 * (skew + root);
  const double of_right = -left / root * w0;
  out.at.push_back(centre + mean + left);
  out.weight.push_back(w0 - of_right);
  out.at.push_back(centre + mean + right);
  out.weight.push_back(of_right);
}

/// Adds sign * Σ W r and Σ W r (1-r).
void add_sums(const CondensedTail& tail, double scale, double sign, double& sum, double& spread) {
  for (std::size_t i = 0; i < tail.at.size(); ++i) {
    const double r = tail.at[i] / (scale + tail.at[i]);
    const double w = tail.weight[i] * r;
    sum += sign * w;
    spread += w * (1 - r);
  }
}

double inverse_moment(const CondensedTail& tail) {
  double sum = 0;
  for (std::size_t i = 0; i < tail.at.size(); ++i) {
    if (tail.at[i] >= 1) sum += tail.weight[i] / tail.at[i];
  }
  return sum;
}

}  // namespace

CondensedTail condense(const Tail& tail) {
  CondensedTail out;
  const std::size_t first = std::min(singles, tail.size());
  for (std::size_t m = 0; m < first; ++m) {
    const auto at = static_cast<double>(m);
    out.at.push_back(at);
    out.weight.push_back(tail[m]);
    out.first_moment += at * tail[m];
    out.second_moment += at * at * tail[m];
  }
  for (std::size_t begin = singles; begin < tail.size();) {
    const std::size_t end = std::min(begin + begin / 4, tail.size());
    add_bin(out, tail, begin, end);
    begin = end;
  }
  return out;
}

ScoreScan scan_score(const TailCounts& counts, const CondensedTail& ranks,
                     const CondensedTail& games) {
  const double k = counts.ranks;
  const auto sign_at = [&](double t) {
    const double alpha = det_exp(t);
    double sum = 0, spread = 0;
    add_sums(games, k * alpha, 1, sum, spread);
    add_sums(ranks, alpha, -1, sum, spread);
    if (sum > relative_error * spread) return 1;
    if (sum < -relative_error * spread) return -1;
    return score(counts, alpha).first > 0 ? 1 : -1;
  };

  const double ranks_second = ranks.second_moment;
  const double games_second = games.second_moment / (k * k);
  const auto size =
      static_cast<double>(std::max(counts.games_tail.size(), counts.rank_tail.size()));
  double leading = -overdispersion(counts) / (2 * k);
  double remainder = std::max(ranks_second, games_second);
  if (leading == 0) {  // then the next order decides
    leading = ranks_second - games_second;
    remainder *= size;
  }
  const double lowest = 0.5 * score_at_zero(counts) / (k * inverse_moment(games));
  double highest = std::max(2 * lowest, 1e3 * size);
  ScoreScan scan;
  if (leading != 0) {
    highest = std::max(highest, 2 * remainder / (leading > 0 ? leading : -leading));
    scan.rises_to_infinity = leading > 0;
  } else {
    scan.rises_to_infinity = score(counts, highest).first > 0;
  }

  double t = det_log(lowest);
  const double end = det_log(highest);
  bool rising = true;
  while (t < end) {
    const double next = std::min(t + step, end);
    const bool rises_next = next < end ? sign_at(next) > 0 : scan.rises_to_infinity;
    if (rises_next != rising) scan.roots.push_back({t, next, rising});
    rising = rises_next;
    t = next;
  }
  return scan;
}

}  // namespace banzuke::dirichlet_multinomial
