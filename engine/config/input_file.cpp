#include "engine/config/input_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "engine/base/sha256.hpp"
#include "engine/base/text.hpp"

namespace banzuke {

namespace {

/// Stays in a processor's second-level cache together with what is made of it.
constexpr std::size_t piece_size = std::size_t{1} << 18;

void read_pieces(const std::string& path, const std::string& what, const Location& named_at,
                 const std::function<void(std::string_view)>& use) {
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
  std::setvbuf(file.get(), nullptr, _IONBF, 0);  // the pieces are buffer enough
  const auto buffer = std::make_unique<char[]>(piece_size);
  while (const std::size_t got = std::fread(buffer.get(), 1, piece_size, file.get())) {
    use({buffer.get(), got});
  }
  if (std::ferror(file.get())) {
    throw InputError(fmt::format("cannot read {} {} to its end", what, name), std::strerror(errno),
                     "check the file system", named_at);
  }
}

}  // namespace

std::string read_whole_file(const std::string& path, const std::string& what,
                            const Location& named_at) {
  std::string content;
  std::error_code unknown;
  if (const auto size = std::filesystem::file_size(path, unknown); !unknown) content.reserve(size);
  read_pieces(path, what, named_at, [&](std::string_view piece) { content.append(piece); });
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

const Input& Inputs::load_in_pieces(const std::string& key, const std::string& path,
                                    const Location& named_at,
                                    const std::function<void(std::string_view)>& use) {
  Input input;
  input.key = key;
  input.path = path;
  Sha256 digest;
  read_pieces(path, "the input", named_at, [&](std::string_view piece) {
    digest.update(piece);
    input.bytes += piece.size();
    use(piece);
  });
  input.sha256 = digest.hex();
  files_.push_back(std::move(input));
  return files_.back();
}

}  // namespace banzuke
