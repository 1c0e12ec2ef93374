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
/// orders. Lengths are told apart in steps of sixteen, which a processor foresees better than
/// single ones.
inline std::uint64_t byte_hash(std::string_view text) {
  constexpr std::uint64_t odd1 = 0x9E3779B97F4A7C15u;
  constexpr std::uint64_t odd2 = 0xC2B2AE3D27D4EB4Fu;
  const char* const begin = text.data();
  const std::size_t size = text.size();
  const auto mix = [](std::uint64_t hash, std::uint64_t low, std::uint64_t high) {
    const std::uint64_t x = (hash ^ low) * odd1 + high;
    return (x ^ (x >> 32)) * odd2;
  };
  std::uint64_t hash = size;
  if (size >= 16) {
    // The last step overlaps what is before it.
    for (std::size_t at = 0; at + 16 < size; at += 16) {
      hash = mix(hash, load_bytes<std::uint64_t>(begin + at),
                 load_bytes<std::uint64_t>(begin + at + 8));
    }
    hash = mix(hash, load_bytes<std::uint64_t>(begin + size - 16),
               load_bytes<std::uint64_t>(begin + size - 8));
  } else if (size >= 8) {
    hash = mix(hash, load_bytes<std::uint64_t>(begin), load_bytes<std::uint64_t>(begin + size - 8));
  } else if (size >= 4) {
    hash = mix(hash, load_bytes<std::uint32_t>(begin), load_bytes<std::uint32_t>(begin + size - 4));
  } else {
    std::uint64_t word = 0;
    for (const char c : text) word = (word << 8) | static_cast<unsigned char>(c);
    hash = mix(hash, word, 0);
  }
  hash ^= hash >> 29;
  hash *= odd1;
  return hash ^ (hash >> 32);
}

/// Whether two stretches of `size` bytes are equal; with the same steps.
inline bool equal_bytes(const char* a, const char* b, std::size_t size) {
  const auto differ = [&](std::size_t at) {
    return load_bytes<std::uint64_t>(a + at) ^ load_bytes<std::uint64_t>(b + at);
  };
  if (size < 8) return std::memcmp(a, b, size) == 0;
  if (size < 16) return (differ(0) | differ(size - 8)) == 0;
  for (std::size_t at = 0; at + 16 < size; at += 16) {
    if ((differ(at) | differ(at + 8)) != 0) return false;
  }
  return (differ(size - 16) | differ(size - 8)) == 0;
}

}  // namespace banzuke
