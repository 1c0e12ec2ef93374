#pragma once
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "engine/models/bradley_terry/scale.hpp"
#include "tests/support/generated_season.hpp"

namespace banzuke::testing {

/// The first half of floodgate's 2016 between published players, at their published ratings.
inline GeneratedSeason floodgate_season() {
  const auto rows_of = [](const std::string& name) {
    std::ifstream file(std::string(BANZUKE_SOURCE_DIR) + "/configs/data/floodgate/" + name);
    std::vector<std::vector<std::string>> rows;
    std::string line, cell;
    std::getline(file, line);
    while (std::getline(file, line)) {
      rows.emplace_back();
      std::stringstream cells(line);
      while (std::getline(cells, cell, ',')) rows.back().push_back(cell);
    }
    return rows;
  };
  std::map<std::string, double> rating;
  for (const auto& row : rows_of("published_2016H1.csv")) rating[row[1]] = std::stod(row[3]);
  std::map<std::string, std::uint32_t> index;
  std::vector<bradley_terry::PairResult> pairs;
  GeneratedSeason out;
  for (const auto& row : rows_of("schedule_2016H1.csv")) {
    if (!rating.count(row[0]) || !rating.count(row[1])) continue;
    std::uint32_t player[2];
    for (std::size_t side = 0; side < 2; ++side) {
      const auto [found, is_new] =
          index.emplace(row[side], static_cast<std::uint32_t>(index.size()));
      if (is_new) out.truth.push_back(rating[row[side]] / bradley_terry::elo_per_natural);
      player[side] = found->second;
    }
    pairs.push_back({player[0], player[1], std::stod(row[2]), 0});
  }
  out.schedule = schedule_of(make_pair_data(static_cast<std::uint32_t>(index.size()), pairs));
  return out;
}

}  // namespace banzuke::testing
