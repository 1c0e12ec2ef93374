#include "engine/models/bradley_terry/reference_advice.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/fisher_errors.hpp"

namespace banzuke::bradley_terry {
namespace {

/// A few eliminations of this size take a second.
constexpr double most_work = 1e8;
constexpr double most_isolation = 1e-6;
constexpr double lowest_rank = 0.25, highest_rank = 0.75;

/// Everybody's figures but the errors.
std::vector<Reference> players_of(const Schedule& schedule, std::span<const double> abilities) {
  const std::uint32_t n = schedule.players;
  std::vector<Reference> out(n);
  std::vector<double> log_loses_all(n, 0.0), log_wins_all(n, 0.0);
  for (std::size_t k = 0; k < schedule.size(); ++k) {
    const std::uint32_t i = schedule.first[k], j = schedule.second[k];
    const double games = schedule.games[k], d = abilities[i] - abilities[j];
    // ln q and ln p of the first player.
    const double softened = det_log1p(det_exp(d < 0 ? d : -d));
    const double log_q = -softened - (d > 0 ? d : 0), log_p = -softened + (d < 0 ? d : 0);
    log_loses_all[i] += games * log_q;
    log_wins_all[i] += games * log_p;
    log_loses_all[j] += games * log_p;
    log_wins_all[j] += games * log_q;
    for (const std::uint32_t player : {i, j}) {
      out[player].games += games;
      ++out[player].opponents;
    }
  }
  std::vector<double> sorted(abilities.begin(), abilities.end());
  std::sort(sorted.begin(), sorted.end());
  for (std::uint32_t i = 0; i < n; ++i) {
    out[i].player = i;
    const auto below = std::lower_bound(sorted.begin(), sorted.end(), abilities[i]);
    out[i].rank = n > 1 ? static_cast<double>(below - sorted.begin()) / (n - 1) : 0.0;
    out[i].isolation = std::min(1.0, det_exp(log_loses_all[i]) + det_exp(log_wins_all[i]));
  }
  return out;
}

double median_of_others(const std::vector<double>& errors, std::uint32_t player) {
  std::vector<double> others = errors;
  others.erase(others.begin() + player);
  std::sort(others.begin(), others.end());
  const std::size_t half = others.size() / 2;
  return others.size() % 2 == 1 ? others[half] : 0.5 * (others[half - 1] + others[half]);
}

}  // namespace

ReferenceAdvice advise_reference(const Schedule& schedule, std::span<const double> abilities,
                                 std::uint32_t chosen, std::size_t count) {
  const std::uint32_t n = schedule.players;
  if (n < 2 || chosen >= n || abilities.size() != n)
    throw std::invalid_argument("advice needs two players, their abilities and a chosen one");
  const FisherErrors errors(schedule, abilities, most_work);
  const std::vector<double> from_mean = errors.relative_to({chosen, true}).value;
  double total = 0;
  for (const double error : from_mean) total += error * error;
  std::vector<Reference> players = players_of(schedule, abilities);
  for (std::uint32_t i = 0; i < n; ++i)
    players[i].mean_error = std::sqrt((total + n * from_mean[i] * from_mean[i]) / (n - 1));

  ReferenceAdvice out;
  out.is_estimate = errors.is_estimate();
  std::copy_if(players.begin(), players.end(), std::back_inserter(out.best),
               [](const Reference& player) {
                 return player.rank >= lowest_rank && player.rank <= highest_rank &&
                        player.isolation < most_isolation;
               });
  if (out.best.empty()) out.best = players;
  std::stable_sort(out.best.begin(), out.best.end(), [](const Reference& a, const Reference& b) {
    return a.mean_error < b.mean_error;
  });
  out.best.resize(std::min(out.best.size(), std::max<std::size_t>(1, count)));
  out.chosen = players[chosen];
  const auto set_median = [&](Reference& player) {
    player.median_error =
        median_of_others(errors.relative_to({player.player, false}).value, player.player);
  };
  for (Reference& player : out.best) set_median(player);
  set_median(out.chosen);
  out.ratio = out.chosen.median_error / out.best.front().median_error;
  return out;
}

}  // namespace banzuke::bradley_terry
