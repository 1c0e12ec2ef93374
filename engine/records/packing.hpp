#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "engine/base/piece_source.hpp"

namespace banzuke {

enum class Compression { none, gzip, xz, bzip2, zstd };
enum class Container { none, zip, tar };

/// How a file is packed, as the ending of its name says (upper or lower case).
struct Packing {
  Compression compression = Compression::none;
  Container container = Container::none;
  std::string_view inner;  ///< the name without these endings

  bool is_packed() const {
    return compression != Compression::none || container != Container::none;
  }
};

/// Throws InputError for endings of archives that are not read, like .7z and .rar.
Packing packing_of(std::string_view file);

/// How far a packed file may unpack, so that a small one cannot fill memory or run for days.
struct UnpackLimits {
  std::uint64_t any = std::uint64_t{256} << 20;  ///< bytes that are always allowed
  std::uint64_t factor = 500;                    ///< beyond them, times the packed size so far
};

/// Counts what goes into an unpacker and what comes out.
class Expansion {
 public:
  explicit Expansion(const UnpackLimits& limits) : limits_(limits) {}
  void in(std::size_t bytes) { in_ += bytes; }
  /// Throws InputError beyond the limits.
  void out(std::size_t bytes, const std::string& file);

 private:
  UnpackLimits limits_;
  std::uint64_t in_ = 0, out_ = 0;
};

/// The InputError of a packed file that cannot be read to its end.
[[noreturn]] void fail_unpacking(const std::string& file, std::string_view why);

/// Refuses text that begins as a packed file does. Throws InputError.
void check_not_packed(std::string_view begin, const std::string& file);

/// The unpacked content of a file of one of the compressions, whose packed bytes `source` gives.
/// It reads `source` to its end, checks lengths and check sums, and throws InputError where they
/// do not fit or bytes are missing or left over.
PieceSource decompressed(const std::string& file, Compression compression, PieceSource source,
                         const UnpackLimits& limits = {});

}  // namespace banzuke
