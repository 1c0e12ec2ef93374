#include "engine/models/bradley_terry/elimination.hpp"

#include <Eigen/OrderingMethods>
#include <Eigen/SparseCore>
#include <algorithm>
#include <utility>

namespace banzuke::bradley_terry {
namespace {

/// Minimum-degree positions of all players, the ground last: integer arithmetic only, so the order
/// is the same on every machine.
std::vector<std::uint32_t> minimum_degree_positions(std::uint32_t players,
                                                    std::span<const std::uint32_t> first,
                                                    std::span<const std::uint32_t> second,
                                                    std::uint32_t ground) {
  using Matrix = Eigen::SparseMatrix<double, Eigen::ColMajor, int>;
  const auto reduced = [ground](std::uint32_t i) { return static_cast<int>(i - (i > ground)); };
  std::vector<Eigen::Triplet<double>> entries;
  for (std::size_t k = 0; k < first.size(); ++k) {
    if (first[k] == ground || second[k] == ground) continue;
    entries.emplace_back(reduced(first[k]), reduced(second[k]), 1.0);
    entries.emplace_back(reduced(second[k]), reduced(first[k]), 1.0);
  }
  const int size = static_cast<int>(players) - 1;
  for (int i = 0; i < size; ++i) entries.emplace_back(i, i, 1.0);
  Matrix pattern(size, size);
  pattern.setFromTriplets(entries.begin(), entries.end());
  Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
  Eigen::AMDOrdering<int>{}(pattern.selfadjointView<Eigen::Upper>(), order);
  std::vector<std::uint32_t> position(players, players - 1);
  for (int p = 0; p < size; ++p) {
    const auto i = static_cast<std::uint32_t>(order.indices()[p]);
    position[i + (i >= ground)] = static_cast<std::uint32_t>(p);
  }
  return position;
}

}  // namespace

Elimination::Elimination(std::uint32_t player_count, std::span<const std::uint32_t> pair_first,
                         std::span<const std::uint32_t> pair_second, std::uint32_t ground)
    : Elimination(player_count, pair_first, pair_second,
                  minimum_degree_positions(player_count, pair_first, pair_second, ground),
                  Fill::complete) {}

Elimination::Elimination(std::uint32_t player_count, std::span<const std::uint32_t> pair_first,
                         std::span<const std::uint32_t> pair_second,
                         std::vector<std::uint32_t> positions, Fill fill)
    : players(player_count), position(std::move(positions)) {
  const std::uint32_t n = players;
  const std::size_t pairs = pair_first.size();
  first.resize(pairs);
  second.resize(pairs);
  pair_begin.assign(n + std::size_t{1}, 0);
  for (std::size_t k = 0; k < pairs; ++k) {
    first[k] = position[pair_first[k]];
    second[k] = position[pair_second[k]];
    ++pair_begin[std::min(first[k], second[k]) + std::size_t{1}];
  }
  for (std::uint32_t j = 0; j < n; ++j) pair_begin[j + 1] += pair_begin[j];
  pair.resize(pairs);
  pair_row.resize(pairs);
  std::vector<std::uint64_t> next(pair_begin.begin(), pair_begin.end() - 1);
  for (std::size_t k = 0; k < pairs; ++k)
    pair[next[std::min(first[k], second[k])]++] = static_cast<std::uint32_t>(k);
  const auto later = [&](std::uint32_t k) { return std::max(first[k], second[k]); };
  for (std::uint32_t j = 0; j < n; ++j)
    std::sort(pair.begin() + static_cast<std::ptrdiff_t>(pair_begin[j]),
              pair.begin() + static_cast<std::ptrdiff_t>(pair_begin[j + 1]),
              [&](std::uint32_t a, std::uint32_t b) { return later(a) < later(b); });
  for (std::size_t slot = 0; slot < pairs; ++slot) pair_row[slot] = later(pair[slot]);

  column_begin.assign(n + std::size_t{1}, 0);
  update_begin.assign(n + std::size_t{1}, 0);
  if (fill == Fill::none) return;
  // The pattern of a column is that of its pairs and of the columns whose first row it is.
  column_begin.resize(1);
  std::vector<std::vector<std::uint32_t>> children(n);
  std::vector<std::uint32_t> seen(n, n), rows;
  for (std::uint32_t j = 0; j < n; ++j) {
    rows.clear();
    const auto add = [&](std::uint32_t i) {
      if (i <= j || seen[i] == j) return;
      seen[i] = j;
      rows.push_back(i);
    };
    for (std::uint64_t s = pair_begin[j]; s < pair_begin[j + 1]; ++s) add(pair_row[s]);
    for (const std::uint32_t child : children[j])
      for (std::uint64_t e = column_begin[child]; e < column_begin[child + 1]; ++e) add(row[e]);
    std::sort(rows.begin(), rows.end());
    if (!rows.empty()) children[rows.front()].push_back(j);
    row.insert(row.end(), rows.begin(), rows.end());
    column_begin.push_back(row.size());
  }

  for (const std::uint32_t i : row) ++update_begin[i + std::size_t{1}];
  for (std::uint32_t j = 0; j < n; ++j) update_begin[j + 1] += update_begin[j];
  update_column.resize(row.size());
  update_entry.resize(row.size());
  next.assign(update_begin.begin(), update_begin.end() - 1);
  for (std::uint32_t k = 0; k < n; ++k)
    for (std::uint64_t e = column_begin[k]; e < column_begin[k + 1]; ++e) {
      const std::uint64_t slot = next[row[e]]++;
      update_column[slot] = k;
      update_entry[slot] = e;
    }
}

bool costs_at_most(std::uint32_t players, std::span<const std::uint32_t> first,
                   std::span<const std::uint32_t> second, std::uint32_t ground, double most) {
  const double n = players;
  if (n * n * n / 6 <= most) return true;  // even a full matrix
  const std::vector<std::uint32_t> position =
      minimum_degree_positions(players, first, second, ground);
  std::vector<std::vector<std::uint32_t>> rows(players);
  for (std::size_t k = 0; k < first.size(); ++k) {
    const auto [a, b] = std::minmax(position[first[k]], position[second[k]]);
    rows[a].push_back(b);
  }
  double cost = 0;
  for (std::uint32_t j = 0; j < players && cost <= most; ++j) {
    std::vector<std::uint32_t>& column = rows[j];
    std::sort(column.begin(), column.end());
    column.erase(std::unique(column.begin(), column.end()), column.end());
    const auto size = static_cast<double>(column.size());
    cost += size * (size + 1) / 2;
    if (column.size() > 1) {
      std::vector<std::uint32_t>& parent = rows[column.front()];
      parent.insert(parent.end(), column.begin() + 1, column.end());
    }
    column = {};
  }
  return cost <= most;
}

bool has_small_fill(std::uint32_t players, std::span<const std::uint32_t> first,
                    std::span<const std::uint32_t> second, std::uint32_t ground,
                    double evaluations) {
  constexpr double pair_cost = 20;  // of an evaluation, in multiplications and additions
  const double most = evaluations * pair_cost * static_cast<double>(first.size());
  const double n = players;
  // The densest part of so dense a graph is full, and no order can help.
  const bool is_dense = n > 1000 && static_cast<double>(first.size()) > 8 * n;
  return (n * n * n / 6 <= most || !is_dense) &&
         costs_at_most(players, first, second, ground, most);
}

}  // namespace banzuke::bradley_terry
