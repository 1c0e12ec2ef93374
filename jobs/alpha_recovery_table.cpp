#include <fmt/format.h>

#include <utility>

#include "engine/base/text.hpp"
#include "engine/models/dirichlet_multinomial/recovery.hpp"
#include "jobs/alpha_recovery.hpp"
#include "jobs/rank_data.hpp"
#include "jobs/report.hpp"

namespace banzuke::alpha_recovery {
namespace {

namespace dm = dirichlet_multinomial;

/// A population's replicates, summed up.
struct Sheet {
  std::string rule;
  std::int64_t ranks = 0;
  std::int64_t players = 0;
  double alpha = 0;
  double mean_games = 0;
  dm::RecoverySummary summary;
};

std::vector<dm::RecoveryRecord> read_records(const ResultFile& file, std::size_t point) {
  const RowRange all{0, file.layout().replicates};
  const auto number = [&](std::size_t field) { return file.read_doubles(field, point, all); };
  const auto status = file.read_status(point, all);
  const auto verdict = file.read_integers(field_verdict, point, all);
  const auto alpha = number(field_alpha), error = number(field_standard_error);
  const auto wald_lower = number(field_wald_lower), wald_upper = number(field_wald_upper);
  const auto lower = number(field_profile_lower), upper = number(field_profile_upper);
  const auto games = number(field_games), players = number(field_players);
  std::vector<dm::RecoveryRecord> records;
  for (std::size_t i = 0; i < status.size(); ++i) {
    if (status[i] != status_ok) continue;
    dm::RecoveryRecord record;
    record.verdict = static_cast<dm::Verdict>(verdict[i]);
    record.alpha = alpha[i];
    record.standard_error_log_alpha = error[i];
    record.wald = {wald_lower[i], wald_upper[i]};
    record.profile = {lower[i], upper[i]};
    record.games = games[i];
    record.players = players[i];
    records.push_back(record);
  }
  return records;
}

std::vector<Sheet> read_sheets(const ResultFile& file, const Bundle& set_up) {
  std::vector<Sheet> sheets;
  for (std::size_t point = 0; point < file.layout().points.size(); ++point) {
    const auto records = read_records(file, point);
    Sheet sheet;
    sheet.rule = file.layout().points[point];
    sheet.ranks = set_up.integers("ranks")[point];
    sheet.players = set_up.integers("players")[point];
    sheet.alpha = set_up.doubles("alpha")[point];
    double games = 0, players = 0;
    for (const dm::RecoveryRecord& record : records) {
      games += record.games;
      players += record.players;
    }
    sheet.mean_games = games / players;
    sheet.summary = dm::summarise(sheet.alpha, records);
    sheets.push_back(std::move(sheet));
  }
  return sheets;
}

Table recovery_table(const std::vector<Sheet>& sheets, std::uint64_t total, double confidence) {
  using enum Table::Align;
  const std::string level = percent_text(confidence);
  const std::string simulation = "Monte Carlo standard error (one sigma) of ";
  Table table(
      {{"rule", "rule", "population", "1", left},
       {"k", "k", "number of ranks"},
       {"players", "players", "players of the population"},
       {"alpha", "alpha", "the true concentration"},
       {"mean_games", "games", "games of a player, mean"},
       {"replicates_done", "replicates", "simulated populations so far"},
       {"replicates_total", "replicates wanted", "simulated populations asked for"},
       {"finite", "finite", "replicates with a finite estimate"},
       {"mean_alpha", "mean alpha", "mean of the finite estimates"},
       {"relative_bias", "bias %", "mean of the finite estimates over alpha, minus 1"},
       {"relative_bias_error", "error of bias %", simulation + "relative_bias"},
       {"relative_rmse", "RMSE %", "root mean squared error of the finite estimates over alpha"},
       {"sd_log_alpha", "sd of log",
        "standard deviation of the finite estimates' logarithms over the replicates, one sigma"},
       {"sd_log_alpha_error", "error of sd", simulation + "sd_log_alpha"},
       {"mean_standard_error", "mean error",
        "mean of the estimates' standard errors of log alpha, one sigma"},
       {"mean_standard_error_error", "error of mean error", simulation + "mean_standard_error"}});
  const std::pair<std::string, std::string> shares[] = {
      {"wald_coverage",
       fmt::format("share of finite estimates whose {} Wald interval covers alpha", level)},
      {"profile_coverage",
       fmt::format("share of {} profile-likelihood intervals that cover alpha", level)},
      {"infinite", "share of replicates whose estimate is infinite"},
      {"zero", "share of replicates whose estimate tends to 0"},
      {"flat", "share of replicates with nothing to estimate"},
      {"bimodal", "share of replicates whose likelihood has two maxima"}};
  for (const auto& [name, meaning] : shares) {
    const std::string heading = name == "wald_coverage"      ? fmt::format("Wald {}", level)
                                : name == "profile_coverage" ? fmt::format("profile {}", level)
                                                             : name + " %";
    table.add_column({name, heading, meaning});
    table.add_column(
        {name + "_error", "error of " + heading, "binomial standard error (one sigma) of " + name});
    table.add_column({name + "_count", "count of " + heading, "replicates in " + name});
    table.add_column(
        {name + "_of", "of, " + heading, "replicates of which " + name + " is a share"});
  }
  table.show({"rule", "k", "players", "mean_games", "alpha", "replicates_done", "relative_bias",
              "relative_rmse", "sd_log_alpha", "mean_standard_error", "wald_coverage",
              "profile_coverage", "infinite"});
  for (const Sheet& sheet : sheets) {
    const dm::RecoverySummary& s = sheet.summary;
    table.at_point(sheet.rule);
    const auto done = static_cast<std::uint64_t>(s.replicates);
    std::vector<Cell> row{
        Cell::text(sheet.rule),
        Cell::whole(sheet.ranks),
        Cell::whole(sheet.players),
        Cell::full(sheet.alpha),
        Cell::fixed(sheet.mean_games, 1),
        Cell::whole(done).with_suffix(done < total ? fmt::format(" of {}", total) : ""),
        Cell::whole(total),
        Cell::whole(static_cast<std::uint64_t>(s.finite)),
        Cell::significant(s.mean_alpha, 6),
        Cell::percent(s.relative_bias, 2).with_error(s.relative_bias_error),
        Cell::percent(s.relative_bias_error, 2),
        Cell::percent(s.relative_rmse, 2),
        Cell::fixed(s.sd_log_alpha, 5).with_error(s.sd_log_alpha_error),
        Cell::fixed(s.sd_log_alpha_error, 5),
        Cell::fixed(s.mean_standard_error, 5).with_error(s.mean_standard_error_error),
        Cell::fixed(s.mean_standard_error_error, 5)};
    for (const dm::Share* share :
         {&s.wald_coverage, &s.profile_coverage, &s.infinite, &s.zero, &s.flat, &s.bimodal}) {
      row.push_back(Cell::percent(share->value, 1).with_error(share->standard_error));
      row.push_back(Cell::percent(share->standard_error, 1));
      row.push_back(Cell::count(share->count));
      row.push_back(Cell::count(share->of));
    }
    table.add(row);
  }
  return table;
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  const std::vector<Sheet> sheets = read_sheets(file, set_up);
  const std::uint64_t total = file.layout().replicates;
  Report report;
  report.total = total * sheets.size();
  double zero = 0, flat = 0, bimodal = 0;
  for (const Sheet& sheet : sheets) {
    report.done += static_cast<std::uint64_t>(sheet.summary.replicates);
    zero += sheet.summary.zero.count;
    flat += sheet.summary.flat.count;
    bimodal += sheet.summary.bimodal.count;
  }
  report.title = {fmt::format("Recovery of alpha: {} population{} simulated and refitted",
                              sheets.size(), sheets.size() == 1 ? "" : "s"),
                  report.done < report.total
                      ? fmt::format("UNFINISHED: {} of {} replicates", report.done, report.total)
                      : fmt::format("{} replicates each", total)};
  report.table = recovery_table(sheets, total, set_up.scalar_double("confidence"));
  report.notes = {
      "games: mean of a player. bias, RMSE: of finite estimates, relative to alpha. sd of log: "
      "standard deviation of log estimates; mean error: mean of their standard errors; the two "
      "should agree. ±: one standard error of the simulation, binomial for shares.",
      "Wald: share of finite estimates whose interval covers alpha. profile: the same of all "
      "likelihood intervals, those without an upper end included."};
  if (zero + flat + bimodal > 0) {
    report.notes.push_back(fmt::format(
        "Other verdicts: {} zero (alpha tends to 0), {} flat (nothing to estimate), {} bimodal "
        "(two maxima).",
        zero, flat, bimodal));
  }
  print(report, request, out);
}

}  // namespace banzuke::alpha_recovery
