#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

#include "engine/base/text.hpp"
#include "jobs/bt_recovery.hpp"
#include "jobs/bt_recovery_groups.hpp"
#include "jobs/bt_status.hpp"
#include "jobs/report.hpp"

namespace banzuke::bt_recovery {
namespace {

/// Data sets of one population by their fate.
struct Counts {
  std::uint64_t total = 0, done = 0, unsolvable = 0, not_converged = 0;
};

Counts counts_of(const ResultFile& file, std::size_t point) {
  const auto counts = file.status_counts()[point];
  const std::uint64_t total = file.layout().replicates;
  return {total, total - counts[status_missing], counts[bt_status::unsolvable],
          counts[bt_status::not_converged]};
}

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

std::string units_of(const Bundle& set_up) {
  return set_up.scalar_integer("unit_is_elo") == 1 ? "Elo" : "natural-log units";
}

Table empty_table(const Bundle& set_up) {
  using enum Table::Align;
  const std::string units = units_of(set_up);
  Table table(
      {{"population", "population", "players, schedule and true ratings", "1", left},
       {"by", "by", "what the players are grouped by", "1", left},
       {"group", "group", "games of the player, or distance in Elo from the anchor", "1", left},
       {"players", "players", "players of the group"},
       {"cases", "cases", "players times data sets"},
       {"rated", "rated", "cases in which the player could be rated"},
       {"bias", "bias", "mean of estimate minus truth", units},
       {"outward_bias", "outward", "the same, counted away from the anchor", units},
       {"sd", "sd", "standard deviation of the estimates over the data sets, one sigma", units}});
  const std::tuple<std::string, std::string, std::string, std::string> beliefs[] = {
      {"fisher", "error", "standard error from the inverse Fisher information", ""},
      {"monte_carlo", "u", "standard uncertainty from simulated seasons", "Monte Carlo "}};
  for (const auto& [name, symbol, what, prefix] : beliefs) {
    table.add_column({name + "_intervals", prefix + "intervals", "cases with a " + what});
    table.add_column({name + "_mean", symbol, "mean " + what + ", one sigma", units});
    for (const std::string factor : {"1", "1.96"}) {
      const std::string width = factor == "1" ? symbol : factor + " " + symbol;
      const std::string within = name + "_within_" + factor;
      table.add_column({within, "± " + width + " %",
                        "share of cases whose truth lies within ± " + factor + " times the " +
                            what +
                            (factor == "1" ? " (68.3 % if it can be believed)"
                                           : " (95.0 % if it can be believed)")});
      table.add_column({within + "_error", "error of ± " + width + " %",
                        "standard error (one sigma) of " + within + ", over data sets"});
    }
  }
  for (Table::Column& column : std::vector<Table::Column>{
           {"inner_rated", "inner rated %", "mean share of inner replicates that rate the player"},
           {"unit", "unit", "of ratings", "1", left},
           {"replicates_done", "done", "data sets so far"},
           {"replicates_total", "wanted", "data sets asked for"},
           {"unsolvable", "unsolvable", "data sets that left fewer than two players to rate"},
           {"not_converged", "not converged", "data sets without a converged fit; left out"},
           {"rated_share", "rated %", "share of cases in which the player could be rated", "1",
            right, false},
           {"fisher_ratio", "error/sd", "mean standard error over sd", "1", right, false},
           {"monte_carlo_ratio", "u/sd", "mean standard uncertainty over sd", "1", right, false}}) {
    table.add_column(std::move(column));
  }
  std::vector<std::string> shown{"by",
                                 "group",
                                 "players",
                                 "rated_share",
                                 "bias",
                                 "outward_bias",
                                 "sd",
                                 "fisher_mean",
                                 "fisher_ratio",
                                 "fisher_within_1",
                                 "fisher_within_1.96"};
  if (set_up.scalar_integer("inner_replicates") > 0) {
    shown.insert(shown.end(), {"monte_carlo_mean", "monte_carlo_ratio", "monte_carlo_within_1",
                               "monte_carlo_within_1.96"});
  }
  table.show(shown);
  return table;
}

void add_group(Table& table, const Bundle& set_up, const std::string& point, const Group& group,
               const Counts& counts) {
  const int decimals = set_up.scalar_integer("unit_is_elo") == 1 ? 1 : 4;
  std::vector<Cell> row{Cell::text(point),
                        Cell::text(group.by),
                        Cell::text(group.label),
                        Cell::whole(group.players),
                        Cell::whole(group.cases),
                        Cell::whole(group.rated),
                        Cell::fixed(group.bias, decimals),
                        Cell::fixed(group.outward, decimals),
                        Cell::fixed(group.sd, decimals)};
  for (const Belief* belief : {&group.fisher, &group.monte_carlo}) {
    row.push_back(Cell::whole(belief->intervals));
    row.push_back(Cell::fixed(belief->mean, decimals));
    for (const Share& share : {belief->within_1, belief->within_196}) {
      row.push_back(Cell::percent(share.value, 1).with_error(share.error));
      row.push_back(Cell::percent(share.error, 1));
    }
  }
  row.insert(
      row.end(),
      {Cell::percent(group.inner_rated, 1), Cell::text(units_of(set_up)), Cell::whole(counts.done),
       Cell::whole(counts.total), Cell::whole(counts.unsolvable), Cell::whole(counts.not_converged),
       Cell::percent(ratio(static_cast<double>(group.rated), static_cast<double>(group.cases)), 1),
       Cell::fixed(ratio(group.fisher.mean, group.sd), 3),
       Cell::fixed(ratio(group.monte_carlo.mean, group.sd), 3)});
  table.add(std::move(row));
}

std::vector<std::string> heading_of(const ResultFile& file, const Bundle& set_up, std::size_t point,
                                    const Counts& counts) {
  const Population population = population_of(set_up, point);
  const auto [fewest, most] = std::minmax_element(population.games.begin(), population.games.end());
  const double sum = std::accumulate(population.games.begin(), population.games.end(), 0.0);
  const auto players = static_cast<double>(population.games.size());
  std::vector<std::string> lines{
      fmt::format("{}: {} players, {:.0f} games, {:.1f} games a player ({:.0f} to {:.0f})",
                  file.layout().points[point], population.games.size(), sum / 2, sum / players,
                  *fewest, *most),
      counts.done < counts.total
          ? fmt::format("UNFINISHED: {} of {} data sets", counts.done, counts.total)
          : fmt::format("{} data sets", counts.total)};
  if (population.stretch != 1) {
    lines.push_back(fmt::format("MADE WRONG: games are simulated from rating differences times {}",
                                shortest(population.stretch)));
  }
  if (counts.unsolvable > 0) {
    lines.push_back(
        fmt::format("{} data sets left fewer than two players to rate", counts.unsolvable));
  }
  if (counts.not_converged > 0) {
    lines.push_back(fmt::format("WARNING: {} data sets did not converge and are left out",
                                counts.not_converged));
  }
  lines.emplace_back();
  return lines;
}

std::vector<std::string> notes_of(const Bundle& set_up) {
  const std::string& reference = set_up.scalar_string("anchor_name");
  const std::string text = fmt::format(
      "Ratings in {}, relative to {}. games: of the player. distance: of the true rating\n"
      "from it, in Elo. rated: data sets in which the player could be rated; all else is about\n"
      "these. bias: mean of estimate - truth; outward: the same, counted away from {}.\n"
      "sd: of the estimates. error: mean standard error from the inverse Fisher information of "
      "the\n"
      "same data sets.",
      units_of(set_up), reference.empty() ? "the mean of the rated players" : reference,
      reference.empty() ? "the mean" : "the reference");
  std::vector<std::string> notes{text};
  if (set_up.scalar_integer("inner_replicates") > 0) {
    notes.push_back(
        fmt::format("u: mean standard uncertainty from {} seasons simulated from each estimate.",
                    set_up.scalar_integer("inner_replicates")));
  }
  notes.emplace_back(
      "±: how often the truth lies within; if the ± can be believed, 68.3 % and 95.0 %.");
  for (const std::string& note : set_up.strings("notes")) notes.push_back("Note: " + note + ".");
  return notes;
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  Report report;
  report.counted = "data sets";
  report.table = empty_table(set_up);
  for (std::size_t point = 0; point < file.layout().points.size(); ++point) {
    const Counts counts = counts_of(file, point);
    report.done += counts.done;
    report.total += counts.total;
    const std::string& label = file.layout().points[point];
    report.table.begin_section(heading_of(file, set_up, point, counts));
    report.table.at_point(label);
    for (const Group& group : groups_of(file, set_up, point)) {
      add_group(report.table, set_up, label, group, counts);
    }
  }
  report.notes = notes_of(set_up);
  print(report, request, out);
}

}  // namespace banzuke::bt_recovery
