#pragma once
#include <fstream>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection::reference {

using Row = std::map<std::string, std::string>;

inline std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> fields;
  std::stringstream stream(line);
  for (std::string field; std::getline(stream, field, ',');) fields.push_back(field);
  return fields;
}

/// The rows of tests/data/reflection/<name>.csv by column name.
inline std::vector<Row> read(const std::string& name) {
  std::ifstream file(std::string(BANZUKE_TEST_DATA "/reflection/") + name + ".csv");
  std::string line;
  if (!std::getline(file, line)) throw std::runtime_error("no reference file " + name);
  const std::vector<std::string> columns = split(line);
  std::vector<Row> rows;
  while (std::getline(file, line)) {
    const std::vector<std::string> fields = split(line);
    Row row;
    for (std::size_t i = 0; i < columns.size(); ++i) row[columns[i]] = fields.at(i);
    rows.push_back(row);
  }
  return rows;
}

inline double number(const Row& row, const std::string& column) {
  return std::stod(row.at(column));
}
inline std::int64_t games(const Row& row) {
  return std::stoll(row.at("N"));
}

inline Rule symmetric(const std::string& name, double alpha, const std::vector<double>& payoff) {
  Rule rule;
  rule.name = name;
  rule.alpha.assign(payoff.size(), alpha);
  rule.payoff = payoff;
  return rule;
}

inline Rule with_mean(const std::vector<double>& alpha, const std::vector<double>& payoff) {
  Rule rule;
  rule.name = "centred";
  rule.alpha = alpha;
  rule.payoff = payoff;
  rule.centre.kind = Centre::Kind::mean;
  return rule;
}

/// The study's rules by the names the files use.
inline Rule named(const std::string& name) {
  if (name == "hn3") return symmetric(name, 191.6, {1, 0, -1});
  if (name == "ht4") return symmetric(name, 262.1, {2, 1, 0, -3});
  if (name == "hn4") return symmetric(name, 194.5, {2, 1, 0, -3});
  if (name == "hn4_avgrank") return symmetric(name, 194.5, {1.5, 0.5, -0.5, -1.5});
  throw std::runtime_error("no rule " + name);
}

}  // namespace banzuke::reflection::reference
