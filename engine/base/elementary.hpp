#pragma once
#include <cstdint>

// Elementary functions whose bits depend on nothing but their argument: only + - * /, comparisons
// and integer operations, in one order, where libm's results differ between CPUs and versions.
// Branch-free, so that loops over them vectorise. Internal linkage, always inlined and without
// calls into the standard library, so that a kernel compiled once a CPU path leaks no copy.
// Methods, error bounds and measurements: docs/methods/elementary.md.

#define BANZUKE_ALWAYS_INLINE [[gnu::always_inline]] static inline

namespace banzuke {

namespace elementary {

// ln 2 = ln2_high + ln2_low; ln2_high has 42 bits, so that k * ln2_high is exact for |k| < 2^11.
constexpr double ln2_high = 0x1.62e42fefa38p-1;
constexpr double ln2_low = 0x1.ef35793c7673p-45;

BANZUKE_ALWAYS_INLINE std::uint64_t bits(double x) {
  return __builtin_bit_cast(std::uint64_t, x);
}
BANZUKE_ALWAYS_INLINE double from_bits(std::uint64_t x) {
  return __builtin_bit_cast(double, x);
}

// Selection by masks instead of comparisons: compilers turn these back into branches, and a loop
// with branches stays scalar.
constexpr std::uint64_t sign_bit = 0x8000000000000000;
constexpr std::uint64_t infinity_bits = 0x7ff0000000000000;

/// All ones if the sign bit of x is set, else 0.
BANZUKE_ALWAYS_INLINE std::uint64_t mask_of_sign(std::uint64_t x) {
  return 0 - (x >> 63);
}
BANZUKE_ALWAYS_INLINE std::uint64_t select_bits(std::uint64_t mask, std::uint64_t yes,
                                                std::uint64_t no) {
  return (yes & mask) | (no & ~mask);
}
BANZUKE_ALWAYS_INLINE double select(std::uint64_t mask, double yes, double no) {
  return from_bits(select_bits(mask, bits(yes), bits(no)));
}

/// y = log(u) for positive finite u; what the limits say otherwise.
BANZUKE_ALWAYS_INLINE double with_log_limits(double u, double y) {
  const std::uint64_t magnitude = bits(u) & ~sign_bit;
  y = select(mask_of_sign(infinity_bits - 1 - magnitude), u, y);
  y = select(mask_of_sign(bits(u)), __builtin_nan(""), y);
  return select(mask_of_sign(magnitude - 1), -__builtin_inf(), y);
}

/// log(u) + correction for a normal u > 0, with u = 2^k m, m in [sqrt(1/2), sqrt(2)), f = m - 1,
/// s = f / (2 + f) and log(m) = 2 atanh(s) = f - f^2/2 + s (f^2/2 + R(s^2)). `shift` is added to k.
BANZUKE_ALWAYS_INLINE double log_normal(double u, double shift, double correction) {
  constexpr std::uint64_t one = 0x3ff0000000000000;
  constexpr std::uint64_t sqrt_half = 0x3fe6a09e667f3bcd;
  constexpr std::uint64_t mantissa = 0x000fffffffffffff;
  const std::uint64_t moved = bits(u) + (one - sqrt_half);
  // The biased exponent becomes a double by way of the mantissa of 2^52: no conversion needed.
  const double k = (from_bits((moved >> 52) | bits(0x1p52)) - (0x1p52 + 1023.0)) + shift;
  const double f = from_bits((moved & mantissa) + sqrt_half) - 1.0;
  const double s = f / (2.0 + f);
  const double z = s * s;
  double r = 2.0 / 21.0;
  r = r * z + 2.0 / 19.0;
  r = r * z + 2.0 / 17.0;
  r = r * z + 2.0 / 15.0;
  r = r * z + 2.0 / 13.0;
  r = r * z + 2.0 / 11.0;
  r = r * z + 2.0 / 9.0;
  r = r * z + 2.0 / 7.0;
  r = r * z + 2.0 / 5.0;
  r = r * z + 2.0 / 3.0;
  r = r * z;
  const double half_square = 0.5 * f * f;
  return k * ln2_high - ((half_square - (s * (half_square + r) + (k * ln2_low + correction))) - f);
}

}  // namespace elementary

/// e^x within 1 ulp, subnormal results included; +inf above 709.78, 0 below -745.13, NaN for NaN.
BANZUKE_ALWAYS_INLINE double det_exp(double x) {
  namespace e = elementary;
  constexpr double log2_e = 0x1.71547652b82fep+0;
  constexpr double to_integer = 0x1.8p52;  // adding it rounds to an integer in the low bits
  const std::uint64_t magnitude = e::bits(x) & ~e::sign_bit;
  const std::uint64_t clamped =
      e::select_bits(e::mask_of_sign(e::bits(746.0) - magnitude), e::bits(746.0), magnitude);
  const double y = e::from_bits(clamped | (e::bits(x) & e::sign_bit));
  const double t = y * log2_e + to_integer;
  const double k = t - to_integer;
  const double r = (y - k * e::ln2_high) - k * e::ln2_low;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  const double mantissa = 1.0 + (r + r * r * p);
  // 2^k in two factors: the first product is exact, the second rounds once, also if subnormal.
  const std::uint64_t biased = e::bits(t) - e::bits(to_integer) + 2048;
  const std::uint64_t first = (biased >> 1) - 1;
  const std::uint64_t second = biased - 2 - first;
  const double scaled = mantissa * e::from_bits(first << 52) * e::from_bits(second << 52);
  return e::select(e::mask_of_sign(e::infinity_bits - magnitude), x, scaled);
}

/// ln x within 1 ulp, subnormal x included; -inf at 0, +inf at +inf, NaN for x < 0 and NaN.
BANZUKE_ALWAYS_INLINE double det_log(double x) {
  namespace e = elementary;
  const std::uint64_t subnormal = e::mask_of_sign(e::bits(x) - e::bits(0x1p-1022));
  const double u = x * e::select(subnormal, 0x1p54, 1.0);
  return e::with_log_limits(u, e::log_normal(u, e::select(subnormal, -54.0, 0.0), 0.0));
}

/// ln(1 + x) within 1 ulp, also near 0; -inf at -1, +inf at +inf, NaN for x < -1 and NaN;
/// +0 for both zeros.
BANZUKE_ALWAYS_INLINE double det_log1p(double x) {
  namespace e = elementary;
  const double u = 1.0 + x;
  const double rest = u - 1.0;
  const double lost = (x - rest) + (1.0 - (u - rest));  // 1 + x = u + lost, exactly
  return e::with_log_limits(u, e::log_normal(u, 0.0, lost / u));
}

}  // namespace banzuke
