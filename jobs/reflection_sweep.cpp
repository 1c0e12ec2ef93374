// Reflection probabilities, P(a player's score shows their skill), swept over rules, numbers of
// games and methods.

#include "jobs/reflection_sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/models/reflection/triple_trapezoid.hpp"
#include "jobs/catalogue.hpp"

namespace banzuke {
namespace reflection_sweep {
namespace {

namespace rf = reflection;

/// Enough for a standard error that is itself known within 13 %.
constexpr std::uint64_t first_checkpoint = 32;

/// Where exact has no route: so many replicates of so many draws, about a second.
constexpr std::uint32_t fallback_replicates = 32;
constexpr std::uint32_t fallback_draws = 32768;
constexpr std::uint32_t fallback_sobol_draws = 4096;

void store(const RowBlock& rows, std::size_t row, const rf::Probabilities& p, std::uint8_t route,
           std::uint8_t status) {
  const double values[] = {p.p_positive,       p.p_zero,       p.p_half,    p.p_skill_positive,
                           p.p_score_positive, p.p_score_zero, p.p_reverse, p.error};
  for (std::size_t field = field_p_positive; field <= field_error; ++field) {
    rows.doubles(field)[row] = values[field];
  }
  rows.octets(field_route)[row] = route;
  rows.status()[row] = status;
}

std::uint8_t route_of(rf::Sampling sampling) {
  return static_cast<std::uint8_t>(route_sampling + static_cast<std::uint8_t>(sampling));
}

class ReflectionSweep final : public Job {
 public:
  ReflectionSweep(const Bundle& set_up, std::uint64_t seed)
      : seed_(seed), sweep_(read_sweep(set_up)) {}

  Layout layout(std::uint64_t replicates) const override;
  void compute(const RowBlock& rows) const override;
  bool is_adaptive() const override { return sweep_.standard_error.has_value(); }
  double cost(std::size_t point) const override;

 private:
  void compute_value(const RowBlock& rows, const rf::Game& game, std::int64_t games,
                     rf::Method method) const;
  void compute_head_to_head(const RowBlock& rows, const rf::Game& game, std::int64_t games) const;
  void compute_draws(const RowBlock& rows, const rf::Game& game, std::int64_t games) const;

