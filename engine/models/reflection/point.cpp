#include "engine/models/reflection/point.hpp"

#include <algorithm>
#include <limits>

#include "engine/models/reflection/approximations.hpp"
#include "engine/models/reflection/closed_form.hpp"
#include "engine/models/reflection/conditional_quadrature.hpp"
#include "engine/models/reflection/conditional_score.hpp"
#include "engine/models/reflection/direct_sum.hpp"
#include "engine/models/reflection/triple_trapezoid.hpp"

namespace banzuke::reflection {
namespace {

// The trapezoid is faster than O(N) from here on; below, the closed form's rounding is smaller.
constexpr std::int64_t closed_form_games = 200'000;
constexpr std::int64_t most_closed_form_games = 10'000'000;
constexpr double comfortable_alpha = 12.0;  ///< Gaussian enough for the trapezoid to be quick
constexpr double most_results = 3000.0;
constexpr double fine_lattice = 500.0;  ///< steps between the payoffs, too fine for few games

double least_alpha(const Game& game) {
  return *std::min_element(game.alpha.begin(), game.alpha.end());
}

PointResult without_value(PointStatus status, Route route = Route::none) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  return {status, route, {nan, nan, nan, nan, nan, nan, nan, nan}};
}

PointResult exact(const Game& game, std::int64_t games, CpuPath path) {
  const Route first = choose_route(game, games);
  if (first == Route::none) {
    return without_value(game.lattice ? PointStatus::too_costly : PointStatus::not_lattice);
  }
  return compute_by_route(game, games, first, path);
}

}  // namespace

const char* name_of(Method method) {
  switch (method) {
    case Method::exact:
      return "exact";
    case Method::normal:
      return "normal";
    case Method::normal_doubled:
      return "normal_doubled";
    case Method::normal_corrected:
      return "normal_corrected";
    case Method::arctan:
      return "arctan";
    case Method::arctan_skew:
      break;
  }
  return "arctan_skew";
}

std::optional<Method> method_of(std::string_view name) {
  for (const Method method : all_methods) {
    if (name == name_of(method)) return method;
  }
  return std::nullopt;
}

const char* name_of(Route route) {
  switch (route) {
    case Route::closed_form:
      return "closed_form";
    case Route::triple_trapezoid:
      return "triple_trapezoid";
    case Route::conditional_quadrature:
      return "conditional_quadrature";
    case Route::direct_sum:
      return "direct_sum";
    case Route::normal_quadrature:
      return "normal_quadrature";
    case Route::formula:
      return "formula";
    case Route::none:
      break;
  }
  return "none";
}

const char* explain(PointStatus status) {
  switch (status) {
    case PointStatus::missing:
      return "not computed yet";
    case PointStatus::ok:
      return "computed";
    case PointStatus::not_lattice:
      return "the payoffs have no common step, and there are too many results to enumerate: give "
             "decimals, or use monte_carlo";
    case PointStatus::not_centred:
      return "this law holds for payoffs whose mean is the centre: set centre = \"mean\", or use "
             "exact";
    case PointStatus::too_many_outcomes:
      return "the integral over the skill takes at most five different payoffs: use exact or "
             "monte_carlo";
    case PointStatus::too_costly:
      break;
  }
  return "alpha is too small for the exact sums at this N: use monte_carlo";
}

Route choose_route(const Game& game, std::int64_t games) {
  const double least = least_alpha(game);
  if (!game.lattice) {
    return count_results(game, games) <= most_results ? Route::direct_sum : Route::none;
  }
  if (is_symmetric_three(game) &&
      games <= (least >= comfortable_alpha ? closed_form_games : most_closed_form_games)) {
    return Route::closed_form;
  }
  const bool fine = game.coefficient.front() - game.coefficient.back() > fine_lattice;
  if (least >= comfortable_alpha && !fine) return Route::triple_trapezoid;
  if (count_results(game, games) <= most_results) return Route::direct_sum;
  if (least < comfortable_alpha && game.outcomes() <= most_quadrature_outcomes &&
      ConditionalScore::is_feasible(game, games)) {
    return Route::conditional_quadrature;
  }
  return Route::triple_trapezoid;
}

PointResult compute_by_route(const Game& game, std::int64_t games, Route route, CpuPath path) {
  std::optional<Probabilities> value;
  switch (route) {
    case Route::closed_form:
      if (is_symmetric_three(game)) value = closed_form(game, games);
      break;
    case Route::triple_trapezoid:
      if (!game.lattice) return without_value(PointStatus::not_lattice, route);
      value = triple_trapezoid(game, games, path);
      break;
    case Route::conditional_quadrature:
      if (!game.lattice) return without_value(PointStatus::not_lattice, route);
      if (game.outcomes() > most_quadrature_outcomes) {
        return without_value(PointStatus::too_many_outcomes, route);
      }
      if (ConditionalScore::is_feasible(game, games)) {
        value = conditional_quadrature(game, games, 1e-12, path);
      }
      break;
    case Route::direct_sum:
      value = direct_sum(game, games);
      break;
    case Route::normal_quadrature:
    case Route::formula:
    case Route::none:
      break;
  }
  if (!value || !(value->error <= largest_exact_error)) {
    return without_value(PointStatus::too_costly, route);
  }
  return {PointStatus::ok, route, *value};
}

PointResult compute_point(const Game& game, std::int64_t games, Method method, CpuPath path) {
  check_games(games);
  switch (method) {
    case Method::exact:
      return exact(game, games, path);
    case Method::normal:
    case Method::normal_doubled:
    case Method::normal_corrected: {
      if (game.outcomes() > most_quadrature_outcomes) {
        return without_value(PointStatus::too_many_outcomes, Route::normal_quadrature);
      }
      Probabilities p =
          normal_approximation(game, games,
                               method == Method::normal_corrected ? ScoreVariance::variance
                                                                  : ScoreVariance::second_moment);
      if (method == Method::normal_doubled) {
        p.p_positive *= 2.0 * p.p_skill_positive;
        p.p_half = p.p_positive;
      }
      return {PointStatus::ok, Route::normal_quadrature, p};
    }
    case Method::arctan:
    case Method::arctan_skew:
      break;
  }
  if (!game.centred) return without_value(PointStatus::not_centred, Route::formula);
  return {PointStatus::ok, Route::formula,
          method == Method::arctan ? arctan_law(game, games) : arctan_skew_law(game, games)};
}

PointResult compute_point(const Rule& rule, std::int64_t games, Method method, CpuPath path) {
  return compute_point(reduce(rule), games, method, path);
}

}  // namespace banzuke::reflection
