#pragma once
#include <cstddef>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace banzuke {

/// Sets of bytes for find_byte: `has` decides one byte, `where` sixteen of them (0xFF = in the set;
/// SSE2 belongs to every x86-64 processor, so there is nothing to dispatch).

/// What may end a stretch of movetext: { ; [ ( ) % (and ESC, which the trick for the first three
/// lets through).
struct MovetextStops {
  static bool has(char c) {
    return (static_cast<unsigned char>(c) & 0x9F) == 0x1B || c == '(' || c == ')' || c == '%';
  }
#if defined(__SSE2__)
  static __m128i where(__m128i bytes) {
    // 0x3B ; 0x5B [ 0x7B { differ in two bits, ( and ) in one.
    const __m128i opening = _mm_cmpeq_epi8(
        _mm_and_si128(bytes, _mm_set1_epi8(static_cast<char>(0x9F))), _mm_set1_epi8(0x1B));
    const __m128i round = _mm_cmpeq_epi8(_mm_or_si128(bytes, _mm_set1_epi8(1)), _mm_set1_epi8(')'));
    const __m128i percent = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('%'));
    return _mm_or_si128(opening, _mm_or_si128(round, percent));
  }
#endif
};

/// What ends the value of a plain tag: a quote, a backslash, a control character.
struct ValueStops {
  static bool has(char c) { return c == '"' || c == '\\' || static_cast<unsigned char>(c) < ' '; }
#if defined(__SSE2__)
  static __m128i where(__m128i bytes) {
    const __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(bytes, _mm_set1_epi8(0x1F)), bytes);
    const __m128i quote = _mm_cmpeq_epi8(bytes, _mm_set1_epi8('"'));
    return _mm_or_si128(_mm_or_si128(control, quote), _mm_cmpeq_epi8(bytes, _mm_set1_epi8('\\')));
  }
#endif
};

/// Any of the given bytes.
template <char... members>
struct AnyOf {
  static bool has(char c) { return ((c == members) || ...); }
#if defined(__SSE2__)
  static __m128i where(__m128i bytes) {
    __m128i found = _mm_setzero_si128();
    ((found = _mm_or_si128(found, _mm_cmpeq_epi8(bytes, _mm_set1_epi8(members)))), ...);
    return found;
  }
#endif
};

/// The first byte of [at, end) that is in the set, or `end`.
template <class Set>
const char* find_byte(const char* at, const char* end) {
#if defined(__SSE2__)
  for (; end - at >= 16; at += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const int found = _mm_movemask_epi8(Set::where(bytes));
    if (found != 0) return at + __builtin_ctz(static_cast<unsigned>(found));
  }
#endif
  while (at != end && !Set::has(*at)) ++at;
  return at;
}

/// The number of line ends (LF, CRLF or CR) in [at, end), where `before` is the byte before `at`.
/// A CRLF counts where its CR is.
inline long count_line_ends(const char* at, const char* end, char before) {
  if (at == end) return 0;
  long lines = *at == '\r' || (*at == '\n' && before != '\r') ? 1 : 0;
  ++at;
  if (end - at < 32) {
    for (; at != end; ++at) lines += *at == '\r' || (*at == '\n' && at[-1] != '\r') ? 1 : 0;
  }
  while (at != end) {
    // A byte holds the count of a stretch this short, so that the loop is done sixteen at a time.
    const std::ptrdiff_t length = end - at < 240 ? end - at : 240;
    std::uint8_t count = 0;
    for (std::ptrdiff_t i = 0; i < length; ++i) {
      const auto line_feed = static_cast<std::uint8_t>(at[i] == '\n' ? 1 : 0);
      const auto carriage_return = static_cast<std::uint8_t>(at[i] == '\r' ? 1 : 0);
      const auto alone = static_cast<std::uint8_t>(at[i - 1] != '\r' ? 1 : 0);
      count = static_cast<std::uint8_t>(count + ((line_feed & alone) | carriage_return));
    }
    lines += count;
    at += length;
  }
  return lines;
}

}  // namespace banzuke
