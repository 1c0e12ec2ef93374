#pragma once
#include <array>
#include <cstdint>
#include <vector>

#include "engine/models/dirichlet_multinomial/normal_ziggurat.hpp"

namespace banzuke::dirichlet_multinomial {

/// The beta-binomial law with fixed a, b and any n up to a maximum,
///   P(y) ∝ Γ(a+y)/y! · Γ(b+n-y)/(n-y)!,
/// sampled exactly as attempts that are pure functions of one 128-bit block each.
///
/// With g_a(y) = log Γ(a+y) - log Γ(1+y), l(y) = g_a(y) + g_b(n-y) has a concave second derivative
/// for a, b > 1, since ψ''' decreases. So with the mode y0 and l'' ≤ -1/σ² on [0, n],
/// l(y) ≤ l(y0) - (y-y0)²/(2σ²): a normal hat lies above the law everywhere. Rounding x to y moves
/// it by at most 1/2, which a hat of variance s² = σ² + σ/2 absorbs at the price
/// exp(1/(8(s² - σ²))); about 1 - 1/(2σ) of the attempts succeed
/// for a = b. The test against the exact ratio
/// takes two table look-ups; log V ≤ D is mostly settled by V ≤ 1 + D.
/// Where a hat is no use (n below 12, a or b ≤ 1.1, acceptance below 1/4) the law is inverted by
/// its recurrence from y = 0, at a cost of O(n).
class BetaBinomialSampler {
 public:
  /// O(max_n) time and memory (40 bytes each). Made for 1/2 ≤ a/b ≤ 2; throws
  /// std::invalid_argument unless a and b are positive and at most 10^12, and for ratios so far
  /// from 1 that neither method works.
  BetaBinomialSampler(double a, double b, std::uint32_t max_n);

  /// One attempt; `block` must be uniform and used for nothing else. False: try the next block.
  bool attempt(std::uint32_t n, const std::array<std::uint32_t, 4>& block, std::uint32_t& y) const {
    const Hat& hat = hat_[n];
    const std::uint64_t bits = static_cast<std::uint64_t>(block[1]) << 32 | block[0];
    if (!hat.usable) {
      y = invert(n, (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52);
      return true;
    }
    double z;
    if (!ziggurat_->attempt(bits, block[3], z)) [[unlikely]]
      return false;
    const double at = hat.centre + hat.scale * z;
    if (!(at >= 0 && at < hat.end)) [[unlikely]]
      return false;
    y = static_cast<std::uint32_t>(static_cast<std::int32_t>(at));
    const double log_ratio = weight_a_[y] + weight_b()[n - y] - hat.log_peak + 0.5 * z * z;
    const double v = (block[2] + 0.5) * 0x1p-32;
    return v <= 1 + log_ratio || det_log(v) <= log_ratio;
  }

 private:
  struct Hat {
    double centre = 0;    ///< y0 + 1/2, so that truncation rounds to the nearest y
    double scale = 0;     ///< s
    double end = 0;       ///< n + 1
    double log_peak = 0;  ///< l(y0) + 1/(8(s² - σ²))
    bool usable = false;
  };

  const std::vector<double>& weight_b() const { return weight_b_.empty() ? weight_a_ : weight_b_; }
  Hat hat(double n, double log_mass) const;
  double curvature_bound(double n) const;
  double mode(double n) const;
  std::uint32_t invert(std::uint32_t n, double u) const;

  double a_;
  double b_;
  const NormalZiggurat* ziggurat_;
  std::vector<double> weight_a_;  ///< g_a(y) - g_a(0)
  std::vector<double> weight_b_;  ///< empty when b = a
  std::vector<double> none_;      ///< P(Y = 0 | n)
  std::vector<Hat> hat_;
};

}  // namespace banzuke::dirichlet_multinomial
