// Compiled once a CPU path, with BANZUKE_NATIVE_DOUBLES (2, 4 or 8) set by the
// including file, and everything but that file's entry function of internal linkage. Only + - * /
// and comparisons, every lane for itself and in one order: equal bits for any width of vectors.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/anderson_acceleration_source.hpp"
#include "engine/models/bradley_terry/anderson_kernel.hpp"
#include "engine/models/bradley_terry/anderson_residual_source.hpp"
#include "engine/models/bradley_terry/tolerance.hpp"

namespace banzuke::bradley_terry::anderson_kernel {
namespace {

// Rounding of a residual whose change was taken in float, relative to the change: several times
// what the roundings of a flow add up to in root mean square.
constexpr double change_rounding = 0x1p-22;
// Pairs of equally many games whose logarithms are taken as one product's.
constexpr std::uint32_t product = 16;

void tally(std::size_t pairs, const std::uint32_t* first, const std::uint32_t* second,
           const std::uint32_t* games, std::size_t lanes, const std::int32_t* wins,
           std::int32_t* sums, std::uint8_t* one_sided) {
  typedef std::int32_t Eight __attribute__((vector_size(32), aligned(4), may_alias));
  for (std::size_t k = 0; k < pairs; ++k) {
    const std::int32_t* const won = wins + k * lanes;
    std::int32_t* const mine = sums + first[k] * lanes;
    std::int32_t* const other = sums + second[k] * lanes;
    const auto all = static_cast<std::int32_t>(games[k]);
    Eight seen{};
    for (std::size_t l = 0; l < lanes; l += 8) {
      const Eight w = *reinterpret_cast<const Eight*>(won + l);
      *reinterpret_cast<Eight*>(mine + l) += w;
      *reinterpret_cast<Eight*>(other + l) -= w;
      seen |= (w == 0) | (w == all);
    }
    std::int32_t any = 0;
    for (std::size_t l = 0; l < 8; ++l) any |= seen[l];
    one_sided[k] = any != 0;
  }
}

template <std::size_t W>
struct Kernel : Vectors<W> {
  using Base = Vectors<W>;
  template <class T>
  using Vector = typename Base::template Vector<T>;
  using Base::at;
  using Base::silence;

  using Memory = typename Acceleration<W>::Memory;

  /// z += step in open lanes, within its interval, and the change of u since the base:
  /// (z - z_b) / ((1 - p z) (1 - p z_b)).
  [[gnu::noinline]] static void take(const Model& m, const Lanes& x) {
    using Value = Vector<float>;
    constexpr std::size_t count = Shape<float, W>::vectors;
    alignas(64) std::int32_t open[W];
    for (std::size_t l = 0; l < W; ++l) open[l] = x.status[l] == LaneStatus::open ? -1 : 0;
    for (std::uint32_t i = 0; i < m.players; ++i) {
      const auto p = static_cast<float>(m.own_p[i]);
      const auto most = static_cast<float>(m.highest[i]), least = static_cast<float>(m.lowest[i]);
      for (std::size_t v = 0; v < count; ++v) {
        const Value from = at(x.base_position, i)[v];
        const Value highest = most - from, lowest = least - from;
        const Value before = at(x.moved, i)[v];
        Value next = before + (at(open, 0)[v] ? at(x.step, i)[v] : Value{});
        next = next > highest ? highest : next;
        next = next < lowest ? lowest : next;
        const Value change = next * at(x.base_scale, i)[v] / (1.0F - p * (from + next));
        at(x.step, i)[v] = next - before;
        at(x.moved, i)[v] = next;
        at(x.float_excess, i)[v] = change;
        at(x.float_strength, i)[v] = at(x.base_strength, i)[v] + change;
      }
    }
    silence(x, x.moved);
    silence(x, x.float_excess);
  }

