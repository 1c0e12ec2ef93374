// Part of anderson_kernel_source.hpp: the residual and its preconditioner.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/models/bradley_terry/anderson_vectors_source.hpp"

namespace banzuke::bradley_terry::anderson_kernel {
namespace {

BANZUKE_KERNEL_INLINE bool is_exact(const Model& m, std::int32_t pass) {
  return pass == m.first_exact || pass >= m.last_exact;
}

template <std::size_t W>
struct Residual : Vectors<W> {
  using Base = Vectors<W>;
  template <class T>
  using Vector = typename Base::template Vector<T>;
  using Base::at;
  using Base::narrow_at;
  using Base::silence;
  using Base::widened;

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
        most[v] = larger(most[v], absolute(at(residual, i)[v]));
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
};

}  // namespace
}  // namespace banzuke::bradley_terry::anderson_kernel
