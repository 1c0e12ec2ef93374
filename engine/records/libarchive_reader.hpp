#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "engine/records/packing.hpp"

namespace banzuke {

/// Entries of an archive as libarchive finds them in a stream, without seeking.
class LibarchiveReader {
 public:
  enum class Format { compressed, zip, tar };

  /// `file` is for messages. Throws InputError if this program reads no archives.
  LibarchiveReader(std::string file, Format format, PieceSource source, const UnpackLimits& limits);
  ~LibarchiveReader();
  LibarchiveReader(const LibarchiveReader&) = delete;
  LibarchiveReader& operator=(const LibarchiveReader&) = delete;

  /// Goes to the next entry; false at the end. Throws InputError.
  bool next();
  /// The next piece of this entry, empty at its end. Throws InputError.
  std::string_view read();

  const std::string& path() const;  ///< of this entry, as it is in the archive
  bool is_file() const;             ///< not a folder or a link
  bool is_folder() const;
  bool is_encrypted() const;
  /// What messages on this entry name in place of the archive.
  void set_name(std::string name);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Refuses an archive in a program that was built without libarchive.
[[noreturn]] void fail_without_archives(const std::string& file);

}  // namespace banzuke
