#include "engine/models/bradley_terry/component.hpp"

#include <algorithm>
#include <cstddef>
#include <stdexcept>

namespace banzuke::bradley_terry {
namespace {

/// Neighbours in compressed rows.
struct Graph {
  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> to;
};

/// `edges(visit)` calls visit(from, to) for every edge, in the same order each time.
template <class Edges>
Graph make_graph(std::uint32_t players, const Edges& edges) {
  Graph graph;
  graph.begin.assign(std::size_t{players} + 1, 0);
  edges([&](std::uint32_t from, std::uint32_t) { ++graph.begin[from + 1]; });
  for (std::uint32_t i = 0; i < players; ++i) graph.begin[i + 1] += graph.begin[i];
  graph.to.resize(graph.begin[players]);
  std::vector<std::size_t> next(graph.begin.begin(), graph.begin.end() - 1);
  edges([&](std::uint32_t from, std::uint32_t to) { graph.to[next[from]++] = to; });
  return graph;
}

std::vector<std::uint8_t> reached_from(const Graph& graph, std::uint32_t start) {
  std::vector<std::uint8_t> seen(graph.begin.size() - 1, 0);
  std::vector<std::uint32_t> open{start};
  seen[start] = 1;
  while (!open.empty()) {
    const std::uint32_t i = open.back();
    open.pop_back();
    for (std::size_t e = graph.begin[i]; e < graph.begin[i + 1]; ++e) {
      if (seen[graph.to[e]]) continue;
      seen[graph.to[e]] = 1;
      open.push_back(graph.to[e]);
    }
  }
  return seen;
}

template <class Pairs>
std::vector<std::uint8_t> connected_to(const Pairs& pairs, std::uint32_t anchor) {
  if (anchor >= pairs.players) throw std::out_of_range("the anchor is no player");
  return reached_from(make_graph(pairs.players,
                                 [&](const auto& visit) {
                                   for (std::size_t k = 0; k < pairs.size(); ++k) {
                                     visit(pairs.first[k], pairs.second[k]);
                                     visit(pairs.second[k], pairs.first[k]);
                                   }
                                 }),
                      anchor);
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
  const auto connected = connected_to(pairs, anchor);
  const auto edges = [&](bool reverse) {
    return [&pairs, reverse](const auto& visit) {
      for (std::size_t k = 0; k < pairs.size(); ++k) {
        const std::uint32_t i = pairs.first[k], j = pairs.second[k];
        if (pairs.wins_first[k] > 0) reverse ? visit(j, i) : visit(i, j);
        if (pairs.wins_second[k] > 0) reverse ? visit(i, j) : visit(j, i);
      }
    };
  };
  // The component is what the anchor reaches along wins and along losses.
  const auto below = reached_from(make_graph(pairs.players, edges(false)), anchor);
  const auto above = reached_from(make_graph(pairs.players, edges(true)), anchor);
  std::vector<std::uint8_t> won(pairs.players, 0), lost(pairs.players, 0);
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (pairs.wins_first[k] > 0) won[pairs.first[k]] = lost[pairs.second[k]] = 1;
    if (pairs.wins_second[k] > 0) won[pairs.second[k]] = lost[pairs.first[k]] = 1;
  }
  Component out{anchor, 0, std::vector<Standing>(pairs.players)};
  for (std::uint32_t i = 0; i < pairs.players; ++i) {
    Standing& standing = out.standing[i];
    if (below[i] && above[i]) {
      standing = Standing::rated;
      ++out.rated;
    } else if (!connected[i]) {
      standing = Standing::not_connected;
    } else if (!won[i]) {
      standing = Standing::never_won;
    } else if (!lost[i]) {
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
  const auto connected = connected_to(schedule, anchor);
  Component out{anchor, 0, std::vector<Standing>(schedule.players)};
  for (std::uint32_t i = 0; i < schedule.players; ++i) {
    out.standing[i] = connected[i] ? Standing::rated : Standing::not_connected;
    out.rated += connected[i];
  }
  return out;
}

}  // namespace banzuke::bradley_terry
