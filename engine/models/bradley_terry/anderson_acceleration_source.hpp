// Part of anderson_kernel_source.hpp: steps by what is remembered of earlier ones.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/models/bradley_terry/anderson_vectors_source.hpp"

namespace banzuke::bradley_terry::anderson_kernel {
namespace {

// A remembered difference whose new part is below this part of its square is left out.
constexpr double dependent = 1e-5;
// Sums over players are taken in float over so many of them, then in double.
constexpr std::uint32_t strip = 256;

template <std::size_t W>
struct Acceleration : Vectors<W> {
  using Base = Vectors<W>;
  template <class T>
  using Vector = typename Base::template Vector<T>;
  using Base::at;

  /// Products of what the acceleration remembers, of one lane each.
  struct Memory {
    alignas(64) double gram[deepest][deepest][W] = {};  ///< of differences of f
    alignas(64) double along[deepest][W] = {};          ///< of differences with f
    alignas(64) float weight[deepest][W] = {};          ///< what of each secant a step takes back
  };

  /// Takes f - before as difference `newest` of `known`, and the products with the others.
  template <std::size_t Known>
  [[gnu::noinline]] static void remember(const Model& m, const Lanes& x, std::size_t newest,
                                         Memory& memory) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    const std::size_t size = std::size_t{m.players} * W;
    float* const difference = x.difference + newest * size;
    float* const secant = x.secant + newest * size;
    alignas(64) double gram[Known][W] = {}, along[Known][W] = {};
    for (std::uint32_t begin = 0; begin < m.players; begin += strip) {
      const std::uint32_t end = m.players - begin < strip ? m.players : begin + strip;
      for (std::size_t v = 0; v < count; ++v) {
        Vector<float> g[Known] = {}, a[Known] = {};
        for (std::uint32_t i = begin; i < end; ++i) {
          const Vector<float> f = at(x.direction, i)[v];
          const Vector<float> change = f - at(x.before, i)[v];
          at(difference, i)[v] = change;
          at(secant, i)[v] = at(x.step, i)[v] + change;
          at(x.before, i)[v] = f;
          for (std::size_t k = 0; k < Known; ++k) {
            const Vector<float> other = at(x.difference + k * size, i)[v];
            g[k] += change * other;
            a[k] += f * other;
          }
        }
        for (std::size_t k = 0; k < Known; ++k)
          for (std::size_t l = 0; l < Shape<float, W>::native; ++l) {
            gram[k][v * Shape<float, W>::native + l] +=
                static_cast<double>(reinterpret_cast<const float*>(&g[k])[l]);
            along[k][v * Shape<float, W>::native + l] +=
                static_cast<double>(reinterpret_cast<const float*>(&a[k])[l]);
          }
      }
    }
    for (std::size_t k = 0; k < Known; ++k)
      for (std::size_t l = 0; l < W; ++l) {
        memory.gram[newest][k][l] = memory.gram[k][newest][l] = gram[k][l];
        memory.along[k][l] = along[k][l];
      }
    weigh<Known>(newest, memory);
  }

  /// Least squares |f - sum weight difference|, newest difference first; one that adds nothing new
  /// is left out.
  template <std::size_t Known>
  [[gnu::noinline]] static void weigh(std::size_t newest, Memory& memory) {
    std::size_t order[Known];
    for (std::size_t k = 0; k < Known; ++k) order[k] = (newest + Known - k) % Known;
    alignas(64) double lower[Known][Known][W] = {}, pivot[Known][W], value[Known][W];
    for (std::size_t a = 0; a < Known; ++a) {
      for (std::size_t l = 0; l < W; ++l) value[a][l] = memory.along[order[a]][l];
      for (std::size_t b = 0; b < a; ++b) {
        for (std::size_t l = 0; l < W; ++l) lower[a][b][l] = memory.gram[order[a]][order[b]][l];
        for (std::size_t c = 0; c < b; ++c)
          for (std::size_t l = 0; l < W; ++l)
            lower[a][b][l] -= lower[a][c][l] * pivot[c][l] * lower[b][c][l];
        for (std::size_t l = 0; l < W; ++l)
          value[a][l] -= lower[a][b][l] * pivot[b][l] * value[b][l];
      }
      for (std::size_t l = 0; l < W; ++l) {
        const double whole = memory.gram[order[a]][order[a]][l];
        double part = whole;
        for (std::size_t b = 0; b < a; ++b) part -= lower[a][b][l] * pivot[b][l] * lower[a][b][l];
        pivot[a][l] = part > dependent * whole ? 1.0 / part : 0.0;
      }
    }
    for (std::size_t a = Known; a-- > 0;)
      for (std::size_t l = 0; l < W; ++l) {
        double sum = value[a][l];
        for (std::size_t b = a + 1; b < Known; ++b) sum -= lower[b][a][l] * value[b][l];
        value[a][l] = sum * pivot[a][l];
        memory.weight[order[a]][l] = static_cast<float>(value[a][l]);
      }
  }

  /// step = f - sum weight secant, and if `Measured` the largest change of theta by it or by f
  /// alone, and since the base: d theta / d z = 1 / ((1 - p z) (1 + q z)).
  template <bool Measured, std::size_t Known>
  [[gnu::noinline]] static void propose(const Model& m, const Lanes& x, const Memory& memory,
                                        double* largest, double* moved) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    const std::size_t size = std::size_t{m.players} * W;
    Vector<float> most[count] = {}, farthest[count] = {};
    for (std::uint32_t i = 0; i < m.players; ++i) {
      const auto p = static_cast<float>(m.own_p[i]), q = static_cast<float>(m.own_q[i]);
      for (std::size_t v = 0; v < count; ++v) {
        const Vector<float> f = at(x.direction, i)[v];
        Vector<float> sum = f;
        for (std::size_t k = 0; k < Known; ++k)
          sum -= at(memory.weight[k], 0)[v] * at(x.secant + k * size, i)[v];
        at(x.step, i)[v] = sum;
        if constexpr (!Measured) continue;
        const Vector<float> change = at(x.moved, i)[v];
        const Vector<float> z = at(x.base_position, i)[v] + change;
        const Vector<float> steps = 1.0F / ((1.0F - p * z) * (1.0F + q * z));
        most[v] = larger(most[v], larger(absolute(f), absolute(sum)) * steps);
        farthest[v] = larger(farthest[v], absolute(change) * steps);
      }
    }
    if constexpr (!Measured) return;
    alignas(64) float values[2][W];
    for (std::size_t v = 0; v < count; ++v) {
      at(values[0], 0)[v] = most[v];
      at(values[1], 0)[v] = farthest[v];
    }
    for (std::size_t l = 0; l < W; ++l) {
      largest[l] = static_cast<double>(values[0][l]);
      moved[l] = static_cast<double>(values[1][l]);
    }
  }

  /// The step by `Known` remembered differences, the newest of which is made here.
  template <std::size_t Known>
  static void accelerate(const Model& m, const Lanes& x, std::size_t newest, bool is_measured,
                         Memory& memory, double* largest, double* moved) {
    remember<Known>(m, x, newest, memory);
    is_measured ? propose<true, Known>(m, x, memory, largest, moved)
                : propose<false, Known>(m, x, memory, largest, moved);
  }
  static constexpr decltype(&accelerate<1>) accelerations[] = {
      accelerate<1>, accelerate<2>, accelerate<3>, accelerate<4>, accelerate<5>, accelerate<6>};
};

}  // namespace
}  // namespace banzuke::bradley_terry::anderson_kernel
