#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_inputs.hpp"
#include "jobs/bt_uncertainty.hpp"
#include "jobs/bt_uncertainty_sheet.hpp"
#include "jobs/report.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

/// The sheets' table without rows.
Table empty_table(const Bundle& set_up, const std::vector<Sheet>& sheets) {
  using enum Table::Align;
  const std::string units = units_of(set_up);
  Table table(
      {{"point", "point", "data set, or period of it", "1", left},
       {"rank", "rank", "place by rating"},
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
        {"quantile_" + share, share + " %",
         "quantile of the refitted rating: below it in " + share + " % of the replicates", units});
  }
  for (Table::Column& column : std::vector<Table::Column>{
           {"games", "games", "games against rated players"},
           {"wins", "wins", "wins in all games"},
           {"replicates_done", "done", "replicates so far"},
           {"replicates_total", "wanted", "replicates asked for, or needed"},
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
  const Storage storage = storage_of(set_up);
  if (storage.deviance) {
    table.add_column({"deviance_p_value", "p of the fit",
                      "probability of a deviance as large as that of the games, by the replicates",
                      "1", right, true, true});
  }
  if (storage.control) {
    table.add_column({"variance_reduction", "variance reduction",
                      "so many times the replicates would be needed without the control variate; "
                      "nothing where it could not be used"});
  }
  std::vector<std::string> shown{"rank",           "name", "rating", "standard_uncertainty",
                                 "standard_error", "bias", "games"};
  if (set_up.has("published_standard_uncertainty")) {
    table.add_column({"published_standard_uncertainty", "published",
                      "standard uncertainty published elsewhere, one sigma", units});
    table.add_column({"published_replicates", "published replicates",
                      "valid replicates of the published uncertainty"});
    table.add_column({"ratio", "ratio", "ours over the published uncertainty", "1", right, false});
    if (std::any_of(sheets.begin(), sheets.end(),
                    [](const Sheet& sheet) { return sheet.view.has_published(); })) {
      shown.insert(shown.end(), {"published_standard_uncertainty", "ratio"});
    }
  }
  table.show(shown);
  return table;
}

void add_progress(std::vector<Cell>& row, const Bundle& set_up, const Sheet& sheet) {
  row.insert(row.end(),
             {Cell::whole(sheet.done), Cell::whole(sheet.total),
              Cell::whole(sheet.summary.unsolvable), Cell::whole(sheet.summary.not_converged),
              Cell::text(relative_to(set_up)), Cell::text(units_of(set_up))});
}

void add_rated(Table& table, const Bundle& set_up, const Sheet& sheet, std::size_t i,
               std::int64_t rank) {
  const PointView& view = sheet.view;
  const int decimals = is_elo(set_up) ? 1 : 4;
  const bt::Summary& s = sheet.summary.players[i];
  const bool reference = view.is_reference(i);
  const auto unless_reference = [&](Cell cell, const char* instead) {
    return reference ? std::move(cell).shown_as(instead) : cell;
  };
  // "61" or, where some replicates could not rate the player, "61 (942)".
  const std::string valid = s.valid < sheet.done ? fmt::format(" ({})", s.valid) : "";
  std::vector<Cell> row{
      Cell::text(view.label),
      Cell::whole(rank),
      Cell::text(view.name(i)),
      Cell::fixed(view.rating[i], decimals),
      unless_reference(Cell::fixed(view.standard_error[i], decimals), ""),
      unless_reference(Cell::fixed(s.sd, decimals).with_suffix(valid), "reference"),
      Cell::whole(static_cast<std::uint64_t>(s.valid)),
      unless_reference(Cell::fixed(s.bias, decimals), ""),
      Cell::fixed(s.mean, decimals),
      unless_reference(Cell::fixed(s.sd_error, decimals + 1), "")};
  for (const double q : s.quantiles) row.push_back(Cell::fixed(q, decimals));
  row.push_back(Cell::count(view.games[i]));
  row.push_back(Cell::count(view.listed_wins[static_cast<std::size_t>(view.place[i])]));
  add_progress(row, set_up, sheet);
  row.push_back(Cell::text(reference ? "reference" : "rated"));
  constexpr double none = std::numeric_limits<double>::quiet_NaN();
  const Storage storage = storage_of(set_up);
  if (storage.deviance) row.push_back(Cell::fixed(sheet.summary.goodness->p_value, 4));
  if (storage.control) {
    const bt::ControlledSummary& controlled = sheet.summary.controlled[i];
    const bool is_used = controlled.use == bt::ControlUse::used;
    row.push_back(Cell::fixed(is_used ? controlled.variance_reduction : none, 0));
  }
  if (set_up.has("published_standard_uncertainty")) {
    const double published = view.has_published() ? view.published_uncertainty[i] : none;
    const double replicates = view.has_published() ? view.published_replicates[i] : none;
    const bool is_counted = !std::isnan(published) && !std::isnan(replicates);
    row.push_back(Cell::fixed(published, is_elo(set_up) ? 0 : decimals)
                      .with_suffix(is_counted ? fmt::format(" ({:.0f})", replicates) : ""));
    row.push_back(Cell::count(replicates));
    row.push_back(Cell::fixed(published > 0 && s.sd > 0 ? s.sd / published : none, 2));
  }
  table.add(std::move(row));
}

void add_outsider(Table& table, const Bundle& set_up, const Sheet& sheet, std::size_t i,
                  const std::string& reason) {
  std::vector<Cell> row(15);
  row[0] = Cell::text(sheet.view.label);
  row[2] = Cell::text(sheet.view.listed_name[i]);
  row.push_back(Cell::count(sheet.view.listed_games[i]));
  row.push_back(Cell::count(sheet.view.listed_wins[i]));
  add_progress(row, set_up, sheet);
  row.push_back(Cell::text(reason));
  row.resize(table.width());
  table.add(std::move(row), true);
}

/// The uncertainties beside the published ones, in a sentence; empty where there are none.
std::string comparison_of(const Sheet& sheet) {
  if (!sheet.view.has_published()) return "";
  std::vector<double> ratios;
  const auto published = sheet.view.published_uncertainty;
  for (std::size_t i = 0; i < sheet.summary.players.size(); ++i) {
    if (published[i] > 0 && sheet.summary.players[i].sd > 0) {
      ratios.push_back(sheet.summary.players[i].sd / published[i]);
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

/// What the columns of all sheets mean, and what the user should know of the whole input.
std::vector<std::string> legend_of(const Bundle& set_up, const std::vector<Sheet>& sheets) {
  std::vector<std::string> notes{
      fmt::format("uncertainty: standard deviation of the refitted rating about its replicate mean "
                  "(one sigma), relative to {}.",
                  printable(relative_to(set_up)))};
  if (std::any_of(sheets.begin(), sheets.end(),
                  [](const Sheet& sheet) { return sheet.has_few_valid(); })) {
    notes.emplace_back(
        "(n): the player could be rated in n replicates only; the others, in which no chain of "
        "wins led both ways between the player and the rated, are left out, so the uncertainty "
        "is understated.");
  }
  notes.emplace_back(
      "games: against rated players. error: standard error from the inverse Fisher "
      "information. bias: mean of the replicates minus the rating.");
  const Storage storage = storage_of(set_up);
  if (storage.control) {
    notes.emplace_back(
        "Uncertainty and bias come from the replicates by a control variate of known variance, for "
        "players who could be rated in all of them; for others from the replicates alone.");
  }
  if (storage.moments_only()) {
    notes.emplace_back("The replicates' moments only were kept: there are no quantiles.");
  }
  for (const std::string& note : general_notes(set_up)) notes.push_back("Note: " + note + ".");
  return notes;
}

/// What the user should know of one point.
std::vector<std::string> remarks_of(const Bundle& set_up, const Sheet& sheet) {
  std::vector<std::string> notes;
  const PointView& view = sheet.view;
  const auto say = [&](std::string text) { notes.push_back(std::move(text)); };
  if (view.draws_total > 0) {
    say(fmt::format("{} of {} games were drawn{}", view.draws_total, view.games_total,
                    set_up.scalar_integer("draws_are_half") == 1
                        ? ". Simulated games are decisive, which overstates the uncertainty where "
                          "draws were common, and the p-value of the fit."
                        : " and are left out: ratings and uncertainties are those of the decisive "
                          "games."));
  }
  if (sheet.summary.unsolvable > 0) {
    say(fmt::format("{} of the replicates left fewer than two players to rate.",
                    sheet.summary.unsolvable));
  }
  if (sheet.summary.not_converged > 0) {
    say(fmt::format("WARNING: {} of the replicates did not converge and are left out.",
                    sheet.summary.not_converged));
  }
  const double coarsest_elo =
      sheet.summary.coarsest_step * (is_elo(set_up) ? 1.0 : bt::elo_per_natural);
  if (coarsest_elo > 1e-8) {
    say(
        fmt::format("Some replicates are close to separable: their ratings are exact only to about "
                    "{:.2g} Elo.",
                    coarsest_elo));
  }
  for (const std::string& note : view.notes) say("Note: " + note + ".");
  const auto out_players = sheet.outsiders();
  if (out_players.empty()) return notes;
  say("");
  say(fmt::format("Not rated: {} of {} players.", out_players.size(), view.listed_name.size()));
  const auto without =
      std::count_if(out_players.begin(), out_players.end(),
                    [](const auto& player) { return player.second == bt_inputs::no_given_rating; });
  if (without > 0) {
    say(fmt::format("  {} of them: {} (table --format csv has their names)", without,
                    bt_inputs::no_given_rating));
  }
  for (const auto& [i, reason] : out_players) {
    if (reason == bt_inputs::no_given_rating) continue;
    const double wins = view.listed_wins[i];
    say(fmt::format("  {}: {} ({:.0f} games{})", printable(view.listed_name[i]), reason,
                    view.listed_games[i],
                    std::isnan(wins) ? "" : fmt::format(", {} wins", shortest(wins))));
  }
  return notes;
}

std::vector<std::string> heading_of(const Bundle& set_up, const Sheet& sheet) {
  const PointView& view = sheet.view;
  std::vector<std::string> lines{
      fmt::format("Bradley–Terry ratings ({}) of {} players, {} games; truth: {}", units_of(set_up),
                  sheet.summary.players.size(), view.games_rated, set_up.scalar_string("truth"))};
  if (view.log_likelihood) {
    lines.push_back(fmt::format("log-likelihood {:.6f}, deviance {} over {} pairs",
                                *view.log_likelihood, fixed(*view.deviance, 4),
                                view.schedule.size()));
  }
  if (sheet.summary.goodness && sheet.summary.goodness->valid > 0) {
    const bt::GoodnessOfFit& goodness = *sheet.summary.goodness;
    lines.push_back(fmt::format(
        "goodness of fit: p = {:.3g}; {} of {} replicates have a deviance as large (mean {}, "
        "standard deviation {})",
        goodness.p_value, goodness.as_large, goodness.valid, fixed(goodness.mean, 1),
        fixed(goodness.sd, 1)));
  }
  lines.push_back(
      sheet.done < sheet.total
          ? fmt::format("UNFINISHED: {} of {} replicates", sheet.done, sheet.total)
      : sheet.total < sheet.most
          ? fmt::format("{} of at most {} replicates: every uncertainty is known to {}%",
                        sheet.total, sheet.most,
                        shortest(100 * set_up.scalar_double("stop_relative_error")))
          : fmt::format("{} replicate{}", sheet.total, sheet.total == 1 ? "" : "s"));
  return lines;
}

void append(std::vector<std::string>& lines, std::vector<std::string> more) {
  for (std::string& line : more) lines.push_back(std::move(line));
}

void add_sheet(Table& table, const Bundle& set_up, const Sheet& sheet) {
  table.at_point(sheet.view.label);
  std::int64_t rank = 0;
  for (const std::size_t i : sheet.order) add_rated(table, set_up, sheet, i, ++rank);
  for (const auto& [i, reason] : sheet.outsiders()) add_outsider(table, set_up, sheet, i, reason);
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  const std::vector<Sheet> sheets = read_sheets(file, set_up, request);
  // A run of one point without a name has a sheet without a title, and one page of remarks.
  const std::vector<std::string> labels = point_labels(set_up);
  const bool has_titles = labels.size() > 1 || labels[0] != unnamed_point;
  Report report;
  report.table = empty_table(set_up, sheets);
  for (const Sheet& sheet : sheets) {
    report.done += sheet.done;
    report.total += sheet.total;
    std::vector<std::string> heading = heading_of(set_up, sheet);
    std::vector<std::string> notes;
    if (const std::string comparison = comparison_of(sheet); !comparison.empty()) {
      notes = {comparison, ""};
    }
    if (has_titles) {
      heading.emplace_back();
      append(notes, remarks_of(set_up, sheet));
      report.table.begin_section(std::move(heading), std::move(notes), printable(sheet.view.label));
    } else {
      report.title = std::move(heading);
      append(notes, legend_of(set_up, sheets));
      append(notes, remarks_of(set_up, sheet));
      report.notes = std::move(notes);
    }
    add_sheet(report.table, set_up, sheet);
  }
  if (has_titles) report.notes = legend_of(set_up, sheets);
  print(report, request, out);
}

}  // namespace banzuke::bt_uncertainty
