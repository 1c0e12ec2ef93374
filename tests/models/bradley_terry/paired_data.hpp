#pragma once
#include <fstream>
#include <map>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/models/bradley_terry/pair_data.hpp"

// What the tests of this folder share: R's files, and small random tournaments.
namespace banzuke::bradley_terry::testing {

/// A CSV file without quoted commas: header and rows of text.
struct Csv {
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows;

  explicit Csv(const std::string& name)
      : Csv(std::ifstream(std::string(BANZUKE_TEST_DATA) + "/paired/" + name)) {}

  std::size_t column(const std::string& title) const {
    for (std::size_t c = 0; c < header.size(); ++c)
      if (header[c] == title) return c;
    throw std::runtime_error("no column " + title);
  }
  double number(std::size_t row, const std::string& title) const {
    return std::stod(rows[row][column(title)]);
  }
  std::size_t row_of(const std::string& name) const {
    for (std::size_t r = 0; r < rows.size(); ++r)
      if (rows[r][0] == name) return r;
    throw std::runtime_error("no row " + name);
  }

 private:
  explicit Csv(std::ifstream file) {
    std::string line;
    while (std::getline(file, line)) {
      std::vector<std::string> cells(1);
      for (const char c : line) {
        if (c == ',')
          cells.emplace_back();
        else if (c != '"' && c != '\r')
          cells.back() += c;
      }
      if (header.empty())
        header = cells;
      else
        rows.push_back(cells);
    }
    if (rows.empty()) throw std::runtime_error("a test file is missing or empty");
  }
};

/// Pair totals whose players are numbered in the order of `names`; others are added at the end.
inline PairData read_pairs(const std::string& file, std::vector<std::string>& names) {
  const Csv csv(file);
  std::map<std::string, std::uint32_t> index;
  for (std::uint32_t i = 0; i < names.size(); ++i) index[names[i]] = i;
  std::vector<PairResult> rows;
  for (const auto& row : csv.rows) {
    std::uint32_t player[2];
    for (std::size_t side = 0; side < 2; ++side) {
      const auto [found, is_new] =
          index.emplace(row[side], static_cast<std::uint32_t>(names.size()));
      if (is_new) names.push_back(row[side]);
      player[side] = found->second;
    }
    rows.push_back({player[0], player[1], std::stod(row[2]), std::stod(row[3])});
  }
  return make_pair_data(static_cast<std::uint32_t>(names.size()), rows);
}

inline std::vector<std::string> first_column(const Csv& csv) {
  std::vector<std::string> names;
  for (const auto& row : csv.rows) names.push_back(row[0]);
  return names;
}

/// A small generator of test cases (SplitMix64 of Steele, Lea and Flood 2014).
class Cases {
 public:
  explicit Cases(std::uint64_t seed) : state_(seed) {}
  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(bits() % n); }
  double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }

 private:
  std::uint64_t state_;
};

}  // namespace banzuke::bradley_terry::testing
