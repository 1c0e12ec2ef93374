// Compiled once a CPU path, with BANZUKE_NATIVE_DOUBLES (2, 4 or 8) set by the
// including file, and everything but that file's entry function of internal linkage. Only + - * /
// and comparisons, every lane for itself and in one order: equal bits for any width of vectors.
#pragma once
#include <cstddef>
#include <cstdint>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/lane_elimination_source.hpp"
#include "engine/models/bradley_terry/lane_kernel.hpp"
#include "engine/models/bradley_terry/tolerance.hpp"

namespace banzuke::bradley_terry::lane_kernel {
namespace {

// A step is shortened where it would change a pair's ability difference (natural-log units) by
// more than this: the pair's information may change by a known factor only, which the slope rule
// below relies on.
constexpr double longest_step = 4.0;
// A step is shortened if the slope at its end is below -slope_ratio times the slope at its start.
constexpr double slope_ratio = 0.25;
// Below this step the slopes are rounding errors and Newton converges anyway.
constexpr double shortest_tested_step = 1e-6;
// A factor is used again while the abilities moved by no more than Shared::longest_reuse since it
// was made and a step is no more than this part of the one before.
constexpr double slowest_reuse = 0.3;
// Abilities beyond this overflow as strengths e^theta.
constexpr double farthest_strength = 600.0;
constexpr double epsilon = 0x1p-53;

template <std::size_t W>
struct Kernel : Vectors<W> {
  using Base = Vectors<W>;
  using Base::absolute;
  using Base::in;
  using Base::native;
  using Base::out;
  using Base::vectors;
  using typename Base::LaneMask;
  using typename Base::Real;
  using Elimination = LaneElimination<W>;
  using Bits = std::uint64_t;

  static void load(const Shared& s, const Lanes& x, const std::int32_t* wins, std::size_t stride,
                   const std::uint32_t* column, const Bits* alive) {
    Bits every = 0;
    for (std::size_t l = 0; l < W; ++l) every |= Bits{1} << column[l];
    for (std::size_t k = 0; k < s.pairs; ++k) {
      const std::int32_t* in_wins = wins + k * stride;
      double* won = x.wins_first + k * W;
      double* lost = x.wins_second + k * W;
      const double games = s.games[k];
      for (std::size_t l = 0; l < W; ++l) {
        won[l] = static_cast<double>(in_wins[column[l]]);
        lost[l] = games - won[l];
      }
      const Bits both = alive[s.first[k]] & alive[s.second[k]];
      if ((both & every) == every) continue;
      for (std::size_t l = 0; l < W; ++l) {
        if ((both >> column[l]) & 1) continue;
        won[l] = 0;
        lost[l] = 0;
      }
    }
  }

  static constexpr std::size_t strip = W >= 16 ? 8 : 128 / W;  ///< pairs whose e^-|d| go together

  /// difference[.][W] = theta_first - theta_second and odds[.][W] = e^-|difference| of pairs
  /// [k, k + count).
  BANZUKE_KERNEL_INLINE static void odds_of_pairs(const Shared& s, const Lanes& x, std::size_t k,
                                                  std::size_t count, double* difference,
                                                  double* odds) {
    for (std::size_t c = 0; c < count; ++c) {
      const Real* a = in(x.abilities, s.first[k + c]);
      const Real* b = in(x.abilities, s.second[k + c]);
      for (std::size_t v = 0; v < vectors; ++v) {
        const Real d = a[v] - b[v];
        out(difference, c)[v] = d;
        out(odds, c)[v] = -absolute(d);
      }
    }
    for (std::size_t i = 0; i < count * W; ++i) odds[i] = det_exp(odds[i]);
  }

  /// Adds a pair's wins minus expected wins, as w q - l p, to its players, and stores n p q.
  BANZUKE_KERNEL_INLINE static void add_flow(const Lanes& x, std::size_t k, std::size_t v, Real p,
                                             Real q, Real& gain, Real& loss) {
    const Real won = in(x.wins_first, k)[v];
    const Real lost = in(x.wins_second, k)[v];
    const Real flow = won * q - lost * p;
    out(x.information, k)[v] = (won + lost) * (p * q);
    gain += flow;
    loss -= flow;
  }

  static void differentiate(const Shared& s, const Lanes& x) {
    for (std::size_t i = 0; i < s.players; ++i)
      for (std::size_t v = 0; v < vectors; ++v) out(x.gradient, i)[v] = Real{};
    s.is_narrow ? differentiate_by_strengths(s, x) : differentiate_by_odds(s, x);
  }

