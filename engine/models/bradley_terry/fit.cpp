#include "engine/models/bradley_terry/fit.hpp"

#include <algorithm>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/conjugate_gradients.hpp"
#include "engine/models/bradley_terry/elimination.hpp"
#include "engine/models/bradley_terry/lane_workspace.hpp"

namespace banzuke::bradley_terry {
namespace {

/// Winning probabilities of a pair's players at ability difference d.
struct Odds {
  double p, q;
};
Odds odds(double d) {
  const double weak = det_exp(d < 0 ? d : -d);
  const double high = 1.0 / (1.0 + weak);
  return d < 0 ? Odds{weak * high, high} : Odds{high, weak * high};
}

/// Calls `use`(pair, minus its log-likelihood) for every pair.
template <class Use>
void for_each_loss(const PairData& pairs, std::span<const double> abilities, const Use& use) {
  constexpr std::size_t strip = 128;  // pairs whose logarithms are taken together
  double size[strip], softened[strip];
  for (std::size_t begin = 0; begin < pairs.size(); begin += strip) {
    const std::size_t count = std::min(strip, pairs.size() - begin);
    for (std::size_t c = 0; c < count; ++c) {
      const double d = abilities[pairs.first[begin + c]] - abilities[pairs.second[begin + c]];
      size[c] = d < 0 ? -d : d;
    }
    for (std::size_t c = 0; c < count; ++c) softened[c] = det_log1p(det_exp(-size[c]));
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t k = begin + c;
      const bool is_weaker = abilities[pairs.first[k]] < abilities[pairs.second[k]];
      const double upsets = is_weaker ? pairs.wins_first[k] : pairs.wins_second[k];
      use(k, pairs.games(k) * softened[c] + upsets * size[c]);
    }
  }
}

/// x ln x of wins, from a table where they are few.
class Entropies {
 public:
  explicit Entropies(const PairData& pairs)
      : table_(std::min<std::size_t>(4096, 64 + pairs.size() / 4)) {
    for (std::size_t i = 1; i < table_.size(); ++i)
      table_[i] = direct(0.5 * static_cast<double>(i));
  }
  /// The largest log-likelihood of the pair alone: w ln(w / n) + l ln(l / n).
  double saturated(const PairData& pairs, std::size_t k) const {
    return of(pairs.wins_first[k]) + of(pairs.wins_second[k]) - of(pairs.games(k));
  }

 private:
  static double direct(double x) { return x * det_log(x); }
  double of(double wins) const {
    const double twice = 2 * wins;
    return twice < static_cast<double>(table_.size()) ? table_[static_cast<std::size_t>(twice)]
                                                      : direct(wins);
  }
  std::vector<double> table_;
};

/// Log-likelihood and deviance.
std::pair<double, double> likelihoods(const PairData& pairs, std::span<const double> abilities) {
  const Entropies entropies(pairs);
  double fitted = 0, distance = 0;
  for_each_loss(pairs, abilities, [&](std::size_t k, double loss) {
    fitted -= loss;
    distance += entropies.saturated(pairs, k) + loss;
  });
  return {fitted, 2 * distance};
}

void check_lengths(const PairData& pairs, std::span<const double> abilities) {
  if (abilities.size() != pairs.players)
    throw std::invalid_argument("one ability a player is needed");
}

Fit fit_by_elimination(const PairData& pairs, std::uint32_t ground, std::span<const double> start) {
  std::vector<double> games(pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k) games[k] = pairs.games(k);
  const Elimination elimination(pairs.players, pairs.first, pairs.second, ground);
  std::vector<std::uint32_t> degree;
  const lane_kernel::Shared shared = shared_view(elimination, games, degree);
  const LaneWorkspace workspace(elimination, 1);
  const lane_kernel::Lanes& lane = workspace.lanes();
  for (std::uint32_t i = 0; i < pairs.players; ++i)
    lane.abilities[elimination.position[i]] = start[i];
  std::copy(pairs.wins_first.begin(), pairs.wins_first.end(), lane.wins_first);
  std::copy(pairs.wins_second.begin(), pairs.wins_second.end(), lane.wins_second);
  lane_kernel::functions_of(CpuPath::portable, 1).estimate(shared, lane);

  Fit out;
  for (std::uint32_t i = 0; i < pairs.players; ++i)
    out.abilities.push_back(lane.abilities[elimination.position[i]]);
  out.max_gradient = *lane.last_gradient;
  out.max_step = *lane.last_step;
  out.iterations = *lane.iterations;
  out.status = *lane.status == lane_kernel::LaneStatus::ok               ? FitStatus::ok
               : *lane.status == lane_kernel::LaneStatus::rounding_floor ? FitStatus::rounding_floor
                                                                         : FitStatus::not_converged;
  return out;
}

Fit fit_by_conjugate_gradients(const PairData& pairs, std::uint32_t ground,
                               std::span<const double> start) {
  const ConjugateGradients::Estimate estimate =
      ConjugateGradients(pairs.players, pairs.first, pairs.second)
          .fit(pairs.wins_first, pairs.wins_second, start);
  Fit out;
  out.abilities = estimate.abilities;
  for (double& ability : out.abilities) ability -= estimate.abilities[ground];
  out.max_gradient = estimate.max_gradient;
  out.max_step = estimate.max_step;
  out.iterations = estimate.iterations;
  out.status = estimate.status;
  return out;
}

}  // namespace

Fit fit(const PairData& pairs, std::uint32_t ground) {
  if (pairs.players < 2 || ground >= pairs.players)
    throw std::invalid_argument("a fit needs two players and a ground among them");
  if (rated_component(pairs, ground).rated != pairs.players)
    throw std::invalid_argument("the win graph is not strongly connected: no maximum exists");

  std::vector<double> won(pairs.players, 0.5), lost(pairs.players, 0.5), start;
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    won[pairs.first[k]] += pairs.wins_first[k];
    lost[pairs.first[k]] += pairs.wins_second[k];
    won[pairs.second[k]] += pairs.wins_second[k];
    lost[pairs.second[k]] += pairs.wins_first[k];
  }
  for (std::uint32_t i = 0; i < pairs.players; ++i)
    start.push_back(det_log(won[i] / lost[i]) - det_log(won[ground] / lost[ground]));
  Fit out;
  // Where players meet many others a factor fills in; where few, iterations are slow.
  if (static_cast<double>(pairs.size()) >= 6.0 * pairs.players)
    out = fit_by_conjugate_gradients(pairs, ground, start);
  if (out.status == FitStatus::not_converged) out = fit_by_elimination(pairs, ground, start);
  std::tie(out.log_likelihood, out.deviance) = likelihoods(pairs, out.abilities);
  return out;
}

double log_likelihood(const PairData& pairs, std::span<const double> abilities) {
  check_lengths(pairs, abilities);
  double sum = 0;
  for_each_loss(pairs, abilities, [&](std::size_t, double loss) { sum -= loss; });
  return sum;
}

double deviance(const PairData& pairs, std::span<const double> abilities) {
  check_lengths(pairs, abilities);
  return likelihoods(pairs, abilities).second;
}

std::vector<double> gradient(const PairData& pairs, std::span<const double> abilities) {
  check_lengths(pairs, abilities);
  std::vector<double> out(pairs.players, 0.0);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    const auto [p, q] = odds(abilities[pairs.first[k]] - abilities[pairs.second[k]]);
    const double flow = pairs.wins_first[k] * q - pairs.wins_second[k] * p;
    out[pairs.first[k]] += flow;
    out[pairs.second[k]] -= flow;
  }
  return out;
}

}  // namespace banzuke::bradley_terry
