#include "engine/models/dirichlet_multinomial/normal_ziggurat.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

// Start of the tail, and the area of every layer: r f(r) + ∫_r^∞ f with f(x) = exp(-x^2/2).
constexpr double tail_start = 3.6541528853610087716454;
constexpr double layer_area = 0.00492867323397465534736;

double density(double x) {
  return det_exp(-0.5 * x * x);
}

double uniform(std::uint32_t bits) {
  return (bits + 0.5) * 0x1p-32;
}

}  // namespace

NormalZiggurat::NormalZiggurat() {
  edge_[0] = layer_area / density(tail_start);
  edge_[1] = tail_start;
  height_[0] = 0;
  height_[1] = density(tail_start);
  for (std::size_t i = 2; i < 256; ++i) {
    height_[i] = height_[i - 1] + layer_area / edge_[i - 1];
    edge_[i] = __builtin_sqrt(-2 * det_log(height_[i]));
  }
  edge_[256] = 0;
  height_[256] = 1;
}

bool NormalZiggurat::outside_rectangle(std::size_t layer, double u, std::uint64_t sign,
                                       std::uint32_t spare, double& z) const {
  if (layer > 0) {
    const double x = u * edge_[layer];
    return height_[layer] + uniform(spare) * (height_[layer + 1] - height_[layer]) < density(x);
  }
  // Marsaglia's tail: u beyond the rectangle is uniform on what is left of (0, 1).
  const double inside = tail_start / edge_[0];
  const double beyond = -det_log((u - inside) / (1 - inside)) / tail_start;
  z = elementary::from_bits(elementary::bits(tail_start + beyond) | sign);
  return -2 * det_log(uniform(spare)) > beyond * beyond;
}

}  // namespace banzuke::dirichlet_multinomial