  /// p = pi_i / (pi_i + pi_j) with pi = e^theta: one exponential a player, for |theta| below
  /// farthest_strength.
  static void differentiate_by_strengths(const Shared& s, const Lanes& x) {
    const Real one = Real{} + 1.0;
    double* const strength = x.scratch;
    for (std::size_t i = 0; i < s.players * W; ++i) strength[i] = det_exp(x.abilities[i]);
    for (std::size_t k = 0; k < s.pairs; ++k) {
      const std::size_t i = s.first[k], j = s.second[k];
      for (std::size_t v = 0; v < vectors; ++v) {
        const Real inverse = one / (in(strength, i)[v] + in(strength, j)[v]);
        add_flow(x, k, v, in(strength, i)[v] * inverse, in(strength, j)[v] * inverse,
                 out(x.gradient, i)[v], out(x.gradient, j)[v]);
      }
    }
  }

  /// p and q from e^-|theta_i - theta_j|: one exponential a pair, for any range.
  static void differentiate_by_odds(const Shared& s, const Lanes& x) {
    alignas(64) double difference[strip * W], odds[strip * W];
    const Real one = Real{} + 1.0;
    for (std::size_t k0 = 0; k0 < s.pairs; k0 += strip) {
      const std::size_t count = s.pairs - k0 < strip ? s.pairs - k0 : strip;
      odds_of_pairs(s, x, k0, count, difference, odds);
      for (std::size_t c = 0; c < count; ++c)
        for (std::size_t v = 0; v < vectors; ++v) {
          const std::size_t k = k0 + c;
          const Real weak = in(odds, c)[v];
          const Real high = one / (one + weak);
          const Real low = weak * high;
          const auto first_stronger = in(difference, c)[v] >= Real{};
          add_flow(x, k, v, first_stronger ? high : low, first_stronger ? low : high,
                   out(x.gradient, s.first[k])[v], out(x.gradient, s.second[k])[v]);
        }
    }
  }

  /// Largest |value| over the players.
  BANZUKE_KERNEL_INLINE static void largest(const Shared& s, const double* values, double* result) {
    Real most[vectors] = {};
    for (std::uint32_t i = 0; i + 1 < s.players; ++i)
      for (std::size_t v = 0; v < vectors; ++v) {
        const Real size = absolute(in(values, i)[v]);
        most[v] = size <= most[v] ? most[v] : size;  // takes a NaN over
      }
    for (std::size_t v = 0; v < vectors; ++v) out(result, 0)[v] = most[v];
  }

  BANZUKE_KERNEL_INLINE static void product(const Shared& s, const double* a, const double* b,
                                            double* result) {
    Real sum[vectors] = {};
    for (std::uint32_t i = 0; i + 1 < s.players; ++i)
      for (std::size_t v = 0; v < vectors; ++v) sum[v] += in(a, i)[v] * in(b, i)[v];
    for (std::size_t v = 0; v < vectors; ++v) out(result, 0)[v] = sum[v];
  }

  /// For lanes with `allowed` >= 0: whether every player's gradient is within `allowed` or the
  /// bound of its rounding error: that of its terms and their sum, (number of pairs + 8) u sum |w
  /// q| + |l p|, and what the rounding of the abilities alone makes of it, u sum n p q (|theta_i| +
  /// |theta_j|).
  static void within_rounding(const Shared& s, const Lanes& x, const double* allowed,
                              bool* within) {
    double* const bound = x.scratch;
    for (std::uint32_t i = 0; i < s.players; ++i)
      for (std::size_t l = 0; l < W; ++l) bound[i * W + l] = 0;
    for (std::size_t l = 0; l < W; ++l) {
      within[l] = allowed[l] >= 0;
      if (!within[l]) continue;
      for (std::size_t k = 0; k < s.pairs; ++k) {
        const std::size_t a = s.first[k] * W + l;
        const std::size_t b = s.second[k] * W + l;
        const double d = x.abilities[a] - x.abilities[b];
        const double weak = det_exp(d < 0 ? d : -d);
        const double p = (d < 0 ? weak : 1.0) / (1.0 + weak);
        const double q = (d < 0 ? 1.0 : weak) / (1.0 + weak);
        const double won = x.wins_first[k * W + l], lost = x.wins_second[k * W + l];
        const double size = __builtin_fabs(x.abilities[a]) + __builtin_fabs(x.abilities[b]);
        const double terms = won * q + lost * p;
        const double moved = (won + lost) * p * q * size;
        bound[a] += pairs_of(s, s.first[k]) * terms + moved;
        bound[b] += pairs_of(s, s.second[k]) * terms + moved;
      }
      for (std::uint32_t i = 0; i + 1 < s.players; ++i) {
        const std::size_t a = i * W + l;
        const double limit = epsilon * bound[a] > allowed[l] ? epsilon * bound[a] : allowed[l];
        if (!(__builtin_fabs(x.gradient[a]) <= limit)) within[l] = false;
      }
    }
  }
  BANZUKE_KERNEL_INLINE static double pairs_of(const Shared& s, std::uint32_t i) {
    return static_cast<double>(s.degree[i]) + 8.0;
  }

