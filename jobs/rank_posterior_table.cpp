#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/models/dirichlet_multinomial/posterior.hpp"
#include "jobs/rank_data.hpp"
#include "jobs/rank_posterior.hpp"
#include "jobs/report.hpp"

namespace banzuke::rank_posterior {
namespace {

namespace dm = dirichlet_multinomial;

/// One payoff's ranking.
struct Sheet {
  std::string payoff;
  bool done = false;
  std::vector<dm::PayoffEstimate> estimates;  ///< [player]
  std::vector<std::size_t> order;             ///< players, best first
};

/// What all payoffs share.
struct Data {
  double alpha = 0;
  double credible = 0;
  std::size_t ranks = 0;
  std::vector<std::string> names;
  std::vector<std::uint32_t> counts;

  std::span<const std::uint32_t> counts_of(std::size_t player) const {
    return std::span(counts).subspan(player * ranks, ranks);
  }
  double games(std::size_t player) const {
    double sum = 0;
    for (const std::uint32_t count : counts_of(player)) sum += count;
    return sum;
  }
};

Sheet read_sheet(const ResultFile& file, const Data& data, const dm::Payoff& payoff,
                 std::size_t point) {
  const RowRange all{0, 1};
  Sheet sheet;
  sheet.payoff = file.layout().points[point];
  sheet.done = file.read_status(point, all)[0] == status_ok;
  if (!sheet.done) return sheet;
  const auto raw = file.read_doubles(field_raw, point, all);
  const auto adjusted = file.read_doubles(field_adjusted, point, all);
  const auto mean = file.read_doubles(field_mean, point, all);
  const auto deviation = file.read_doubles(field_standard_deviation, point, all);
  const auto place = file.read_integers(field_place, point, all);
  sheet.order.resize(raw.size());
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const dm::DirichletPosterior posterior(data.alpha, data.counts_of(i));
    sheet.estimates.push_back({raw[i],
                               adjusted[i],
                               mean[i],
                               deviation[i],
                               {posterior.quantile(payoff, 0.5 - 0.5 * data.credible),
                                posterior.quantile(payoff, 0.5 + 0.5 * data.credible)}});
    sheet.order[static_cast<std::size_t>(place[i]) - 1] = i;
  }
  return sheet;
}

/// A payoff of counts; of a ratio by 0, in words.
Cell raw_cell(double raw, double games, int decimals) {
  Cell cell = Cell::fixed(raw, decimals);
  if (games > 0 && std::isfinite(raw)) return cell;
  return std::move(cell).shown_as(games == 0        ? "no games"
                                  : std::isnan(raw) ? "undefined"
                                                    : "infinite");
}

/// Decimals that show a tenth of the narrowest credible interval, two at least.
int decimals_for(const Sheet& sheet) {
  double narrowest = 1;
  for (const dm::PayoffEstimate& e : sheet.estimates) {
    narrowest = std::min(narrowest, e.credible.upper - e.credible.lower);
  }
  return narrowest > 0 ? std::clamp(1 - static_cast<int>(std::floor(std::log10(narrowest))), 2, 9)
                       : 2;
}

Table posterior_table(const std::vector<Sheet>& sheets, const Data& data) {
  using enum Table::Align;
  const std::string interval =
      fmt::format("end of the {} credible interval of the payoff", percent_text(data.credible));
  Table table(
      {{"payoff", "payoff", "what the players are ranked by", "1", left},
       {"rank", "rank", "place by the adjusted payoff"},
       {"name", "name", "player", "1", left},
       {"games", "games", "games of the player"},
       {"raw", "raw", "payoff of the counts alone"},
       {"adjusted", "adjusted", "payoff of the posterior mean of the ranks"},
       {"mean", "mean", "posterior mean of the payoff"},
       {"standard_deviation", "sd", "posterior standard deviation of the payoff, one sigma"},
       {"lower", fmt::format("{} from", percent_text(data.credible)), "lower " + interval},
       {"upper", "to", "upper " + interval}});
  const std::tuple<const char*, const char*, const char*> by_rank[] = {
      {"count", "count {}", "games finished in this rank"},
      {"mean", "{} %", "posterior mean of this rank's probability"},
      {"sd", "sd of {} %", "posterior standard deviation of this rank's probability, one sigma"}};
  std::vector<std::string> shown{
      "rank", "name", "games", "raw", "adjusted", "mean", "standard_deviation", "lower", "upper"};
  for (const auto& [name, heading, meaning] : by_rank) {
    for (std::size_t j = 1; j <= data.ranks; ++j) {
      table.add_column(
          {fmt::format("{}_{}", name, j), fmt::format(fmt::runtime(heading), j), meaning});
      if (name == std::string_view("mean")) shown.push_back(fmt::format("mean_{}", j));
    }
  }
  table.add_column({"status", "status", "whether the payoff is computed", "1", left});
  table.show(shown);
  for (const Sheet& sheet : sheets) {
    table.begin_section(
        sheet.done ? std::vector<std::string>{sheet.payoff}
                   : std::vector<std::string>{sheet.payoff, "UNFINISHED: not computed yet"});
    table.at_point(sheet.payoff);
    if (!sheet.done) {
      std::vector<Cell> row(table.width());
      row.front() = Cell::text(sheet.payoff);
      row.back() = Cell::text("missing");
      table.add(std::move(row), true);
      continue;
    }
    std::int64_t rank = 0;
    const int decimals = decimals_for(sheet);
    for (const std::size_t i : sheet.order) {
      const dm::PayoffEstimate& e = sheet.estimates[i];
      const double games = data.games(i);
      const dm::DirichletPosterior posterior(data.alpha, data.counts_of(i));
      std::vector<Cell> row{Cell::text(sheet.payoff),
                            Cell::whole(++rank),
                            Cell::text(data.names[i]),
                            Cell::count(games),
                            raw_cell(e.raw, games, decimals),
                            Cell::fixed(e.adjusted, decimals),
                            Cell::fixed(e.mean, decimals),
                            Cell::fixed(e.standard_deviation, decimals),
                            Cell::fixed(e.credible.lower, decimals),
                            Cell::fixed(e.credible.upper, decimals)};
      for (const std::uint32_t count : data.counts_of(i)) {
        row.push_back(Cell::whole(std::int64_t{count}));
      }
      for (const double value : posterior.mean()) row.push_back(Cell::percent(value, 1));
      for (const double value : posterior.standard_deviation()) {
        row.push_back(Cell::percent(value, 1));
      }
      row.push_back(Cell::text("ok"));
      table.add(std::move(row));
    }
  }
  return table;
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  Data data;
  data.alpha = set_up.scalar_double("alpha");
  data.credible = set_up.scalar_double("credible");
  data.ranks = static_cast<std::size_t>(set_up.scalar_integer("ranks"));
  data.names = set_up.strings("player_name");
  data.counts = stored_counts(set_up, "counts");
  const auto payoffs = stored_payoffs(set_up);
  std::vector<Sheet> sheets;
  Report report;
  report.counted = "payoffs";
  report.total = payoffs.size();
  for (std::size_t point = 0; point < payoffs.size(); ++point) {
    sheets.push_back(read_sheet(file, data, payoffs[point], point));
    report.done += sheets.back().done ? 1U : 0U;
  }
  const bool fitted = set_up.scalar_integer("alpha_is_fitted") == 1;
  report.title = {fmt::format(
      "Posterior of {} players under Dirichlet(alpha, …, alpha), alpha = {:.6g} ({}), k = {}",
      data.names.size(), data.alpha, fitted ? "fitted to them" : "given", data.ranks)};
  report.table = posterior_table(sheets, data);
  report.notes = {fmt::format(
      "raw: of the counts alone. adjusted: of the posterior mean of the ranks (the last columns); "
      "players are ranked by it. mean, sd (one sigma), from, to ({} credible interval): of the "
      "payoff's posterior; - where not known.",
      percent_text(data.credible))};
  print(report, request, out);
}

}  // namespace banzuke::rank_posterior
