#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/moments.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_inputs.hpp"
#include "jobs/bt_status.hpp"
#include "jobs/bt_uncertainty.hpp"
#include "jobs/report.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Everything the sheet shows.
struct Sheet {
  const Layout& layout;
  Bundle set_up;
  std::vector<bt::Summary> summaries;  ///< [rated]
  std::vector<std::size_t> order;      ///< rated players by rating, best first
  std::uint64_t most = 0;              ///< replicates asked for
  std::uint64_t total = 0;             ///< of these, needed
  std::uint64_t done = 0, unsolvable = 0, not_converged = 0;
  double coarsest_step = 0;  ///< largest last step of a valid refit

  double rating(std::size_t i) const { return set_up.doubles("rated_rating")[i]; }
  std::size_t listed(std::size_t i) const {
    return static_cast<std::size_t>(set_up.integers("rated_listed")[i]);
  }
  bool is_reference(std::size_t i) const {
    return set_up.scalar_integer("anchor_is_mean") == 0 &&
           i == static_cast<std::size_t>(set_up.scalar_integer("anchor_player"));
  }
  std::string units() const {
    return set_up.scalar_integer("unit_is_elo") == 1 ? "Elo" : "natural-log units";
  }
  std::string relative_to() const {
    const double value = set_up.scalar_double("anchor_value");
    if (set_up.scalar_integer("anchor_is_mean") == 1) {
      return fmt::format("the mean of the rated players = {}", shortest(value));
    }
    const auto player = static_cast<std::size_t>(set_up.scalar_integer("anchor_player"));
    return fmt::format("{} = {}", set_up.strings("rated_name")[player], shortest(value));
  }
};

Sheet read_sheet(const ResultFile& file) {
  Sheet sheet{file.layout(), file.read_setup(), {}, {}};
  const std::size_t players = sheet.layout.width(field_rating);
  const ReplicateRange all{0, sheet.layout.replicates};
  const auto truth = sheet.set_up.doubles("rated_rating");
  // A kill may leave values in rows that were never declared done: their status decides.
  const std::vector<std::uint8_t> status = file.read_status(0, all);
  const auto count_of = [&](std::uint8_t code) {
    return static_cast<std::uint64_t>(std::count(status.begin(), status.end(), code));
  };
  sheet.most = all.count;
  sheet.total = all.count - count_of(bt_status::not_needed);
  sheet.done = sheet.total - count_of(status_missing);
  sheet.unsolvable = count_of(bt_status::unsolvable);
  sheet.not_converged = count_of(bt_status::not_converged);
  sheet.summaries = summarise_players(file, sheet.set_up, all.count);
  sheet.order.resize(players);
  std::iota(sheet.order.begin(), sheet.order.end(), std::size_t{0});
  std::stable_sort(sheet.order.begin(), sheet.order.end(),
                   [&](std::size_t a, std::size_t b) { return truth[a] > truth[b]; });
  const auto steps = file.read_doubles(field_last_step, 0, all);
  for (std::size_t row = 0; row < all.count; ++row) {
    if (status[row] == status_ok && steps[row] > sheet.coarsest_step) {
      sheet.coarsest_step = steps[row];
    }
  }
  return sheet;
}

bool has_comparison(const Sheet& sheet) {
  return sheet.set_up.has("published_standard_uncertainty");
}

/// Unrated listed players, with the reason, in the order of the input.
std::vector<std::pair<std::size_t, std::string>> outsiders(const Sheet& sheet) {
  std::vector<std::pair<std::size_t, std::string>> out;
  const auto& standings = sheet.set_up.strings("listed_standing");
  for (std::size_t i = 0; i < standings.size(); ++i) {
    if (standings[i] != bt::describe(bt::Standing::rated)) out.emplace_back(i, standings[i]);
  }
  return out;
}

