#include "engine/models/dirichlet_multinomial/symmetric_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "engine/base/elementary.hpp"
#include "engine/base/normal_quantile.hpp"
#include "engine/models/dirichlet_multinomial/likelihood.hpp"
#include "engine/models/dirichlet_multinomial/profile_interval.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Half the 95 % quantile of chi-squared with one degree of freedom: maxima this near to each other
/// compete, whatever the confidence of the intervals.
constexpr double competing_drop = 1.9207294103470620;

/// Root of the score in a bracket: Newton from `t`, halved where it would leave the bracket. `at`
/// is the score there: evaluated one step before, and carried over that step by Taylor's formula.
double solve(const TailCounts& counts, const RootBracket& bracket, double t, Score& at,
             int& evaluations) {
  double low = bracket.low, high = bracket.high;
  if (!(t > low && t < high)) t = 0.5 * (low + high);
  for (int i = 0; i < 200; ++i) {
    at = score(counts, det_exp(t));
    ++evaluations;
    ((at.first > 0) == bracket.is_maximum ? low : high) = t;
    double next = t - at.first / at.second;
    if (!(next >= low && next <= high)) next = 0.5 * (low + high);
    const double step = next - t;
    t = next;
    // Quadratic convergence: the error after this step is of the order of its square.
    if (step * step < 1e-16) {
      at.first += step * (at.second + 0.5 * step * at.third);
      at.second += step * at.third;
      break;
    }
  }
  return t;
}

struct Candidate {
  double t;
  double excess;
  double information;
};

/// Every player always in one rank: L = Σ_{m>0} T_m log((alpha+m)/(k alpha+m)) - T_0 log k falls
/// from -T_0 log k at alpha -> 0.
void fit_one_rank_each(const TailCounts& counts, double drop, SymmetricFit& fit) {
  fit.verdict = Verdict::zero;
  fit.alpha = 0;
  const double log_k = det_log(counts.ranks);
  const double excess = (counts.games - counts.games_tail[0]) * log_k;
  fit.log_likelihood = fit.log_likelihood_at_infinity + excess;
  const double level = excess - drop;
  fit.profile.lower = 0;
  fit.profile.upper = infinity;
  if (level <= 0) return;
  double low = 0, high = 0;  // of log alpha
  const auto above = [&](double t) {
    ++fit.iterations;
    return log_likelihood_excess(counts, det_exp(t)) >= level;
  };
  while (!above(low)) low -= 2;
  while (above(high)) high += 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = 0.5 * (low + high);
    (above(middle) ? low : high) = middle;
  }
  fit.profile.upper = det_exp(0.5 * (low + high));
}

std::vector<Mode> find_modes(const TailCounts& counts, const ScoreScan& scan, int& evaluations) {
  const double moment = moment_alpha(counts);
  const double start = moment > 0 ? det_log(moment) : 0.0;
  std::vector<Mode> modes;
  double left = -infinity;
  for (const RootBracket& root : scan.roots) {
    Score at;
    const double t = solve(counts, root, start, at, evaluations);
    if (root.is_maximum) {
      Mode mode;
      mode.t = t;
      mode.excess = log_likelihood_excess(counts, det_exp(t));
      mode.score = at;
      mode.left = left;
      modes.push_back(mode);
    } else {
      modes.back().right = t;
      left = t;
    }
  }
  return modes;
}

void choose(const std::vector<Mode>& modes, bool rises_to_infinity, double z, SymmetricFit& fit) {
  std::vector<Candidate> candidates;
  for (const Mode& mode : modes) {
    candidates.push_back({mode.t, mode.excess, -mode.score.second});
  }
  if (rises_to_infinity) candidates.push_back({infinity, 0.0, 0.0});
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.excess > b.excess; });
  const Candidate& best = candidates.front();
  fit.alpha = det_exp(best.t);
  fit.log_likelihood = fit.log_likelihood_at_infinity + best.excess;
  fit.verdict = best.t < infinity ? Verdict::finite : Verdict::infinite;
  if (best.t < infinity) {
    fit.standard_error_log_alpha = 1 / __builtin_sqrt(best.information);
    fit.wald.lower = det_exp(best.t - z * fit.standard_error_log_alpha);
    fit.wald.upper = det_exp(best.t + z * fit.standard_error_log_alpha);
  }
  if (candidates.size() < 2) return;
  fit.second_alpha = det_exp(candidates[1].t);
  fit.second_log_likelihood = fit.log_likelihood_at_infinity + candidates[1].excess;
  if (modes.size() > 1 || best.excess - candidates[1].excess <= competing_drop) {
    fit.verdict = Verdict::bimodal;
  }
}

}  // namespace

