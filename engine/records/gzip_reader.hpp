#pragma once
#include <memory>
#include <string>
#include <string_view>

#include "engine/records/packing.hpp"

namespace banzuke {

/// Unpacks gzip (RFC 1952) from a stream, several members one after the other too. Unlike
/// libarchive, which leaves them out, it checks the check sum and the length of every member.
class GzipReader {
 public:
  GzipReader(std::string file, PieceSource source, const UnpackLimits& limits);
  ~GzipReader();
  GzipReader(const GzipReader&) = delete;
  GzipReader& operator=(const GzipReader&) = delete;

  /// The next piece, empty at the end. Throws InputError: damaged, incomplete, not gzip.
  std::string_view read();

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace banzuke
