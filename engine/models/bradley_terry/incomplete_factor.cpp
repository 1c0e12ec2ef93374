#include "engine/models/bradley_terry/incomplete_factor.hpp"

#include <algorithm>
#include <numeric>

namespace banzuke::bradley_terry {
namespace {

struct Entry {
  std::uint32_t column;
  double value;
};

}  // namespace

IncompleteFactor::IncompleteFactor(std::uint32_t players, std::span<const std::uint32_t> first,
                                   std::span<const std::uint32_t> second,
                                   std::span<const double> weights, double dropped) {
  const std::uint32_t ground = players - 1;
  std::vector<double> total(players, 0.0);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    total[first[k]] += weights[k];
    total[second[k]] += weights[k];
  }
  player.resize(players);
  std::iota(player.begin(), player.end(), 0U);
  std::stable_sort(player.begin(), player.end() - 1,
                   [&](std::uint32_t a, std::uint32_t b) { return total[a] < total[b]; });
  std::vector<std::uint32_t> column(players);
  for (std::uint32_t c = 0; c < players; ++c) column[player[c]] = c;
  std::vector<std::vector<Entry>> pairs(players), later(players), earlier(players);
  for (std::size_t k = 0; k < weights.size(); ++k) {
    const auto [a, b] = std::minmax(column[first[k]], column[second[k]]);
    pairs[a].push_back({b, weights[k]});
  }

  // Left-looking: column c is its pairs and what the columns before it add.
  std::vector<double> sum(players, 0.0), inverse_pivot(players, 1.0);
  std::vector<std::size_t> passed(players, 0);  // entries of a column that are not below c
  std::vector<std::uint32_t> touched;
  const auto add = [&](std::uint32_t row, double value) {
    if (sum[row] == 0) touched.push_back(row);
    sum[row] += value;
  };
  for (std::uint32_t c = 0; c < ground; ++c) {
    touched.clear();
    for (const Entry& pair : pairs[c])
      if (pair.value > 0) add(pair.column, pair.value);
    for (const Entry& before : earlier[c]) {
      const std::vector<Entry>& entries = later[before.column];
      // The first entry not passed is row c itself.
      for (std::size_t e = ++passed[before.column]; e < entries.size(); ++e)
        add(entries[e].column, before.value * entries[e].value);
    }
    std::sort(touched.begin(), touched.end());
    const double share = 1.0 / total[player[c]];
    double pivot = 0, kept = 0, greatest = 0;
    for (const std::uint32_t row : touched) {
      pivot += sum[row];
      greatest = std::max(greatest, sum[row]);
    }
    const auto is_kept = [&](std::uint32_t row) {
      const double value = sum[row];
      return value == greatest || value * share + value / total[player[row]] >= dropped;
    };
    for (const std::uint32_t row : touched)
      if (is_kept(row)) kept += sum[row];
    if (pivot > 0) inverse_pivot[c] = 1.0 / pivot;
    for (const std::uint32_t row : touched) {
      if (is_kept(row)) {
        const double value = sum[row] * (pivot / kept);
        later[c].push_back({row, value});
        earlier[row].push_back({c, value * inverse_pivot[c]});
      }
    }
    for (const std::uint32_t row : touched) sum[row] = 0;
  }

  player.pop_back();
  of_row.begin.push_back(0);
  of_column.begin.push_back(0);
  for (std::uint32_t c = 0; c < ground; ++c) {
    inverse.push_back(static_cast<float>(inverse_pivot[c]));
    for (const Entry& entry : earlier[c]) {
      of_row.other.push_back(player[entry.column]);
      of_row.value.push_back(static_cast<float>(entry.value));
    }
    for (const Entry& entry : later[c]) {
      if (entry.column == ground) continue;
      of_column.other.push_back(player[entry.column]);
      of_column.value.push_back(static_cast<float>(entry.value * inverse_pivot[c]));
    }
    of_row.begin.push_back(of_row.other.size());
    of_column.begin.push_back(of_column.other.size());
  }
}

}  // namespace banzuke::bradley_terry
