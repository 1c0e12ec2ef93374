#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <ostream>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/moments.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_inputs.hpp"
#include "jobs/bt_status.hpp"
#include "jobs/bt_uncertainty.hpp"
#include "jobs/table.hpp"

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
  const RowRange all{0, sheet.layout.replicates};
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

void print_csv(const Sheet& sheet, std::ostream& out) {
  using enum Table::Align;
  std::vector<Table::Column> columns{{"rank"},
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
  if (has_comparison(sheet)) {
    columns.push_back({"published_standard_uncertainty"});
    columns.push_back({"published_replicates"});
  }
  Table table(columns);
  const Bundle& set_up = sheet.set_up;
  std::size_t rank = 0;
  const auto progress = [&](std::vector<std::string>& row) {
    row.push_back(fmt::format("{}", sheet.done));
    row.push_back(fmt::format("{}", sheet.total));
    row.push_back(fmt::format("{}", sheet.unsolvable));
    row.push_back(fmt::format("{}", sheet.not_converged));
    row.push_back(sheet.relative_to());
    row.push_back(sheet.units());
  };
  for (const std::size_t i : sheet.order) {
    const bt::Summary& s = sheet.summaries[i];
    std::vector<std::string> row{fmt::format("{}", ++rank),
                                 set_up.strings("rated_name")[i],
                                 csv_number(sheet.rating(i)),
                                 csv_number(set_up.doubles("rated_standard_error")[i]),
                                 csv_number(s.sd),
                                 fmt::format("{}", s.valid),
                                 csv_number(s.bias),
                                 csv_number(s.mean),
                                 csv_number(s.sd_error)};
    for (const double q : s.quantiles) row.push_back(csv_number(q));
    row.push_back(csv_number(set_up.doubles("rated_games")[i]));
    row.push_back(csv_number(set_up.doubles("listed_wins")[sheet.listed(i)]));
    progress(row);
    row.push_back(sheet.is_reference(i) ? "reference" : "rated");
    if (has_comparison(sheet)) {
      row.push_back(csv_number(set_up.doubles("published_standard_uncertainty")[i]));
      row.push_back(csv_number(set_up.doubles("published_replicates")[i]));
    }
    table.add(row);
  }
  for (const auto& [i, reason] : outsiders(sheet)) {
    std::vector<std::string> row(14);
    row[1] = set_up.strings("listed_name")[i];
    row.push_back(csv_number(set_up.doubles("listed_games")[i]));
    row.push_back(csv_number(set_up.doubles("listed_wins")[i]));
    progress(row);
    row.push_back(reason);
    row.resize(columns.size());
    table.add(row);
  }
  table.print_csv(out);
}

/// "61" or, where some replicates could not rate the player, "61 (942)".
std::string with_count(double sd, std::uint64_t valid, std::uint64_t total, int decimals) {
  return valid < total ? fmt::format("{} ({})", fixed(sd, decimals), valid) : fixed(sd, decimals);
}

void print_comparison(const Sheet& sheet, std::ostream& out) {
  std::vector<double> ratios;
  const auto published = sheet.set_up.doubles("published_standard_uncertainty");
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

void print_footnotes(const Sheet& sheet, std::ostream& out) {
  const Bundle& set_up = sheet.set_up;
  const auto say = [&](const std::string& text) { out << text << '\n'; };
  say(fmt::format(
      "\nuncertainty: standard deviation of the refitted rating about its replicate mean "
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
  if (out_players.empty()) return;
  say(fmt::format("\nNot rated: {} of {} players.", out_players.size(),
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
}

void print_text(const Sheet& sheet, std::ostream& out) {
  using enum Table::Align;
  const Bundle& set_up = sheet.set_up;
  const bool elo = set_up.scalar_integer("unit_is_elo") == 1;
  const int decimals = elo ? 1 : 4;
  out << fmt::format("Bradley–Terry ratings ({}) of {} players, {} games; truth: {}\n",
                     sheet.units(), sheet.summaries.size(), set_up.scalar_integer("games_rated"),
                     set_up.scalar_string("truth"));
  if (set_up.has("log_likelihood")) {
    out << fmt::format("log-likelihood {:.6f}, deviance {:.4f} over {} pairs\n",
                       set_up.scalar_double("log_likelihood"), set_up.scalar_double("deviance"),
                       set_up.integers("pair_games").size());
  }
  out << (sheet.done < sheet.total
              ? fmt::format("UNFINISHED: {} of {} replicates\n\n", sheet.done, sheet.total)
          : sheet.total < sheet.most
              ? fmt::format("{} of at most {} replicates: every uncertainty is known to {}%\n\n",
                            sheet.total, sheet.most,
                            shortest(100 * set_up.scalar_double("stop_relative_error")))
              : fmt::format("{} replicate{}\n\n", sheet.total, sheet.total == 1 ? "" : "s"));

  std::vector<Table::Column> columns{{"rank"},  {"name", left}, {"rating"}, {"uncertainty"},
                                     {"error"}, {"bias"},       {"games"}};
  if (has_comparison(sheet)) {
    columns.push_back({"published"});
    columns.push_back({"ratio"});
  }
  Table table(columns);
  std::size_t rank = 0;
  for (const std::size_t i : sheet.order) {
    const bt::Summary& s = sheet.summaries[i];
    const bool reference = sheet.is_reference(i);
    std::vector<std::string> row{
        fmt::format("{}", ++rank),
        set_up.strings("rated_name")[i],
        fixed(sheet.rating(i), decimals),
        reference ? "reference" : with_count(s.sd, s.valid, sheet.done, decimals),
        reference ? "" : fixed(set_up.doubles("rated_standard_error")[i], decimals),
        reference ? "" : fixed(s.bias, decimals),
        fmt::format("{:.0f}", set_up.doubles("rated_games")[i])};
    if (has_comparison(sheet)) {
      const double published = set_up.doubles("published_standard_uncertainty")[i];
      const double replicates = set_up.doubles("published_replicates")[i];
      row.push_back(
          std::isnan(published) ? "-"
          : std::isnan(replicates)
              ? fixed(published, elo ? 0 : decimals)
              : fmt::format("{} ({:.0f})", fixed(published, elo ? 0 : decimals), replicates));
      row.push_back(published > 0 && s.sd > 0 ? fixed(s.sd / published, 2) : "-");
    }
    table.add(row);
  }
  table.print_text(out);
  if (has_comparison(sheet)) print_comparison(sheet, out);
  print_footnotes(sheet, out);
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Sheet sheet = read_sheet(file);
  if (request.format == TableFormat::csv) {
    print_csv(sheet, out);
  } else {
    print_text(sheet, out);
  }
}

}  // namespace banzuke::bt_uncertainty