/// The sheet's table without rows.
Table empty_table(const Sheet& sheet) {
  using enum Table::Align;
  const std::string units = sheet.units();
  const std::string quantile = "quantile of the refitted ratings over the replicates: {} % below";
  Table table(
      {{"rank", "rank", "place by rating"},
       {"name", "name", "player", "1", left},
       {"rating", "rating", "the fit, or the given rating", units},
       {"standard_error", "error", "standard error from the inverse Fisher information, one sigma",
        units},
       {"standard_uncertainty", "uncertainty",
        "standard deviation of the refitted rating about its replicate mean, one sigma", units},
       {"replicates_valid", "valid", "replicates in which the player could be rated"},
       {"bias", "bias", "mean of the replicates minus the rating", units},
       {"mean", "mean", "mean of the replicates", units},
       {"standard_uncertainty_error", "error of uncertainty",
        "Monte Carlo standard error of the uncertainty, one sigma", units}});
  for (const std::string share : {"2.5", "16", "50", "84", "97.5"}) {
    table.add_column(
        {"quantile_" + share, share + " %", fmt::format(fmt::runtime(quantile), share), units});
  }
  for (Table::Column& column : std::vector<Table::Column>{
           {"games", "games", "games against rated players"},
           {"wins", "wins", "wins in all games"},
           {"replicates_done", "done", "replicates so far"},
           {"replicates_total", "wanted", "replicates asked for or needed"},
           {"replicates_unsolvable", "unsolvable",
            "replicates that left fewer than two players to rate"},
           {"replicates_not_converged", "not converged",
            "replicates that did not converge; left out"},
           {"relative_to", "relative to", "what ratings and uncertainties are relative to", "1",
            left},
           {"unit", "unit", "of ratings and uncertainties", "1", left},
           {"standing", "standing", "rated, reference, or why not rated", "1", left}}) {
    table.add_column(std::move(column));
  }
  std::vector<std::string> shown{"rank",           "name", "rating", "standard_uncertainty",
                                 "standard_error", "bias", "games"};
  if (has_comparison(sheet)) {
    table.add_column({"published_standard_uncertainty", "published",
                      "standard uncertainty published elsewhere", units});
    table.add_column({"published_replicates", "published replicates",
                      "valid replicates of the published uncertainty"});
    table.add_column({"ratio", "ratio", "ours over the published uncertainty", "1", right, false});
    shown.insert(shown.end(), {"published_standard_uncertainty", "ratio"});
  }
  table.show(shown);
  return table;
}

void add_progress(std::vector<Cell>& row, const Sheet& sheet) {
  row.insert(row.end(), {Cell::whole(sheet.done), Cell::whole(sheet.total),
                         Cell::whole(sheet.unsolvable), Cell::whole(sheet.not_converged),
                         Cell::text(sheet.relative_to()), Cell::text(sheet.units())});
}

