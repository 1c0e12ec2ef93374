// The table `players`: a row a player, a column a point.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/text.hpp"
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

Table players_table(const Bundle& set_up, const std::vector<Sheet>& sheets,
                    const Entries& entries) {
  using enum Table::Align;
  const std::vector<std::string>& names = player_names(set_up);
  const std::string units = units_of(set_up);
  const int decimals = is_elo(set_up) ? 1 : 4;
  Table table({{"name", "name", "player", "1", left}});
  std::vector<std::string> shown{"name"};
  for (const Sheet& sheet : sheets) {
    const std::string& label = sheet.view.label;
    table.add_column({label + " rating", label + " rating", "rating at " + label, units});
    table.add_column({label + " standard_uncertainty", label + " uncertainty",
                      "standard deviation of the refitted rating about its replicate mean at " +
                          label + ", one sigma",
                      units});
    table.add_column({label + " replicates_valid", label + " valid",
                      "replicates at " + label + " in which the player could be rated"});
  }
  for (const Sheet& sheet : sheets) {
    table.add_column({sheet.view.label, sheet.view.label,
                      "rating ± standard uncertainty (one sigma)", units, right, false});
    shown.push_back(sheet.view.label);
  }
  table.show(shown);
  for (const std::size_t player : order_of(entries, names.size())) {
    std::vector<Cell> row{Cell::text(names[player])}, both;
    for (std::size_t point = 0; point < sheets.size(); ++point) {
      const Sheet& sheet = sheets[point];
      const Entry& entry = entries[point][player];
      const Cell rating = Cell::fixed(entry.rating, decimals);
      if (std::isnan(entry.rating)) {
        row.resize(row.size() + 3);
        both.push_back(rating);
        continue;
      }
      const bradley_terry::Summary& summary = sheet.summary.players[entry.rated];
      row.insert(row.end(), {rating, Cell::fixed(summary.sd, decimals),
                             Cell::whole(static_cast<std::uint64_t>(summary.valid))});
      const bool reference = sheet.view.is_reference(entry.rated);
      both.push_back(reference ? rating
                               : Cell(rating)
                                     .with_error(summary.sd)
                                     .with_suffix(summary.valid < sheet.done ? "*" : ""));
    }
    row.insert(row.end(), both.begin(), both.end());
    table.add(std::move(row));
  }
  return table;
}

}  // namespace

void tabulate_players(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  const std::vector<Sheet> sheets = read_sheets(file, set_up, request);
  Report report;
  report.table = players_table(set_up, sheets, entries_of(sheets, player_names(set_up).size()));
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
  TableRequest of_players = request;  // the point is a column here
  of_players.point.reset();
  print(report, of_players, out);
}

}  // namespace banzuke::bt_uncertainty
