// Part of anderson_kernel_source.hpp: lanes as vectors.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/models/bradley_terry/anderson_kernel.hpp"

namespace banzuke::bradley_terry::anderson_kernel {
namespace {

#define BANZUKE_KERNEL_INLINE [[gnu::always_inline]] inline

template <class T, std::size_t Count>
struct Native {
  typedef T Vector __attribute__((vector_size(Count * sizeof(T)), may_alias));
};
template <class T>
struct Native<T, 1> {
  using Vector = T;
};

constexpr std::size_t smaller(std::size_t a, std::size_t b) {
  return a < b ? a : b;
}

template <class T, std::size_t W>
struct Shape {
  static constexpr std::size_t native = smaller(W, BANZUKE_NATIVE_DOUBLES * 8 / sizeof(T));
  static constexpr std::size_t vectors = W / native;
  using Vector = typename Native<T, native>::Vector;
};

template <class Value>
BANZUKE_KERNEL_INLINE Value absolute(Value x) {
  return x < Value{} ? -x : x;
}
template <class Value>
BANZUKE_KERNEL_INLINE Value larger(Value most, Value x) {
  return x <= most ? most : x;  // takes a NaN over
}

/// Vectors of W lanes.
template <std::size_t W>
struct Vectors {
  template <class T>
  using Vector = typename Shape<T, W>::Vector;

  template <class T>
  BANZUKE_KERNEL_INLINE static Vector<T>* at(T* lanes, std::size_t entity) {
    return reinterpret_cast<Vector<T>*>(lanes + entity * W);
  }
  template <class T>
  BANZUKE_KERNEL_INLINE static const Vector<T>* at(const T* lanes, std::size_t entity) {
    return reinterpret_cast<const Vector<T>*>(lanes + entity * W);
  }
  /// As many floats as there are doubles in a vector.
  using Narrow = typename Native<float, Shape<double, W>::native>::Vector;
  BANZUKE_KERNEL_INLINE static Narrow* narrow_at(float* lanes, std::size_t entity) {
    return reinterpret_cast<Narrow*>(lanes + entity * W);
  }
  BANZUKE_KERNEL_INLINE static Narrow narrowed(Vector<double> x) {
    if constexpr (Shape<double, W>::native == 1)
      return static_cast<float>(x);
    else
      return __builtin_convertvector(x, Narrow);
  }
  BANZUKE_KERNEL_INLINE static Vector<double> widened(Narrow x) {
    if constexpr (Shape<double, W>::native == 1)
      return static_cast<double>(x);
    else
      return __builtin_convertvector(x, Vector<double>);
  }
  /// Sets the values of players left out to zero.
  template <class T>
  BANZUKE_KERNEL_INLINE static void silence(const Lanes& x, T* values) {
    for (std::size_t o = 0; o < x.out_players; ++o)
      for (std::size_t l = 0; l < W; ++l)
        if (x.out_player_mask[o * W + l]) values[x.out_player[o] * W + l] = 0;
  }
};

}  // namespace
}  // namespace banzuke::bradley_terry::anderson_kernel
