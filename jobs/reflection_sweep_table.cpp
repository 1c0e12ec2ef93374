#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"
#include "jobs/reflection_sweep.hpp"
#include "jobs/table.hpp"

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

void print_csv(const Sheet& sheet, std::ostream& out) {
  Table table({{"rule"},
               {"N"},
               {"method"},
               {"p_positive"},
               {"p_zero"},
               {"p_half"},
               {"p_not_negative"},
               {"p_skill_positive"},
               {"p_score_positive"},
               {"p_score_zero"},
               {"p_reverse"},
               {"error"},
               {"error_half"},
               {"status"},
               {"route"},
               {"replicates"},
               {"playing_time"},
               {"remark"}});
  const Sweep& sweep = sheet.sweep;
  for (std::size_t point = 0; point < sheet.lines.size(); ++point) {
    const Line& line = sheet.lines[point];
    const rf::Rule& rule = sweep.rules[sweep.place(point).rule];
    const std::int64_t games = sweep.games_of(point);
    const rf::Probabilities& p = line.value;
    table.add({rule.name, fmt::format("{}", games), sweep.method_of(point).name,
               csv_number(p.p_positive), csv_number(p.p_zero), csv_number(p.p_half),
               csv_number(not_negative(p)), csv_number(p.p_skill_positive),
               csv_number(p.p_score_positive), csv_number(p.p_score_zero), csv_number(p.p_reverse),
               csv_number(p.error), csv_number(line.error_half), sheet.layout.statuses[line.status],
               name_of_route(line.route), fmt::format("{}", line.replicates),
               csv_number(rule.relative_length * static_cast<double>(games)),
               remark(sweep.method_of(point), line.status)});
  }
  table.print_csv(out);
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

std::string error_text(double error) {
  return std::isnan(error) ? "-" : fmt::format("{:.1e}", error);
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

void print_text(const Sheet& sheet, std::ostream& out) {
  using enum Table::Align;
  const Sweep& sweep = sheet.sweep;
  out << fmt::format("Reflection probability: {} rules × {} N × {} methods{}\n", sweep.rules.size(),
                     sweep.games.size(), sweep.methods.size(),
                     sheet.done < sheet.total
                         ? fmt::format("; UNFINISHED: {} of {} rows", sheet.done, sheet.total)
                         : "");
  std::vector<std::string> remarks;
  for (std::size_t r = 0; r < sweep.rules.size(); ++r) {
    out << '\n' << describe(sweep.rules[r]) << '\n';
    Table table({{"N"},
                 {"method", left},
                 {"P(>0)"},
                 {"P(=0)"},
                 {"half tie"},
                 {"P(>=0)"},
                 {"reverse"},
                 {"P(skill>0)"},
                 {"error"},
                 {"half tie - exact"},
                 {"how", left}});
    const std::size_t per_rule = sweep.games.size() * sweep.methods.size();
    for (std::size_t point = r * per_rule; point < (r + 1) * per_rule; ++point) {
      const Line& line = sheet.lines[point];
      const rf::Probabilities& p = line.value;
      const SweepMethod& method = sweep.method_of(point);
      const auto exact = exact_beside(sweep, point);
      const double off = exact ? p.p_half - sheet.lines[*exact].value.p_half : std::nan("");
      std::string how = line.route == 0 ? "" : name_of_route(line.route);
      if (method.kind == SweepMethod::Kind::monte_carlo) {
        how += fmt::format(" × {}", line.replicates);
      }
      if (line.status != status_ok) {
        how += fmt::format("{}{}", how.empty() ? "" : ", ", sheet.layout.statuses[line.status]);
        const std::string text =
            fmt::format("{}, {}: {}", method.name, sheet.layout.statuses[line.status],
                        remark(method, line.status));
        if (std::find(remarks.begin(), remarks.end(), text) == remarks.end()) {
          remarks.push_back(text);
        }
      }
      table.add({fmt::format("{}", sweep.games_of(point)), method.name, fixed(p.p_positive, 6),
                 fixed(p.p_zero, 6), fixed(p.p_half, 6), fixed(not_negative(p), 6),
                 fixed(p.p_reverse, 6), fixed(p.p_skill_positive, 6), error_text(p.error),
                 std::isnan(off) ? "" : fmt::format("{:+.1e}", off), how});
    }
    table.print_text(out);
  }
  out << "\nP(>0): the score is positive where the skill is. half tie: P(>0) + P(=0)/2. reverse: "
         "the skill is positive\nwhere the score is. error: bound, or standard error of Monte "
         "Carlo; - where the method knows none.\n";
  for (const std::string& text : remarks) out << text << ".\n";
  for (const std::string& note : sheet.set_up.strings("notes")) out << "Note: " << note << ".\n";
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
  if (request.format == TableFormat::csv) {
    print_csv(sheet, out);
    return;
  }
  print_text(sheet, out);
  if (!answers_are_quick(sheet.sweep)) {
    out << fmt::format(
        "\nFurther tables, which take a while for these rules: banzuke table {} "
        "thresholds | time | exchange\n",
        file.path().string());
    return;
  }
  for (const auto print : {tabulate_thresholds, tabulate_time, tabulate_exchange}) {
    out << '\n';
    print(file, request, out);
  }
}

}  // namespace banzuke::reflection_sweep
