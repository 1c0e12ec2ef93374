#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <ostream>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/moments.hpp"
#include "jobs/bt_uncertainty.hpp"
#include "jobs/table.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

constexpr std::size_t tile_values = std::size_t{8} << 20;  // 64 MiB of doubles

/// Everything the sheet shows.
struct Sheet {
  const Layout& layout;
  Bundle set_up;
  std::vector<bt::Summary> summaries;  ///< [rated]
  std::vector<std::size_t> order;      ///< rated players by rating, best first
  std::uint64_t most = 0;              ///< replicates asked for
  std::uint64_t total = 0;             ///< of these, needed
  std::uint64_t done = 0, ok = 0, unsolvable = 0, not_converged = 0;
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
  sheet.summaries = summarise_players(file, sheet.set_up, all.count);
  sheet.order.resize(players);
  std::iota(sheet.order.begin(), sheet.order.end(), std::size_t{0});
  std::stable_sort(sheet.order.begin(), sheet.order.end(),
                   [&](std::size_t a, std::size_t b) { return truth[a] > truth[b]; });
  const auto counts = file.status_counts()[0];
  sheet.most = all.count;
  sheet.total = all.count - counts[status_not_needed];
  sheet.done = sheet.total - counts[status_missing];
  sheet.ok = counts[status_ok];
  sheet.unsolvable = counts[status_unsolvable];
  sheet.not_converged = counts[status_not_converged];
  for (const double step : file.read_doubles(field_last_step, 0, all)) {
    if (step > sheet.coarsest_step) sheet.coarsest_step = step;
  }
  return sheet;
}

bool has_comparison(const Sheet& sheet) {
  return sheet.set_up.has("published_standard_uncertainty");
}

/// Type-7 quantile of sorted values.
double quantile(const std::vector<double>& sorted, double probability) {
  const double at = probability * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

/// Unrated listed players, with the reason, in the order of the input.
std::vector<std::pair<std::size_t, std::string>> outsiders(const Sheet& sheet) {
  std::vector<std::pair<std::size_t, std::string>> out;
  const auto standings = sheet.set_up.integers("listed_standing");
  const bool given = sheet.set_up.scalar_string("truth") == "given ratings";
  for (std::size_t i = 0; i < standings.size(); ++i) {
    const auto standing = static_cast<bt::Standing>(standings[i]);
    if (standing == bt::Standing::rated) continue;
    out.emplace_back(i, given ? "no given rating, or not connected by games"
                              : std::string(bt::describe(standing)));
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
      ratios.size(), quantile(ratios, 0.5), quantile(ratios, 0.25), quantile(ratios, 0.75));
}

void print_footnotes(const Sheet& sheet, std::ostream& out) {
  const Bundle& set_up = sheet.set_up;
  const auto say = [&](const std::string& text) { out << text << '\n'; };
  say(fmt::format(
      "\nuncertainty: standard deviation of the refitted rating about its replicate mean "
      "(one sigma), relative to {}.",
      sheet.relative_to()));
  if (std::any_of(sheet.summaries.begin(), sheet.summaries.end(),
                  [&](const bt::Summary& s) { return s.valid < sheet.done; })) {
    say("(n): the player could be rated in n replicates only; the others, in which the player won "
        "or lost too one-sidedly to be rated, are left out, so the uncertainty is understated.");
  }
  say("games: against rated players. error: standard error from the inverse Fisher information. "
      "bias: mean of the replicates "
      "minus the rating.");
  const auto draws = set_up.scalar_integer("draws_total");
  if (draws > 0) {
    say(
        fmt::format("{} of {} games were drawn. Simulated games are decisive, which overstates the "
                    "uncertainty where draws were common.",
                    draws, set_up.scalar_integer("games_total")));
  }
  if (sheet.unsolvable > 0) {
    say(fmt::format("{} replicates left fewer than two players to rate.", sheet.unsolvable));
  }
  if (sheet.not_converged > 0) {
    say(fmt::format("WARNING: {} replicates did not converge and are left out.",
                    sheet.not_converged));
  }
  if (set_up.scalar_integer("unit_is_elo") == 1 && sheet.coarsest_step > 1e-8) {
    say(
        fmt::format("Some replicates are close to separable: their ratings are exact only to about "
                    "{:.2g} Elo.",
                    sheet.coarsest_step));
  }
  for (const std::string& note : set_up.strings("notes")) say("Note: " + note + ".");
  const auto out_players = outsiders(sheet);
  if (out_players.empty()) return;
  const bool given = set_up.scalar_string("truth") == "given ratings";
  say(fmt::format("\nNot rated: {} of {} players.", out_players.size(),
                  set_up.strings("listed_name").size()));
  if (given) return;  // one reason for all, told in a note; the CSV lists them
  for (const auto& [i, reason] : out_players) {
    say(fmt::format("  {}: {} ({:.0f} games, {} wins)", set_up.strings("listed_name")[i], reason,
                    set_up.doubles("listed_games")[i], shortest(set_up.doubles("listed_wins")[i])));
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
              : fmt::format("{} replicates\n\n", sheet.total));

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
      row.push_back(std::isnan(published) ? "-"
                    : std::isnan(replicates)
                        ? fixed(published, 0)
                        : fmt::format("{} ({:.0f})", fixed(published, 0), replicates));
      row.push_back(published > 0 && s.sd > 0 ? fixed(s.sd / published, 2) : "-");
    }
    table.add(row);
  }
  table.print_text(out);
  if (has_comparison(sheet)) print_comparison(sheet, out);
  print_footnotes(sheet, out);
}

}  // namespace

std::vector<bt::Summary> summarise_players(const ResultFile& file, const Bundle& set_up,
                                           std::uint64_t count) {
  const std::size_t players = file.layout().width(field_rating);
  const auto truth = set_up.doubles("rated_rating");
  std::vector<bt::Summary> out;
  // Column by column, as many at a time as memory allows.
  const std::size_t width = std::clamp<std::size_t>(tile_values / count, 1, players);
  std::vector<double> column(count);
  for (std::size_t begin = 0; begin < players; begin += width) {
    const std::size_t columns = std::min(width, players - begin);
    const auto tile =
        file.read_doubles(field_rating, 0, ReplicateRange{0, count}, ElementRange{begin, columns});
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t row = 0; row < count; ++row) column[row] = tile[row * columns + i];
      out.push_back(bt::summarise(column, truth[begin + i]));
    }
  }
  return out;
}

bool is_known_enough(const ResultFile& file, std::size_t, std::uint64_t count) {
  const Bundle set_up = file.read_setup();
  const double wanted = set_up.scalar_double("stop_relative_error");
  if (!(wanted > 0)) return false;
  const bool has_reference = set_up.scalar_integer("anchor_is_mean") == 0;
  const auto reference = static_cast<std::size_t>(set_up.scalar_integer("anchor_player"));
  const std::vector<bt::Summary> summaries = summarise_players(file, set_up, count);
  for (std::size_t i = 0; i < summaries.size(); ++i)
    if (!(has_reference && i == reference) && !(summaries[i].sd_error <= wanted * summaries[i].sd))
      return false;
  return true;
}

void tabulate(const ResultFile& file, TableFormat format, std::ostream& out) {
  const Sheet sheet = read_sheet(file);
  if (format == TableFormat::csv) {
    print_csv(sheet, out);
  } else {
    print_text(sheet, out);
  }
}

}  // namespace banzuke::bt_uncertainty
