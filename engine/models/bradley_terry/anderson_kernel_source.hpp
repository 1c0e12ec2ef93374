// No include guard: compiled once a CPU path, with BANZUKE_NATIVE_DOUBLES (2, 4 or 8) set by the
// including file, and everything but that file's entry function of internal linkage. Only + - * /
// and comparisons, every lane for itself and in one order: equal bits for any width of vectors.
#include <cstddef>
#include <cstdint>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/anderson_kernel.hpp"
#include "engine/models/bradley_terry/tolerance.hpp"

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

// z stays within this part of the interval in which u > -1 and finite.
constexpr double farthest = 0.98;
// A remembered difference whose new part is below this part of its square is left out.
constexpr double dependent = 1e-5;
// Sums over players are taken in float over so many of them, then in double.
constexpr std::uint32_t strip = 128;
// Pairs of equally many games whose logarithms are taken as one product's.
constexpr std::uint32_t product = 8;

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
struct Kernel {
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
  template <class T>
  BANZUKE_KERNEL_INLINE static Vector<T> absolute(Vector<T> x) {
    return x < Vector<T>{} ? -x : x;
  }
  template <class T>
  BANZUKE_KERNEL_INLINE static Vector<T> larger(Vector<T> most, Vector<T> x) {
    return x <= most ? most : x;  // takes a NaN over
  }

  /// Expected wins of the earlier player above those at the truth, without cancellation:
  /// n p q (u_i - u_j) / (1 + p u_i + q u_j).
  template <class T>
  BANZUKE_KERNEL_INLINE static Vector<T> flow(const Conductor<T>& k, Vector<T> mine,
                                              Vector<T> other) {
    return k.conductance * (mine - other) / ((T{1} + k.p * mine) + k.q * other);
  }

  /// residual -= flows of all games; the games left out are given back.
  template <class T>
  static void subtract_flows(const Model& m, const Lanes& x, const Conductor<T>* conductors,
                             const T* excess, T* residual) {
    constexpr std::size_t count = Shape<T, W>::vectors;
    for (std::uint32_t i = 0; i < m.players; ++i) {
      Vector<T> mine[count], sum[count];
      for (std::size_t v = 0; v < count; ++v) {
        mine[v] = at(excess, i)[v];
        sum[v] = Vector<T>{};
      }
      for (std::uint64_t s = m.slot_begin[i]; s < m.slot_begin[i + 1]; ++s) {
        const Vector<T>* const other = at(excess, m.slot_other[s]);
        Vector<T>* const target = at(residual, m.slot_other[s]);
        for (std::size_t v = 0; v < count; ++v) {
          const Vector<T> f = flow<T>(conductors[s], mine[v], other[v]);
          sum[v] += f;
          target[v] += f;
        }
      }
      for (std::size_t v = 0; v < count; ++v) at(residual, i)[v] -= sum[v];
    }
    for (std::size_t o = 0; o < x.out_slots; ++o) {
      const std::uint32_t s = x.out_slot[o], i = x.out_slot_earlier[o], j = m.slot_other[s];
      for (std::size_t l = 0; l < W; ++l) {
        if (!x.out_slot_mask[o * W + l]) continue;
        const Conductor<T>& k = conductors[s];
        const T mine = excess[i * W + l], other = excess[j * W + l];
        const T f = k.conductance * (mine - other) / ((T{1} + k.p * mine) + k.q * other);
        residual[i * W + l] += f;
        residual[j * W + l] -= f;
      }
    }
  }

  /// Sets the values of players left out to zero.
  template <class T>
  BANZUKE_KERNEL_INLINE static void silence(const Lanes& x, T* values) {
    for (std::size_t o = 0; o < x.out_players; ++o)
      for (std::size_t l = 0; l < W; ++l)
        if (x.out_player_mask[o * W + l]) values[x.out_player[o] * W + l] = 0;
  }

