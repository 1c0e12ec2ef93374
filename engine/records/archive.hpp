#pragma once
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/records/libarchive_reader.hpp"
#include "engine/records/packing.hpp"

namespace banzuke {

/// The files of games in a .zip or a .tar, in the archive's order, as streams: nothing is written
/// to disk. Throws InputError, also for what is missing at the archive's end, and for an archive
/// inside it.
class ArchiveReader {
 public:
  /// `source` gives the archive's bytes, already without compression. It is read to its end.
  ArchiveReader(const std::string& file, Container container, PieceSource source,
                const UnpackLimits& limits = {});

  /// Goes to the next file whose name ends in .pgn or .csv; false at the end.
  bool next();
  /// The archive and the file in it, for messages: archive.zip: folder/games.pgn
  const std::string& name() const { return name_; }
  /// The next piece of this file, empty at its end.
  std::string_view read() { return reader_->read(); }

  /// What there is to say at the end: entries that were not read.
  std::vector<std::string> notes() const;

 private:
  std::string_view pull();
  void check_end();

  std::string file_;
  Container container_;
  PieceSource source_;
  std::string tail_;  ///< the last bytes that were pulled
  std::unique_ptr<LibarchiveReader> reader_;
  std::string name_;
  std::vector<std::string> others_;
  std::size_t others_count_ = 0;
};

}  // namespace banzuke
