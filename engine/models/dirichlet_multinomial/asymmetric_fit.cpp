#include "engine/models/dirichlet_multinomial/asymmetric_fit.hpp"

#include <algorithm>
#include <boost/math/special_functions/gamma.hpp>
#include <stdexcept>

#include "engine/base/elementary.hpp"
#include "engine/models/dirichlet_multinomial/likelihood.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
/// Beyond this Σ alpha the fit counts as infinite: a game more or less would move it further.
constexpr double largest_sum = 1e10;

double log_sum(const Tail& tail, double shift) {
  double sum = 0;
  for (std::size_t m = 0; m < tail.size() && tail[m] > 0; ++m) {
    sum += tail[m] * det_log(shift + static_cast<double>(m));
  }
  return sum;
}

/// The likelihood over the ranks that occur.
class Likelihood {
 public:
  Likelihood(std::size_t ranks, std::span<const std::uint32_t> counts) {
    std::vector<std::uint32_t> column(counts.size() / ranks);
    std::vector<std::uint32_t> games(column.size(), 0);
    for (std::size_t j = 0; j < ranks; ++j) {
      for (std::size_t i = 0; i < column.size(); ++i) {
        column[i] = counts[i * ranks + j];
        games[i] += column[i];
      }
      TailCounter counter;
      counter.add(column);
      Tail tail;
      counter.tail(tail);
      if (tail.empty()) continue;
      rank.push_back(j);
      ranks_total.push_back(total(tail));
      tails.push_back(std::move(tail));
    }
    TailCounter counter;
    counter.add(games);
    counter.tail(games_tail);
    games_total = total(games_tail);
  }

  std::size_t size() const { return rank.size(); }

  double value(const std::vector<double>& alpha) const {
    double sum = 0, sum_alpha = 0;
    for (std::size_t j = 0; j < size(); ++j) {
      sum += log_sum(tails[j], alpha[j]);
      sum_alpha += alpha[j];
    }
    return sum - log_sum(games_tail, sum_alpha);
  }

  /// L for alphas that grow without bound in the ratios of the ranks' totals.
  double at_infinity() const {
    double sum = 0;
    for (const double of_rank : ranks_total) sum += of_rank * det_log(of_rank / games_total);
    return sum;
  }

  std::vector<std::size_t> rank;  ///< those that occur
  std::vector<Tail> tails;
  std::vector<double> ranks_total;
  Tail games_tail;
  double games_total = 0;
};

/// Gradient and Hessian, diag(curvature) + weight p pᵀ, in the log alphas.
struct Local {
  std::vector<double> gradient, curvature, p;
  std::vector<double> risen;  ///< Σ C alpha/(alpha+m)
  double weight = 0;
  double games = 0;  ///< Σ T A/(A+m), A = Σ alpha

  Local(const Likelihood& data, const std::vector<double>& alpha) {
    double sum = 0;
    for (const double a : alpha) sum += a;
    const Score of_games = tail_score(data.games_tail, sum);
    games = data.games_total - of_games.first;
    weight = games + of_games.second;
    for (std::size_t j = 0; j < alpha.size(); ++j) {
      const Score of_rank = tail_score(data.tails[j], alpha[j]);
      p.push_back(alpha[j] / sum);
      risen.push_back(data.ranks_total[j] - of_rank.first);
      gradient.push_back(risen[j] - p[j] * games);
      curvature.push_back(-of_rank.second - p[j] * games);
    }
  }

  /// 1 + w pᵀ D⁻¹ p, positive when the Hessian is negative definite, given that D is.
  double determinant() const {
    double sum = 1;
    for (std::size_t j = 0; j < p.size(); ++j) sum += weight * p[j] * p[j] / curvature[j];
    return sum;
  }

  /// Makes the Hessian negative definite by changing no more than needed, so that Newton's step
  /// rises. True when nothing had to change.
  bool make_definite() {
    bool definite = true;
    for (std::size_t j = 0; j < p.size(); ++j) {
      if (curvature[j] < 0) continue;
      curvature[j] = -risen[j];
      definite = false;
    }
    constexpr double least = 1e-3;
    const double now = determinant();
    if (now > (definite ? 1e-14 : least)) return definite;
    weight *= (1 - least) / (1 - now);
    return false;
  }

  /// -H⁻¹ gradient by Sherman and Morrison.
  std::vector<double> newton_step() const {
    double projected = 0;
    for (std::size_t j = 0; j < p.size(); ++j) projected += p[j] * gradient[j] / curvature[j];
    const double scale = weight * projected / determinant();
    std::vector<double> step;
    for (std::size_t j = 0; j < p.size(); ++j) {
      step.push_back(-(gradient[j] - scale * p[j]) / curvature[j]);
    }
    return step;
  }
};

std::vector<double> moved(const std::vector<double>& alpha, const std::vector<double>& step,
                          double length) {
  std::vector<double> to(alpha.size());
  for (std::size_t j = 0; j < alpha.size(); ++j) {
    to[j] = alpha[j] * det_exp(std::clamp(length * step[j], -5.0, 5.0));
  }
  return to;
}

struct Ascent {
  std::vector<double> alpha;
  double log_likelihood = -infinity;
};

