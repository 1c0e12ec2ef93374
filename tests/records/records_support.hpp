#pragma once
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

namespace banzuke {

inline std::string file_text(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot open " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace banzuke
