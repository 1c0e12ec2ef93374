#include <fmt/format.h>

#include <cmath>
#include <string_view>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/models/dirichlet_multinomial/fit_summary.hpp"
#include "jobs/alpha_fit.hpp"
#include "jobs/rank_data.hpp"
#include "jobs/report.hpp"

namespace banzuke::alpha_fit {
namespace {

namespace dm = dirichlet_multinomial;

/// A data set's fits, read back.
struct Sheet {
  std::string rule;
  std::int64_t players = 0;
  bool done = false;
  dm::SymmetricFit fit;
  dm::AsymmetricFit asymmetric;
  dm::SymmetryTest symmetry;
};

std::vector<Sheet> read_sheets(const ResultFile& file, const Bundle& set_up) {
  std::vector<Sheet> sheets;
  const auto ranks = set_up.integers("ranks");
  for (std::size_t point = 0; point < file.layout().points.size(); ++point) {
    const RowRange all{0, 1};
    Sheet sheet;
    sheet.rule = file.layout().points[point];
    sheet.players = set_up.integers("players")[point];
    sheet.done = file.read_status(point, all)[0] == status_ok;
    const auto number = [&](std::size_t field) { return file.read_doubles(field, point, all)[0]; };
    const auto k = static_cast<std::size_t>(ranks[point]);
    const auto by_rank = [&](std::size_t field) {
      return file.read_doubles(field, point, all, ElementRange{0, k});
    };
    const auto verdict = [&](std::size_t field) {
      return static_cast<dm::Verdict>(file.read_integers(field, point, all)[0]);
    };
    dm::SymmetricFit& fit = sheet.fit;
    fit.verdict = verdict(field_verdict);
    fit.alpha = number(field_alpha);
    fit.standard_error_log_alpha = number(field_standard_error);
    fit.log_likelihood = number(field_log_likelihood);
    fit.log_likelihood_at_infinity = number(field_log_likelihood_at_infinity);
    fit.second_alpha = number(field_second_alpha);
    fit.second_log_likelihood = number(field_second_log_likelihood);
    fit.wald = {number(field_wald_lower), number(field_wald_upper)};
    fit.profile = {number(field_profile_lower), number(field_profile_upper)};
    fit.overdispersion = number(field_overdispersion);
    fit.ranks = static_cast<int>(k);
    fit.players = number(field_players);
    fit.games = number(field_games);
    dm::AsymmetricFit& asymmetric = sheet.asymmetric;
    asymmetric.verdict = verdict(field_asymmetric_verdict);
    asymmetric.alpha = by_rank(field_asymmetric_alpha);
    asymmetric.mean = by_rank(field_asymmetric_mean);
    asymmetric.standard_error_log_alpha = by_rank(field_asymmetric_standard_error);
    asymmetric.log_likelihood = number(field_asymmetric_log_likelihood);
    sheet.symmetry = sheet.done ? dm::test_symmetry(fit, asymmetric) : dm::SymmetryTest{};
    if (fit.verdict == dm::Verdict::flat) sheet.symmetry.p_value = std::nan("");
    sheets.push_back(std::move(sheet));
  }
  return sheets;
}

/// A number with what it is called where it is none: never a bare infinity.
std::string alpha_text(double alpha) {
  if (std::isnan(alpha)) return "none";
  if (std::isinf(alpha)) return "infinite";
  return alpha == 0 ? "→ 0" : fmt::format("{:.5g}", alpha);
}

/// An alpha or an end of its interval.
Cell alpha_cell(double alpha, std::string_view where_none = "none") {
  return std::isnan(alpha)                 ? Cell::full(alpha).shown_as(std::string(where_none))
         : std::isinf(alpha) || alpha == 0 ? Cell::significant(alpha, 5).shown_as(alpha_text(alpha))
                                           : Cell::significant(alpha, 5);
}

Table fit_table(const std::vector<Sheet>& sheets, std::size_t most_ranks, double confidence) {
  using enum Table::Align;
  const std::string level = percent_text(confidence);
  const std::string profile = fmt::format("end of the {} profile-likelihood interval", level);
  const std::string wald = fmt::format("end of the {} Wald interval, normal in log alpha", level);
  Table table(
      {{"rule", "rule", "data set", "1", left},
       {"k", "k", "number of ranks"},
       {"players", "players", "players in the file"},
       {"games", "games", "games of all players"},
       {"alpha", "alpha", "concentration of maximum likelihood"},
       {"standard_error_log_alpha", "error of log",
        "standard error of log alpha from the observed information, one sigma"},
       {"lower", fmt::format("{} from", level), "lower " + profile},
       {"upper", "to", "upper " + profile},
       {"verdict", "verdict", "whether a finite alpha exists", "1", left},
       {"wald_lower", "Wald from", "lower " + wald},
       {"wald_upper", "Wald to", "upper " + wald},
       {"second_alpha", "second alpha", "place of a second maximum"},
       {"log_likelihood", "log-likelihood", "at alpha"},
       {"log_likelihood_at_infinity", "log-likelihood at infinity", "of equal skill"},
       {"second_log_likelihood", "second log-likelihood", "at the second alpha"},
       {"overdispersion", "overdispersion", "score of equal skill against spread"},
       {"symmetry_statistic", "chi-squared", "likelihood-ratio statistic: are all ranks alike?"},
       {"symmetry_df", "df", "degrees of freedom of symmetry_statistic"},
       {"symmetry_p", "p", "p-value of symmetry_statistic"},
       {"asymmetric_verdict", "verdict by rank",
        "whether finite alphas exist when each rank has its own", "1", left}});
  for (const auto& [name, meaning] :
       {std::pair{"alpha", "alpha of this rank when each has its own"},
        {"mean", "mean probability of this rank when each has its own alpha"},
        {"standard_error_log_alpha", "standard error of log alpha of this rank, one sigma"}}) {
    for (std::size_t j = 1; j <= most_ranks; ++j) {
      table.add_column({fmt::format("asymmetric_{}_{}", name, j),
                        fmt::format("{} of rank {}", name, j), meaning});
    }
  }
  table.add_column({"sentence", "in words", "the verdict as a sentence", "1", left});
  table.add_column({"uncertainty", "uncertainty",
                    "standard error of alpha: alpha times that of log alpha, one sigma", "1", right,
                    false});
  table.show(
      {"rule", "k", "players", "games", "alpha", "uncertainty", "lower", "upper", "verdict"});
  for (const Sheet& sheet : sheets) {
    const dm::SymmetricFit& fit = sheet.fit;
    table.at_point(sheet.rule);
    std::vector<Cell> row{Cell::text(sheet.rule), Cell::whole(std::int64_t{fit.ranks}),
                          Cell::whole(sheet.players)};
    if (!sheet.done) {
      const Cell none = Cell().shown_as("-");
      row.resize(table.width(), none);
      row[8] = Cell::text("missing");
      table.add(row);
      continue;
    }
    row.insert(
        row.end(),
        {Cell::count(fit.games), alpha_cell(fit.alpha),
         Cell::significant(fit.standard_error_log_alpha, 3), alpha_cell(fit.profile.lower, "-"),
         alpha_cell(fit.profile.upper, "-"), Cell::text(std::string(dm::name(fit.verdict))),
         alpha_cell(fit.wald.lower, "-"), alpha_cell(fit.wald.upper, "-"),
         alpha_cell(fit.second_alpha, "-"), Cell::fixed(fit.log_likelihood, 4),
         Cell::fixed(fit.log_likelihood_at_infinity, 4), Cell::fixed(fit.second_log_likelihood, 4),
         Cell::significant(fit.overdispersion, 4), Cell::fixed(sheet.symmetry.statistic, 2),
         Cell::whole(std::int64_t{sheet.symmetry.degrees_of_freedom}),
         Cell::significant(sheet.symmetry.p_value, 3),
         Cell::text(std::string(dm::name(sheet.asymmetric.verdict)))});
    for (const auto* values : {&sheet.asymmetric.alpha, &sheet.asymmetric.mean,
                               &sheet.asymmetric.standard_error_log_alpha}) {
      for (std::size_t j = 0; j < most_ranks; ++j) {
        row.push_back(j < values->size() ? Cell::significant((*values)[j], 5) : Cell());
      }
    }
    row.push_back(Cell::text(dm::sentence(fit)));
    row.push_back(Cell::significant(fit.alpha * fit.standard_error_log_alpha, 3));
    table.add(row);
  }
  return table;
}

Report symmetry_report(const std::vector<Sheet>& sheets) {
  using enum Table::Align;
  Report report;
  report.table = Table({{"rule", "rule", "data set", "1", left},
                        {"alphas", "alpha of each rank, best first",
                         "alpha of each rank when each has its own", "1", left},
                        {"symmetry_statistic", "chi-squared", "likelihood-ratio statistic"},
                        {"symmetry_df", "df", "degrees of freedom"},
                        {"symmetry_p", "p", "p-value"}});
  report.table.begin_section(
      {"Are all ranks alike? Fit with an alpha for each rank, and likelihood-ratio test:"});
  for (const Sheet& sheet : sheets) {
    if (!sheet.done || std::isnan(sheet.symmetry.p_value)) continue;
    std::vector<std::string> alphas;
    for (const double alpha : sheet.asymmetric.alpha) {
      alphas.push_back(alpha == 0 && sheet.asymmetric.verdict == dm::Verdict::finite
                           ? "0 (never seen)"
                           : alpha_text(alpha));
    }
    report.table.add({Cell::text(sheet.rule), Cell::text(join(alphas, "  ")),
                      Cell::fixed(sheet.symmetry.statistic, 2),
                      Cell::whole(std::int64_t{sheet.symmetry.degrees_of_freedom}),
                      Cell::significant(sheet.symmetry.p_value, 3)});
  }
  return report;
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  const std::vector<Sheet> sheets = read_sheets(file, set_up);
  const double confidence = set_up.scalar_double("confidence");
  Report report;
  report.counted = "fits";
  report.total = sheets.size();
  for (const Sheet& sheet : sheets) {
    if (!sheet.done) continue;
    ++report.done;
    report.notes.push_back(fmt::format("{}: {}.", sheet.rule, dm::sentence(sheet.fit)));
  }
  report.title.push_back(
      fmt::format("Dirichlet(alpha, …, alpha) prior of skill, fitted to {} data set{}",
                  sheets.size(), sheets.size() == 1 ? "" : "s"));
  if (report.done < report.total) {
    report.title.push_back(fmt::format("UNFINISHED: {} of {} fits", report.done, report.total));
  }
  report.table = fit_table(sheets, file.layout().width(field_asymmetric_alpha), confidence);
  if (report.done > 0) report.further.push_back(symmetry_report(sheets));
  std::vector<std::string>& last = report.done > 0 ? report.further[0].notes : report.notes;
  last.push_back(fmt::format(
      "uncertainty: standard error of alpha (one sigma), alpha times that of log alpha. from, to: "
      "{} profile-likelihood interval: alphas whose likelihood is not too far below the highest.",
      percent_text(confidence)));
  print(report, request, out);
}

}  // namespace banzuke::alpha_fit
