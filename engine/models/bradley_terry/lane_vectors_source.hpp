// Part of lane_kernel_source.hpp: lanes as vectors.
#pragma once
#include <cstddef>
#include <cstdint>

namespace banzuke::bradley_terry::lane_kernel {
namespace {

#define BANZUKE_KERNEL_INLINE [[gnu::always_inline]] inline

template <std::size_t Doubles>
struct Native {
  typedef double Real __attribute__((vector_size(Doubles * 8), may_alias));
  typedef std::int64_t Mask __attribute__((vector_size(Doubles * 8), may_alias));
};
template <>
struct Native<1> {
  using Real = double;
  using Mask = std::int64_t;
};

constexpr std::size_t smaller(std::size_t a, std::size_t b) {
  return a < b ? a : b;
}

/// Vectors of W lanes.
template <std::size_t W>
struct Vectors {
  static constexpr std::size_t native = smaller(W, BANZUKE_NATIVE_DOUBLES);
  static constexpr std::size_t vectors = W / native;
  using Real = typename Native<native>::Real;
  using Mask = typename Native<native>::Mask;

  BANZUKE_KERNEL_INLINE static const Real* in(const double* lanes, std::size_t entity) {
    return reinterpret_cast<const Real*>(lanes + entity * W);
  }
  BANZUKE_KERNEL_INLINE static Real* out(double* lanes, std::size_t entity) {
    return reinterpret_cast<Real*>(lanes + entity * W);
  }
  BANZUKE_KERNEL_INLINE static Real absolute(Real x) { return x < Real{} ? -x : x; }

  /// Per-lane choices as full vector masks.
  struct LaneMask {
    alignas(64) std::int64_t lane[W] = {};
    bool any = false;
    bool all = true;
    void set(std::size_t l, bool on) {
      lane[l] = on ? -1 : 0;
      any = any || on;
      all = all && on;
    }
    BANZUKE_KERNEL_INLINE Mask at(std::size_t v) const {
      return *reinterpret_cast<const Mask*>(lane + v * native);
    }
  };
};

}  // namespace
}  // namespace banzuke::bradley_terry::lane_kernel