Ascent climb(const Likelihood& data, double sum, int& iterations) {
  Ascent at;
  for (const double of_rank : data.ranks_total) {
    at.alpha.push_back(sum * of_rank / data.games_total);
  }
  at.log_likelihood = data.value(at.alpha);
  for (int i = 0; i < 2000; ++i, ++iterations) {
    Local local(data, at.alpha);
    const bool definite = local.make_definite();
    const std::vector<double> step = local.newton_step();
    double largest = 0;
    for (const double s : step) largest = std::max(largest, s < 0 ? -s : s);
    if (definite && largest < 1e-4) {  // so near that L no longer resolves the gain
      at.alpha = moved(at.alpha, step, 1);
      if (largest < 1e-8) break;  // the next error is of the order of its square
      continue;
    }
    double length = 1;
    for (; length > 1e-10; length /= 2) {
      std::vector<double> to = moved(at.alpha, step, length);
      const double log_likelihood = data.value(to);
      if (log_likelihood > at.log_likelihood) {
        at = {std::move(to), log_likelihood};
        break;
      }
    }
    double new_sum = 0;
    for (const double a : at.alpha) new_sum += a;
    if (length <= 1e-10 || new_sum > largest_sum) break;  // no more can be gained
  }
  at.log_likelihood = data.value(at.alpha);
  return at;
}

void set_errors(const Likelihood& data, const std::vector<double>& alpha, AsymmetricFit& fit) {
  Local local(data, alpha);
  if (!local.make_definite()) return;
  for (std::size_t j = 0; j < alpha.size(); ++j) {
    const double d = local.curvature[j];
    const double variance =
        -1 / d + local.weight * local.p[j] * local.p[j] / (d * d) / local.determinant();
    fit.standard_error_log_alpha[data.rank[j]] = __builtin_sqrt(variance);
  }
}

}  // namespace

AsymmetricFit fit_asymmetric(int ranks, std::span<const std::uint32_t> counts) {
  const TailCounts symmetric = compress(ranks, counts);
  if (symmetric.games == 0) throw std::invalid_argument("a fit without games");
  const auto k = static_cast<std::size_t>(ranks);
  const Likelihood data(k, counts);
  AsymmetricFit fit;
  fit.mean.assign(k, 0.0);
  fit.alpha.assign(k, 0.0);
  fit.standard_error_log_alpha.assign(k, not_a_number);
  for (std::size_t j = 0; j < data.size(); ++j) {
    fit.mean[data.rank[j]] = data.ranks_total[j] / data.games_total;
  }
  fit.log_likelihood = data.at_infinity();
  if (symmetric.games_tail.size() < 2 || symmetric.games_tail[1] == 0) {
    fit.alpha.assign(k, not_a_number);
    return fit;
  }
  if (score_at_zero(symmetric) == 0) {
    fit.verdict = Verdict::zero;
    fit.log_likelihood = 0;
    for (std::size_t j = 0; j < data.size(); ++j) {
      const double share = data.tails[j][0] / data.games_tail[0];
      fit.mean[data.rank[j]] = share;
      fit.log_likelihood += data.tails[j][0] * det_log(share);
    }
    return fit;
  }

  const double moment = moment_alpha(symmetric);
  const double mean_games = data.games_total / symmetric.players;
  Ascent best;
  for (const double start : {moment > 0 ? ranks * moment : mean_games, 1.0, 10 * mean_games}) {
    Ascent ascent = climb(data, start, fit.iterations);
    if (ascent.log_likelihood > best.log_likelihood) best = std::move(ascent);
  }
  double sum = 0;
  for (const double a : best.alpha) sum += a;
  // L approaches its limit from above exactly when this is positive.
  double overdispersed = -first_moment(data.games_tail);
  for (std::size_t j = 0; j < data.size(); ++j) {
    overdispersed += first_moment(data.tails[j]) * data.games_total / data.ranks_total[j];
  }
  const bool finite =
      sum < largest_sum && (best.log_likelihood > fit.log_likelihood || overdispersed > 0);
  if (!finite) {
    fit.verdict = Verdict::infinite;
    for (const std::size_t j : data.rank) fit.alpha[j] = infinity;
    return fit;
  }
  fit.verdict = Verdict::finite;
  fit.log_likelihood = best.log_likelihood;
  for (std::size_t j = 0; j < data.size(); ++j) {
    fit.alpha[data.rank[j]] = best.alpha[j];
    fit.mean[data.rank[j]] = best.alpha[j] / sum;
  }
  set_errors(data, best.alpha, fit);
  return fit;
}

SymmetryTest test_symmetry(const SymmetricFit& symmetric, const AsymmetricFit& asymmetric) {
  SymmetryTest test;
  test.degrees_of_freedom = static_cast<int>(asymmetric.mean.size()) - 1;
  test.statistic = std::max(0.0, 2 * (asymmetric.log_likelihood - symmetric.log_likelihood));
  test.p_value = boost::math::gamma_q(0.5 * test.degrees_of_freedom, 0.5 * test.statistic);
  return test;
}

}  // namespace banzuke::dirichlet_multinomial