  /// Largest change of a pair's difference by `column`, over the pairs with games.
  static void largest_difference(const Shared& s, const Lanes& x, double* result) {
    Real most[vectors] = {};
    for (std::size_t k = 0; k < s.pairs; ++k)
      for (std::size_t v = 0; v < vectors; ++v) {
        const Real change = absolute(in(x.column, s.first[k])[v] - in(x.column, s.second[k])[v]);
        const Real games = in(x.wins_first, k)[v] + in(x.wins_second, k)[v];
        const Real counted = games > Real{} ? change : Real{};
        most[v] = counted > most[v] ? counted : most[v];
      }
    for (std::size_t v = 0; v < vectors; ++v) out(result, 0)[v] = most[v];
  }

  /// What a lane remembers of its passes; nothing here looks at another lane.
  struct History {
    alignas(64) double length[W] = {};  ///< of the last step, as a part of its direction
    alignas(64) double slope[W] = {};   ///< along the direction where it started
    alignas(64) double size[W] = {};    ///< largest component of the direction
    alignas(64) double moved[W] = {};   ///< since the factor was made
    bool slow[W] = {};                  ///< too little progress to use the factor again
  };

  /// Where the step ended on the far side of the maximum, and too far: shortened to where the slope
  /// would vanish if it were linear, within [0.1, 0.5] of the step.
  static bool shorten(History& past, std::size_t l, double slope) {
    if (!(slope < -slope_ratio * past.slope[l]) ||
        past.length[l] * past.size[l] <= shortest_tested_step)
      return false;
    const double zero = past.slope[l] / (past.slope[l] - slope);
    past.length[l] *= zero < 0.1 ? 0.1 : zero > 0.5 ? 0.5 : zero;
    past.slow[l] = true;
    return true;
  }

  /// Bound of the Newton step where a step by an older factor has `size`: since that was made, the
  /// information changed by no more than e^(2 moved) <= 1 + 3 moved.
  static double newton_step(const History& past, std::size_t l, double size,
                            const LaneMask& fresh) {
    return fresh.lane[l] ? size : size * (1.0 + 3.0 * past.moved[l]);
  }

  /// Takes `column` as the new direction of accepted lanes, and steps all `open` lanes.
  static void step(const Shared& s, const Lanes& x, const History& past, const LaneMask& accepted,
                   const LaneMask& open) {
    for (std::uint32_t i = 0; i + 1 < s.players; ++i)
      for (std::size_t v = 0; v < vectors; ++v) {
        Real& base = out(x.base, i)[v];
        Real& direction = out(x.direction, i)[v];
        Real& ability = out(x.abilities, i)[v];
        base = accepted.at(v) ? ability : base;
        direction = accepted.at(v) ? in(x.column, i)[v] : direction;
        ability = open.at(v) ? base + in(past.length, 0)[v] * direction : ability;
      }
  }

