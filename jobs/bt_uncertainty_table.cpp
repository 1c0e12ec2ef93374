#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_inputs.hpp"
#include "jobs/bt_uncertainty.hpp"
#include "jobs/bt_uncertainty_sheet.hpp"
#include "jobs/table.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

void print_csv(const Bundle& set_up, const std::vector<Sheet>& sheets, std::ostream& out) {
  std::vector<Table::Column> columns{{"point"},
                                     {"rank"},
                                     {"name"},
                                     {"rating"},
                                     {"standard_error"},
                                     {"standard_uncertainty"},
                                     {"replicates_valid"},
                                     {"bias"},
                                     {"mean"},
                                     {"standard_uncertainty_error"},
                                     {"quantile_2.5"},
                                     {"quantile_16"},
                                     {"quantile_50"},
                                     {"quantile_84"},
                                     {"quantile_97.5"},
                                     {"games"},
                                     {"wins"},
                                     {"replicates_done"},
                                     {"replicates_total"},
                                     {"replicates_unsolvable"},
                                     {"replicates_not_converged"},
                                     {"relative_to"},
                                     {"unit"},
                                     {"standing"}};
  const bool has_published = set_up.has("published_standard_uncertainty");
  if (has_published) {
    columns.push_back({"published_standard_uncertainty"});
    columns.push_back({"published_replicates"});
  }
  Table table(columns);
  const std::string relative = relative_to(set_up), units = units_of(set_up);
  for (const Sheet& sheet : sheets) {
    const PointView& view = sheet.view;
    const auto progress = [&](std::vector<std::string>& row) {
      for (const std::uint64_t n :
           {sheet.done, sheet.total, sheet.unsolvable, sheet.not_converged}) {
        row.push_back(fmt::format("{}", n));
      }
      row.push_back(relative);
      row.push_back(units);
    };
    std::size_t rank = 0;
    for (const std::size_t i : sheet.order) {
      const bt::Summary& s = sheet.summaries[i];
      std::vector<std::string> row{view.label,
                                   fmt::format("{}", ++rank),
                                   view.name(i),
                                   csv_number(view.rating[i]),
                                   csv_number(view.standard_error[i]),
                                   csv_number(s.sd),
                                   fmt::format("{}", s.valid),
                                   csv_number(s.bias),
                                   csv_number(s.mean),
                                   csv_number(s.sd_error)};
      for (const double q : s.quantiles) row.push_back(csv_number(q));
      row.push_back(csv_number(view.games[i]));
      row.push_back(csv_number(view.listed_wins[static_cast<std::size_t>(view.place[i])]));
      progress(row);
      row.push_back(view.is_reference(i) ? "reference" : "rated");
      if (has_published) {
        row.push_back(csv_number(view.published_uncertainty[i]));
        row.push_back(csv_number(view.published_replicates[i]));
      }
      table.add(row);
    }
    for (const auto& [i, reason] : sheet.outsiders()) {
      std::vector<std::string> row(15);
      row[0] = view.label;
      row[2] = view.listed_name[i];
      row.push_back(csv_number(view.listed_games[i]));
      row.push_back(csv_number(view.listed_wins[i]));
      progress(row);
      row.push_back(reason);
      row.resize(columns.size());
      table.add(row);
    }
  }
  table.print_csv(out);
}

/// "61" or, where some replicates could not rate the player, "61 (942)".
std::string with_count(double sd, std::uint64_t valid, std::uint64_t total, int decimals) {
  return valid < total ? fmt::format("{} ({})", fixed(sd, decimals), valid) : fixed(sd, decimals);
}

void print_comparison(const Sheet& sheet, std::ostream& out) {
  std::vector<double> ratios;
  const auto published = sheet.view.published_uncertainty;
  for (std::size_t i = 0; i < sheet.summaries.size(); ++i) {
    if (published[i] > 0 && sheet.summaries[i].sd > 0) {
      ratios.push_back(sheet.summaries[i].sd / published[i]);
    }
  }
  if (ratios.empty()) return;
  std::sort(ratios.begin(), ratios.end());
  out << fmt::format(
      "\nOurs / published uncertainty over {} players: median {:.3f}, quartiles "
      "{:.3f} and {:.3f}.\n",
      ratios.size(), bt::sorted_quantile(ratios, 0.5), bt::sorted_quantile(ratios, 0.25),
      bt::sorted_quantile(ratios, 0.75));
}

/// What the columns of all sheets mean, and what the user should know of the whole input.
void print_legend(const Bundle& set_up, const std::vector<Sheet>& sheets, std::ostream& out) {
  out << fmt::format(
      "\nuncertainty: standard deviation of the refitted rating about its replicate mean "
      "(one sigma), relative to {}.\n",
      printable(relative_to(set_up)));
  if (std::any_of(sheets.begin(), sheets.end(),
                  [](const Sheet& sheet) { return sheet.has_few_valid(); })) {
    out << "(n): the player could be rated in n replicates only; the others, in which no chain of "
           "wins led both ways between the player and the rated, are left out, so the uncertainty "
           "is understated.\n";
  }
  out << "games: against rated players. error: standard error from the inverse Fisher "
         "information. bias: mean of the replicates minus the rating.\n";
  for (const std::string& note : general_notes(set_up)) out << "Note: " << note << ".\n";
}

