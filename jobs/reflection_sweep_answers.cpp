// What people ask of a sweep's rules. Computed from the set-up when printed: exact probabilities,
// so the same numbers each time.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "engine/base/text.hpp"
#include "engine/models/reflection/threshold.hpp"
#include "jobs/reflection_sweep.hpp"
#include "jobs/table.hpp"

namespace banzuke::reflection_sweep {
namespace {

namespace rf = reflection;

constexpr double targets[] = {0.62, 0.75, 0.90, 0.95, 0.99};
constexpr std::int64_t exchanged_games[] = {100, 1000};
constexpr double playing_times[] = {5, 10, 50, 100, 500, 1000, 5000};

/// The exact probabilities of a rule, each computed once.
class Curve {
 public:
  explicit Curve(const rf::Game& game) : game_(game) {}

  double at(std::int64_t games, rf::Convention convention) {
    auto found = known_.find(games);
    if (found == known_.end()) {
      const auto result = rf::compute_point(game_, games, rf::Method::exact);
      found = known_.emplace(games, result.value).first;
    }
    return rf::value_of(found->second, convention);
  }

  std::optional<rf::Threshold> reach(double target, rf::Convention convention) {
    const double tangent = std::tan(std::numbers::pi * (target - 0.5));
    const double guess = (game_.concentration + 1.0) * tangent * tangent;
    // Most small N are asked for first: a rule without exact values is found at once.
    if (std::isnan(at(1, convention))) return std::nullopt;
    return rf::smallest_games(
        [&](std::int64_t n) { return at(n, convention); }, target,
        rf::score_period(game_, rf::longest_period),
        static_cast<std::int64_t>(std::min(guess, static_cast<double>(rf::largest_games))));
  }