  static void estimate(const Shared& s, const Lanes& x) {
    History past;
    alignas(64) double steepest[W], slope[W] = {}, next_slope[W], size[W], spread[W] = {},
                                    farthest[W];
    double allowed[W];
    bool within[W] = {};
    for (int pass = 0; pass < Tolerance::max_passes; ++pass) {
      const bool truth = pass == 0 && s.truth_entries != nullptr;
      LaneMask open, accepted, fresh;
      for (std::size_t l = 0; l < W; ++l) open.set(l, x.status[l] == LaneStatus::open);
      if (!open.any) return;
      differentiate(s, x);
      largest(s, x.gradient, steepest);
      if (pass > 0) product(s, x.gradient, x.direction, slope);
      for (std::size_t l = 0; l < W; ++l) {
        const bool is_open = open.lane[l] != 0;
        const bool is_accepted = is_open && !(pass > 0 && shorten(past, l, slope[l]));
        accepted.set(l, is_accepted);
        fresh.set(l, is_accepted && !truth &&
                         (pass == 0 || past.slow[l] || !(past.moved[l] <= s.longest_reuse)));
        if (is_open) x.iterations[l] = pass + 1;
      }
      if (fresh.any) Elimination::factorise(s, x, fresh);
      truth ? Elimination::template solve<true>(s, x) : Elimination::template solve<false>(s, x);
      largest(s, x.column, size);
      largest(s, x.abilities, farthest);
      product(s, x.gradient, x.column, next_slope);

      bool ask = false, is_long = false;
      for (std::size_t l = 0; l < W; ++l) {
        const double last_step = past.length[l] * past.size[l];
        const bool can_end = accepted.lane[l] && pass > 0;
        const bool arrived = can_end && newton_step(past, l, size[l], fresh) <= Tolerance::max_step;
        const bool stuck = can_end && fresh.lane[l] && size[l] >= 0.5 * last_step &&
                           size[l] <= Tolerance::max_floor_step;
        allowed[l] = arrived && steepest[l] > Tolerance::max_gradient ? Tolerance::max_gradient
                     : !arrived && stuck                              ? 0.0
                                                                      : -1.0;
        ask = ask || allowed[l] >= 0;
        is_long = is_long || (accepted.lane[l] && size[l] > 0.5 * longest_step);
      }
      if (ask) within_rounding(s, x, allowed, within);
      if (is_long) largest_difference(s, x, spread);
      for (std::size_t l = 0; l < W; ++l) {
        if (!accepted.lane[l]) continue;
        // The shared factor is not this lane's own: it neither ends the search nor is used again.
        const bool own = !truth;
        if (!own || fresh.lane[l]) past.moved[l] = 0;
        const double newton_size = newton_step(past, l, size[l], fresh);
        past.slow[l] = !own || !(size[l] <= slowest_reuse * (past.length[l] * past.size[l]));
        past.size[l] = size[l];
        past.slope[l] = next_slope[l];
        past.length[l] = size[l] > 0.5 * longest_step && spread[l] > longest_step
                             ? longest_step / spread[l]
                             : 1.0;
        past.moved[l] += past.length[l] * size[l];
        x.last_step[l] = newton_size;
        x.last_gradient[l] = steepest[l];
        if (!(size[l] <= 1e300) || (s.is_narrow && farthest[l] > farthest_strength)) {
          x.status[l] = LaneStatus::not_converged;
        } else if (own && steepest[l] <= Tolerance::max_gradient &&
                   newton_size <= Tolerance::max_step) {
          x.status[l] = LaneStatus::ok;
        } else if (ask && within[l]) {
          x.status[l] = LaneStatus::rounding_floor;
        }
      }
      step(s, x, past, accepted, open);
    }
    for (std::size_t l = 0; l < W; ++l)
      if (x.status[l] == LaneStatus::open) x.status[l] = LaneStatus::not_converged;
  }

  static void log_likelihood(const Shared& s, const Lanes& x) {
    alignas(64) double difference[strip * W], odds[strip * W], softened[strip * W];
    Real sum[vectors] = {};
    for (std::size_t k0 = 0; k0 < s.pairs; k0 += strip) {
      const std::size_t count = s.pairs - k0 < strip ? s.pairs - k0 : strip;
      odds_of_pairs(s, x, k0, count, difference, odds);
      for (std::size_t i = 0; i < count * W; ++i) softened[i] = det_log1p(odds[i]);
      for (std::size_t c = 0; c < count; ++c)
        for (std::size_t v = 0; v < vectors; ++v) {
          const Real d = in(difference, c)[v];
          const Real won = in(x.wins_first, k0 + c)[v];
          const Real lost = in(x.wins_second, k0 + c)[v];
          const Real upsets = d >= Real{} ? lost : won;
          sum[v] -= (won + lost) * in(softened, c)[v] + upsets * absolute(d);
        }
    }
    for (std::size_t v = 0; v < vectors; ++v) out(x.log_likelihood, 0)[v] = sum[v];
  }

  static void factorise_all(const Shared& s, const Lanes& x) {
    LaneMask all;
    for (std::size_t l = 0; l < W; ++l) all.set(l, true);
    Elimination::factorise(s, x, all);
  }

  static constexpr Functions functions{load, estimate, log_likelihood, factorise_all};
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
}  // namespace banzuke::bradley_terry::lane_kernel
