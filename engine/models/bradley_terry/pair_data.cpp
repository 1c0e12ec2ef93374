#include "engine/models/bradley_terry/pair_data.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace banzuke::bradley_terry {
namespace {

/// New index of every kept player, in order.
std::vector<std::uint32_t> renumbered(std::span<const std::uint8_t> keep, std::uint32_t players) {
  if (keep.size() != players) throw std::invalid_argument("one entry of `keep` a player is needed");
  std::vector<std::uint32_t> index(players);
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < players; ++i) index[i] = keep[i] ? next++ : next;
  return index;
}

std::uint32_t kept(std::span<const std::uint8_t> keep) {
  return static_cast<std::uint32_t>(keep.size()) -
         static_cast<std::uint32_t>(std::count(keep.begin(), keep.end(), 0));
}

std::uint32_t first_maximum(const std::vector<double>& games) {
  return games.empty() ? 0
                       : static_cast<std::uint32_t>(std::max_element(games.begin(), games.end()) -
                                                    games.begin());
}

}  // namespace

PairData make_pair_data(std::uint32_t players, std::span<const PairResult> rows) {
  std::vector<PairResult> sorted(rows.begin(), rows.end());
  for (PairResult& row : sorted) {
    if (row.first >= players || row.second >= players)
      throw std::invalid_argument("a pair names a player out of range");
    if (row.first == row.second) throw std::invalid_argument("a player cannot meet itself");
    for (const double wins : {row.wins_first, row.wins_second})
      if (!(wins >= 0 && wins <= 4294967295.0) || std::floor(2 * wins) != 2 * wins)
        throw std::invalid_argument("wins must be multiples of a half from 0 up to 2^32");
    if (row.first > row.second) {
      std::swap(row.first, row.second);
      std::swap(row.wins_first, row.wins_second);
    }
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const PairResult& a, const PairResult& b) {
    return a.first != b.first ? a.first < b.first : a.second < b.second;
  });
  PairData out;
  out.players = players;
  for (std::size_t r = 0; r < sorted.size();) {
    PairResult sum = sorted[r];
    for (++r; r < sorted.size() && sorted[r].first == sum.first && sorted[r].second == sum.second;
         ++r) {
      sum.wins_first += sorted[r].wins_first;
      sum.wins_second += sorted[r].wins_second;
    }
    const double games = sum.wins_first + sum.wins_second;
    if (games == 0) continue;
    if (std::floor(games) != games || games > 4294967295.0)
      throw std::invalid_argument("a pair's number of games must be an integer below 2^32");
    out.first.push_back(sum.first);
    out.second.push_back(sum.second);
    out.wins_first.push_back(sum.wins_first);
    out.wins_second.push_back(sum.wins_second);
  }
  return out;
}

Schedule schedule_of(const PairData& pairs) {
  Schedule out{pairs.players, pairs.first, pairs.second, {}};
  out.games.reserve(pairs.size());
  for (std::size_t k = 0; k < pairs.size(); ++k)
    out.games.push_back(static_cast<std::uint32_t>(pairs.games(k)));
  return out;
}

PairData restricted(const PairData& pairs, std::span<const std::uint8_t> keep) {
  const auto index = renumbered(keep, pairs.players);
  PairData out;
  out.players = kept(keep);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (!keep[pairs.first[k]] || !keep[pairs.second[k]]) continue;
    out.first.push_back(index[pairs.first[k]]);
    out.second.push_back(index[pairs.second[k]]);
    out.wins_first.push_back(pairs.wins_first[k]);
    out.wins_second.push_back(pairs.wins_second[k]);
  }
  return out;
}

Schedule restricted(const Schedule& schedule, std::span<const std::uint8_t> keep) {
  const auto index = renumbered(keep, schedule.players);
  Schedule out;
  out.players = kept(keep);
  for (std::size_t k = 0; k < schedule.size(); ++k) {
    if (!keep[schedule.first[k]] || !keep[schedule.second[k]]) continue;
    out.first.push_back(index[schedule.first[k]]);
    out.second.push_back(index[schedule.second[k]]);
    out.games.push_back(schedule.games[k]);
  }
  return out;
}

std::vector<double> games_of_players(const PairData& pairs) {
  std::vector<double> games(pairs.players, 0.0);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    games[pairs.first[k]] += pairs.games(k);
    games[pairs.second[k]] += pairs.games(k);
  }
  return games;
}

std::vector<double> games_of_players(const Schedule& schedule) {
  std::vector<double> games(schedule.players, 0.0);
  for (std::size_t k = 0; k < schedule.size(); ++k) {
    games[schedule.first[k]] += schedule.games[k];
    games[schedule.second[k]] += schedule.games[k];
  }
  return games;
}

std::uint32_t player_with_most_games(const PairData& pairs) {
  return first_maximum(games_of_players(pairs));
}

std::uint32_t player_with_most_games(const Schedule& schedule) {
  return first_maximum(games_of_players(schedule));
}

}  // namespace banzuke::bradley_terry
