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
// Rounding of a residual whose change was taken in float, relative to the change: several times
// what the roundings of a flow add up to in root mean square.
constexpr double change_rounding = 0x1p-22;
// Sums over players are taken in float over so many of them, then in double.
constexpr std::uint32_t strip = 256;
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

  /// u, 1 + u, and where a change counts 1 + u at the base, of all players.
  template <class T>
  struct State {
    const T *excess, *strength, *base;
  };

  /// Expected wins of the earlier player above those at the truth, without cancellation:
  /// n p q (u_i - u_j) / (1 + p u_i + q u_j) = n q (u_i - u_j) / (v_i + (q / p) v_j), v = 1 + u.
  template <class Value, class Law>
  BANZUKE_KERNEL_INLINE static Value flow(const Law& k, Value mine, Value my_strength, Value other,
                                          Value other_strength) {
    return k.share * (mine - other) / (my_strength + k.ratio * other_strength);
  }

  /// The change of a flow where u moved by d since it was b - 1, without cancellation:
  /// (n q / p) (b_j d_i - b_i d_j) / ((b_i + (q / p) b_j) (v_i + (q / p) v_j)).
  template <class Value>
  BANZUKE_KERNEL_INLINE static Value flow_change(const FloatConductor& k, Value mine,
                                                 Value my_strength, Value my_base, Value other,
                                                 Value other_strength, Value other_base) {
    return k.steep * (other_base * mine - my_base * other) /
           ((my_base + k.ratio * other_base) * (my_strength + k.ratio * other_strength));
  }

  template <class T, bool Based, class Value, class Law>
  BANZUKE_KERNEL_INLINE static Value flow_of(const Law& law, const Value* mine,
                                             const Value* other) {
    if constexpr (Based)
      return flow_change<Value>(law, mine[0], mine[1], mine[2], other[0], other[1], other[2]);
    else
      return flow<Value>(law, mine[0], mine[1], other[0], other[1]);
  }

  /// residual -= flows of all games, or with a base their changes since then; the games left out
  /// are given back.
  template <class T, bool Based, class Law>
  [[gnu::noinline]] static void subtract_flows(const Model& m, const Lanes& x, const Law* laws,
                                               const State<T>& at_u, T* residual) {
    constexpr std::size_t count = Shape<T, W>::vectors;
    constexpr std::size_t kinds = Based ? 3 : 2;
    const T* const values[3] = {at_u.excess, at_u.strength, at_u.base};
    for (std::uint32_t i = 0; i < m.players; ++i) {
      Vector<T> mine[count][kinds], sum[count];
      for (std::size_t v = 0; v < count; ++v) {
        for (std::size_t k = 0; k < kinds; ++k) mine[v][k] = at(values[k], i)[v];
        sum[v] = Vector<T>{};
      }
      const std::uint64_t end = m.slot_begin[i + 1];
      for (std::uint64_t s = m.slot_begin[i]; s < end; ++s) {
        const std::uint32_t j = m.slot_other[s];
        const Law law = laws[s];
        Vector<T>* const target = at(residual, j);
        for (std::size_t v = 0; v < count; ++v) {
          Vector<T> other[kinds];
          for (std::size_t k = 0; k < kinds; ++k) other[k] = at(values[k], j)[v];
          const Vector<T> f = flow_of<T, Based, Vector<T>>(law, mine[v], other);
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
        T mine[kinds], other[kinds];
        for (std::size_t k = 0; k < kinds; ++k) {
          mine[k] = values[k][a];
          other[k] = values[k][b];
        }
        const T f = flow_of<T, Based, T>(laws[s], mine, other);
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

  /// sum of value * values of the others of column c, in two chains of additions.
  BANZUKE_KERNEL_INLINE static void gather(const Triangle& t, const float* values, std::uint32_t c,
                                           Vector<float>* sum) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    Vector<float> odd[count] = {};
    const std::uint64_t end = t.begin[c + 1];
    std::uint64_t e = t.begin[c];
    const auto add_two = [&](std::uint64_t first) {
      const Vector<float>* const a = at(values, t.other[first]);
      const Vector<float>* const b = at(values, t.other[first + 1]);
      for (std::size_t v = 0; v < count; ++v) {
        sum[v] += t.value[first] * a[v];
        odd[v] += t.value[first + 1] * b[v];
      }
    };
    for (; e + 4 <= end; e += 4) {
      add_two(e);
      add_two(e + 2);
    }
    if (e + 2 <= end) {
      add_two(e);
      e += 2;
    }
    if (e < end)
      for (std::size_t v = 0; v < count; ++v) sum[v] += t.value[e] * at(values, t.other[e])[v];
    for (std::size_t v = 0; v < count; ++v) sum[v] += odd[v];
  }

  /// direction = (incomplete factor)^-1 direction; the ground stays where it is.
  [[gnu::noinline]] static void solve(const Model& m, const Lanes& x) {
    constexpr std::size_t count = Shape<float, W>::vectors;
    float* const f = x.direction;
    Vector<float> sum[count];
    for (std::uint32_t c = 0; c < m.columns; ++c) {
      Vector<float>* const mine = at(f, m.column_player[c]);
      for (std::size_t v = 0; v < count; ++v) sum[v] = mine[v];
      gather(m.rows, f, c, sum);
      for (std::size_t v = 0; v < count; ++v) mine[v] = sum[v];
    }
    for (std::size_t l = 0; l < W; ++l) f[(m.players - 1) * W + l] = 0;
    for (std::uint32_t c = m.columns; c-- > 0;) {
      Vector<float>* const mine = at(f, m.column_player[c]);
      for (std::size_t v = 0; v < count; ++v) sum[v] = mine[v] * m.pivot_inverse[c];
      gather(m.below, f, c, sum);
      for (std::size_t v = 0; v < count; ++v) mine[v] = sum[v];
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

  /// Moves the base to where z is, and finds u = z / (1 - p z) there.
  static void rebase(const Model& m, const Lanes& x) {
    for (std::uint32_t i = 0; i < m.players; ++i)
      for (std::size_t v = 0; v < Shape<double, W>::vectors; ++v) {
        const Vector<double> z = at(x.base, i)[v] + widened(narrow_at(x.moved, i)[v]);
        at(x.base, i)[v] = z;
        at(x.excess, i)[v] = z / (1.0 - m.own_p[i] * z);
      }
    silence(x, x.excess);
    for (std::size_t i = 0; i < std::size_t{m.players} * W; ++i) {
      x.moved[i] = 0;
      x.strength[i] = 1.0 + x.excess[i];
    }
  }

  /// Largest |residual| of all but the ground.
  template <class T>
  BANZUKE_KERNEL_INLINE static void find_steepest(const Model& m, const T* residual,
                                                  double* steepest) {
    constexpr std::size_t count = Shape<T, W>::vectors;
    Vector<T> most[count] = {};
    for (std::uint32_t i = 0; i + 1 < m.players; ++i)
      for (std::size_t v = 0; v < count; ++v)
        most[v] = larger<T>(most[v], absolute<T>(at(residual, i)[v]));
    alignas(64) T values[W];
    for (std::size_t v = 0; v < count; ++v) at(values, 0)[v] = most[v];
    for (std::size_t l = 0; l < W; ++l) steepest[l] = static_cast<double>(values[l]);
  }

  /// direction = preconditioned residual of z. In double passes the residual becomes the base of
  /// later ones. steepest: its largest |component|, where replicates may end.
  static void evaluate(const Model& m, const Lanes& x, std::int32_t pass, double* steepest) {
    const std::size_t size = std::size_t{m.players} * W;
    if (pass == 0) {
      for (std::size_t i = 0; i < size; ++i) {
        x.base_residual[i] = static_cast<float>(x.score[i]);
        x.direction[i] = x.base_residual[i];
      }
    } else if (is_exact(m, pass)) {
      rebase(m, x);
      for (std::size_t i = 0; i < size; ++i) x.residual[i] = x.score[i];
      subtract_flows<double, false>(m, x, m.conductors, {x.excess, x.strength, nullptr},
                                    x.residual);
      find_steepest<double>(m, x.residual, steepest);
      for (std::uint32_t i = 0; i < m.players; ++i) {
        const auto p = static_cast<float>(m.own_p[i]);
        for (std::size_t l = i * W; l < (i + std::size_t{1}) * W; ++l) {
          x.direction[l] = x.base_residual[l] = static_cast<float>(x.residual[l]);
          x.base_strength[l] = static_cast<float>(x.strength[l]);
          x.base_position[l] = static_cast<float>(x.base[l]);
          x.base_scale[l] = 1.0F / (1.0F - p * x.base_position[l]);
        }
      }
    } else {
      for (std::size_t i = 0; i < size; ++i) x.direction[i] = x.base_residual[i];
      const State<float> at_u{x.float_excess, x.float_strength, x.base_strength};
      pass > m.first_exact
          ? subtract_flows<float, true>(m, x, m.float_conductors, at_u, x.direction)
          : subtract_flows<float, false>(m, x, m.float_conductors, at_u, x.direction);
      if (pass >= m.first_end) find_steepest<float>(m, x.direction, steepest);
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
        most[v] =
            larger<float>(most[v], larger<float>(absolute<float>(f), absolute<float>(sum)) * steps);
        farthest[v] = larger<float>(farthest[v], absolute<float>(change) * steps);
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
      evaluate(m, x, pass, steepest);
      const bool is_measured = pass > 0 && (is_exact(m, pass) || pass >= m.first_end);
      if (pass == 0) {
        for (std::size_t i = 0; i < all; ++i) x.before[i] = x.step[i] = x.direction[i];
      } else {
        const auto differences = static_cast<std::size_t>(pass);
        accelerations[smaller(differences, m.depth) - 1](m, x, (differences - 1) % m.depth,
                                                         is_measured, memory, size, moved);
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
    rebase(m, x);
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