void add_rated(Table& table, const Sheet& sheet, std::size_t i, std::int64_t rank) {
  const Bundle& set_up = sheet.set_up;
  const bool elo = set_up.scalar_integer("unit_is_elo") == 1;
  const int decimals = elo ? 1 : 4;
  const bt::Summary& s = sheet.summaries[i];
  const bool reference = sheet.is_reference(i);
  const auto unless_reference = [&](Cell cell, const char* instead) {
    return reference ? std::move(cell).shown_as(instead) : cell;
  };
  // "61" or, where some replicates could not rate the player, "61 (942)".
  const std::string valid = s.valid < sheet.done ? fmt::format(" ({})", s.valid) : "";
  std::vector<Cell> row{
      Cell::whole(rank),
      Cell::text(set_up.strings("rated_name")[i]),
      Cell::fixed(sheet.rating(i), decimals),
      unless_reference(Cell::fixed(set_up.doubles("rated_standard_error")[i], decimals), ""),
      unless_reference(Cell::fixed(s.sd, decimals).with_suffix(valid), "reference"),
      Cell::whole(static_cast<std::uint64_t>(s.valid)),
      unless_reference(Cell::fixed(s.bias, decimals), ""),
      Cell::fixed(s.mean, decimals),
      unless_reference(Cell::fixed(s.sd_error, decimals + 1), "")};
  for (const double q : s.quantiles) row.push_back(Cell::fixed(q, decimals));
  row.push_back(Cell::fixed(set_up.doubles("rated_games")[i], 0));
  row.push_back(Cell::full(set_up.doubles("listed_wins")[sheet.listed(i)]));
  add_progress(row, sheet);
  row.push_back(Cell::text(reference ? "reference" : "rated"));
  if (has_comparison(sheet)) {
    const double published = set_up.doubles("published_standard_uncertainty")[i];
    const double replicates = set_up.doubles("published_replicates")[i];
    const bool is_counted = !std::isnan(published) && !std::isnan(replicates);
    row.push_back(Cell::fixed(published, elo ? 0 : decimals)
                      .with_suffix(is_counted ? fmt::format(" ({:.0f})", replicates) : ""));
    row.push_back(Cell::fixed(replicates, 0));
    row.push_back(Cell::fixed(published > 0 && s.sd > 0 ? s.sd / published : not_a_number, 2));
  }
  table.add(std::move(row));
}

void add_outsider(Table& table, const Sheet& sheet, std::size_t i, const std::string& reason) {
  const Bundle& set_up = sheet.set_up;
  std::vector<Cell> row(14);
  row[1] = Cell::text(set_up.strings("listed_name")[i]);
  row.push_back(Cell::full(set_up.doubles("listed_games")[i]));
  row.push_back(Cell::full(set_up.doubles("listed_wins")[i]));
  add_progress(row, sheet);
  row.push_back(Cell::text(reason));
  row.resize(table.width());
  table.add(std::move(row), true);
}

/// The uncertainties beside the published ones, in a sentence; empty where there are none.
std::string comparison_of(const Sheet& sheet) {
  std::vector<double> ratios;
  const auto published = sheet.set_up.doubles("published_standard_uncertainty");
  for (std::size_t i = 0; i < sheet.summaries.size(); ++i) {
    if (published[i] > 0 && sheet.summaries[i].sd > 0) {
      ratios.push_back(sheet.summaries[i].sd / published[i]);
    }
  }
  if (ratios.empty()) return "";
  std::sort(ratios.begin(), ratios.end());
  return fmt::format(
      "Ours / published uncertainty over {} players: median {:.3f}, quartiles "
      "{:.3f} and {:.3f}.",
      ratios.size(), bt::sorted_quantile(ratios, 0.5), bt::sorted_quantile(ratios, 0.25),
      bt::sorted_quantile(ratios, 0.75));
}

