#pragma once
#include "engine/base/elementary.hpp"

// Sine, cosine, arc tangent and the scaled complementary error function in the style of
// elementary.hpp: bits that depend on the argument alone, branch-free, internal linkage.

namespace banzuke {

/// A sine and a cosine of one argument.
struct SinCos {
  double sin;
  double cos;
};

/// sin x and cos x within 2.5 ulp for |x| < 2^20. Reduction by pi/2 in three parts of 33, 33 and 53
/// bits (Cody and Waite 1980), then Taylor polynomials on [-pi/4, pi/4].
BANZUKE_ALWAYS_INLINE SinCos det_sincos(double x) {
  namespace e = elementary;
  constexpr double two_over_pi = 0x1.45f306dc9c883p-1;
  constexpr double half_pi_1 = 0x1.921fb544p+0;
  constexpr double half_pi_2 = 0x1.0b4611a6p-34;
  constexpr double half_pi_3 = 0x1.3198a2e037p-69;
  constexpr double to_integer = 0x1.8p52;  // adding it rounds to an integer in the low bits
  const double t = x * two_over_pi + to_integer;
  const double k = t - to_integer;
  const double r = ((x - k * half_pi_1) - k * half_pi_2) - k * half_pi_3;
  const double z = r * r;
  double s = 1.0 / 355687428096000.0;
  s = s * z - 1.0 / 1307674368000.0;
  s = s * z + 1.0 / 6227020800.0;
  s = s * z - 1.0 / 39916800.0;
  s = s * z + 1.0 / 362880.0;
  s = s * z - 1.0 / 5040.0;
  s = s * z + 1.0 / 120.0;
  s = s * z - 1.0 / 6.0;
  const double sine = r + r * (z * s);
  double c = 1.0 / 20922789888000.0;
  c = c * z - 1.0 / 87178291200.0;
  c = c * z + 1.0 / 479001600.0;
  c = c * z - 1.0 / 3628800.0;
  c = c * z + 1.0 / 40320.0;
  c = c * z - 1.0 / 720.0;
  c = c * z + 1.0 / 24.0;
  const double half = 0.5 * z;
  const double lead = 1.0 - half;
  const double cosine = lead + (((1.0 - lead) - half) + z * (z * c));
  const std::uint64_t quadrant = e::bits(t);
  const std::uint64_t swap = 0 - (quadrant & 1);
  const std::uint64_t sin_bits = e::select_bits(swap, e::bits(cosine), e::bits(sine));
  const std::uint64_t cos_bits = e::select_bits(swap, e::bits(sine), e::bits(cosine));
  return {e::from_bits(sin_bits ^ ((quadrant & 2) << 62)),
          e::from_bits(cos_bits ^ (((quadrant + 1) & 2) << 62))};
}

/// The argument of x + iy in [-pi, pi] within 2 ulp; 0 at the origin; finite arguments only.
/// atan t = t + t^3 p(t^2) for |t| <= sqrt(2) - 1, p from Chebyshev interpolation (7e-18).
BANZUKE_ALWAYS_INLINE double det_atan2(double y, double x) {
  namespace e = elementary;
  constexpr double quarter_pi_high = 0x1.921fb54442d18p-1;
  constexpr double quarter_pi_low = 0x1.1a62633145c07p-55;
  const double width = e::from_bits(e::bits(x) & ~e::sign_bit);
  const double height = e::from_bits(e::bits(y) & ~e::sign_bit);
  const std::uint64_t steep = e::mask_of_sign(e::bits(width - height));
  const double small = e::select(steep, width, height);
  const double large = e::select(steep, height, width);
  const std::uint64_t turned = e::mask_of_sign(e::bits(large * 0x1.a827999fcef32p-2 - small));
  const double numerator = small - e::select(turned, large, 0.0);
  const double denominator = large + e::select(turned, small, 0.0);
  const std::uint64_t origin = e::mask_of_sign(e::bits(large) - 1);
  const double t = numerator / e::select(origin, 1.0, denominator);
  const double z = t * t;
  double p = -0x1.3a2b7a07caea8p-6;
  p = p * z + 0x1.41603647c7a7cp-5;
  p = p * z - 0x1.a098bb6ba4941p-5;
  p = p * z + 0x1.dfe61e80903d2p-5;
  p = p * z - 0x1.10fa75382537fp-4;
  p = p * z + 0x1.3b1262d95579ep-4;
  p = p * z - 0x1.745d0b26b83e7p-4;
  p = p * z + 0x1.c71c7185314cbp-4;
  p = p * z - 0x1.24924924360cbp-3;
  p = p * z + 0x1.999999999934ap-3;
  p = p * z - 0x1.5555555555555p-2;
  // The angle is (quarters * pi/4) +- atan t, quarters counted through the three reflections.
  const std::uint64_t left = e::mask_of_sign(e::bits(x));
  double quarters = e::select(turned, 1.0, 0.0);
  quarters = e::select(steep, 2.0 - quarters, quarters);
  quarters = e::select(left, 4.0 - quarters, quarters);
  const std::uint64_t flip = (steep ^ left) & e::sign_bit;
  const double lead = e::from_bits(e::bits(t) ^ flip);
  const double rest = e::from_bits(e::bits(t * (z * p)) ^ flip);
  const double angle = quarters * quarter_pi_high + (lead + (rest + quarters * quarter_pi_low));
  return e::from_bits(e::bits(angle) ^ (e::bits(y) & e::sign_bit));
}

/// e^(x^2) erfc(x) for x >= 0 within 1e-15 relative: (1 + 2x) times it is a Chebyshev series in
/// (x - 3)/(x + 3) (the mapping of Schonfelder 1978), coefficients by interpolation in 113 bits.
BANZUKE_ALWAYS_INLINE double det_erfcx(double x) {
  constexpr double coefficients[] = {
      0x1.2d74bda92af4ep+0,  0x1.5edf9ce74f63fp-8,   -0x1.801abe05df687p-4,  0x1.bd5ede2886138p-5,
      -0x1.36e99d8ff90f9p-6, 0x1.23dc174a04d88p-8,   -0x1.4c2a11331e07fp-11, 0x1.285081fb75cffp-16,
      0x1.aee3ed67b1676p-17, -0x1.0d67d92eaad08p-19, -0x1.84299dc345beep-23, 0x1.44433d946a19ap-24,
      0x1.032a104e5517ap-29, -0x1.7304e1dbd8b83p-29, -0x1.00dc19d18c674p-36, 0x1.c7b5528014b3ap-34,
      0x1.9f5f81990f4eap-40, -0x1.2cfe191ec3da2p-38, -0x1.d4427adb7dd6p-43,  0x1.9849b2017e639p-43,
      0x1.62feddab6d0b6p-46, -0x1.076b02d22cf65p-47, -0x1.b8acde015992dp-50, 0x1.06ce297865ba8p-52,
  };
  const double t = (x - 3.0) / (x + 3.0);
  double last = 0.0;
  double current = 0.0;
  for (int j = 23; j >= 1; --j) {
    const double next = coefficients[j] + (2.0 * t) * current - last;
    last = current;
    current = next;
  }
  return (coefficients[0] + t * current - last) / (1.0 + 2.0 * x);
}

/// The standard normal distribution function for |x| < 37; relative error below 4e-16 (4 + x^2).
BANZUKE_ALWAYS_INLINE double det_normal_cdf(double x) {
  namespace e = elementary;
  const double magnitude = e::from_bits(e::bits(x) & ~e::sign_bit);
  const double upper = 0.5 * det_exp(-0.5 * (x * x)) * det_erfcx(magnitude * 0x1.6a09e667f3bcdp-1);
  return e::select(e::mask_of_sign(e::bits(x)), upper, 1.0 - upper);
}

}  // namespace banzuke