  std::uint64_t seed_;
  Sweep sweep_;
};

Layout ReflectionSweep::layout(std::uint64_t replicates) const {
  Layout layout;
  for (std::size_t point = 0; point < sweep_.points(); ++point) {
    layout.points.push_back(fmt::format("{} N={} {}", sweep_.rules[sweep_.place(point).rule].name,
                                        sweep_.games_of(point), sweep_.method_of(point).name));
  }
  layout.replicates = sweep_.has_monte_carlo() ? replicates : 1;
  const auto real = [&](const char* name, const char* meaning) {
    layout.fields.push_back({name, FieldType::float64, "", "1", meaning});
  };
  real("p_positive", "P(f(y) > 0 | f(x) > 0): the score is positive where the skill is");
  real("p_zero", "P(f(y) = 0 | f(x) > 0)");
  real("p_half", "p_positive + p_zero / 2: a tie counts half");
  real("p_skill_positive", "P(f(x) > 0)");
  real("p_score_positive", "P(f(y) > 0)");
  real("p_score_zero", "P(f(y) = 0)");
  real("p_reverse", "P(f(x) > 0 | f(y) > 0): the skill is positive where the score is");
  real("error", "bound of the error, or standard error where status is estimated; NaN: not known");
  layout.fields.push_back(
      {"route", FieldType::uint8, "", "1", "how it was computed: see docs/reflection_sweep.md"});
  if (sweep_.has_monte_carlo()) {
    real("sum_total", "sum of the weights of a replicate's draws");
    real("sum_skill", "the same over draws with f(x) > 0");
    real("sum_both", "with f(x) > 0 and f(y) > 0");
    real("sum_tie", "with f(x) > 0 and f(y) = 0");
    real("sum_score", "with f(y) > 0");
    real("sum_score_zero", "with f(y) = 0");
  }
  layout.statuses = {"missing",           "ok",         "not_lattice", "not_centred",
                     "too_many_outcomes", "too_costly", "estimated",   "not_needed"};
  return layout;
}

void ReflectionSweep::compute(const RowBlock& rows) const {
  const SweepMethod& method = sweep_.method_of(rows.point());
  const rf::Game& game = sweep_.reduced[sweep_.place(rows.point()).rule];
  const std::int64_t games = sweep_.games_of(rows.point());
  if (method.kind == SweepMethod::Kind::monte_carlo) {
    compute_draws(rows, game, games);
    return;
  }
  std::fill(rows.status().begin(), rows.status().end(), status_not_needed);
  if (rows.first() > 0) return;  // one row says it all
  if (method.kind == SweepMethod::Kind::head_to_head) {
    compute_head_to_head(rows, game, games);
  } else {
    compute_value(rows, game, games, method.method);
  }
}

void ReflectionSweep::compute_value(const RowBlock& rows, const rf::Game& game, std::int64_t games,
                                    rf::Method method) const {
  const rf::PointResult result = rf::compute_point(game, games, method);
  const bool no_route = method == rf::Method::exact && result.status != rf::PointStatus::ok;
  if (!no_route) {
    store(rows, 0, result.value, static_cast<std::uint8_t>(result.route),
          static_cast<std::uint8_t>(result.status));
    return;
  }
  const rf::Sampling sampling = sampling_for(game, games, rf::Sampling::sobol);
  const rf::MonteCarlo monte_carlo(
      game, games, sampling,
      sampling == rf::Sampling::sobol ? fallback_sobol_draws : fallback_draws);
  std::vector<rf::BlockSums> sums;
  for (std::uint32_t replicate = 0; replicate < fallback_replicates; ++replicate) {
    sums.push_back(monte_carlo.run(seed_, static_cast<std::uint32_t>(rows.point()), replicate));
  }
  const rf::MonteCarloEstimate found = rf::estimate(sums);
  rf::Probabilities value = found.value;
  value.error = std::max({value.error, found.error_zero, found.error_half});
  store(rows, 0, value, route_of(sampling), status_estimated);
}

/// Both players come from one prior: their skills differ either way with probability 1/2.
void ReflectionSweep::compute_head_to_head(const RowBlock& rows, const rf::Game& game,
                                           std::int64_t games) const {
  if (!game.lattice) {
    rows.status()[0] = static_cast<std::uint8_t>(rf::PointStatus::not_lattice);
    return;
  }
  const auto found = rf::head_to_head(game, games);
  if (!found || !(found->error <= rf::largest_exact_error)) {
    rows.status()[0] = static_cast<std::uint8_t>(rf::PointStatus::too_costly);
    return;
  }
  const double decided = 1.0 - found->p_tie;
  store(rows, 0,
        {found->p_positive, found->p_tie, found->p_half, 0.5, 0.5 * decided, found->p_tie,
         found->p_positive / decided, found->error},
        route_contour, status_ok);
}

void ReflectionSweep::compute_draws(const RowBlock& rows, const rf::Game& game,
                                    std::int64_t games) const {
  const rf::Sampling sampling = sampling_for(game, games, sweep_.sampling);
  const rf::MonteCarlo monte_carlo(game, games, sampling, sweep_.draws);
  for (std::size_t i = 0; i < rows.count(); ++i) {
    const rf::BlockSums sums = monte_carlo.run(seed_, static_cast<std::uint32_t>(rows.point()),
                                               static_cast<std::uint32_t>(rows.first() + i));
    const double values[rf::block_fields] = {sums.total, sums.skill, sums.both,
                                             sums.tie,   sums.score, sums.score_zero};
    for (std::size_t field = 0; field < std::size(values); ++field) {
      rows.doubles(field_sums + field)[i] = values[field];
    }
    rows.octets(field_route)[i] = route_of(sampling);
    rows.status()[i] = status_ok;
  }
}

/// In about milliseconds; only balance depends on it.
double ReflectionSweep::cost(std::size_t point) const {
  const SweepMethod& method = sweep_.method_of(point);
  const rf::Game& game = sweep_.reduced[sweep_.place(point).rule];
  const auto games = static_cast<double>(sweep_.games_of(point));
  const double spread = std::sqrt(1.0 + games / game.concentration);
  const auto outcomes = static_cast<double>(game.outcomes());
  if (method.kind == SweepMethod::Kind::monte_carlo) {
    const bool drawn =
        sampling_for(game, sweep_.games_of(point), sweep_.sampling) == rf::Sampling::plain;
    return 1e-4 * sweep_.draws * outcomes * (drawn ? 1.0 : 4.0 * std::min(spread, 10.0));
  }
  double cost = 0.3 * spread;
  if (method.kind == SweepMethod::Kind::head_to_head) {
    cost = 20.0 * spread;
  } else if (method.method == rf::Method::arctan || method.method == rf::Method::arctan_skew) {
    cost = 0.01;
  } else if (method.method != rf::Method::exact) {
    cost = 0.01 * std::pow(20.0, outcomes - 2.0);
  }
  // With Monte Carlo beside it, one row of many does the work.
  return sweep_.has_monte_carlo() ? cost / static_cast<double>(first_checkpoint) : cost;
}

bool enough(const ResultFile& file, std::size_t point, std::uint64_t count) {
  const Sweep sweep = read_sweep(file.read_setup());
  if (sweep.method_of(point).kind != SweepMethod::Kind::monte_carlo) return true;
  if (!sweep.standard_error) return false;
  const rf::MonteCarloEstimate found = estimate_of(file, point, count);
  return std::max(found.value.error, found.error_half) <= *sweep.standard_error;
}

}  // namespace

rf::MonteCarloEstimate estimate_of(const ResultFile& file, std::size_t point, std::uint64_t count) {
  const RowRange rows{0, count};
  const auto status = file.read_status(point, rows);
  std::vector<std::vector<double>> columns;
  for (std::size_t field = 0; field < rf::block_fields; ++field) {
    columns.push_back(file.read_doubles(field_sums + field, point, rows));
  }
  std::vector<rf::BlockSums> sums;
  for (std::size_t i = 0; i < status.size(); ++i) {
    if (status[i] != status_ok) continue;
    sums.push_back(
        {columns[0][i], columns[1][i], columns[2][i], columns[3][i], columns[4][i], columns[5][i]});
  }
  return rf::estimate(sums);
}

std::string name_of_route(std::uint8_t route) {
  if (route < route_contour) return rf::name_of(static_cast<rf::Route>(route));
  if (route == route_contour) return "contour";
  return rf::name_of(static_cast<rf::Sampling>(route - route_sampling));
}

}  // namespace reflection_sweep

JobKind reflection_sweep_job() {
  using namespace reflection_sweep;
  JobKind kind;
  kind.name = "reflection_sweep";
  kind.summary = "how well N games of a rule show skill: exact, approximate and by Monte Carlo";
  kind.randomness = Randomness::sometimes;
  kind.configure = [](const Section& root, const Config&) { return prepare(root); };
  kind.make = [](const Bundle& set_up, std::uint64_t seed) -> std::unique_ptr<Job> {
    return std::make_unique<ReflectionSweep>(set_up, seed);
  };
  kind.enough = enough;
  kind.first_checkpoint = first_checkpoint;
  kind.tabulate = tabulate;
  kind.tables = {
      {"thresholds", "smallest N for 62 to 99 %", tabulate_thresholds},
      {"time", "probabilities after equal playing time", tabulate_time},
      {"exchange", "games of one rule that show as much as those of another", tabulate_exchange}};
  return kind;
}

}  // namespace banzuke
