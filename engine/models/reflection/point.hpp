#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/base/cpu_path.hpp"
#include "engine/models/reflection/probabilities.hpp"
#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

/// The methods a config names. `monte_carlo` is not a point's pure function: see monte_carlo.hpp.
enum class Method { exact, normal, normal_doubled, normal_corrected, arctan, arctan_skew };

inline constexpr Method all_methods[] = {Method::exact,          Method::normal,
                                         Method::normal_doubled, Method::normal_corrected,
                                         Method::arctan,         Method::arctan_skew};

/// "exact", "normal", …
const char* name_of(Method method);
std::optional<Method> method_of(std::string_view name);

/// How a value was found.
enum class Route : std::uint8_t {
  none = 0,
  closed_form = 1,
  triple_trapezoid = 2,
  conditional_quadrature = 3,
  direct_sum = 4,
  normal_quadrature = 5,
  formula = 6,
};
const char* name_of(Route route);

/// Why a point has no value; stored beside it.
enum class PointStatus : std::uint8_t {
  missing = 0,  ///< not computed
  ok = 1,
  not_lattice = 2,        ///< payoffs have no common step, and N is too large for the direct sum
  not_centred = 3,        ///< the arctan laws need payoffs whose mean is the centre
  too_many_outcomes = 4,  ///< quadrature takes five different payoffs
  too_costly = 5,         ///< alphas so small that no route reaches the accuracy in reasonable time
};
/// A sentence for the user, with what to do: "…: use monte_carlo".
const char* explain(PointStatus status);

struct PointResult {
  PointStatus status = PointStatus::missing;
  Route route = Route::none;
  Probabilities value;  ///< NaN unless status is ok
};

/// One point of a sweep: a pure function with the same bits on every CPU path. Throws InputError
/// for rules and N that make no sense (check, check_games).
PointResult compute_point(const Rule& rule, std::int64_t games, Method method,
                          CpuPath path = best_cpu_path());
PointResult compute_point(const Game& game, std::int64_t games, Method method,
                          CpuPath path = best_cpu_path());

/// The routes of Method::exact by themselves, for checks; status says when one does not apply.
PointResult compute_by_route(const Game& game, std::int64_t games, Route route,
                             CpuPath path = best_cpu_path());

/// The route Method::exact tries first.
Route choose_route(const Game& game, std::int64_t games);

/// Largest error Method::exact reports with status ok.
inline constexpr double largest_exact_error = 1e-9;

}  // namespace banzuke::reflection
