#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_inputs.hpp"
#include "jobs/bt_uncertainty.hpp"
#include "jobs/bt_uncertainty_sheet.hpp"
#include "jobs/report.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
/// Columns before `games`.
constexpr std::size_t first_columns = 15;

bool has_published(const Bundle& set_up) {
  return set_up.has("published_standard_uncertainty");
}

/// Decimals of ratings for people.
int decimals_of(const Bundle& set_up) {
  return is_elo(set_up) ? 1 : 4;
}

/// The table without rows.
Table empty_table(const Bundle& set_up) {
  using enum Table::Align;
  const std::string units = units_of(set_up);
  const std::string quantile = "quantile of the refitted ratings over the replicates: {} % below";
  Table table(
      {{"point", "point", "data set or period", "1", left},
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
  if (has_published(set_up)) {
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

void add_progress(std::vector<Cell>& row, const Bundle& set_up, const Sheet& sheet) {
  row.insert(row.end(), {Cell::whole(sheet.done), Cell::whole(sheet.total),
                         Cell::whole(sheet.unsolvable), Cell::whole(sheet.not_converged),
                         Cell::text(relative_to(set_up)), Cell::text(units_of(set_up))});
}

void add_rated(Table& table, const Bundle& set_up, const Sheet& sheet, std::size_t i,
               std::int64_t rank) {
  const PointView& view = sheet.view;
  const int decimals = decimals_of(set_up);
  const bt::Summary& s = sheet.summaries[i];
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
      Cell::whole(s.valid),
      unless_reference(Cell::fixed(s.bias, decimals), ""),
      Cell::fixed(s.mean, decimals),
      unless_reference(Cell::fixed(s.sd_error, decimals + 1), "")};
  for (const double q : s.quantiles) row.push_back(Cell::fixed(q, decimals));
  row.push_back(Cell::fixed(view.games[i], 0));
  row.push_back(Cell::full(view.listed_wins[static_cast<std::size_t>(view.place[i])]));
  add_progress(row, set_up, sheet);
  row.push_back(Cell::text(reference ? "reference" : "rated"));
  if (has_published(set_up)) {
    const double published = view.published_uncertainty[i];
    const double replicates = view.published_replicates[i];
    const bool is_counted = !std::isnan(published) && !std::isnan(replicates);
    row.push_back(Cell::fixed(published, is_elo(set_up) ? 0 : decimals)
                      .with_suffix(is_counted ? fmt::format(" ({:.0f})", replicates) : ""));
    row.push_back(Cell::fixed(replicates, 0));
    row.push_back(Cell::fixed(published > 0 && s.sd > 0 ? s.sd / published : not_a_number, 2));
  }
  table.add(std::move(row));
}

void add_outsider(Table& table, const Bundle& set_up, const Sheet& sheet, std::size_t i,
                  const std::string& reason) {
  const PointView& view = sheet.view;
  std::vector<Cell> row(first_columns);
  row[0] = Cell::text(view.label);
  row[2] = Cell::text(view.listed_name[i]);
  row.push_back(Cell::full(view.listed_games[i]));
  row.push_back(Cell::full(view.listed_wins[i]));
  add_progress(row, set_up, sheet);
  row.push_back(Cell::text(reason));
  row.resize(table.width());
  table.add(std::move(row), true);
}

/// Lines above a sheet. `title` begins the first of them.
std::vector<std::string> heading_of(const Bundle& set_up, const Sheet& sheet,
                                    const std::string& title) {
  const PointView& view = sheet.view;
  std::vector<std::string> lines{fmt::format("{} {} players, {} games; truth: {}", title,
                                             view.players(), view.games_rated,
                                             set_up.scalar_string("truth"))};
  if (view.log_likelihood) {
    lines.push_back(fmt::format("log-likelihood {:.6f}, deviance {:.4f} over {} pairs",
                                *view.log_likelihood, *view.deviance, view.schedule.size()));
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

/// The uncertainties beside the published ones, in a sentence; empty where there are none.
std::string comparison_of(const Sheet& sheet) {
  std::vector<double> ratios;
  const auto published = sheet.view.published_uncertainty;
  for (std::size_t i = 0; i < published.size(); ++i) {
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

/// What becomes of draws; goes on after "games were drawn".
std::string on_draws(const Bundle& set_up) {
  return set_up.scalar_integer("draws_are_half") == 1
             ? ". Simulated games are decisive, which overstates the uncertainty where draws were "
               "common."
             : " and are left out: ratings and uncertainties are those of the decisive games.";
}

/// What the columns of all sheets mean, and what the user should know of the whole input.
void add_legend(const Bundle& set_up, const std::vector<Sheet>& sheets,
                std::vector<std::string>& notes) {
  notes.push_back(
      fmt::format("uncertainty: standard deviation of the refitted rating about its replicate mean "
                  "(one sigma), relative to {}.",
                  printable(relative_to(set_up))));
  if (std::any_of(sheets.begin(), sheets.end(),
                  [](const Sheet& sheet) { return sheet.has_few_valid(); })) {
    notes.emplace_back(
        "(n): the player could be rated in n replicates only; the others, in which no chain of "
        "wins led both ways between the player and the rated, are left out, so the uncertainty is "
        "understated.");
  }
  notes.emplace_back(
      "games: against rated players. error: standard error from the inverse Fisher information. "
      "bias: mean of the replicates minus the rating.");
  for (const std::string& note : general_notes(set_up)) notes.push_back("Note: " + note + ".");
}

/// What the user should know of one sheet; `subject` begins each remark.
void add_remarks(const Bundle& set_up, const Sheet& sheet, const std::string& subject,
                 std::vector<std::string>& notes) {
  const PointView& view = sheet.view;
  const auto say = [&](const std::string& text) { notes.push_back(subject + text); };
  if (view.draws_total > 0) {
    say(fmt::format("{} of {} games were drawn{}", view.draws_total, view.games_total,
                    subject.empty() ? on_draws(set_up) : "."));
  }
  if (sheet.unsolvable > 0) {
    say(fmt::format("{} of the replicates left fewer than two players to rate.", sheet.unsolvable));
  }
  if (sheet.not_converged > 0) {
    say(fmt::format("WARNING: {} of the replicates did not converge and are left out.",
                    sheet.not_converged));
  }
  const double coarsest_elo = sheet.coarsest_step * (is_elo(set_up) ? 1.0 : bt::elo_per_natural);
  if (coarsest_elo > 1e-8) {
    say(
        fmt::format("Some replicates are close to separable: their ratings are exact only to about "
                    "{:.2g} Elo.",
                    coarsest_elo));
  }
  for (const std::string& note : view.notes) notes.push_back("Note: " + note + ".");
}

/// Who is not rated, and why.
void add_outsiders(const Sheet& sheet, const std::string& subject,
                   std::vector<std::string>& notes) {
  const PointView& view = sheet.view;
  const auto outsiders = sheet.outsiders();
  if (outsiders.empty()) return;
  notes.emplace_back();
  notes.push_back(fmt::format("{}Not rated: {} of {} players.", subject, outsiders.size(),
                              view.listed_name.size()));
  const auto without = std::count_if(outsiders.begin(), outsiders.end(), [](const auto& player) {
    return player.second == bt_inputs::no_given_rating;
  });
  if (without > 0) {
    notes.push_back(fmt::format("  {} of them: {} (table --format csv has their names)", without,
                                bt_inputs::no_given_rating));
  }
  for (const auto& [i, reason] : outsiders) {
    if (reason == bt_inputs::no_given_rating) continue;
    const double wins = view.listed_wins[i];
    notes.push_back(fmt::format("  {}: {} ({:.0f} games{})", printable(view.listed_name[i]), reason,
                                view.listed_games[i],
                                std::isnan(wins) ? "" : fmt::format(", {} wins", shortest(wins))));
  }
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  const std::vector<Sheet> sheets = read_sheets(file, set_up, request);
  const std::vector<std::string> labels = point_labels(set_up);
  const bool is_unnamed = labels.size() == 1 && labels[0] == unnamed_point;
  const auto subject_of = [&](const Sheet& sheet) {
    return is_unnamed ? "" : sheet.view.label + ": ";
  };

  Report report;
  const std::string title = fmt::format("Bradley–Terry ratings ({})", units_of(set_up));
  if (is_unnamed) {
    report.title = heading_of(set_up, sheets[0], title + " of");
  } else {
    report.title = {
        fmt::format("{} at {} point{}", title, sheets.size(), sheets.size() == 1 ? "" : "s")};
  }
  report.table = empty_table(set_up);
  for (const Sheet& sheet : sheets) {
    report.done += sheet.done;
    report.total += sheet.total;
    if (!is_unnamed) {
      report.table.begin_section(heading_of(set_up, sheet, printable(sheet.view.label) + ":"));
    }
    report.table.at_point(sheet.view.label);
    std::int64_t rank = 0;
    for (const std::size_t i : sheet.order) add_rated(report.table, set_up, sheet, i, ++rank);
    for (const auto& [i, reason] : sheet.outsiders()) {
      add_outsider(report.table, set_up, sheet, i, reason);
    }
    if (const std::string text = comparison_of(sheet); !text.empty()) {
      report.notes.push_back(subject_of(sheet) + text);
    }
  }
  if (!report.notes.empty()) report.notes.emplace_back();
  add_legend(set_up, sheets, report.notes);
  if (!is_unnamed && std::any_of(sheets.begin(), sheets.end(),
                                 [](const Sheet& sheet) { return sheet.view.draws_total > 0; })) {
    report.notes.push_back("Some games were drawn" + on_draws(set_up));
  }
  for (const Sheet& sheet : sheets) add_remarks(set_up, sheet, subject_of(sheet), report.notes);
  for (const Sheet& sheet : sheets) add_outsiders(sheet, subject_of(sheet), report.notes);
  print(report, request, out);
}

}  // namespace banzuke::bt_uncertainty