  /// direction = solution of (factor) direction = direction; the ground's entry is 0.
  static void precondition(const Model& m, const Lanes& x) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    const std::uint32_t ground = m.players - 1;
    float* const f = x.direction;
    for (std::uint32_t j = 0; j < ground; ++j) {
      Vector<float> value[count];
      for (std::size_t v = 0; v < count; ++v) value[v] = at(f, j)[v] * m.inverse[j];
      for (std::uint64_t e = m.column_begin[j]; e < m.column_begin[j + 1]; ++e)
        for (std::size_t v = 0; v < count; ++v) at(f, m.row[e])[v] += m.entries[e] * value[v];
    }
    for (std::size_t v = 0; v < count; ++v) at(f, ground)[v] = Vector<float>{};
    for (std::uint32_t j = ground; j-- > 0;) {
      // Two sums, so that an addition need not wait for the one before.
      Vector<float> value[count], even[count];
      for (std::size_t v = 0; v < count; ++v) {
        value[v] = at(f, j)[v];
        even[v] = Vector<float>{};
      }
      std::uint64_t e = m.column_begin[j];
      const std::uint64_t end = m.column_begin[j + 1];
      for (; e + 2 <= end; e += 2)
        for (std::size_t v = 0; v < count; ++v) {
          value[v] += m.entries[e] * at(f, m.row[e])[v];
          even[v] += m.entries[e + 1] * at(f, m.row[e + 1])[v];
        }
      if (e < end)
        for (std::size_t v = 0; v < count; ++v) value[v] += m.entries[e] * at(f, m.row[e])[v];
      for (std::size_t v = 0; v < count; ++v) at(f, j)[v] = (value[v] + even[v]) * m.inverse[j];
    }
    silence(x, f);
  }

  /// direction = preconditioned residual of z, and the largest |residual|.
  static void evaluate(const Model& m, const Lanes& x, std::int32_t pass, double* steepest) {
    const std::size_t size = std::size_t{m.players} * W;
    if (pass == 0) {
      for (std::size_t i = 0; i < size; ++i) x.direction[i] = static_cast<float>(x.score[i]);
    } else if (pass <= m.float_passes) {
      for (std::size_t i = 0; i < size; ++i) {
        x.float_excess[i] = static_cast<float>(x.excess[i]);
        x.direction[i] = static_cast<float>(x.score[i]);
      }
      subtract_flows(m, x, m.float_conductors, x.float_excess, x.direction);
      silence(x, x.direction);
    } else {
      for (std::size_t i = 0; i < size; ++i) x.residual[i] = x.score[i];
      subtract_flows(m, x, m.conductors, x.excess, x.residual);
      silence(x, x.residual);
      constexpr std::size_t count = Shape<double, W>::vectors;
      Vector<double> most[count] = {};
      for (std::uint32_t i = 0; i + 1 < m.players; ++i)
        for (std::size_t v = 0; v < count; ++v)
          most[v] = larger<double>(most[v], absolute<double>(at(x.residual, i)[v]));
      for (std::size_t v = 0; v < count; ++v) at(steepest, 0)[v] = most[v];
      for (std::size_t i = 0; i < size; ++i) x.direction[i] = static_cast<float>(x.residual[i]);
    }
    precondition(m, x);
  }

  /// Largest |f| as a change of theta: d theta / d z = 1 / ((1 - p z) (1 + q z)).
  static void largest_step(const Model& m, const Lanes& x, double* result) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    Vector<float> most[count] = {};
    for (std::uint32_t i = 0; i + 1 < m.players; ++i) {
      const auto p = static_cast<float>(m.own_p[i]), q = static_cast<float>(m.own_q[i]);
      alignas(64) float z[W];
      for (std::size_t l = 0; l < W; ++l) z[l] = static_cast<float>(x.position[i * W + l]);
      for (std::size_t v = 0; v < count; ++v) {
        const Vector<float> at_z = at(z, 0)[v];
        const Vector<float> slope = (1.0F - p * at_z) * (1.0F + q * at_z);
        most[v] = larger<float>(most[v], absolute<float>(at(x.direction, i)[v] / slope));
      }
    }
    for (std::size_t v = 0; v < count; ++v)
      for (std::size_t l = 0; l < Shape<float, W>::native; ++l)
        result[v * Shape<float, W>::native + l] =
            static_cast<double>(reinterpret_cast<const float*>(&most[v])[l]);
  }

  /// Products of what the acceleration remembers, of one lane each.
  struct Memory {
    alignas(64) double gram[deepest][deepest][W] = {};  ///< of differences of f
    alignas(64) double along[deepest][W] = {};          ///< of differences with f
    alignas(64) float weight[deepest][W] = {};          ///< what of each secant a step takes back
  };

  /// Takes f - before as difference `newest` of `known`, and the products with the others.
  template <std::size_t Known>
  static void remember(const Model& m, const Lanes& x, std::size_t newest, Memory& memory) {
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
  static void weigh(std::size_t newest, Memory& memory) {
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
        for (std::size_t b = 0; b < a; ++b)
          part -= lower[a][b][l] * pivot[b][l] * lower[a][b][l];
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

  static void remember(const Model& m, const Lanes& x, std::size_t newest, std::size_t known,
                       Memory& memory) {
    switch (known) {
      case 1:
        return remember<1>(m, x, newest, memory);
      case 2:
        return remember<2>(m, x, newest, memory);
      case 3:
        return remember<3>(m, x, newest, memory);
      case 4:
        return remember<4>(m, x, newest, memory);
      case 5:
        return remember<5>(m, x, newest, memory);
      default:
        return remember<6>(m, x, newest, memory);
    }
  }

  /// z += f - sum weight secant in open lanes, within its interval.
  static void step(const Model& m, const Lanes& x, std::size_t known, const Memory& memory) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    const std::size_t size = std::size_t{m.players} * W;
    bool open[W];
    for (std::size_t l = 0; l < W; ++l) open[l] = x.status[l] == LaneStatus::open;
    for (std::uint32_t i = 0; i + 1 < m.players; ++i) {
      alignas(64) float wanted[W];
      for (std::size_t v = 0; v < count; ++v) {
        Vector<float> sum = at(x.direction, i)[v];
        for (std::size_t k = 0; k < known; ++k)
          sum -= at(memory.weight[k], 0)[v] * at(x.secant + k * size, i)[v];
        at(wanted, 0)[v] = sum;
      }
      const double p = m.own_p[i], q = m.own_q[i];
      const double highest = farthest / p, lowest = -farthest / q;
      double* const z = x.position + i * W;
      double* const u = x.excess + i * W;
      float* const taken = x.step + i * W;
      for (std::size_t l = 0; l < W; ++l) {
        double next = z[l] + (open[l] ? static_cast<double>(wanted[l]) : 0.0);
        next = next > highest ? highest : next;
        next = next < lowest ? lowest : next;
        taken[l] = static_cast<float>(next - z[l]);
        z[l] = next;
        u[l] = next / (1.0 - p * next);
      }
    }
    silence(x, x.position);
    silence(x, x.excess);
  }

  static void estimate(const Model& m, const Lanes& x) {
    Memory memory;
    alignas(64) double steepest[W] = {}, size[W] = {};
    const std::size_t all = std::size_t{m.players} * W;
    for (std::size_t i = 0; i < all; ++i) {
      x.position[i] = 0;
      x.excess[i] = 0;
    }
    for (std::int32_t pass = 0; pass < m.max_passes; ++pass) {
      bool any = false;
      for (std::size_t l = 0; l < W; ++l) any = any || x.status[l] == LaneStatus::open;
      if (!any) return;
      evaluate(m, x, pass, steepest);
      std::size_t known = 0;
      if (pass == 0) {
        for (std::size_t i = 0; i < all; ++i) x.before[i] = x.direction[i];
      } else {
        const auto differences = static_cast<std::size_t>(pass);
        known = smaller(differences, m.depth);
        remember(m, x, (differences - 1) % m.depth, known, memory);
      }
      largest_step(m, x, size);
      bool ended[W] = {};
      for (std::size_t l = 0; l < W; ++l) {
        if (x.status[l] != LaneStatus::open) continue;
        x.iterations[l] = pass + 1;
        x.last_step[l] = m.stretch * size[l];
        ended[l] = pass > m.float_passes && steepest[l] <= Tolerance::max_gradient &&
                   x.last_step[l] <= Tolerance::max_step;
        if (!(size[l] < 1e30)) x.status[l] = LaneStatus::given_up;
      }
      step(m, x, known, memory);
      for (std::size_t l = 0; l < W; ++l)
        if (ended[l]) x.status[l] = LaneStatus::found;
    }
    for (std::size_t l = 0; l < W; ++l)
      if (x.status[l] == LaneStatus::open) x.status[l] = LaneStatus::given_up;
  }

  static void finish(const Model& m, const Lanes& x) {
    constexpr std::size_t count = Shape<double, W>::vectors;
    const std::size_t size = std::size_t{m.players} * W;
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
          const std::uint32_t s = m.run_slot[at_run];
          const Conductor<double>& k = m.conductors[s];
          const Vector<double>* const mine = at(x.excess, m.run_earlier[at_run]);
          const Vector<double>* const other = at(x.excess, m.slot_other[s]);
          for (std::size_t v = 0; v < count; ++v)
            whole[v] *= (1.0 + k.p * mine[v]) + k.q * other[v];
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
