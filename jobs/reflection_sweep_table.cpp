#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/text.hpp"
#include "jobs/reflection_sweep.hpp"
#include "jobs/report.hpp"

namespace banzuke::reflection_sweep {
namespace {

namespace rf = reflection;

/// A point as the table shows it.
struct Line {
  rf::Probabilities value;
  double error_half = 0.0;  ///< of p_half; that of the value where there is one bound for all
  std::uint8_t status = 0;  ///< ok, estimated, or why there is no value
  std::uint8_t route = 0;
  std::uint64_t replicates = 0;  ///< that count
};

struct Sheet {
  const Layout& layout;
  Bundle set_up;
  Sweep sweep;
  std::vector<Line> lines;
  std::uint64_t done = 0, total = 0;
};

Sheet read_sheet(const ResultFile& file) {
  Sheet sheet{file.layout(), file.read_setup(), {}, {}};
  sheet.sweep = read_sweep(sheet.set_up);
  std::vector<std::vector<double>> columns;
  for (std::size_t field = field_p_positive; field <= field_route; ++field) {
    columns.push_back(file.read_first(field));
  }
  const auto status = file.read_first_status();
  const auto counts = file.status_counts();
  for (std::size_t point = 0; point < sheet.layout.points.size(); ++point) {
    Line line;
    line.status = status[point];
    line.route = static_cast<std::uint8_t>(columns[field_route][point]);
    line.replicates = counts[point][status_ok] + counts[point][status_estimated];
    sheet.total += sheet.layout.replicates;
    sheet.done += sheet.layout.replicates - counts[point][status_missing];
    if (sheet.sweep.method_of(point).kind == SweepMethod::Kind::monte_carlo) {
      const rf::MonteCarloEstimate found = estimate_of(file, point, sheet.layout.replicates);
      line.value = found.value;
      line.error_half = found.error_half;
      if (found.replicates > 0) line.status = status_ok;
    } else {
      const auto at = [&](Fields field) { return columns[field][point]; };
      line.value = {at(field_p_positive),       at(field_p_zero),
                    at(field_p_half),           at(field_p_skill_positive),
                    at(field_p_score_positive), at(field_p_score_zero),
                    at(field_p_reverse),        at(field_error)};
      line.error_half = line.value.error;
    }
    if (line.status != status_ok && line.status != status_estimated) {
      constexpr double nan = std::numeric_limits<double>::quiet_NaN();
      line.value = {nan, nan, nan, nan, nan, nan, nan, nan};
      line.error_half = nan;
    }
    sheet.lines.push_back(line);
  }
  return sheet;
}

/// A sentence on a status, empty for ok.
std::string remark(const SweepMethod& method, std::uint8_t status) {
  if (status == status_ok) return "";
  if (status == status_estimated) {
    return "no exact sum takes this rule at this N: a Monte Carlo estimate with its standard error";
  }
  const auto reason = static_cast<rf::PointStatus>(status);
  if (method.kind == SweepMethod::Kind::head_to_head) {
    if (reason == rf::PointStatus::not_lattice) {
      return "head-to-head needs payoffs with a common step: give decimals";
    }
    if (reason == rf::PointStatus::too_costly) {
      return "head-to-head takes too many nodes at this alpha and N: there is no value";
    }
  }
  return rf::explain(reason);
}

double not_negative(const rf::Probabilities& p) {
  return p.p_positive + p.p_zero;
}

std::string in_brackets(const std::vector<double>& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(shortest(value));
  return fmt::format("({})", join(texts, ", "));
}

std::string describe(const rf::Rule& rule) {
  const bool symmetric = std::adjacent_find(rule.alpha.begin(), rule.alpha.end(),
                                            std::not_equal_to<>()) == rule.alpha.end();
  return fmt::format(
      "{}: alpha {}, payoff {}, centre {}, relative length {}", rule.name,
      symmetric ? shortest(rule.alpha[0]) : in_brackets(rule.alpha), in_brackets(rule.payoff),
      rule.centre.kind == rf::Centre::Kind::mean ? "mean" : shortest(rule.centre.value),
      shortest(rule.relative_length));
}

/// The place of a method's exact value at the same rule and N, if it is swept.
std::optional<std::size_t> exact_beside(const Sweep& sweep, std::size_t point) {
  const SweepMethod& own = sweep.method_of(point);
  if (own.kind == SweepMethod::Kind::head_to_head) return std::nullopt;
  const std::size_t first = point - sweep.place(point).method;
  for (std::size_t m = 0; m < sweep.methods.size(); ++m) {
    const SweepMethod& method = sweep.methods[m];
    if (method.kind == SweepMethod::Kind::point && method.method == rf::Method::exact &&
        first + m != point) {
      return first + m;
    }
  }
  return std::nullopt;
}

Table empty_table() {
  using enum Table::Align;
  Table table({{"rule", "rule", "the game", "1", left},
               {"N", "N", "number of games"},
               {"method", "method", "how the probabilities are computed", "1", left},
               {"p_positive", "P(>0)", "probability of a positive score, given positive skill"},
               {"p_zero", "P(=0)", "probability of a score of 0, given positive skill"},
               {"p_half", "half tie", "p_positive + p_zero / 2"},
               {"p_not_negative", "P(>=0)", "p_positive + p_zero"},
               {"p_skill_positive", "P(skill>0)", "probability of positive skill"},
               {"p_score_positive", "P(score>0)", "probability of a positive score"},
               {"p_score_zero", "P(score=0)", "probability of a score of 0"},
               {"p_reverse", "reverse", "probability of positive skill, given a positive score"},
               {"error", "error", "of p_positive: a bound, or one standard error of Monte Carlo"},
               {"error_half", "error of half tie",
                "of p_half: a bound, or one standard error of Monte Carlo"},
               {"status", "status", "whether there is a value", "1", left},
               {"route", "route", "the algorithm", "1", left},
               {"replicates", "replicates", "Monte Carlo replicates that count"},
               {"playing_time", "playing time", "N times the relative length of the rule"},
               {"remark", "remark", "why there is no value, or an estimate", "1", left},
               {"half_off_exact", "half tie - exact", "p_half minus that of the method exact", "1",
                right, false},
               {"how", "how", "route, replicates and status", "1", left, false}});
  table.show({"N", "method", "p_positive", "p_zero", "p_half", "p_not_negative", "p_reverse",
              "p_skill_positive", "error", "half_off_exact", "how"});
  return table;
}

std::string how_of(const Sheet& sheet, std::size_t point) {
  const Line& line = sheet.lines[point];
  std::string how = line.route == 0 ? "" : name_of_route(line.route);
  if (sheet.sweep.method_of(point).kind == SweepMethod::Kind::monte_carlo) {
    how += fmt::format(" × {}", line.replicates);
  }
  if (line.status != status_ok) {
    how += fmt::format("{}{}", how.empty() ? "" : ", ", sheet.layout.statuses[line.status]);
  }
  return how;
}

void add_point(Table& table, const Sheet& sheet, std::size_t point) {
  const Line& line = sheet.lines[point];
  const Sweep& sweep = sheet.sweep;
  const rf::Rule& rule = sweep.rules[sweep.place(point).rule];
  const std::int64_t games = sweep.games_of(point);
  const rf::Probabilities& p = line.value;
  const auto exact = exact_beside(sweep, point);
  const double off = exact ? p.p_half - sheet.lines[*exact].value.p_half : std::nan("");
  const SweepMethod& method = sweep.method_of(point);
  const Cell off_cell = Cell::scientific(off, 1, true);
  table.at_point(sheet.layout.points[point]);
  table.add({Cell::text(rule.name),
             Cell::whole(games),
             Cell::text(method.name),
             Cell::fixed(p.p_positive, 6),
             Cell::fixed(p.p_zero, 6),
             Cell::fixed(p.p_half, 6),
             Cell::fixed(not_negative(p), 6),
             Cell::fixed(p.p_skill_positive, 6),
             Cell::fixed(p.p_score_positive, 6),
             Cell::fixed(p.p_score_zero, 6),
             Cell::fixed(p.p_reverse, 6),
             Cell::scientific(p.error, 1),
             Cell::scientific(line.error_half, 1),
             Cell::text(sheet.layout.statuses[line.status]),
             Cell::text(name_of_route(line.route)),
             Cell::whole(line.replicates),
             Cell::full(rule.relative_length * static_cast<double>(games)),
             Cell::text(remark(method, line.status)),
             std::isnan(off) ? Cell() : off_cell,
             Cell::text(how_of(sheet, point))});
}

/// What people should know of points that are not plainly computed, each once.
std::vector<std::string> remarks_of(const Sheet& sheet) {
  std::vector<std::string> remarks;
  for (std::size_t point = 0; point < sheet.lines.size(); ++point) {
    const std::uint8_t status = sheet.lines[point].status;
    if (status == status_ok) continue;
    const SweepMethod& method = sheet.sweep.method_of(point);
    const std::string text = fmt::format("{}, {}: {}.", method.name, sheet.layout.statuses[status],
                                         remark(method, status));
    if (std::find(remarks.begin(), remarks.end(), text) == remarks.end()) remarks.push_back(text);
  }
  return remarks;
}

Report sweep_report(const Sheet& sheet) {
  const Sweep& sweep = sheet.sweep;
  Report report;
  report.done = sheet.done;
  report.total = sheet.total;
  report.counted = "rows";
  report.title = {fmt::format(
      "Reflection probability: {} rules × {} N × {} methods{}", sweep.rules.size(),
      sweep.games.size(), sweep.methods.size(),
      sheet.done < sheet.total ? fmt::format("; UNFINISHED: {} of {} rows", sheet.done, sheet.total)
                               : "")};
  report.table = empty_table();
  const std::size_t per_rule = sweep.games.size() * sweep.methods.size();
  for (std::size_t r = 0; r < sweep.rules.size(); ++r) {
    report.table.begin_section({describe(sweep.rules[r])});
    for (std::size_t point = r * per_rule; point < (r + 1) * per_rule; ++point) {
      add_point(report.table, sheet, point);
    }
  }
  report.notes = {
      "P(>0): the score is positive where the skill is. half tie: P(>0) + P(=0)/2. reverse: the "
      "skill is positive\nwhere the score is. error: bound, or standard error of Monte Carlo; - "
      "where the method knows none."};
  for (std::string& text : remarks_of(sheet)) report.notes.push_back(std::move(text));
  for (const std::string& note : sheet.set_up.strings("notes")) {
    report.notes.push_back("Note: " + note + ".");
  }
  return report;
}

/// Whether the answers below the sweep take about a second at most.
bool answers_are_quick(const Sweep& sweep) {
  constexpr std::int64_t usual_games = 1000;
  return sweep.rules.size() <= 4 &&
         std::all_of(sweep.reduced.begin(), sweep.reduced.end(), [](const rf::Game& game) {
           const rf::Route route = rf::choose_route(game, usual_games);
           const double least = *std::min_element(game.alpha.begin(), game.alpha.end());
           const bool quick_route = route == rf::Route::closed_form ||
                                    (route == rf::Route::triple_trapezoid && least >= 20.0);
           return quick_route && rf::score_period(game, 5) <= 4;
         });
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Sheet sheet = read_sheet(file);
  Report report = sweep_report(sheet);
  if (shows_layout(request)) {
    if (answers_are_quick(sheet.sweep)) {
      report.further = {thresholds_report(sheet.sweep), time_report(sheet.sweep),
                        exchange_report(sheet.sweep, request)};
    } else {
      report.notes.insert(
          report.notes.end(),
          {"", fmt::format("Further tables, which take a while for these rules: banzuke table {} "
                           "thresholds | time | exchange",
                           file.path().string())});
    }
  }
  print(report, request, out);
}

}  // namespace banzuke::reflection_sweep