std::vector<std::string> footnotes_of(const Sheet& sheet) {
  std::vector<std::string> notes;
  const Bundle& set_up = sheet.set_up;
  const auto say = [&](std::string text) { notes.push_back(std::move(text)); };
  say(
      fmt::format("uncertainty: standard deviation of the refitted rating about its replicate mean "
                  "(one sigma), relative to {}.",
                  printable(sheet.relative_to())));
  if (std::any_of(sheet.summaries.begin(), sheet.summaries.end(),
                  [&](const bt::Summary& s) { return s.valid < sheet.done; })) {
    say("(n): the player could be rated in n replicates only; the others, in which no chain of "
        "wins led both ways between the player and the rated, are left out, so the uncertainty is "
        "understated.");
  }
  say("games: against rated players. error: standard error from the inverse Fisher information. "
      "bias: mean of the replicates "
      "minus the rating.");
  const auto draws = set_up.scalar_integer("draws_total");
  if (draws > 0) {
    say(fmt::format("{} of {} games were drawn{}", draws, set_up.scalar_integer("games_total"),
                    set_up.scalar_integer("draws_are_half") == 1
                        ? ". Simulated games are decisive, which overstates the uncertainty where "
                          "draws were common."
                        : " and are left out: ratings and uncertainties are those of the decisive "
                          "games."));
  }
  if (sheet.unsolvable > 0) {
    say(fmt::format("{} of the replicates left fewer than two players to rate.", sheet.unsolvable));
  }
  if (sheet.not_converged > 0) {
    say(fmt::format("WARNING: {} of the replicates did not converge and are left out.",
                    sheet.not_converged));
  }
  const double coarsest_elo =
      sheet.coarsest_step * (set_up.scalar_integer("unit_is_elo") == 1 ? 1.0 : bt::elo_per_natural);
  if (coarsest_elo > 1e-8) {
    say(
        fmt::format("Some replicates are close to separable: their ratings are exact only to about "
                    "{:.2g} Elo.",
                    coarsest_elo));
  }
  for (const std::string& note : set_up.strings("notes")) say("Note: " + note + ".");
  const auto out_players = outsiders(sheet);
  if (out_players.empty()) return notes;
  say("");
  say(fmt::format("Not rated: {} of {} players.", out_players.size(),
                  set_up.strings("listed_name").size()));
  const auto without =
      std::count_if(out_players.begin(), out_players.end(),
                    [](const auto& player) { return player.second == bt_inputs::no_given_rating; });
  if (without > 0) {
    say(fmt::format("  {} of them: {} (table --format csv has their names)", without,
                    bt_inputs::no_given_rating));
  }
  for (const auto& [i, reason] : out_players) {
    if (reason == bt_inputs::no_given_rating) continue;
    const double wins = set_up.doubles("listed_wins")[i];
    say(fmt::format("  {}: {} ({:.0f} games{})", printable(set_up.strings("listed_name")[i]),
                    reason, set_up.doubles("listed_games")[i],
                    std::isnan(wins) ? "" : fmt::format(", {} wins", shortest(wins))));
  }
  return notes;
}

std::vector<std::string> title_of(const Sheet& sheet) {
  const Bundle& set_up = sheet.set_up;
  std::vector<std::string> title{fmt::format(
      "Bradley–Terry ratings ({}) of {} players, {} games; truth: {}", sheet.units(),
      sheet.summaries.size(), set_up.scalar_integer("games_rated"), set_up.scalar_string("truth"))};
  if (set_up.has("log_likelihood")) {
    title.push_back(fmt::format("log-likelihood {:.6f}, deviance {:.4f} over {} pairs",
                                set_up.scalar_double("log_likelihood"),
                                set_up.scalar_double("deviance"),
                                set_up.integers("pair_games").size()));
  }
  title.push_back(
      sheet.done < sheet.total
          ? fmt::format("UNFINISHED: {} of {} replicates", sheet.done, sheet.total)
      : sheet.total < sheet.most
          ? fmt::format("{} of at most {} replicates: every uncertainty is known to {}%",
                        sheet.total, sheet.most,
                        shortest(100 * set_up.scalar_double("stop_relative_error")))
          : fmt::format("{} replicate{}", sheet.total, sheet.total == 1 ? "" : "s"));
  return title;
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Sheet sheet = read_sheet(file);
  Report report;
  report.done = sheet.done;
  report.total = sheet.total;
  report.title = title_of(sheet);
  report.table = empty_table(sheet);
  report.table.at_point(sheet.layout.points[0]);
  std::int64_t rank = 0;
  for (const std::size_t i : sheet.order) add_rated(report.table, sheet, i, ++rank);
  for (const auto& [i, reason] : outsiders(sheet)) add_outsider(report.table, sheet, i, reason);
  if (has_comparison(sheet)) {
    const std::string comparison = comparison_of(sheet);
    if (!comparison.empty()) report.notes = {comparison, ""};
  }
  for (std::string& note : footnotes_of(sheet)) report.notes.push_back(std::move(note));
  print(report, request, out);
}

}  // namespace banzuke::bt_uncertainty