  static void estimate(const Model& m, const Lanes& x) {
    Memory memory;
    alignas(64) double steepest[W] = {}, size[W] = {}, moved[W] = {};
    const std::size_t all = std::size_t{m.players} * W;
    for (std::size_t i = 0; i < all; ++i) {
      x.base[i] = 0;
      x.base_position[i] = 0;
      x.base_strength[i] = 1;
      x.base_scale[i] = 1;
      x.moved[i] = 0;
    }
    for (std::int32_t pass = 0; pass < m.max_passes; ++pass) {
      bool any = false;
      for (std::size_t l = 0; l < W; ++l) any = any || x.status[l] == LaneStatus::open;
      if (!any) return;
      Residual<W>::evaluate(m, x, pass, steepest);
      const bool is_measured = pass > 0 && (is_exact(m, pass) || pass >= m.first_end);
      if (pass == 0) {
        for (std::size_t i = 0; i < all; ++i) x.before[i] = x.step[i] = x.direction[i];
      } else {
        const auto differences = static_cast<std::size_t>(pass);
        Acceleration<W>::accelerations[smaller(differences, m.depth) - 1](
            m, x, (differences - 1) % m.depth, is_measured, memory, size, moved);
      }
      bool ended[W] = {};
      for (std::size_t l = 0; l < W; ++l) {
        if (x.status[l] != LaneStatus::open) continue;
        x.iterations[l] = pass + 1;
        if (!is_measured) continue;
        const double rounding = is_exact(m, pass) ? 0.0 : change_rounding * moved[l];
        x.last_step[l] = m.stretch * (size[l] + rounding);
        ended[l] = steepest[l] + m.widest * rounding <= Tolerance::max_gradient &&
                   x.last_step[l] <= Tolerance::max_step;
        if (!(size[l] < 1e30)) x.status[l] = LaneStatus::given_up;
      }
      take(m, x);
      for (std::size_t l = 0; l < W; ++l)
        if (ended[l]) x.status[l] = LaneStatus::found;
    }
    for (std::size_t l = 0; l < W; ++l)
      if (x.status[l] == LaneStatus::open) x.status[l] = LaneStatus::given_up;
  }

  static void finish(const Model& m, const Lanes& x) {
    constexpr std::size_t count = Shape<double, W>::vectors;
    const std::size_t size = std::size_t{m.players} * W;
    Residual<W>::rebase(m, x);
    for (std::size_t i = 0; i < size; ++i) x.residual[i] = det_log1p(x.excess[i]);
    alignas(64) double values[W];
    for (std::size_t l = 0; l < W; ++l) x.logs[l] = 0;
    for (std::size_t r = 0; r < m.runs; ++r) {
      const std::uint32_t end = m.run_begin[r + 1];
      for (std::uint32_t begin = m.run_begin[r]; begin < end; begin += product) {
        Vector<double> whole[count];
        for (std::size_t v = 0; v < count; ++v) whole[v] = Vector<double>{} + 1.0;
        const std::uint32_t stop = end - begin < product ? end : begin + product;
        for (std::uint32_t at_run = begin; at_run < stop; ++at_run) {
          const double p = m.run_p[at_run], q = m.run_q[at_run];
          const Vector<double>* const mine = at(x.strength, m.run_earlier[at_run]);
          const Vector<double>* const other = at(x.strength, m.run_later[at_run]);
          for (std::size_t v = 0; v < count; ++v) whole[v] *= p * mine[v] + q * other[v];
        }
        for (std::size_t v = 0; v < count; ++v) at(values, 0)[v] = whole[v];
        for (std::size_t l = 0; l < W; ++l) x.logs[l] += m.run_games[r] * det_log(values[l]);
      }
    }
  }

  static constexpr Functions functions{tally, estimate, finish};
};

const Functions* functions_for(int lanes) {
  switch (lanes) {
    case 1:
      return &Kernel<1>::functions;
    case 8:
      return &Kernel<8>::functions;
    case 16:
      return &Kernel<16>::functions;
    case 64:
      return &Kernel<64>::functions;
    default:
      return nullptr;
  }
}

}  // namespace
}  // namespace banzuke::bradley_terry::anderson_kernel