/// What the user should know of one point.
void print_remarks(const Bundle& set_up, const Sheet& sheet, std::ostream& out) {
  const PointView& view = sheet.view;
  const auto say = [&](const std::string& text) { out << text << '\n'; };
  if (view.draws_total > 0) {
    say(fmt::format("{} of {} games were drawn{}", view.draws_total, view.games_total,
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
  const double coarsest_elo = sheet.coarsest_step * (is_elo(set_up) ? 1.0 : bt::elo_per_natural);
  if (coarsest_elo > 1e-8) {
    say(
        fmt::format("Some replicates are close to separable: their ratings are exact only to about "
                    "{:.2g} Elo.",
                    coarsest_elo));
  }
  for (const std::string& note : view.notes) say("Note: " + note + ".");
  const auto out_players = sheet.outsiders();
  if (out_players.empty()) return;
  say(fmt::format("\nNot rated: {} of {} players.", out_players.size(), view.listed_name.size()));
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
}

void print_heading(const Bundle& set_up, const Sheet& sheet, std::ostream& out) {
  const PointView& view = sheet.view;
  out << fmt::format("Bradley–Terry ratings ({}) of {} players, {} games; truth: {}\n",
                     units_of(set_up), sheet.summaries.size(), view.games_rated,
                     set_up.scalar_string("truth"));
  if (view.log_likelihood) {
    out << fmt::format("log-likelihood {:.6f}, deviance {:.4f} over {} pairs\n",
                       *view.log_likelihood, *view.deviance, view.schedule.size());
  }
  out << (sheet.done < sheet.total
              ? fmt::format("UNFINISHED: {} of {} replicates\n\n", sheet.done, sheet.total)
          : sheet.total < sheet.most
              ? fmt::format("{} of at most {} replicates: every uncertainty is known to {}%\n\n",
                            sheet.total, sheet.most,
                            shortest(100 * set_up.scalar_double("stop_relative_error")))
              : fmt::format("{} replicate{}\n\n", sheet.total, sheet.total == 1 ? "" : "s"));
}

void print_players(const Bundle& set_up, const Sheet& sheet, std::ostream& out) {
  using enum Table::Align;
  const PointView& view = sheet.view;
  const int decimals = is_elo(set_up) ? 1 : 4;
  const int published_decimals = is_elo(set_up) ? 0 : decimals;
  const bool has_published = view.has_published();
  std::vector<Table::Column> columns{{"rank"},  {"name", left}, {"rating"}, {"uncertainty"},
                                     {"error"}, {"bias"},       {"games"}};
  if (has_published) {
    columns.push_back({"published"});
    columns.push_back({"ratio"});
  }
  Table table(columns);
  std::size_t rank = 0;
  for (const std::size_t i : sheet.order) {
    const bt::Summary& s = sheet.summaries[i];
    const bool reference = view.is_reference(i);
    std::vector<std::string> row{
        fmt::format("{}", ++rank),
        view.name(i),
        fixed(view.rating[i], decimals),
        reference ? "reference" : with_count(s.sd, s.valid, sheet.done, decimals),
        reference ? "" : fixed(view.standard_error[i], decimals),
        reference ? "" : fixed(s.bias, decimals),
        fmt::format("{:.0f}", view.games[i])};
    if (has_published) {
      const double published = view.published_uncertainty[i];
      const double replicates = view.published_replicates[i];
      const std::string text = fixed(published, published_decimals);
      row.push_back(std::isnan(published) || std::isnan(replicates)
                        ? text
                        : fmt::format("{} ({:.0f})", text, replicates));
      row.push_back(published > 0 && s.sd > 0 ? fixed(s.sd / published, 2) : "-");
    }
    table.add(row);
  }
  table.print_text(out);
  if (has_published) print_comparison(sheet, out);
}

void print_text(const Bundle& set_up, const std::vector<Sheet>& sheets, std::ostream& out) {
  // A run of one point without a name has a sheet without a title, and one page of remarks.
  const std::vector<std::string> labels = point_labels(set_up);
  const bool has_titles = labels.size() > 1 || labels[0] != unnamed_point;
  for (const Sheet& sheet : sheets) {
    if (has_titles) out << "=== " << printable(sheet.view.label) << " ===\n";
    print_heading(set_up, sheet, out);
    print_players(set_up, sheet, out);
    if (!has_titles) print_legend(set_up, sheets, out);
    if (has_titles) out << '\n';
    print_remarks(set_up, sheet, out);
    if (has_titles) out << '\n';
  }
  if (has_titles) print_legend(set_up, sheets, out);
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  const std::vector<Sheet> sheets = read_sheets(file, set_up, request);
  if (request.format == TableFormat::csv) {
    print_csv(set_up, sheets, out);
  } else {
    print_text(set_up, sheets, out);
  }
}

}  // namespace banzuke::bt_uncertainty
