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
#include "jobs/report.hpp"

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

Cell threshold_cell(const std::optional<rf::Threshold>& found) {
  if (!found) return Cell().shown_as("-");
  return Cell::whole(found->games)
      .with_suffix(found->first < found->games ? fmt::format(" ({})", found->first) : "");
}

}  // namespace

Report thresholds_report(const Sweep& sweep) {
  using enum Table::Align;
  std::vector<Curve> curves = curves_of(sweep);
  Report report;
  report.counted = "answers, computed when printed";
  report.table =
      Table({{"rule", "rule", "the game", "1", left},
             {"convention", "convention", "what a tie counts", "1", left},
             {"target", "target %", "probability to be reached"},
             {"N", "N", "smallest number of games from which the probability holds"},
             {"p_at_N", "P at N", "probability at N"},
             {"p_at_N_minus_1", "P at N - 1", "probability one game earlier, below the target"},
             {"N_first", "N first", "the first number of games that reaches it"},
             {"p_at_N_first", "P at N first", "probability at N_first"},
             {"playing_time", "playing time", "N times the relative length of the rule"},
             {"method", "method", "how N was found", "1", left}});
  std::vector<Table::Column> wide{{"rule", "rule", "", "1", left},
                                  {"convention", "convention", "", "1", left}};
  for (const double target : targets) wide.push_back({percent(target), percent(target), ""});
  const std::vector<std::string> heading{
      "Smallest N from which the probability holds (in brackets: which reaches it first), exact:"};
  report.layout = Table(wide);
  report.layout->begin_section(heading);
  report.table.begin_section(heading);
  for (std::size_t r = 0; r < curves.size(); ++r) {
    const rf::Rule& rule = sweep.rules[r];
    const bool may_miss = is_long(sweep.reduced[r]);
    for (const rf::Convention convention : rf::all_conventions) {
      const Cell name = Cell::text(rule.name), ties = Cell::text(rf::name_of(convention));
      std::vector<Cell> line{name, ties};
      for (const double target : targets) {
        const auto found = curves[r].reach(target, convention);
        line.push_back(threshold_cell(found));
        std::vector<Cell> row{name, ties, Cell::percent(target, 0)};
        if (found) {
          row.insert(row.end(),
                     {Cell::whole(found->games), Cell::fixed(found->value, 6),
                      Cell::fixed(found->value_before, 6), Cell::whole(found->first),
                      Cell::fixed(found->first_value, 6),
                      Cell::full(rule.relative_length * static_cast<double>(found->games))});
        } else {
          row.resize(row.size() + 6);
        }
        row.push_back(Cell::text(may_miss ? "exact, near the answer" : "exact"));
        report.table.add(std::move(row));
      }
      report.layout->add(std::move(line));
    }
    if (may_miss) {
      report.notes.push_back(fmt::format(
          "{}: the scores' lattice repeats after more than {} games: N may be off by so many.",
          rule.name, rf::longest_period));
    }
  }
  return report;
}

Report time_report(const Sweep& sweep) {
  using enum Table::Align;
  std::vector<Curve> curves = curves_of(sweep);
  Report report;
  report.counted = "answers, computed when printed";
  report.table =
      Table({{"playing_time", "playing time", "N times the relative length of the rule"},
             {"rule", "rule", "the game", "1", left},
             {"N", "N", "number of games"},
             {"p_positive", "P(>0)", "probability of a positive score, given positive skill"},
             {"p_half", "half tie", "probability of a positive score and half that of 0"},
             {"p_not_negative", "P(>=0)", "probability of a score that is not negative"}});
  std::vector<Table::Column> wide{{"playing_time", "playing_time", ""}};
  for (const rf::Rule& rule : sweep.rules) wide.push_back({rule.name, rule.name, ""});
  const std::vector<std::string> heading{
      "After equal playing time (N = time / relative length), ties half, exact:"};
  report.layout = Table(wide);
  report.layout->begin_section(heading);
  report.table.begin_section(heading);
  for (const double time : playing_times) {
    std::vector<Cell> line{Cell::full(time)};
    for (std::size_t r = 0; r < curves.size(); ++r) {
      const double exact_games = time / sweep.rules[r].relative_length;
      const auto games = static_cast<std::int64_t>(
          std::llround(std::clamp(exact_games, 1.0, static_cast<double>(rf::largest_games))));
      line.push_back(Cell::fixed(curves[r].at(games, rf::Convention::half_tie), 4));
      std::vector<Cell> row{Cell::full(time), Cell::text(sweep.rules[r].name), Cell::whole(games)};
      for (const rf::Convention convention : rf::all_conventions) {
        row.push_back(Cell::fixed(curves[r].at(games, convention), 6));
      }
      report.table.add(std::move(row));
    }
    report.layout->add(std::move(line));
  }
  return report;
}

