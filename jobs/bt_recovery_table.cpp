#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>

#include "engine/base/text.hpp"
#include "jobs/bt_recovery.hpp"
#include "jobs/bt_recovery_groups.hpp"
#include "jobs/bt_status.hpp"
#include "jobs/table.hpp"

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

std::string percent(const Share& share) {
  return std::isnan(share.value)
             ? "-"
             : fmt::format("{:.1f} ± {:.1f}", 100 * share.value, 100 * share.error);
}

double ratio(double part, double whole) {
  return whole > 0 ? part / whole : std::numeric_limits<double>::quiet_NaN();
}

void print_csv(const ResultFile& file, const Bundle& set_up, std::ostream& out) {
  std::vector<Table::Column> columns;
  for (const char* name :
       {"population", "by", "group", "players", "cases", "rated", "bias", "outward_bias", "sd"}) {
    columns.push_back({name});
  }
  for (const char* kind : {"fisher", "monte_carlo"}) {
    for (const char* name :
         {"intervals", "mean", "within_1", "within_1_error", "within_1.96", "within_1.96_error"}) {
      columns.push_back({fmt::format("{}_{}", kind, name)});
    }
  }
  for (const char* name : {"inner_rated", "unit", "replicates_done", "replicates_total",
                           "unsolvable", "not_converged"}) {
    columns.push_back({name});
  }
  Table table(columns);
  for (std::size_t point = 0; point < file.layout().points.size(); ++point) {
    const Counts counts = counts_of(file, point);
    for (const Group& group : groups_of(file, set_up, point)) {
      std::vector<std::string> row{file.layout().points[point], group.by, group.label};
      const auto whole = [&](std::uint64_t value) { row.push_back(fmt::format("{}", value)); };
      const auto number = [&](double value) { row.push_back(csv_number(value)); };
      whole(group.players);
      whole(group.cases);
      whole(group.rated);
      number(group.bias);
      number(group.outward);
      number(group.sd);
      for (const Belief* belief : {&group.fisher, &group.monte_carlo}) {
        whole(belief->intervals);
        number(belief->mean);
        for (const Share& share : {belief->within_1, belief->within_196}) {
          number(share.value);
          number(share.error);
        }
      }
      number(group.inner_rated);
      row.push_back(set_up.scalar_integer("unit_is_elo") == 1 ? "Elo" : "natural-log units");
      whole(counts.done);
      whole(counts.total);
      whole(counts.unsolvable);
      whole(counts.not_converged);
      table.add(row);
    }
  }
  table.print_csv(out);
}

void print_heading(const ResultFile& file, const Bundle& set_up, std::size_t point,
                   std::ostream& out) {
  const Population population = population_of(set_up, point);
  const Counts counts = counts_of(file, point);
  const auto [fewest, most] = std::minmax_element(population.games.begin(), population.games.end());
  const double sum = std::accumulate(population.games.begin(), population.games.end(), 0.0);
  const auto players = static_cast<double>(population.games.size());
  out << fmt::format("{}: {} players, {:.0f} games, {:.1f} games a player ({:.0f} to {:.0f})\n",
                     file.layout().points[point], population.games.size(), sum / 2, sum / players,
                     *fewest, *most);
  out << (counts.done < counts.total
              ? fmt::format("UNFINISHED: {} of {} data sets\n", counts.done, counts.total)
              : fmt::format("{} data sets\n", counts.total));
  if (population.stretch != 1) {
    out << fmt::format("MADE WRONG: games are simulated from rating differences times {}\n",
                       shortest(population.stretch));
  }
  if (counts.unsolvable > 0) {
    out << fmt::format("{} data sets left fewer than two players to rate\n", counts.unsolvable);
  }
  if (counts.not_converged > 0) {
    out << fmt::format("WARNING: {} data sets did not converge and are left out\n",
                       counts.not_converged);
  }
}

void print_text(const ResultFile& file, const Bundle& set_up, std::ostream& out) {
  using enum Table::Align;
  const bool inner = set_up.scalar_integer("inner_replicates") > 0;
  const bool elo = set_up.scalar_integer("unit_is_elo") == 1;
  const int decimals = elo ? 1 : 4;
  for (std::size_t point = 0; point < file.layout().points.size(); ++point) {
    print_heading(file, set_up, point, out);
    std::vector<Table::Column> columns{
        {"by", left}, {"group", left}, {"players"},  {"rated %"},   {"bias"},          {"outward"},
        {"sd"},       {"error"},       {"error/sd"}, {"± error %"}, {"± 1.96 error %"}};
    if (inner) {
      for (const char* name : {"u", "u/sd", "± u %", "± 1.96 u %"}) columns.push_back({name});
    }
    Table table(columns);
    for (const Group& group : groups_of(file, set_up, point)) {
      std::vector<std::string> row{
          group.by,
          group.label,
          fmt::format("{}", group.players),
          fixed(100 * ratio(static_cast<double>(group.rated), static_cast<double>(group.cases)), 1),
          fixed(group.bias, decimals),
          fixed(group.outward, decimals),
          fixed(group.sd, decimals)};
      const auto add = [&](const Belief& belief) {
        row.push_back(fixed(belief.mean, decimals));
        row.push_back(fixed(ratio(belief.mean, group.sd), 3));
        row.push_back(percent(belief.within_1));
        row.push_back(percent(belief.within_196));
      };
      add(group.fisher);
      if (inner) add(group.monte_carlo);
      table.add(row);
    }
    out << '\n';
    table.print_text(out);
    out << '\n';
  }
  const std::string& reference = set_up.scalar_string("anchor_name");
  out << fmt::format(
      "Ratings in {}, relative to {}. games: of the player. distance: of the true rating\n"
      "from it, in Elo. rated: data sets in which the player could be rated; all else is about\n"
      "these. bias: mean of estimate - truth; outward: the same, counted away from {}.\n"
      "sd: of the estimates. error: mean standard error from the inverse Fisher information of "
      "the\n"
      "same data sets.\n",
      elo ? "Elo" : "natural-log units",
      reference.empty() ? "the mean of the rated players" : reference,
      reference.empty() ? "the mean" : "the reference");
  if (inner) {
    out << fmt::format(
        "u: mean standard uncertainty from {} seasons simulated from each estimate.\n",
        set_up.scalar_integer("inner_replicates"));
  }
  out << "±: how often the truth lies within; if the ± can be believed, 68.3 % and 95.0 %.\n";
  for (const std::string& note : set_up.strings("notes")) out << "Note: " << note << ".\n";
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  if (request.format == TableFormat::csv) {
    print_csv(file, set_up, out);
  } else {
    print_text(file, set_up, out);
  }
}

}  // namespace banzuke::bt_recovery
