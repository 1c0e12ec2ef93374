// The table `players`: a row a player, a column a point.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "jobs/bt_uncertainty.hpp"
#include "jobs/bt_uncertainty_sheet.hpp"
#include "jobs/report.hpp"

namespace banzuke::bt_uncertainty {
namespace {

/// A player at a point; `rated` is the index among the point's rated players.
struct Entry {
  double rating = std::numeric_limits<double>::quiet_NaN();
  std::size_t rated = 0;
};

/// [sheet][player]
using Entries = std::vector<std::vector<Entry>>;

Entries entries_of(const std::vector<Sheet>& sheets, std::size_t players) {
  Entries entries;
  for (const Sheet& sheet : sheets) {
    std::vector<Entry>& row = entries.emplace_back(players);
    for (std::size_t i = 0; i < sheet.view.players(); ++i) {
      row[sheet.view.player[i]] = {sheet.view.rating[i], i};
    }
  }
  return entries;
}

/// Who is rated at some point, by rating at the last one, best first; who is not rated there comes
/// after, by rating at the one before, and so on.
std::vector<std::size_t> order_of(const Entries& entries, std::size_t players) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < players; ++i) {
    if (std::any_of(entries.begin(), entries.end(),
                    [&](const auto& row) { return !std::isnan(row[i].rating); })) {
      order.push_back(i);
    }
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    for (auto row = entries.rbegin(); row != entries.rend(); ++row) {
      const double x = (*row)[a].rating, y = (*row)[b].rating;
      if (std::isnan(x) && std::isnan(y)) continue;
      if (std::isnan(x) || std::isnan(y)) return std::isnan(y);
      if (x != y) return x > y;
    }
    return false;
  });
  return order;
}

Table empty_table(const std::vector<Sheet>& sheets, const std::string& units) {
  Table table({{"name", "name", "player", "1", Table::Align::left}});
  std::vector<std::string> shown{"name"};
  for (const Sheet& sheet : sheets) {
    const std::string& label = sheet.view.label;
    table.add_column({label + " rating", label,
                      "the fit, or the given rating, with its standard uncertainty, one sigma",
                      units});
    table.add_column({label + " standard_uncertainty", label + " uncertainty",
                      "standard deviation of the refitted rating about its replicate mean, one "
                      "sigma",
                      units});
    table.add_column({label + " replicates_valid", label + " valid",
                      "replicates in which the player could be rated"});
    shown.push_back(label + " rating");
  }
  table.show(shown);
  return table;
}

}  // namespace

void tabulate_players(const ResultFile& file, const TableRequest& asked, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  const std::vector<Sheet> sheets = read_sheets(file, set_up, asked);
  const std::vector<std::string>& names = player_names(set_up);
  const Entries entries = entries_of(sheets, names.size());
  const int decimals = is_elo(set_up) ? 1 : 4;

  Report report;
  report.table = empty_table(sheets, units_of(set_up));
  for (const std::size_t player : order_of(entries, names.size())) {
    std::vector<Cell> row{Cell::text(names[player])};
    for (std::size_t point = 0; point < sheets.size(); ++point) {
      const Sheet& sheet = sheets[point];
      const Entry& entry = entries[point][player];
      if (std::isnan(entry.rating)) {
        row.insert(row.end(), {Cell::fixed(entry.rating, decimals),
                               Cell::fixed(entry.rating, decimals), Cell()});
        continue;
      }
      const bradley_terry::Summary& summary = sheet.summaries[entry.rated];
      Cell rating = Cell::fixed(entry.rating, decimals);
      if (!sheet.view.is_reference(entry.rated)) {
        rating = std::move(rating)
                     .with_error(summary.sd)
                     .with_suffix(summary.valid < sheet.done ? "*" : "");
      }
      row.push_back(std::move(rating));
      row.push_back(Cell::fixed(summary.sd, decimals));
      row.push_back(Cell::whole(summary.valid));
    }
    report.table.add(std::move(row));
  }
  bool has_few_valid = false;
  for (const Sheet& sheet : sheets) {
    report.done += sheet.done;
    report.total += sheet.total;
    has_few_valid = has_few_valid || sheet.has_few_valid();
  }
  report.title = {fmt::format("Bradley–Terry ratings ({}) at {} point{}", units_of(set_up),
                              sheets.size(), sheets.size() == 1 ? "" : "s")};
  if (report.done < report.total) {
    report.title.push_back(
        fmt::format("UNFINISHED: {} of {} replicates", report.done, report.total));
  }
  report.notes = {fmt::format("±: standard uncertainty (one sigma), relative to {}. -: not rated.",
                              printable(relative_to(set_up)))};
  if (has_few_valid) {
    report.notes.emplace_back(
        "*: the player could not be rated in some replicates, which are left out, so the "
        "uncertainty is understated.");
  }
  TableRequest request = asked;
  request.point.reset();  // the sheets are already those of the point
  print(report, request, out);
}

}  // namespace banzuke::bt_uncertainty