Report exchange_report(const Sweep& sweep, const TableRequest& request) {
  using enum Table::Align;
  std::vector<Curve> curves = curves_of(sweep);
  Report report;
  report.counted = "answers, computed when printed";
  report.table = Table(
      {{"rule", "rule", "the game", "1", left},
       {"N", "N", "number of games of the rule"},
       {"convention", "convention", "what a tie counts", "1", left},
       {"p", "P", "probability after these"},
       {"other_rule", "other rule", "the game compared with", "1", left},
       {"other_N", "other N", "smallest number of games from which the other rule has as much"},
       {"games_ratio", "other N / N", "other_N over N"},
       {"time_ratio", "ratio of time", "playing time of the other rule over that of the rule"}});
  std::vector<Table::Column> wide{
      {"N", "N", ""}, {"rule", "of rule", "", "1", left}, {"p", "P", "", "1", left}};
  for (const rf::Rule& rule : sweep.rules) {
    wide.push_back({"= " + rule.name, "= " + rule.name, ""});
  }
  const std::vector<std::string> heading{
      "Exchange rate: smallest N of the other rule from which it shows as much skill, ties half, "
      "exact:"};
  report.layout = Table(wide);
  report.layout->begin_section(heading);
  report.table.begin_section(heading);
  for (const std::int64_t games : exchanged_games) {
    for (std::size_t from = 0; from < curves.size(); ++from) {
      for (const rf::Convention convention : rf::all_conventions) {
        if (shows_layout(request) && convention != rf::Convention::half_tie) continue;
        const double p = curves[from].at(games, convention);
        const Cell name = Cell::text(sweep.rules[from].name);
        std::vector<Cell> line{Cell::whole(games), name, Cell::fixed(p, 4)};
        for (std::size_t to = 0; to < curves.size(); ++to) {
          if (from == to) {
            line.push_back(Cell::whole(games));
            continue;
          }
          const bool possible = p > 0.0 && p < 1.0;
          const auto found =
              possible ? curves[to].reach(p, convention) : std::optional<rf::Threshold>();
          const double ratio =
              found ? static_cast<double>(found->games) / static_cast<double>(games) : std::nan("");
          const Cell other = found ? Cell::whole(found->games) : Cell().shown_as("-");
          line.push_back(other);
          report.table.add({name, Cell::whole(games), Cell::text(rf::name_of(convention)),
                            Cell::fixed(p, 6), Cell::text(sweep.rules[to].name), other,
                            Cell::fixed(ratio, 4),
                            Cell::fixed(ratio * sweep.rules[to].relative_length /
                                            sweep.rules[from].relative_length,
                                        4)});
        }
        if (convention == rf::Convention::half_tie) report.layout->add(std::move(line));
      }
    }
  }
  return report;
}

void tabulate_thresholds(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  print(thresholds_report(read_sweep(file.read_setup())), request, out);
}

void tabulate_time(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  print(time_report(read_sweep(file.read_setup())), request, out);
}

void tabulate_exchange(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  print(exchange_report(read_sweep(file.read_setup()), request), request, out);
}

}  // namespace banzuke::reflection_sweep
