#include "engine/models/bradley_terry/replicate_state.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/replicate_season.hpp"

namespace banzuke::bradley_terry {
namespace {

/// Truths within this of the ground (natural-log units) leave room below the strengths' overflow.
constexpr double widest_narrow_truth = 300;
/// A factor that costs more than so many evaluations of the gradient gives way to iterations.
constexpr double most_evaluations = 50;

std::vector<BinomialLaw> laws_of(const Schedule& schedule, std::span<const double> truth) {
  std::vector<BinomialLaw> laws(schedule.size());
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const double d = truth[schedule.first[k]] - truth[schedule.second[k]];
    const double weak = det_exp(d < 0 ? d : -d);
    const double high = 1.0 / (1.0 + weak), low = weak * high;
    laws[k] = {schedule.games[k], d < 0 ? low : high, d < 0 ? high : low};
  }
  return laws;
}

double chance_weight(const BinomialLaw& law) {
  return static_cast<double>(law.n) * (law.p * law.q);
}

std::vector<std::uint8_t> certain_pairs(const BinomialSampler& sampler) {
  std::vector<std::uint8_t> certain(sampler.pairs());
  for (std::size_t k = 0; k < certain.size(); ++k)
    certain[k] = !sampler.can_be_zero(k) && !sampler.can_be_full(k);
  return certain;
}

const Schedule& checked(const Schedule& schedule, std::span<const double> truth,
                        const Anchor& anchor) {
  if (schedule.players < 2) throw std::invalid_argument("replicates need two players");
  if (truth.size() != schedule.players)
    throw std::invalid_argument("one true ability a player is needed");
  if (schedule.second.size() != schedule.size() || schedule.games.size() != schedule.size())
    throw std::invalid_argument("the schedule's arrays differ in length");
  for (std::size_t k = 0; k < schedule.size(); ++k)
    if (schedule.first[k] >= schedule.second[k] || schedule.second[k] >= schedule.players)
      throw std::invalid_argument("the schedule's pairs must be ordered players");
  for (const std::uint32_t games : schedule.games)
    if (games > std::uint32_t{std::numeric_limits<std::int32_t>::max()})
      throw std::invalid_argument("a pair has more than 2^31 - 1 games");
  for (const double ability : truth)
    if (!std::isfinite(ability)) throw std::invalid_argument("true abilities must be finite");
  if (anchor.player >= schedule.players) throw std::invalid_argument("the anchor is no player");
  return schedule;
}

/// The complete elimination where it is cheap; else none, in the order of ratings, the ground last.
Elimination elimination_of(const Schedule& schedule, std::span<const double> truth,
                           std::uint32_t ground, Fill fill) {
  if (fill == Fill::complete)
    return Elimination(schedule.players, schedule.first, schedule.second, ground);
  std::vector<std::uint32_t> order(schedule.players), position(schedule.players);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return (a == ground) != (b == ground) ? b == ground : truth[a] < truth[b];
  });
  for (std::uint32_t p = 0; p < schedule.players; ++p) position[order[p]] = p;
  return Elimination(schedule.players, schedule.first, schedule.second, position, fill);
}

}  // namespace

ReplicateKernel::State::State(const Schedule& schedule, std::span<const double> truth_abilities,
                              const Anchor& anchor_, const KernelOptions& options_)
    : anchor(anchor_),
      options(options_),
      newton(lane_kernel::functions_of(options.path, options.lanes)),
      fast(anderson_kernel::functions_of(options.path, options.lanes)),
      games(checked(schedule, truth_abilities, anchor).games),
      real_games(schedule.games.begin(), schedule.games.end()),
      fill(has_small_fill(schedule.players, schedule.first, schedule.second, anchor.player,
                          most_evaluations)
               ? Fill::complete
               : Fill::none),
      elimination(elimination_of(schedule, truth_abilities, anchor.player, fill)),
      shared(shared_view(elimination, real_games, degree)),
      laws(laws_of(schedule, truth_abilities)),
      sampler(laws, options.path),
      solvable(schedule, certain_pairs(sampler), anchor.player),
      truth(schedule.players),
      later_games(schedule.players, 0.0),
      saturated(games) {
  for (std::uint32_t i = 0; i < schedule.players; ++i)
    truth[elimination.position[i]] = truth_abilities[i] - truth_abilities[anchor.player];
  // The information at the truth depends on no result: its factor serves all replicates.
  std::vector<double> weights;
  for (const BinomialLaw& law : laws) weights.push_back(chance_weight(law));
  factor = factorise(elimination, weights);
  anderson.emplace(elimination, laws);
  shared.truth_entries = factor.entries.data();
  shared.truth_inverse = factor.inverse.data();
  shared.is_narrow = std::all_of(truth.begin(), truth.end(), [](double ability) {
    return std::abs(ability) <= widest_narrow_truth;
  });
  std::vector<double> total(players(), 0.0);
  for (std::size_t k = 0; k < laws.size(); ++k) {
    total[elimination.first[k]] += real_games[k];
    total[elimination.second[k]] += real_games[k];
    later_games[elimination.second[k]] += real_games[k];
    truth_log_likelihood += real_games[k] * det_log(laws[k].q);
  }
  sums_fit = *std::max_element(total.begin(), total.end()) < 0x1p31;
  if (sums_fit)
    ask_pilot();
  else
    is_hard = true;
}

void ReplicateKernel::State::ask_pilot() {
  constexpr std::uint64_t seed = 0x70696c6f74;
  const std::size_t size = fill == Fill::complete ? 64 : 16;
  const std::int32_t most = fill == Fill::complete ? 18 : 120;
  anderson->set_schedule(1, most);  // exact from the start
  std::vector<double> ratings(size * players()), log_likelihood(size);
  std::vector<std::int32_t> passes(size), rated(size);
  std::vector<ReplicateStatus> status(size);
  Season season(*this, size);
  season.play(seed, 0, 0, size, ~std::uint64_t{0} >> (64 - size));
  season.estimate({ratings, log_likelihood, passes, rated, status}, 0, 0);
  std::sort(passes.begin(), passes.end());
  const std::int32_t usual = passes[size - 1 - size / 16];
  is_hard = usual > most;
  anderson->set_schedule(usual, usual + usual / 2 + 2);
}

}  // namespace banzuke::bradley_terry
