#pragma once
#include <array>
#include <cstdint>

#include "engine/base/elementary.hpp"

namespace banzuke::dirichlet_multinomial {

/// The ziggurat of Marsaglia and Tsang (2000) for the standard normal law with 256 layers, as one
/// attempt that may fail: a pure function of 96 random bits. Conditional on success z is exactly
/// normal, so that a caller who rejects anyway takes a failure for one more rejection and needs no
/// generator. Fails with probability 0.7 %.
class NormalZiggurat {
 public:
  NormalZiggurat();

  /// `bits`: layer (8 low bits), sign (1 bit), 52 high bits for the abscissa; `spare`: 32 further
  /// bits, used outside the rectangles only. False when the attempt fails.
  bool attempt(std::uint64_t bits, std::uint32_t spare, double& z) const {
    const std::size_t layer = bits & 0xFF;
    const double u = (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
    const double x = u * edge_[layer];
    const std::uint64_t sign = (bits & 0x100) << 55;
    z = elementary::from_bits(elementary::bits(x) | sign);
    if (x < edge_[layer + 1]) [[likely]]
      return true;
    return outside_rectangle(layer, u, sign, spare, z);
  }

 private:
  bool outside_rectangle(std::size_t layer, double u, std::uint64_t sign, std::uint32_t spare,
                         double& z) const;

  /// Right edges of the layers from the bottom one (widened to the common area) to the tip, 0.
  std::array<double, 257> edge_{};
  std::array<double, 257> height_{};  ///< exp(-edge^2 / 2)
};

}  // namespace banzuke::dirichlet_multinomial
