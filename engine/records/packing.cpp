#include "engine/records/packing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/records/gzip_reader.hpp"
#include "engine/records/libarchive_reader.hpp"

namespace banzuke {
namespace {

struct Ending {
  std::string_view text;
  Compression compression;
  Container container;
};

constexpr std::array<Ending, 16> endings{{
    {".tar.gz", Compression::gzip, Container::tar},
    {".tgz", Compression::gzip, Container::tar},
    {".tar.xz", Compression::xz, Container::tar},
    {".txz", Compression::xz, Container::tar},
    {".tar.bz2", Compression::bzip2, Container::tar},
    {".tbz2", Compression::bzip2, Container::tar},
    {".tbz", Compression::bzip2, Container::tar},
    {".tar.zst", Compression::zstd, Container::tar},
    {".tzst", Compression::zstd, Container::tar},
    {".tar", Compression::none, Container::tar},
    {".zip", Compression::none, Container::zip},
    {".gz", Compression::gzip, Container::none},
    {".xz", Compression::xz, Container::none},
    {".bz2", Compression::bzip2, Container::none},
    {".zst", Compression::zstd, Container::none},
    {".zstd", Compression::zstd, Container::none},
}};

constexpr std::array<std::string_view, 8> not_read{".7z",  ".rar", ".lz",  ".lzma",
                                                   ".lz4", ".z",   ".arj", ".cab"};

bool ends_with(std::string_view name, std::string_view ending) {
  if (name.size() <= ending.size()) return false;
  name.remove_prefix(name.size() - ending.size());
  return std::equal(name.begin(), name.end(), ending.begin(), [](char a, char b) {
    return a == b || (a >= 'A' && a <= 'Z' && a - 'A' + 'a' == b);
  });
}

}  // namespace

Packing packing_of(std::string_view file) {
  for (const Ending& ending : endings) {
    if (!ends_with(file, ending.text)) continue;
    return {ending.compression, ending.container, file.substr(0, file.size() - ending.text.size())};
  }
  for (const std::string_view ending : not_read) {
    if (!ends_with(file, ending)) continue;
    throw InputError(fmt::format("archives that end in {} are not read", ending), "",
                     "unpack it, or pack it as .zip, .tar.gz or .gz", {std::string(file), 0});
  }
  return {Compression::none, Container::none, file};
}

void Expansion::out(std::size_t bytes, const std::string& file) {
  out_ += bytes;
  if (out_ <= limits_.any || out_ / limits_.factor <= in_) return;
  throw InputError(
      fmt::format("the archive unpacks to more than {} times its size", limits_.factor),
      "a damaged archive, or one that is made to fill memory",
      "if it is to be trusted, unpack it and give its files", {file, 0});
}

void fail_unpacking(const std::string& file, std::string_view why) {
  throw InputError("the archive is damaged, incomplete or not what its name says", why,
                   "unpack it to see what is wrong, or fetch it again; a file that is not packed "
                   "must not have the ending of one",
                   {file, 0});
}

void check_not_packed(std::string_view begin, const std::string& file) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 5> kinds{{
      {"gzip", "\x1F\x8B"},
      {"xz", "\xFD\x37\x7A\x58\x5A"},
      {"bzip2", "BZh91AY&SY"},
      {"zstd", "\x28\xB5\x2F\xFD"},
      {"zip", "PK\x03\x04"},
  }};
  for (const auto& [kind, magic] : kinds) {
    if (!begin.starts_with(magic)) continue;
    throw InputError(fmt::format("the content is packed with {}", kind),
                     "an archive inside an archive, or a name that does not say it",
                     fmt::format("unpack it, or give the name of a single archive its ending"),
                     {file, 0});
  }
}

PieceSource decompressed(const std::string& file, Compression compression, PieceSource source,
                         const UnpackLimits& limits) {
  if (compression == Compression::none) return source;
  if (compression == Compression::gzip) {
    const auto reader = std::make_shared<GzipReader>(file, std::move(source), limits);
    return [reader] { return reader->read(); };
  }
  const auto reader = std::make_shared<LibarchiveReader>(file, LibarchiveReader::Format::compressed,
                                                         std::move(source), limits);
  // An empty text is a file without an entry.
  const bool is_empty = !reader->next();
  return [reader, is_empty] { return is_empty ? std::string_view() : reader->read(); };
}

}  // namespace banzuke
