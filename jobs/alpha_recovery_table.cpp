#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "engine/base/text.hpp"
#include "engine/models/dirichlet_multinomial/recovery.hpp"
#include "jobs/alpha_recovery.hpp"
#include "jobs/rank_data.hpp"
#include "jobs/table.hpp"

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

void print_csv(const std::vector<Sheet>& sheets, std::uint64_t total, std::ostream& out) {
  std::vector<Table::Column> columns;
  for (const char* name :
       {"rule", "k", "players", "alpha", "mean_games", "replicates_done", "replicates_total",
        "finite", "mean_alpha", "relative_bias", "relative_bias_error", "relative_rmse",
        "sd_log_alpha", "sd_log_alpha_error", "mean_standard_error", "mean_standard_error_error"}) {
    columns.push_back({name});
  }
  for (const char* name :
       {"wald_coverage", "profile_coverage", "infinite", "zero", "flat", "bimodal"}) {
    for (const char* ending : {"", "_error", "_count", "_of"}) {
      columns.push_back({fmt::format("{}{}", name, ending)});
    }
  }
  Table table(columns);
  for (const Sheet& sheet : sheets) {
    const dm::RecoverySummary& s = sheet.summary;
    std::vector<std::string> row{sheet.rule, fmt::format("{}", sheet.ranks),
                                 fmt::format("{}", sheet.players)};
    for (const double value :
         {sheet.alpha, sheet.mean_games, s.replicates, static_cast<double>(total), s.finite,
          s.mean_alpha, s.relative_bias, s.relative_bias_error, s.relative_rmse, s.sd_log_alpha,
          s.sd_log_alpha_error, s.mean_standard_error, s.mean_standard_error_error}) {
      row.push_back(csv_number(value));
    }
    for (const dm::Share* share :
         {&s.wald_coverage, &s.profile_coverage, &s.infinite, &s.zero, &s.flat, &s.bimodal}) {
      for (const double value : {share->value, share->standard_error, share->count, share->of}) {
        row.push_back(csv_number(value));
      }
    }
    table.add(row);
  }
  table.print_csv(out);
}

std::string with_error(double value, double error, double scale, int decimals) {
  if (!std::isfinite(value)) return "-";
  if (!std::isfinite(error)) return fixed(scale * value, decimals);
  return fmt::format("{} ± {}", fixed(scale * value, decimals), fixed(scale * error, decimals));
}

std::string with_error(const dm::Share& share) {
  return with_error(share.value, share.standard_error, 100, 1);
}

void print_text(const std::vector<Sheet>& sheets, std::uint64_t total, double confidence,
                std::ostream& out) {
  double done = 0, zero = 0, flat = 0, bimodal = 0;
  for (const Sheet& sheet : sheets) {
    done += sheet.summary.replicates;
    zero += sheet.summary.zero.count;
    flat += sheet.summary.flat.count;
    bimodal += sheet.summary.bimodal.count;
  }
  const double wanted = static_cast<double>(total * sheets.size());
  out << fmt::format("Recovery of alpha: {} population{} simulated and refitted\n", sheets.size(),
                     sheets.size() == 1 ? "" : "s");
  out << (done < wanted ? fmt::format("UNFINISHED: {} of {} replicates\n\n", done, wanted)
                        : fmt::format("{} replicates each\n\n", total));
  const std::string level = percent_text(confidence);
  Table table({{"rule", Table::Align::left},
               {"k"},
               {"players"},
               {"games"},
               {"alpha"},
               {"replicates"},
               {"bias %"},
               {"RMSE %"},
               {"sd of log"},
               {"mean error"},
               {fmt::format("Wald {}", level)},
               {fmt::format("profile {}", level)},
               {"infinite %"}});
  for (const Sheet& sheet : sheets) {
    const dm::RecoverySummary& s = sheet.summary;
    table.add(
        {sheet.rule, fmt::format("{}", sheet.ranks), fmt::format("{}", sheet.players),
         fixed(sheet.mean_games, 1), shortest(sheet.alpha),
         s.replicates < static_cast<double>(total) ? fmt::format("{} of {}", s.replicates, total)
                                                   : fmt::format("{}", total),
         with_error(s.relative_bias, s.relative_bias_error, 100, 2),
         fixed(100 * s.relative_rmse, 2), with_error(s.sd_log_alpha, s.sd_log_alpha_error, 1, 5),
         with_error(s.mean_standard_error, s.mean_standard_error_error, 1, 5),
         with_error(s.wald_coverage), with_error(s.profile_coverage), with_error(s.infinite)});
  }
  table.print_text(out);
  out << "\ngames: mean of a player. bias, RMSE: of finite estimates, relative to alpha. sd of "
         "log: standard deviation of log estimates; mean error: mean of their standard errors; the "
         "two should agree. ±: one standard error of the simulation, binomial for shares.\n";
  out << "Wald: share of finite estimates whose interval covers alpha. profile: the same of all "
         "likelihood intervals, those without an upper end included.\n";
  if (zero + flat + bimodal > 0) {
    out << fmt::format(
        "Other verdicts: {} zero (alpha tends to 0), {} flat (nothing to estimate), {} bimodal "
        "(two maxima).\n",
        zero, flat, bimodal);
  }
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  const std::vector<Sheet> sheets = read_sheets(file, set_up);
  if (request.format == TableFormat::csv) {
    print_csv(sheets, file.layout().replicates, out);
  } else {
    print_text(sheets, file.layout().replicates, set_up.scalar_double("confidence"), out);
  }
}

}  // namespace banzuke::alpha_recovery
