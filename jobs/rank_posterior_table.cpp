#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "engine/base/text.hpp"
#include "engine/models/dirichlet_multinomial/posterior.hpp"
#include "jobs/rank_data.hpp"
#include "jobs/rank_posterior.hpp"
#include "jobs/table.hpp"

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

void print_csv(const std::vector<Sheet>& sheets, const Data& data, std::ostream& out) {
  std::vector<Table::Column> columns;
  for (const char* name : {"payoff", "rank", "name", "games", "raw", "adjusted", "mean",
                           "standard_deviation", "lower", "upper"}) {
    columns.push_back({name});
  }
  for (const char* name : {"count", "mean", "sd"}) {
    for (std::size_t j = 1; j <= data.ranks; ++j) {
      columns.push_back({fmt::format("{}_{}", name, j)});
    }
  }
  Table table(columns);
  for (const Sheet& sheet : sheets) {
    std::size_t rank = 0;
    for (const std::size_t i : sheet.order) {
      const dm::PayoffEstimate& e = sheet.estimates[i];
      std::vector<std::string> row{sheet.payoff, fmt::format("{}", ++rank), data.names[i]};
      for (const double value : {data.games(i), e.raw, e.adjusted, e.mean, e.standard_deviation,
                                 e.credible.lower, e.credible.upper}) {
        row.push_back(csv_number(value));
      }
      const dm::DirichletPosterior posterior(data.alpha, data.counts_of(i));
      for (const std::uint32_t count : data.counts_of(i)) row.push_back(fmt::format("{}", count));
      for (const double value : posterior.mean()) row.push_back(csv_number(value));
      for (const double value : posterior.standard_deviation()) row.push_back(csv_number(value));
      table.add(row);
    }
  }
  table.print_csv(out);
}

/// A payoff of counts; of a ratio by 0, in words.
std::string raw_text(double raw, double games, int decimals) {
  if (games == 0) return "no games";
  return std::isnan(raw) ? "undefined" : std::isinf(raw) ? "infinite" : fixed(raw, decimals);
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

void print_text(const std::vector<Sheet>& sheets, const Data& data, bool fitted,
                std::ostream& out) {
  out << fmt::format(
      "Posterior of {} players under Dirichlet(alpha, …, alpha), alpha = {:.6g} "
      "({}), k = {}\n",
      data.names.size(), data.alpha, fitted ? "fitted to them" : "given", data.ranks);
  for (const Sheet& sheet : sheets) {
    out << fmt::format("\n{}\n", sheet.payoff);
    if (!sheet.done) {
      out << "UNFINISHED: not computed yet\n";
      continue;
    }
    std::vector<Table::Column> columns{
        {"rank"},     {"name", Table::Align::left},
        {"games"},    {"raw"},
        {"adjusted"}, {"mean"},
        {"sd"},       {fmt::format("{} from", percent_text(data.credible))},
        {"to"}};
    for (std::size_t j = 1; j <= data.ranks; ++j) columns.push_back({fmt::format("{} %", j)});
    Table table(columns);
    std::size_t rank = 0;
    const int decimals = decimals_for(sheet);
    for (const std::size_t i : sheet.order) {
      const dm::PayoffEstimate& e = sheet.estimates[i];
      std::vector<std::string> row{fmt::format("{}", ++rank),
                                   data.names[i],
                                   fmt::format("{}", data.games(i)),
                                   raw_text(e.raw, data.games(i), decimals),
                                   fixed(e.adjusted, decimals),
                                   fixed(e.mean, decimals),
                                   fixed(e.standard_deviation, decimals),
                                   fixed(e.credible.lower, decimals),
                                   fixed(e.credible.upper, decimals)};
      for (const double mean : dm::DirichletPosterior(data.alpha, data.counts_of(i)).mean()) {
        row.push_back(fixed(100 * mean, 1));
      }
      table.add(row);
    }
    table.print_text(out);
  }
  out << "\nraw: of the counts alone. adjusted: of the posterior mean of the ranks (the last "
         "columns); players are ranked by it. mean, sd, from, to: of the payoff's posterior; - "
         "where not known.\n";
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
  for (std::size_t point = 0; point < payoffs.size(); ++point) {
    sheets.push_back(read_sheet(file, data, payoffs[point], point));
  }
  if (request.format == TableFormat::csv) {
    print_csv(sheets, data, out);
  } else {
    print_text(sheets, data, set_up.scalar_integer("alpha_is_fitted") == 1, out);
  }
}

}  // namespace banzuke::rank_posterior
