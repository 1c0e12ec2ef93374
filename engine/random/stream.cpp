#include "engine/random/stream.hpp"

#include <Random123/philox.h>

#include <stdexcept>

namespace banzuke {

std::array<std::uint32_t, 4> philox_block(const StreamAddress& address, std::uint16_t block) {
  const r123::Philox4x32::key_type key{
      {static_cast<std::uint32_t>(address.seed), static_cast<std::uint32_t>(address.seed >> 32)}};
  const auto stream = static_cast<std::uint32_t>(address.stream);
  const r123::Philox4x32::ctr_type counter{
      {address.entity, address.replicate, address.point, stream << 16 | block}};
  const auto out = r123::Philox4x32{}(counter, key);
  return {out[0], out[1], out[2], out[3]};
}

std::uint32_t Stream::next_u32() {
  if (left_ == 0) {
    if (blocks_ == 0x10000) throw std::length_error("a random stream ran out of its 65,536 blocks");
    block_ = philox_block(address_, static_cast<std::uint16_t>(blocks_++));
    left_ = 4;
  }
  return block_[4 - left_--];
}

std::uint64_t Stream::next_u64() {
  const std::uint64_t low = next_u32();
  return static_cast<std::uint64_t>(next_u32()) << 32 | low;
}

double Stream::uniform() {
  return (static_cast<double>(next_u64() >> 12) + 0.5) * 0x1.0p-52;
}

}  // namespace banzuke
