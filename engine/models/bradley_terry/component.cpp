#include "engine/models/bradley_terry/component.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace banzuke::bradley_terry {
namespace {

/// How a player stands to an opponent, as bits.
constexpr std::uint8_t met = 1, won = 2, lost = 4;

/// Neighbours in compressed rows: both directions of every pair.
struct Graph {
  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> to;
  std::vector<std::uint8_t> bits;

  /// `bits_of(pair)` is that of the pair's first player.
  template <class Pairs, class Bits>
  Graph(const Pairs& pairs, const Bits& bits_of)
      : begin(pairs.players + std::size_t{1}, 0), to(2 * pairs.size()), bits(2 * pairs.size()) {
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      ++begin[pairs.first[k] + std::size_t{1}];
      ++begin[pairs.second[k] + std::size_t{1}];
    }
    for (std::uint32_t i = 0; i < pairs.players; ++i) begin[i + 1] += begin[i];
    std::vector<std::size_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const std::uint8_t of_first = bits_of(k);
      const std::uint8_t swapped = static_cast<std::uint8_t>(met | (of_first & won ? lost : 0) |
                                                             (of_first & lost ? won : 0));
      const std::size_t a = next[pairs.first[k]]++, b = next[pairs.second[k]]++;
      to[a] = pairs.second[k];
      bits[a] = of_first;
      to[b] = pairs.first[k];
      bits[b] = swapped;
    }
  }
};

/// Who is reached from `start` along edges with the bit.
std::vector<std::uint8_t> reached_from(const Graph& graph, std::uint32_t start, std::uint8_t bit) {
  std::vector<std::uint8_t> seen(graph.begin.size() - 1, 0);
  if (start >= seen.size()) throw std::out_of_range("the anchor is no player");
  std::vector<std::uint32_t> open{start};
  seen[start] = 1;
  while (!open.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    for (std::size_t e = graph.begin[i]; e < graph.begin[i + 1]; ++e) {
      if (!(graph.bits[e] & bit) || seen[graph.to[e]]) continue;
      seen[graph.to[e]] = 1;
      open.push_back(graph.to[e]);
    }
  }
  return seen;
}

}  // namespace

std::string_view describe(Standing standing) {
  switch (standing) {
    case Standing::rated:
      return "rated";
    case Standing::not_connected:
      return "not connected by any chain of games";
    case Standing::never_won:
      return "never won a game";
    case Standing::never_lost:
      return "never lost a game";
    case Standing::group_only_won:
      return "in a group that only won against the others";
    case Standing::group_only_lost:
      return "in a group that only lost against the others";
    case Standing::not_comparable:
      return "no chain of wins leads to the rated players or back";
  }
  return "unknown";
}

std::vector<std::uint8_t> Component::keep() const {
  std::vector<std::uint8_t> out(standing.size());
  std::transform(standing.begin(), standing.end(), out.begin(), [](Standing s) {
    return static_cast<std::uint8_t>(s == Standing::rated ? 1 : 0);
  });
  return out;
}

Component rated_component(const PairData& pairs, std::uint32_t anchor) {
  const Graph graph(pairs, [&](std::size_t k) {
    return static_cast<std::uint8_t>(met | (pairs.wins_first[k] > 0 ? won : 0) |
                                     (pairs.wins_second[k] > 0 ? lost : 0));
  });
  // The component is what the anchor reaches along wins and along losses.
  const auto below = reached_from(graph, anchor, won);
  const auto above = reached_from(graph, anchor, lost);
  Component out{anchor, 0, std::vector<Standing>(pairs.players, Standing::rated)};
  for (std::uint32_t i = 0; i < pairs.players; ++i) out.rated += below[i] && above[i];
  if (out.rated == pairs.players) return out;
  const auto connected = reached_from(graph, anchor, met);
  std::vector<std::uint8_t> seen(pairs.players, 0);  // bits of all a player's pairs
  for (std::uint32_t i = 0; i < pairs.players; ++i)
    for (std::size_t e = graph.begin[i]; e < graph.begin[i + 1]; ++e) seen[i] |= graph.bits[e];
  for (std::uint32_t i = 0; i < pairs.players; ++i) {
    Standing& standing = out.standing[i];
    if (below[i] && above[i]) continue;
    if (!connected[i]) {
      standing = Standing::not_connected;
    } else if (!(seen[i] & won)) {
      standing = Standing::never_won;
    } else if (!(seen[i] & lost)) {
      standing = Standing::never_lost;
    } else if (above[i]) {
      standing = Standing::group_only_won;
    } else if (below[i]) {
      standing = Standing::group_only_lost;
    } else {
      standing = Standing::not_comparable;
    }
  }
  return out;
}

Component scheduled_component(const Schedule& schedule, std::uint32_t anchor) {
  const auto connected =
      reached_from(Graph(schedule, [](std::size_t) { return met; }), anchor, met);
  Component out{anchor, 0, std::vector<Standing>(schedule.players)};
  for (std::uint32_t i = 0; i < schedule.players; ++i) {
    out.standing[i] = connected[i] ? Standing::rated : Standing::not_connected;
    out.rated += connected[i];
  }
  return out;
}

}  // namespace banzuke::bradley_terry
