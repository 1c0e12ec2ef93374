#include "engine/models/bradley_terry/fit.hpp"

#include <algorithm>
#include <stdexcept>

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

/// Pairs whose logarithms are taken together.
constexpr std::size_t strip = 128;

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
  out.log_likelihood = log_likelihood(pairs, out.abilities);
  out.deviance = deviance(pairs, out.abilities);
  return out;
}

double log_likelihood(const PairData& pairs, std::span<const double> abilities) {
  check_lengths(pairs, abilities);
  double sum = 0;
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
      sum -= pairs.games(k) * softened[c] + upsets * size[c];
    }
  }
  return sum;
}

double deviance(const PairData& pairs, std::span<const double> abilities) {
  check_lengths(pairs, abilities);
  double sum = 0;
  double won[strip], lost[strip];  // relative to what is expected
  for (std::size_t begin = 0; begin < pairs.size(); begin += strip) {
    const std::size_t count = std::min(strip, pairs.size() - begin);
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t k = begin + c;
      const auto [p, q] = odds(abilities[pairs.first[k]] - abilities[pairs.second[k]]);
      won[c] = pairs.wins_first[k] > 0 ? pairs.wins_first[k] / (pairs.games(k) * p) : 1.0;
      lost[c] = pairs.wins_second[k] > 0 ? pairs.wins_second[k] / (pairs.games(k) * q) : 1.0;
    }
    for (std::size_t c = 0; c < count; ++c) won[c] = det_log(won[c]);
    for (std::size_t c = 0; c < count; ++c) lost[c] = det_log(lost[c]);
    for (std::size_t c = 0; c < count; ++c)
      sum += pairs.wins_first[begin + c] * won[c] + pairs.wins_second[begin + c] * lost[c];
  }
  return 2 * sum;
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
