// Part of lane_kernel_source.hpp: factor of the information, and solutions by it.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/models/bradley_terry/lane_kernel.hpp"
#include "engine/models/bradley_terry/lane_vectors_source.hpp"

namespace banzuke::bradley_terry::lane_kernel {
namespace {

template <std::size_t W>
struct LaneElimination : Vectors<W> {
  using Base = Vectors<W>;
  using Base::in;
  using Base::out;
  using Base::vectors;
  using typename Base::LaneMask;
  using typename Base::Real;

  /// Whether updates u … u + Columns - 1 are by neighbouring columns of one pattern: each column's
  /// first row is the next column, and the other rows are the next column's.
  template <std::size_t Columns>
  BANZUKE_KERNEL_INLINE static bool is_run(const Shared& s, std::uint64_t u) {
    for (std::size_t c = 0; c + 1 < Columns; ++c) {
      const std::uint32_t k = s.update_column[u + c];
      const std::uint64_t begin = s.column_begin[k], end = s.column_begin[k + 1];
      if (s.update_column[u + c + 1] != k + 1 || s.row[begin] != k + 1 ||
          end - begin != s.column_begin[k + 2] - end + 1)
        return false;
    }
    return true;
  }

  /// Adds to `column` what columns of a run contribute to it, one after the other.
  template <std::size_t Columns>
  BANZUKE_KERNEL_INLINE static void update_column(const Shared& s, const Lanes& x,
                                                  std::uint64_t u) {
    Real factor[Columns][vectors];
    const double* entries[Columns];
    for (std::size_t c = 0; c < Columns; ++c) {
      entries[c] = x.entries + s.update_entry[u + c] * W;
      for (std::size_t v = 0; v < vectors; ++v)
        factor[c][v] = in(entries[c], 0)[v] * in(x.inverse, s.update_column[u + c])[v];
    }
    const std::uint32_t* const row = s.row + s.update_entry[u];
    const std::uint64_t rows = s.column_begin[s.update_column[u] + 1] - s.update_entry[u];
    for (std::uint64_t r = 1; r < rows; ++r) {
      Real* const target = out(x.column, row[r]);
      for (std::size_t v = 0; v < vectors; ++v) {
        Real sum = target[v];
        for (std::size_t c = 0; c < Columns; ++c) sum += in(entries[c], r)[v] * factor[c][v];
        target[v] = sum;
      }
    }
  }

  /// Left-looking elimination of the Laplacian with weights `information`. The ground is
  /// eliminated last, explicitly, so that a pivot is the sum of its column's entries and nothing is
  /// ever subtracted (Grassmann, Taksar and Heyman 1985): every entry is exact to a few ulp however
  /// nearly separable the data are. A player left out has an empty column and the pivot 1.
  static void factorise(const Shared& s, const Lanes& x, const LaneMask& lanes) {
    const Real one = Real{} + 1.0;
    for (std::uint32_t j = 0; j < s.players; ++j) {
      const std::uint64_t begin = s.column_begin[j], end = s.column_begin[j + 1];
      for (std::uint64_t e = begin; e < end; ++e)
        for (std::size_t v = 0; v < vectors; ++v) out(x.column, s.row[e])[v] = Real{};
      for (std::uint64_t m = s.pair_begin[j]; m < s.pair_begin[j + 1]; ++m)
        for (std::size_t v = 0; v < vectors; ++v)
          out(x.column, s.pair_row[m])[v] = in(x.information, s.pair[m])[v];
      for (std::uint64_t u = s.update_begin[j]; u < s.update_begin[j + 1];) {
        const std::uint64_t left = s.update_begin[j + 1] - u;
        if (left >= 4 && is_run<4>(s, u)) {
          update_column<4>(s, x, u);
          u += 4;
        } else if (left >= 2 && is_run<2>(s, u)) {
          update_column<2>(s, x, u);
          u += 2;
        } else {
          update_column<1>(s, x, u);
          u += 1;
        }
      }
      Real pivot[vectors] = {};
      for (std::uint64_t e = begin; e < end; ++e)
        for (std::size_t v = 0; v < vectors; ++v) {
          const Real value = in(x.column, s.row[e])[v];
          pivot[v] += value;
          Real& entry = out(x.entries, e)[v];
          entry = lanes.at(v) ? value : entry;
        }
      for (std::size_t v = 0; v < vectors; ++v) {
        Real& entry = out(x.inverse, j)[v];
        const Real inverse = one / (pivot[v] > Real{} ? pivot[v] : one);
        entry = lanes.at(v) ? inverse : entry;
      }
    }
  }

  /// column = solution of (factor) column = gradient; the ground's entry is 0. `Truth` takes the
  /// shared factor, one number for all lanes.
  template <bool Truth>
  static void solve(const Shared& s, const Lanes& x) {
    const auto entry = [&](std::uint64_t e, std::size_t v) -> Real {
      if constexpr (Truth)
        return Real{} + s.truth_entries[e];
      else
        return in(x.entries, e)[v];
    };
    const auto inverse = [&](std::uint32_t j, std::size_t v) -> Real {
      if constexpr (Truth)
        return Real{} + s.truth_inverse[j];
      else
        return in(x.inverse, j)[v];
    };
    const std::uint32_t ground = s.players - 1;
    for (std::uint32_t j = 0; j < s.players; ++j)
      for (std::size_t v = 0; v < vectors; ++v) out(x.column, j)[v] = in(x.gradient, j)[v];
    for (std::uint32_t j = 0; j < ground; ++j) {
      Real value[vectors];
      for (std::size_t v = 0; v < vectors; ++v) value[v] = in(x.column, j)[v] * inverse(j, v);
      for (std::uint64_t e = s.column_begin[j]; e < s.column_begin[j + 1]; ++e)
        for (std::size_t v = 0; v < vectors; ++v)
          out(x.column, s.row[e])[v] += entry(e, v) * value[v];
    }
    for (std::size_t v = 0; v < vectors; ++v) out(x.column, ground)[v] = Real{};
    for (std::uint32_t j = ground; j-- > 0;) {
      Real value[vectors];
      for (std::size_t v = 0; v < vectors; ++v) value[v] = in(x.column, j)[v];
      for (std::uint64_t e = s.column_begin[j]; e < s.column_begin[j + 1]; ++e)
        for (std::size_t v = 0; v < vectors; ++v)
          value[v] += entry(e, v) * in(x.column, s.row[e])[v];
      for (std::size_t v = 0; v < vectors; ++v) out(x.column, j)[v] = value[v] * inverse(j, v);
    }
  }
};

}  // namespace
}  // namespace banzuke::bradley_terry::lane_kernel
