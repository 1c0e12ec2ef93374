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

/// A file that is read from its beginning to its end.
class FilePieces {
 public:
  FilePieces(const std::string& path, const std::string& what, const Location& named_at)
      : name_(path_in_quotes(path)), what_(what), named_at_(named_at) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
      throw InputError(fmt::format("{} {} is a folder", what, name_), "", "name a file", named_at);
    }
    if (std::filesystem::is_character_file(path, ignored) ||
        std::filesystem::is_block_file(path, ignored)) {  // some of which never end
      throw InputError(fmt::format("{} {} is a device", what, name_), "", "name a file", named_at);
    }
    errno = 0;
    file_.reset(std::fopen(path.c_str(), "rb"));
    if (!file_) {
      throw InputError(fmt::format("cannot read {} {}", what, name_), std::strerror(errno),
                       errno == ENOENT ? "check the name" : "check the name and its permissions",
                       named_at);
    }
    std::setvbuf(file_.get(), nullptr, _IONBF, 0);  // the pieces are buffer enough
  }

  /// The next piece, empty at the end.
  std::string_view next() {
    const std::size_t got = std::fread(buffer_.get(), 1, piece_size, file_.get());
    if (got == 0 && std::ferror(file_.get())) {
      throw InputError(fmt::format("cannot read {} {} to its end", what_, name_),
                       std::strerror(errno), "check the file system", named_at_);
    }
    return {buffer_.get(), got};
  }

 private:
  std::string name_, what_;
  Location named_at_;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> file_{nullptr, &std::fclose};
  std::unique_ptr<char[]> buffer_ = std::make_unique<char[]>(piece_size);
};

}  // namespace

std::string read_whole_file(const std::string& path, const std::string& what,
                            const Location& named_at) {
  std::string content;
  std::error_code unknown;
  if (const auto size = std::filesystem::file_size(path, unknown); !unknown) content.reserve(size);
  FilePieces file(path, what, named_at);
  for (std::string_view piece = file.next(); !piece.empty(); piece = file.next()) {
    content.append(piece);
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

const Input& Inputs::load_stream(const std::string& key, const std::string& path,
                                 const Location& named_at,
                                 const std::function<void(const PieceSource&)>& use) {
  Input input;
  input.key = key;
  input.path = path;
  Sha256 digest;
  FilePieces file(path, "the input", named_at);
  const PieceSource source = [&] {
    const std::string_view piece = file.next();
    digest.update(piece);
    input.bytes += piece.size();
    return piece;
  };
  use(source);
  while (!source().empty()) {
  }
  input.sha256 = digest.hex();
  files_.push_back(std::move(input));
  return files_.back();
}

}  // namespace banzuke
