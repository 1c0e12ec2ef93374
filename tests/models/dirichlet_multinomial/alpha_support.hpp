#pragma once
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "engine/models/dirichlet_multinomial/tail_counts.hpp"

namespace banzuke::dirichlet_multinomial::testing {

using Counts = std::vector<std::uint32_t>;

inline std::string content(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The fields of a line of CSV, quotes stripped.
inline std::vector<std::string> fields(const std::string& line) {
  std::vector<std::string> out(1);
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

/// Rows of a reference file, without its header.
inline std::vector<std::vector<std::string>> reference(const std::string& name) {
  std::stringstream text(content(std::filesystem::path(BANZUKE_TEST_DATA) / "alpha" / name));
  std::string line;
  std::getline(text, line);
  std::vector<std::vector<std::string>> rows;
  while (std::getline(text, line)) {
    if (!line.empty()) rows.push_back(fields(line));
  }
  return rows;
}

}  // namespace banzuke::dirichlet_multinomial::testing
