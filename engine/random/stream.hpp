#pragma once
#include <array>
#include <cstdint>

#include "engine/random/stream_ids.hpp"

namespace banzuke {

/// Where a random number lives. No generator state outlives a replicate, and no number depends on
/// who computes it: the address alone decides.
struct StreamAddress {
  std::uint64_t seed = 0;
  StreamId stream{};
  std::uint32_t point = 0;
  std::uint32_t replicate = 0;  ///< or replicate / 8 where a stream serves eight lanes at once
  std::uint32_t entity = 0;     ///< player, pair, … : what the stream's registry entry says
};

/// One Philox4x32-10 block (Salmon et al. 2011, by Random123) of an address.
/// key = seed (low word, high word); counter = (entity, replicate, point, stream << 16 | block).
std::array<std::uint32_t, 4> philox_block(const StreamAddress& address, std::uint16_t block);

/// The numbers of one address in sequence, for scalar use: at most 65,536 blocks of 128 bits;
/// throws std::length_error beyond.
class Stream {
 public:
  explicit Stream(const StreamAddress& address) : address_(address) {}

  std::uint32_t next_u32();
  std::uint64_t next_u64();
  /// Uniform on the open interval (0, 1): (u + 1/2) / 2^52 with u of 52 bits, always exact.
  double uniform();

 private:
  StreamAddress address_;
  std::array<std::uint32_t, 4> block_{};
  std::uint32_t blocks_ = 0;
  std::uint32_t left_ = 0;
};

}  // namespace banzuke
