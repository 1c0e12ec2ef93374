#include "engine/base/elementary_trig.hpp"

#include <gtest/gtest.h>

#include <boost/math/special_functions/erf.hpp>
#include <cmath>
#include <limits>
#include <random>

namespace banzuke {
namespace {

static_assert(std::numeric_limits<long double>::digits >= 64,
              "the reference is the long double library");

double error_in_ulp(double got, long double exact) {
  const double size = std::abs(static_cast<double>(exact));
  const double ulp = std::nextafter(size, std::numeric_limits<double>::infinity()) - size;
  return static_cast<double>(std::abs(static_cast<long double>(got) - exact) / ulp);
}

class Arguments {
 public:
  /// Of either sign, 2^e with e uniform between low and high.
  double power(double low, double high) {
    const double u = static_cast<double>(engine_() >> 11) * 0x1p-53;
    const double sign = engine_() & 1 ? 1.0 : -1.0;
    return sign * std::exp2(low + (high - low) * u);
  }

 private:
  std::mt19937_64 engine_{7};
};

TEST(ElementaryTrig, SineAndCosineAreWithinTwoAndAHalfUlp) {
  Arguments any;
  double worst = 0.0;
  for (int i = 0; i < 300000; ++i) {
    for (const double x : {any.power(-40, 2), any.power(0, 20)}) {
      const SinCos got = det_sincos(x);
      worst = std::max(worst, error_in_ulp(got.sin, std::sin(static_cast<long double>(x))));
      worst = std::max(worst, error_in_ulp(got.cos, std::cos(static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 2.5);
}

TEST(ElementaryTrig, ArcTangentIsWithinTwoUlpInAllQuadrants) {
  Arguments any;
  double worst = 0.0;
  for (int i = 0; i < 300000; ++i) {
    const double y = any.power(-30, 30);
    for (const double x : {any.power(-30, 30), y * any.power(-2, 2)}) {
      worst =
          std::max(worst, error_in_ulp(det_atan2(y, x), std::atan2(static_cast<long double>(y),
                                                                   static_cast<long double>(x))));
    }
  }
  EXPECT_LT(worst, 2.0);
}

TEST(ElementaryTrig, ArcTangentOnTheAxes) {
  EXPECT_EQ(det_atan2(0.0, 0.0), 0.0);
  EXPECT_EQ(det_atan2(0.0, 3.0), 0.0);
  EXPECT_EQ(det_atan2(3.0, 0.0), 0x1.921fb54442d18p+0);
  EXPECT_EQ(det_atan2(-3.0, 0.0), -0x1.921fb54442d18p+0);
  EXPECT_EQ(det_atan2(0.0, -3.0), 0x1.921fb54442d18p+1);
  EXPECT_EQ(det_atan2(2.0, 2.0), 0x1.921fb54442d18p-1);
}

TEST(ElementaryTrig, NormalDistributionAgreesWithBoost) {
  for (double x = -37.0; x <= 37.0; x += 0.0137) {
    const double exact = static_cast<double>(
        boost::math::erfc(-static_cast<long double>(x) / std::sqrt(2.0L)) / 2.0L);
    EXPECT_NEAR(det_normal_cdf(x) / exact, 1.0, 4e-16 * (4.0 + x * x)) << x;
  }
}

}  // namespace
}  // namespace banzuke
