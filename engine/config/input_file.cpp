#include "engine/config/input_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "engine/base/sha256.hpp"
#include "engine/base/text.hpp"

namespace banzuke {

std::string read_whole_file(const std::string& path, const std::string& what,
                            const Location& named_at) {
  const std::string name = path_in_quotes(path);
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) {
    throw InputError(fmt::format("{} {} is a folder", what, name), "", "name a file", named_at);
  }
  errno = 0;
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "rb"),
                                                             &std::fclose);
  if (!file) {
    throw InputError(fmt::format("cannot read {} {}", what, name), std::strerror(errno),
                     errno == ENOENT ? "check the name" : "check the name and its permissions",
                     named_at);
  }
  std::string content;
  char buffer[1 << 16];
  while (const std::size_t got = std::fread(buffer, 1, sizeof buffer, file.get())) {
    content.append(buffer, got);
  }
  if (std::ferror(file.get())) {
    throw InputError(fmt::format("cannot read {} {} to its end", what, name), std::strerror(errno),
                     "check the file system", named_at);
  }
  return content;
}

const Input& Inputs::load(const std::string& key, const std::string& path,
                          const Location& named_at) {
  Input input;
  input.key = key;
  input.path = path;
  input.content = read_whole_file(path, "the input", named_at);
  input.sha256 = sha256_hex(input.content);
  input.bytes = input.content.size();
  files_.push_back(std::move(input));
  return files_.back();
}

}  // namespace banzuke
