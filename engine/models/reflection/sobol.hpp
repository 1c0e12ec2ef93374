#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace banzuke::reflection {

inline constexpr std::size_t most_sobol_dimensions = 17;
inline constexpr int sobol_bits = 32;

/// Direction numbers of Sobol's sequence (Joe and Kuo 2008), first coordinate van der Corput.
const std::array<std::array<std::uint32_t, sobol_bits>, most_sobol_dimensions>& sobol_directions();

/// Points of Sobol's sequence in Gray-code order, scrambled by a random lower-triangular matrix and
/// a digital shift (Matousek 1998), which leaves the mean of any estimate unbiased. Coordinates lie
/// in the open unit interval.
class ScrambledSobol {
 public:
  /// The scramble is that of stream `reflection_scramble`, entity = dimension.
  ScrambledSobol(std::size_t dimensions, std::uint64_t seed, std::uint32_t point,
                 std::uint32_t replicate);

  /// Coordinate d of the current point.
  double operator[](std::size_t d) const {
    return (static_cast<double>(state_[d]) + 0.5) * 0x1p-32;
  }
  void next();

 private:
  std::vector<std::array<std::uint32_t, sobol_bits>> columns_;
  std::vector<std::uint32_t> state_;
  std::uint32_t index_ = 0;
};

}  // namespace banzuke::reflection
