#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "engine/batch/job.hpp"
#include "engine/models/reflection/monte_carlo.hpp"
#include "engine/models/reflection/point.hpp"
#include "engine/models/reflection/rule.hpp"
#include "jobs/report.hpp"

namespace banzuke::reflection_sweep {

/// Fields of a record, in the layout's order. The sums are there only with Monte Carlo.
enum Fields : std::size_t {
  field_p_positive,
  field_p_zero,
  field_p_half,
  field_p_skill_positive,
  field_p_score_positive,
  field_p_score_zero,
  field_p_reverse,
  field_error,
  field_route,
  field_sums  ///< the first of reflection::block_fields
};

/// Status codes beside those of reflection::PointStatus, which come first.
inline constexpr std::uint8_t status_estimated = 6;   ///< by Monte Carlo, for want of a route
inline constexpr std::uint8_t status_not_needed = 7;  ///< a replicate the point does without

/// Values of the field `route` after those of reflection::Route.
inline constexpr std::uint8_t route_contour = 7;
inline constexpr std::uint8_t route_sampling = 8;  ///< and the number of the sampling
std::string name_of_route(std::uint8_t route);

/// A method of the config: one of the model's, or head-to-head, or Monte Carlo.
struct SweepMethod {
  std::string name;
  enum class Kind { point, head_to_head, monte_carlo } kind = Kind::point;
  reflection::Method method = reflection::Method::exact;  ///< of Kind::point
};
/// Empty for an unknown name.
std::optional<SweepMethod> sweep_method_of(const std::string& name);
/// All names a config may use.
std::vector<std::string> sweep_method_names();

/// What is swept; all of it is in the set-up. Points: rule by rule, N by N, method by method, so
/// that another rule adds points at the end.
struct Sweep {
  std::vector<reflection::Rule> rules;
  std::vector<reflection::Game> reduced;  ///< of each rule
  std::vector<std::int64_t> games;
  std::vector<SweepMethod> methods;
  reflection::Sampling sampling = reflection::Sampling::plain;
  std::uint32_t draws = 0;               ///< of a Monte Carlo replicate
  std::optional<double> standard_error;  ///< a point of Monte Carlo stops there

  struct Place {
    std::size_t rule, games, method;
  };
  std::size_t points() const { return rules.size() * games.size() * methods.size(); }
  Place place(std::size_t point) const {
    return {point / methods.size() / games.size(), point / methods.size() % games.size(),
            point % methods.size()};
  }
  const SweepMethod& method_of(std::size_t point) const { return methods[place(point).method]; }
  std::int64_t games_of(std::size_t point) const { return games[place(point).games]; }
  bool has_monte_carlo() const;
};

Sweep read_sweep(const Bundle& set_up);

/// The sampling asked for, or plain where it does not apply (docs/reflection_sweep.md).
reflection::Sampling sampling_for(const reflection::Game& game, std::int64_t games,
                                  reflection::Sampling wanted);

/// Reads and checks the config.
std::unique_ptr<Preparation> prepare(const Section& root);

/// What the first `count` replicates of a Monte Carlo point say; rows that are not ok are left out.
reflection::MonteCarloEstimate estimate_of(const ResultFile& file, std::size_t point,
                                           std::uint64_t count);

/// The sweep, and as text the answers below it.
void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out);

/// Answers from exact probabilities, by rule and convention; for a request, so that nothing is
/// computed that is not shown.
Report thresholds_report(const Sweep& sweep);
Report time_report(const Sweep& sweep);
Report exchange_report(const Sweep& sweep, const TableRequest& request);
/// The smallest numbers of games that reach some probabilities.
void tabulate_thresholds(const ResultFile& file, const TableRequest& request, std::ostream& out);
/// The probabilities after equal playing time.
void tabulate_time(const ResultFile& file, const TableRequest& request, std::ostream& out);
/// Games of another rule that show as much skill.
void tabulate_exchange(const ResultFile& file, const TableRequest& request, std::ostream& out);

}  // namespace banzuke::reflection_sweep