 private:
  const rf::Game& game_;
  std::map<std::int64_t, rf::Probabilities> known_;
};

std::vector<Curve> curves_of(const Sweep& sweep) {
  return {sweep.reduced.begin(), sweep.reduced.end()};
}

/// Whether the answer may miss the extreme class of N.
bool is_long(const rf::Game& game) {
  return rf::score_period(game, rf::longest_period + 1) > rf::longest_period;
}

std::string percent(double target) {
  return fmt::format("{:.0f} %", 100 * target);
}

}  // namespace

void tabulate_thresholds(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  using enum Table::Align;
  const Sweep sweep = read_sweep(file.read_setup());
  const bool csv = request.format == TableFormat::csv;
  std::vector<Curve> curves = curves_of(sweep);
  std::vector<Table::Column> columns{{"rule", left}, {"convention", left}};
  if (csv) {
    columns = {{"rule"},         {"convention"},     {"target"},  {"N"},
               {"p_at_N"},       {"p_at_N_minus_1"}, {"N_first"}, {"p_at_N_first"},
               {"playing_time"}, {"method"}};
  } else {
    for (const double target : targets) columns.push_back({percent(target)});
  }
  Table table(columns);
  for (std::size_t r = 0; r < curves.size(); ++r) {
    const rf::Rule& rule = sweep.rules[r];
    for (const rf::Convention convention : rf::all_conventions) {
      std::vector<std::string> row{rule.name, rf::name_of(convention)};
      for (const double target : targets) {
        const auto found = curves[r].reach(target, convention);
        if (csv) {
          std::vector<std::string> cells{rule.name, rf::name_of(convention), csv_number(target)};
          if (found) {
            cells.insert(cells.end(),
                         {fmt::format("{}", found->games), csv_number(found->value),
                          csv_number(found->value_before), fmt::format("{}", found->first),
                          csv_number(found->first_value),
                          csv_number(rule.relative_length * static_cast<double>(found->games))});
          } else {
            cells.resize(cells.size() + 6);
          }
          cells.push_back(is_long(sweep.reduced[r]) ? "exact, near the answer" : "exact");
          table.add(cells);
          continue;
        }
        row.push_back(!found ? "-"
                      : found->first < found->games
                          ? fmt::format("{} ({})", found->games, found->first)
                          : fmt::format("{}", found->games));
      }
      if (!csv) table.add(row);
    }
  }
  if (csv) {
    table.print_csv(out);
    return;
  }
  out << "Smallest N from which the probability holds (in brackets: which reaches it first), "
         "exact:\n";
  table.print_text(out);
  for (std::size_t r = 0; r < curves.size(); ++r) {
    if (!is_long(sweep.reduced[r])) continue;
    out << fmt::format(
        "{}: the scores' lattice repeats after more than {} games: N may be off by so many.\n",
        sweep.rules[r].name, rf::longest_period);
  }
}

void tabulate_time(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  using enum Table::Align;
  const Sweep sweep = read_sweep(file.read_setup());
  const bool csv = request.format == TableFormat::csv;
  std::vector<Curve> curves = curves_of(sweep);
  std::vector<Table::Column> columns{{"playing_time"}};
  if (csv) {
    columns = {{"playing_time"}, {"rule"}, {"N"}, {"p_positive"}, {"p_half"}, {"p_not_negative"}};
  } else {
    for (const rf::Rule& rule : sweep.rules) {
      columns.push_back({rule.name});
    }
  }
  Table table(columns);
  for (const double time : playing_times) {
    std::vector<std::string> row{shortest(time)};
    for (std::size_t r = 0; r < curves.size(); ++r) {
      const double exact_games = time / sweep.rules[r].relative_length;
      const auto games = static_cast<std::int64_t>(
          std::llround(std::clamp(exact_games, 1.0, static_cast<double>(rf::largest_games))));
      if (!csv) {
        row.push_back(fixed(curves[r].at(games, rf::Convention::half_tie), 4));
        continue;
      }
      std::vector<std::string> cells{shortest(time), sweep.rules[r].name, fmt::format("{}", games)};
      for (const rf::Convention convention : rf::all_conventions) {
        cells.push_back(csv_number(curves[r].at(games, convention)));
      }
      table.add(cells);
    }
    if (!csv) table.add(row);
  }
  if (csv) {
    table.print_csv(out);
    return;
  }
  out << "After equal playing time (N = time / relative length), ties half, exact:\n";
  table.print_text(out);
}

void tabulate_exchange(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  using enum Table::Align;
  const Sweep sweep = read_sweep(file.read_setup());
  const bool csv = request.format == TableFormat::csv;
  std::vector<Curve> curves = curves_of(sweep);
  std::vector<Table::Column> columns{{"N"}, {"of rule", left}, {"P", left}};
  if (csv) {
    columns = {{"rule"},       {"N"},       {"convention"},  {"p"},
               {"other_rule"}, {"other_N"}, {"games_ratio"}, {"time_ratio"}};
  } else {
    for (const rf::Rule& rule : sweep.rules) columns.push_back({"= " + rule.name});
  }
  Table table(columns);
  for (const std::int64_t games : exchanged_games) {
    for (std::size_t from = 0; from < curves.size(); ++from) {
      for (const rf::Convention convention : rf::all_conventions) {
        if (!csv && convention != rf::Convention::half_tie) continue;
        const double p = curves[from].at(games, convention);
        std::vector<std::string> row{fmt::format("{}", games), sweep.rules[from].name, fixed(p, 4)};
        for (std::size_t to = 0; to < curves.size(); ++to) {
          const bool possible = from != to && p > 0.0 && p < 1.0;
          const auto found =
              possible ? curves[to].reach(p, convention) : std::optional<rf::Threshold>();
          if (!csv) {
            row.push_back(from == to ? fmt::format("{}", games)
                          : found    ? fmt::format("{}", found->games)
                                     : "-");
            continue;
          }
          if (from == to) continue;
          std::vector<std::string> cells{sweep.rules[from].name, fmt::format("{}", games),
                                         rf::name_of(convention), csv_number(p),
                                         sweep.rules[to].name};
          if (found) {
            const double ratio = static_cast<double>(found->games) / static_cast<double>(games);
            cells.insert(cells.end(), {fmt::format("{}", found->games), csv_number(ratio),
                                       csv_number(ratio * sweep.rules[to].relative_length /
                                                  sweep.rules[from].relative_length)});
          } else {
            cells.resize(columns.size());
          }
          table.add(cells);
        }
        if (!csv) table.add(row);
      }
    }
  }
  if (csv) {
    table.print_csv(out);
    return;
  }
  out << "Exchange rate: smallest N of the other rule from which it shows as much skill, ties "
         "half, exact:\n";
  table.print_text(out);
}

}  // namespace banzuke::reflection_sweep