std::string_view name(Verdict verdict) {
  switch (verdict) {
    case Verdict::finite:
      return "finite";
    case Verdict::infinite:
      return "infinite";
    case Verdict::zero:
      return "zero";
    case Verdict::flat:
      return "flat";
    case Verdict::bimodal:
      return "bimodal";
  }
  throw std::invalid_argument("not a verdict");
}

SymmetricFit fit_symmetric(const TailCounts& counts, const FitOptions& options) {
  return fit_symmetric(counts, condense(counts.games_tail), options);
}

SymmetricFit fit_symmetric(const TailCounts& counts, const CondensedTail& games,
                           const FitOptions& options) {
  if (counts.ranks < 2) throw std::invalid_argument("a fit needs at least two ranks");
  if (!(options.confidence > 0 && options.confidence < 1)) {
    throw std::invalid_argument("a confidence lies between 0 and 1");
  }
  SymmetricFit fit;
  fit.ranks = counts.ranks;
  fit.players = counts.players;
  fit.games = counts.games;
  fit.overdispersion = overdispersion(counts);
  fit.log_likelihood_at_infinity = log_likelihood_at_infinity(counts);
  fit.log_likelihood = fit.log_likelihood_at_infinity;
  if (counts.games_tail.size() < 2 || counts.games_tail[1] == 0) return fit;

  const double z = normal_quantile(0.5 + 0.5 * options.confidence);
  const double drop = 0.5 * z * z;
  if (score_at_zero(counts) == 0) {
    fit_one_rank_each(counts, drop, fit);
    return fit;
  }
  const ScoreScan scan = scan_score(counts, condense(counts.rank_tail), games);
  const std::vector<Mode> modes = find_modes(counts, scan, fit.iterations);
  choose(modes, scan.rises_to_infinity, z, fit);

  const double level = fit.log_likelihood - fit.log_likelihood_at_infinity - drop;
  fit.profile.lower = det_exp(lower_crossing(counts, modes, level, fit.iterations));
  fit.profile.upper = det_exp(upper_crossing(counts, modes, level, fit.iterations));
  return fit;
}

std::string sentence(const SymmetricFit& fit) {
  const std::string who = fit.players == 1 ? "one player" : fmt::format("{} players", fit.players);
  const double above = fit.log_likelihood - fit.log_likelihood_at_infinity;
  const double to_second = fit.log_likelihood - fit.second_log_likelihood;
  const auto place = [](double alpha) {
    return alpha < infinity ? fmt::format("alpha = {:.6g}", alpha) : std::string("infinity");
  };
  switch (fit.verdict) {
    case Verdict::flat:
      return fmt::format(
          "no estimate: none of {} has two games, and single games say nothing "
          "about alpha",
          who);
    case Verdict::zero:
      return fmt::format("alpha tends to 0: each of {} was always in one rank", who);
    case Verdict::infinite: {
      std::string text = fmt::format(
          "no finite estimate: the ranks of {} differ no more than chance makes them", who);
      if (fit.second_alpha < infinity) {
        text += fmt::format("; a lower maximum at {} has a log-likelihood {:.3g} below",
                            place(fit.second_alpha), to_second);
      }
      return text;
    }
    case Verdict::bimodal:
      return fmt::format(
          "two maxima: {}, and {} with a log-likelihood {:.3g} lower; the interval "
          "may cover a gap between them",
          place(fit.alpha), place(fit.second_alpha), to_second);
    case Verdict::finite:
      break;
  }
  std::string text = fmt::format(
      "one maximum, {:.3g} above the log-likelihood of equal skill, "
      "from {}",
      above, who);
  if (fit.second_alpha == infinity) {
    text +=
        fmt::format("; the likelihood rises again towards infinity, to {:.3g} below", to_second);
  }
  return text;
}

}  // namespace banzuke::dirichlet_multinomial
