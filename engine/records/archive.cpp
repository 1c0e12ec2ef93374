#include "engine/records/archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"
#include "engine/records/pair_table.hpp"

namespace banzuke {
namespace {

/// A zip file ends with a record of 22 bytes, whose last two are the length of a comment after it.
constexpr std::size_t zip_end_size = 22;
constexpr std::size_t tail_size = zip_end_size + 65535;

bool has_zip_end(std::string_view tail) {
  const auto at = tail.rfind("PK\x05\x06");
  if (at == std::string_view::npos || tail.size() - at < zip_end_size) return false;
  const auto byte = [&](std::size_t i) {
    return std::size_t{static_cast<unsigned char>(tail[at + i])};
  };
  return tail.size() - at >= zip_end_size + byte(20) + 256 * byte(21);
}

/// A name for messages, without bytes that a terminal would obey.
std::string printable(std::string_view path) {
  std::string text(path);
  const bool is_utf8 = is_valid_utf8(text);
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < ' ' || byte == 0x7F || (byte > 0x7F && !is_utf8)) c = '?';
  }
  return text;
}

/// What macOS puts beside the files themselves.
bool is_shadow(std::string_view path) {
  const auto slash = path.rfind('/');
  return path.starts_with("__MACOSX/") ||
         path.substr(slash == std::string_view::npos ? 0 : slash + 1).starts_with("._");
}

bool is_csv(std::string_view path) {
  return path.size() > 4 && std::equal(path.end() - 4, path.end(), ".csv",
                                       [](char a, char b) { return a == b || (a | 0x20) == b; });
}

}  // namespace

ArchiveReader::ArchiveReader(const std::string& file, Container container, PieceSource source,
                             const UnpackLimits& limits)
    : file_(file),
      container_(container),
      source_(std::move(source)),
      reader_(std::make_unique<LibarchiveReader>(
          file,
          container == Container::zip ? LibarchiveReader::Format::zip
                                      : LibarchiveReader::Format::tar,
          [this] { return pull(); }, limits)) {}

std::string_view ArchiveReader::pull() {
  const std::string_view piece = source_();
  if (piece.size() >= tail_size) {
    tail_.assign(piece.substr(piece.size() - tail_size));
  } else {
    tail_.append(piece);
    if (tail_.size() > tail_size) tail_.erase(0, tail_.size() - tail_size);
  }
  return piece;
}

bool ArchiveReader::next() {
  reader_->set_name(file_);
  while (reader_->next()) {
    const std::string path = printable(reader_->path());
    if (reader_->is_folder()) continue;
    if (reader_->is_file() && !is_shadow(path)) {
      if (packing_of(path).is_packed()) {
        throw InputError(fmt::format("the archive holds another one, {}", in_quotes(path)),
                         "archives inside archives are not read", "unpack the outer one",
                         {file_, 0});
      }
      if (is_pgn(path) || is_csv(path)) {
        name_ = file_ + ": " + path;
        if (reader_->is_encrypted()) {
          throw InputError("the file is encrypted", "", "unpack the archive with its password",
                           {name_, 0});
        }
        reader_->set_name(name_);
        return true;
      }
    }
    constexpr std::size_t shown = 5;
    ++others_count_;
    if (others_.size() < shown) others_.push_back(in_quotes(path));
  }
  check_end();
  return false;
}

/// libarchive stops at what looks like the end, and takes the end of the bytes for one.
void ArchiveReader::check_end() {
  while (!pull().empty()) {
  }
  if (container_ == Container::zip) {
    if (!has_zip_end(tail_)) fail_unpacking(file_, "the directory at its end is incomplete");
    return;
  }
  constexpr std::size_t block = 512;
  const bool ends = tail_.size() >= block &&
                    tail_.find_first_not_of('\0', tail_.size() - block) == std::string::npos;
  if (!ends) fail_unpacking(file_, "the block of zeros at its end is missing");
}

std::vector<std::string> ArchiveReader::notes() const {
  if (others_count_ == 0) return {};
  std::string text =
      fmt::format("{}: not read, as they are no files whose names end in .pgn or .csv: {}", file_,
                  join(others_, ", "));
  if (others_count_ > others_.size()) {
    text += fmt::format(" and {} more", others_count_ - others_.size());
  }
  return {text};
}

}  // namespace banzuke
