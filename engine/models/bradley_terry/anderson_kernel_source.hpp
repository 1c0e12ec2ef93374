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

BANZUKE_KERNEL_INLINE bool is_exact(const Model& m, std::int32_t pass) {
  return pass == m.first_exact || pass >= m.last_exact;
}

template <class T, std::size_t W>
struct Shape {
  static constexpr std::size_t native = smaller(W, BANZUKE_NATIVE_DOUBLES * 8 / sizeof(T));
  static constexpr std::size_t vectors = W / native;
  using Vector = typename Native<T, native>::Vector;
};

// A remembered difference whose new part is below this part of its square is left out.
constexpr double dependent = 1e-5;
// Sums over players are taken in float over so many of them, then in double.
constexpr std::uint32_t strip = 128;
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
  template <class T, class Value>
  BANZUKE_KERNEL_INLINE static Value flow(const Conductor<T>& k, Value mine, Value other) {
    return k.conductance * (mine - other) / ((T{1} + k.p * mine) + k.q * other);
  }

  /// The change of a flow where u moved by d since it was v - 1, without cancellation:
  /// n p q (v_j d_i - v_i d_j) / (x (x + p d_i + q d_j)), x = p v_i + q v_j.
  template <class Value>
  BANZUKE_KERNEL_INLINE static Value flow_change(const Conductor<float>& k, Value mine,
                                                 Value my_base, Value other, Value other_base) {
    const Value x = k.p * my_base + k.q * other_base;
    return k.conductance * (other_base * mine - my_base * other) /
           (x * (x + (k.p * mine + k.q * other)));
  }

  /// residual -= flows of all games, or with a `base` their changes since then; the games left out
  /// are given back.
  template <class T, bool Based>
  [[gnu::noinline]] static void subtract_flows(const Model& m, const Lanes& x,
                                               const Conductor<T>* conductors, const T* excess,
                                               const T* base, T* residual) {
    constexpr std::size_t count = Shape<T, W>::vectors;
    for (std::uint32_t i = 0; i < m.players; ++i) {
      Vector<T> mine[count], my_base[count], sum[count];
      for (std::size_t v = 0; v < count; ++v) {
        mine[v] = at(excess, i)[v];
        if constexpr (Based) my_base[v] = at(base, i)[v];
        sum[v] = Vector<T>{};
      }
      for (std::uint64_t s = m.slot_begin[i]; s < m.slot_begin[i + 1]; ++s) {
        const std::uint32_t j = m.slot_other[s];
        const Vector<T>* const other = at(excess, j);
        Vector<T>* const target = at(residual, j);
        for (std::size_t v = 0; v < count; ++v) {
          Vector<T> f;
          if constexpr (Based)
            f = flow_change<Vector<T>>(conductors[s], mine[v], my_base[v], other[v],
                                       at(base, j)[v]);
          else
            f = flow<T, Vector<T>>(conductors[s], mine[v], other[v]);
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
        const std::size_t a = i * W + l, b = j * W + l;
        T f;
        if constexpr (Based)
          f = flow_change<T>(conductors[s], excess[a], base[a], excess[b], base[b]);
        else
          f = flow<T, T>(conductors[s], excess[a], excess[b]);
        residual[a] += f;
        residual[b] -= f;
      }
    }
    silence(x, residual);
  }

  /// Sets the values of players left out to zero.
  template <class T>
  BANZUKE_KERNEL_INLINE static void silence(const Lanes& x, T* values) {
    for (std::size_t o = 0; o < x.out_players; ++o)
      for (std::size_t l = 0; l < W; ++l)
        if (x.out_player_mask[o * W + l]) values[x.out_player[o] * W + l] = 0;
  }

  /// The factor's columns c … c + Columns - 1, whose patterns below them are the same: forward.
  template <std::size_t Columns>
  BANZUKE_KERNEL_INLINE static void eliminate(const Model& m, float* f, std::uint32_t c) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    Vector<float> value[Columns][count];
    const float* entries[Columns];
    for (std::size_t a = 0; a < Columns; ++a) {
      entries[a] = m.entries + m.column_begin[c + a];
      for (std::size_t v = 0; v < count; ++v) {
        Vector<float> sum = at(f, c + a)[v];
        for (std::size_t b = 0; b < a; ++b) sum += entries[b][a - b - 1] * value[b][v];
        value[a][v] = sum * m.inverse[c + a];
        at(f, c + a)[v] = sum;
      }
    }
    for (std::size_t a = 0; a < Columns; ++a) entries[a] += Columns - 1 - a;
    const std::uint64_t begin = m.column_begin[c + Columns - 1];
    const std::uint64_t rows = m.column_begin[c + Columns] - begin;
    for (std::uint64_t r = 0; r < rows; ++r) {
      Vector<float>* const target = at(f, m.row[begin + r]);
      for (std::size_t v = 0; v < count; ++v) {
        Vector<float> sum = target[v];
        for (std::size_t a = 0; a < Columns; ++a) sum += entries[a][r] * value[a][v];
        target[v] = sum;
      }
    }
  }

  /// The same backward.
  template <std::size_t Columns>
  BANZUKE_KERNEL_INLINE static void substitute(const Model& m, float* f, std::uint32_t c) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    Vector<float> sum[Columns][count];
    const float* entries[Columns];
    for (std::size_t a = 0; a < Columns; ++a) {
      entries[a] = m.entries + m.column_begin[c + a] + (Columns - 1 - a);
      for (std::size_t v = 0; v < count; ++v) sum[a][v] = at(f, c + a)[v];
    }
    const std::uint64_t begin = m.column_begin[c + Columns - 1];
    const std::uint64_t rows = m.column_begin[c + Columns] - begin;
    for (std::uint64_t r = 0; r < rows; ++r) {
      const Vector<float>* const known = at(f, m.row[begin + r]);
      for (std::size_t v = 0; v < count; ++v) {
        const Vector<float> value = known[v];
        for (std::size_t a = 0; a < Columns; ++a) sum[a][v] += entries[a][r] * value;
      }
    }
    for (std::size_t a = Columns; a-- > 0;) {
      entries[a] -= Columns - 1 - a;
      for (std::size_t v = 0; v < count; ++v) {
        for (std::size_t b = a + 1; b < Columns; ++b)
          sum[a][v] += entries[a][b - a - 1] * at(f, c + b)[v];
        at(f, c + a)[v] = sum[a][v] * m.inverse[c + a];
      }
    }
  }

  /// direction = (complete factor)^-1 direction; the ground stays where it is.
  [[gnu::noinline]] static void solve(const Model& m, const Lanes& x) {
    float* const f = x.direction;
    for (std::size_t b = 0; b < m.blocks; ++b) {
      const std::uint32_t c = m.block_begin[b];
      m.block_begin[b + 1] - c == block_columns ? eliminate<block_columns>(m, f, c)
                                                : eliminate<1>(m, f, c);
    }
    for (std::size_t l = 0; l < W; ++l) f[(m.players - 1) * W + l] = 0;
    for (std::size_t b = m.blocks; b-- > 0;) {
      const std::uint32_t c = m.block_begin[b];
      m.block_begin[b + 1] - c == block_columns ? substitute<block_columns>(m, f, c)
                                                : substitute<1>(m, f, c);
    }
  }

  /// direction = (1 / diagonal + correction by groups of players) direction.
  [[gnu::noinline]] static void correct(const Model& m, const Lanes& x) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    float* const f = x.direction;
    for (std::size_t i = 0; i < m.groups * W; ++i) x.group_residual[i] = 0;
    for (std::uint32_t i = 0; i < m.players; ++i)
      for (std::size_t v = 0; v < count; ++v) at(x.group_residual, m.group[i])[v] += at(f, i)[v];
    for (std::size_t a = 0; a < m.groups; ++a) {
      Vector<float> sum[count] = {};
      for (std::size_t b = 0; b < m.groups; ++b)
        for (std::size_t v = 0; v < count; ++v)
          sum[v] += m.group_inverse[a * m.groups + b] * at(x.group_residual, b)[v];
      for (std::size_t v = 0; v < count; ++v) at(x.group_shift, a)[v] = sum[v];
    }
    for (std::uint32_t i = 0; i < m.players; ++i)
      for (std::size_t v = 0; v < count; ++v)
        at(f, i)[v] = at(f, i)[v] * m.inverse[i] + at(x.group_shift, m.group[i])[v];
  }

  /// u = z / (1 - p z).
  static void find_excess(const Model& m, const Lanes& x) {
    for (std::uint32_t i = 0; i < m.players; ++i)
      for (std::size_t v = 0; v < Shape<double, W>::vectors; ++v)
        at(x.excess, i)[v] = at(x.position, i)[v] / (1.0 - m.own_p[i] * at(x.position, i)[v]);
    silence(x, x.excess);
  }

  /// direction = preconditioned residual of z. In double passes the residual becomes the base of
  /// later ones, and steepest its largest |component|.
  static void evaluate(const Model& m, const Lanes& x, std::int32_t pass, double* steepest) {
    const std::size_t size = std::size_t{m.players} * W;
    if (pass == 0) {
      for (std::size_t i = 0; i < size; ++i) {
        x.base_residual[i] = static_cast<float>(x.score[i]);
        x.direction[i] = x.base_residual[i];
      }
    } else if (is_exact(m, pass)) {
      for (std::size_t i = 0; i < size; ++i) x.residual[i] = x.score[i];
      find_excess(m, x);
      subtract_flows<double, false>(m, x, m.conductors, x.excess, nullptr, x.residual);
      constexpr std::size_t count = Shape<double, W>::vectors;
      Vector<double> most[count] = {};
      for (std::uint32_t i = 0; i + 1 < m.players; ++i)
        for (std::size_t v = 0; v < count; ++v)
          most[v] = larger<double>(most[v], absolute<double>(at(x.residual, i)[v]));
      for (std::size_t v = 0; v < count; ++v) at(steepest, 0)[v] = most[v];
      for (std::uint32_t i = 0; i < m.players; ++i) {
        const auto p = static_cast<float>(m.own_p[i]);
        for (std::size_t v = 0; v < count; ++v) {
          narrow_at(x.base_residual, i)[v] = narrowed(at(x.residual, i)[v]);
          narrow_at(x.direction, i)[v] = narrow_at(x.base_residual, i)[v];
          at(x.base, i)[v] = at(x.position, i)[v];
          narrow_at(x.float_base, i)[v] = narrowed(1.0 + at(x.excess, i)[v]);
          narrow_at(x.base_scale, i)[v] = 1.0F / (1.0F - p * narrowed(at(x.position, i)[v]));
        }
      }
    } else {
      const bool based = pass > m.first_exact;
      for (std::size_t i = 0; i < size; ++i) x.direction[i] = x.base_residual[i];
      if (based)
        subtract_flows<float, true>(m, x, m.float_conductors, x.float_excess, x.float_base,
                                    x.direction);
      else
        subtract_flows<float, false>(m, x, m.float_conductors, x.float_excess, nullptr,
                                     x.direction);
    }
    m.groups > 0 ? correct(m, x) : solve(m, x);
    silence(x, x.direction);
  }

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

  /// step = f - sum weight secant, and if `Measured` the largest change of theta by it or by f
  /// alone: d theta / d z = 1 / ((1 - p z) (1 + q z)).
  template <bool Measured>
  [[gnu::noinline]] static void propose(const Model& m, const Lanes& x, std::size_t known,
                                        const Memory& memory, double* largest) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    const std::size_t size = std::size_t{m.players} * W;
    Vector<float> most[count] = {};
    for (std::uint32_t i = 0; i < m.players; ++i) {
      const auto p = static_cast<float>(m.own_p[i]), q = static_cast<float>(m.own_q[i]);
      alignas(64) float z[W] = {};
      if constexpr (Measured)
        for (std::size_t v = 0; v < Shape<double, W>::vectors; ++v)
          narrow_at(z, 0)[v] = narrowed(at(x.position, i)[v]);
      for (std::size_t v = 0; v < count; ++v) {
        const Vector<float> f = at(x.direction, i)[v];
        Vector<float> sum = f;
        for (std::size_t k = 0; k < known; ++k)
          sum -= at(memory.weight[k], 0)[v] * at(x.secant + k * size, i)[v];
        at(x.step, i)[v] = sum;
        if constexpr (!Measured) continue;
        const Vector<float> of_z = at(z, 0)[v];
        const Vector<float> slope = (1.0F - p * of_z) * (1.0F + q * of_z);
        most[v] =
            larger<float>(most[v], larger<float>(absolute<float>(f), absolute<float>(sum)) / slope);
      }
    }
    alignas(64) float values[W];
    for (std::size_t v = 0; v < count; ++v) at(values, 0)[v] = most[v];
    for (std::size_t l = 0; l < W; ++l) largest[l] = static_cast<double>(values[l]);
  }

  /// z += step in open lanes, within its interval, and the change of u since the base:
  /// (z - z_b) / ((1 - p z) (1 - p z_b)).
  [[gnu::noinline]] static void take(const Model& m, const Lanes& x) {
    using Value = Vector<double>;
    constexpr std::size_t count = Shape<double, W>::vectors;
    alignas(64) std::int64_t open[W];
    for (std::size_t l = 0; l < W; ++l) open[l] = x.status[l] == LaneStatus::open ? -1 : 0;
    for (std::uint32_t i = 0; i < m.players; ++i) {
      const Value highest = Value{} + m.highest[i], lowest = Value{} + m.lowest[i];
      const auto p = static_cast<float>(m.own_p[i]);
      for (std::size_t v = 0; v < count; ++v) {
        Value& z = at(x.position, i)[v];
        Narrow& step = narrow_at(x.step, i)[v];
        Value next = z + (at(open, 0)[v] ? widened(step) : Value{});
        next = next > highest ? highest : next;
        next = next < lowest ? lowest : next;
        step = narrowed(next - z);
        z = next;
        narrow_at(x.float_excess, i)[v] = narrowed(next - at(x.base, i)[v]) *
                                          narrow_at(x.base_scale, i)[v] /
                                          (1.0F - p * narrowed(next));
      }
    }
    silence(x, x.position);
    silence(x, x.float_excess);
  }

  static void estimate(const Model& m, const Lanes& x) {
    Memory memory;
    alignas(64) double steepest[W] = {}, size[W] = {};
    const std::size_t all = std::size_t{m.players} * W;
    for (std::size_t i = 0; i < all; ++i) {
      x.position[i] = 0;
      x.base[i] = 0;
      x.base_scale[i] = 1;
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
      const bool is_measured = pass > 0 && is_exact(m, pass);
      is_measured ? propose<true>(m, x, known, memory, size)
                  : propose<false>(m, x, known, memory, size);
      bool ended[W] = {};
      for (std::size_t l = 0; l < W; ++l) {
        if (x.status[l] != LaneStatus::open) continue;
        x.iterations[l] = pass + 1;
        if (!is_measured) continue;
        x.last_step[l] = m.stretch * size[l];
        ended[l] = steepest[l] <= Tolerance::max_gradient && x.last_step[l] <= Tolerance::max_step;
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
    find_excess(m, x);
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
