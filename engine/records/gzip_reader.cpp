#include "engine/records/gzip_reader.hpp"

#include <utility>

#if BANZUKE_ARCHIVES
#include <zlib.h>

#include <stdexcept>
#include <vector>
#endif

#include "engine/records/libarchive_reader.hpp"

namespace banzuke {

#if BANZUKE_ARCHIVES

struct GzipReader::State {
  State(std::string the_file, PieceSource the_source, const UnpackLimits& limits)
      : file(std::move(the_file)), source(std::move(the_source)), expansion(limits) {
    constexpr int gzip_only = 16;
    if (inflateInit2(&stream, MAX_WBITS + gzip_only) != Z_OK) {
      throw std::runtime_error("zlib cannot start");
    }
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { inflateEnd(&stream); }

  /// Bytes to unpack; false at the end of the stream.
  bool refill() {
    if (stream.avail_in > 0) return true;
    const std::string_view piece = source();
    expansion.in(piece.size());
    // zlib does not write to its input, though its interface lacks the const.
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(piece.data()));
    stream.avail_in = static_cast<uInt>(piece.size());
    return !piece.empty();
  }

  std::string file;
  PieceSource source;
  Expansion expansion;
  z_stream stream{};
  std::vector<char> buffer = std::vector<char>(std::size_t{1} << 18);
  bool begun = false;   ///< at least one member
  bool inside = false;  ///< of a member
};

GzipReader::GzipReader(std::string file, PieceSource source, const UnpackLimits& limits)
    : state_(std::make_unique<State>(std::move(file), std::move(source), limits)) {}

std::string_view GzipReader::read() {
  State& state = *state_;
  z_stream& stream = state.stream;
  stream.next_out = reinterpret_cast<Bytef*>(state.buffer.data());
  stream.avail_out = static_cast<uInt>(state.buffer.size());
  while (stream.avail_out > 0) {
    if (!state.refill()) {
      if (state.inside || !state.begun) fail_unpacking(state.file, "it ends too early");
      break;
    }
    if (!state.inside && state.begun) {
      // After a member: another one, or zeros that fill up a block.
      if (*stream.next_in == 0) {
        ++stream.next_in;
        --stream.avail_in;
        continue;
      }
      if (*stream.next_in != 0x1F) fail_unpacking(state.file, "other bytes after its end");
      inflateReset(&stream);
    }
    state.begun = state.inside = true;
    const int status = inflate(&stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      state.inside = false;
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      fail_unpacking(state.file, stream.msg != nullptr ? stream.msg : "not gzip");
    }
  }
  const std::size_t size = state.buffer.size() - stream.avail_out;
  state.expansion.out(size, state.file);
  return {state.buffer.data(), size};
}

#else

struct GzipReader::State {};

GzipReader::GzipReader(std::string file, PieceSource, const UnpackLimits&) {
  fail_without_archives(file);
}

std::string_view GzipReader::read() {
  return {};
}

#endif

GzipReader::~GzipReader() = default;

}  // namespace banzuke
