#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace banzuke {

/// The eight (or four) bytes at `at` as they lie in memory.
template <class Word>
std::uint64_t load_bytes(const char* at) {
  Word word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

/// A 64-bit hash of bytes for tables in memory: it is never stored, and differs between byte
/// orders.
inline std::uint64_t byte_hash(std::string_view text) {
  const auto mix = [](std::uint64_t x) {
    x *= 0x9E3779B97F4A7C15u;
    return x ^ (x >> 32);
  };
  const char* const begin = text.data();
  const std::size_t size = text.size();
  std::uint64_t hash = size;
  if (size >= 8) {
    // The last step overlaps what is before it.
    for (std::size_t at = 0; at + 8 < size; at += 8) {
      hash = mix(hash ^ load_bytes<std::uint64_t>(begin + at));
    }
    return mix(hash ^ load_bytes<std::uint64_t>(begin + size - 8));
  }
  if (size >= 4) {
    return mix(mix(hash ^ load_bytes<std::uint32_t>(begin)) ^
               load_bytes<std::uint32_t>(begin + size - 4));
  }
  for (const char c : text) hash = (hash << 8) | static_cast<unsigned char>(c);
  return mix(mix(hash));
}

}  // namespace banzuke
