#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace banzuke {

/// A 64-bit hash of bytes for tables in memory: it is never stored, and differs between byte
/// orders.
inline std::uint64_t byte_hash(std::string_view text) {
  const auto load = [&](std::size_t at, std::size_t size) {
    std::uint64_t word = 0;
    std::memcpy(&word, text.data() + at, size);
    return word;
  };
  const auto mix = [](std::uint64_t x) {
    x *= 0x9E3779B97F4A7C15u;
    return x ^ (x >> 32);
  };
  const std::size_t size = text.size();
  std::uint64_t hash = size;
  if (size >= 8) {
    for (std::size_t at = 0; at + 8 < size; at += 8) hash = mix(hash ^ load(at, 8));
    return mix(hash ^ load(size - 8, 8));  // overlaps what is before it
  }
  if (size >= 4) return mix(mix(hash ^ load(0, 4)) ^ load(size - 4, 4));
  for (const char c : text) hash = (hash << 8) | static_cast<unsigned char>(c);
  return mix(mix(hash));
}

}  // namespace banzuke
