// The table `players`: a row a player, a column a point.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>

#include "engine/base/text.hpp"
#include "jobs/bt_uncertainty.hpp"
#include "jobs/bt_uncertainty_sheet.hpp"
#include "jobs/table.hpp"

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

Table csv_table(const std::vector<Sheet>& sheets, const Entries& entries,
                const std::vector<std::string>& names) {
  std::vector<Table::Column> columns{{"name"}};
  for (const Sheet& sheet : sheets) {
    for (const char* column : {"rating", "standard_uncertainty", "replicates_valid"}) {
      columns.push_back({fmt::format("{} {}", sheet.view.label, column)});
    }
  }
  Table table(columns);
  for (const std::size_t player : order_of(entries, names.size())) {
    std::vector<std::string> row{names[player]};
    for (std::size_t point = 0; point < sheets.size(); ++point) {
      const Entry& entry = entries[point][player];
      if (std::isnan(entry.rating)) {
        row.insert(row.end(), 3, "");
        continue;
      }
      const bradley_terry::Summary& summary = sheets[point].summaries[entry.rated];
      row.push_back(csv_number(entry.rating));
      row.push_back(csv_number(summary.sd));
      row.push_back(fmt::format("{}", summary.valid));
    }
    table.add(row);
  }
  return table;
}

Table text_table(const std::vector<Sheet>& sheets, const Entries& entries,
                 const std::vector<std::string>& names, int decimals) {
  std::vector<Table::Column> columns{{"name", Table::Align::left}};
  for (const Sheet& sheet : sheets) columns.push_back({sheet.view.label});
  Table table(columns);
  for (const std::size_t player : order_of(entries, names.size())) {
    std::vector<std::string> row{names[player]};
    for (std::size_t point = 0; point < sheets.size(); ++point) {
      const Sheet& sheet = sheets[point];
      const Entry& entry = entries[point][player];
      const std::string rating = fixed(entry.rating, decimals);
      if (std::isnan(entry.rating) || sheet.view.is_reference(entry.rated)) {
        row.push_back(rating);
        continue;
      }
      const bradley_terry::Summary& summary = sheet.summaries[entry.rated];
      row.push_back(fmt::format("{} ± {}{}", rating, fixed(summary.sd, decimals),
                                summary.valid < sheet.done ? "*" : ""));
    }
    table.add(row);
  }
  return table;
}

}  // namespace

void tabulate_players(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  const std::vector<Sheet> sheets = read_sheets(file, set_up, request);
  const std::vector<std::string>& names = player_names(set_up);
  const Entries entries = entries_of(sheets, names.size());
  if (request.format == TableFormat::csv) {
    csv_table(sheets, entries, names).print_csv(out);
    return;
  }
  std::uint64_t done = 0, total = 0;
  bool has_few_valid = false;
  for (const Sheet& sheet : sheets) {
    done += sheet.done;
    total += sheet.total;
    has_few_valid = has_few_valid || sheet.has_few_valid();
  }
  out << fmt::format("Bradley–Terry ratings ({}) at {} point{}\n", units_of(set_up), sheets.size(),
                     sheets.size() == 1 ? "" : "s");
  if (done < total) out << fmt::format("UNFINISHED: {} of {} replicates\n", done, total);
  out << '\n';
  text_table(sheets, entries, names, is_elo(set_up) ? 1 : 4).print_text(out);
  out << fmt::format("\n±: standard uncertainty (one sigma), relative to {}. -: not rated.\n",
                     printable(relative_to(set_up)));
  if (has_few_valid) {
    out << "*: the player could not be rated in some replicates, which are left out, so the "
           "uncertainty is understated.\n";
  }
}

}  // namespace banzuke::bt_uncertainty
