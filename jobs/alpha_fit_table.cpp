#include <fmt/format.h>

#include <cmath>
#include <ostream>

#include "engine/base/text.hpp"
#include "engine/models/dirichlet_multinomial/fit_summary.hpp"
#include "jobs/alpha_fit.hpp"
#include "jobs/rank_data.hpp"
#include "jobs/table.hpp"

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

void print_csv(const std::vector<Sheet>& sheets, std::size_t most_ranks, std::ostream& out) {
  std::vector<Table::Column> columns;
  for (const char* name : {"rule",
                           "k",
                           "players",
                           "games",
                           "alpha",
                           "standard_error_log_alpha",
                           "lower",
                           "upper",
                           "verdict",
                           "wald_lower",
                           "wald_upper",
                           "second_alpha",
                           "log_likelihood",
                           "log_likelihood_at_infinity",
                           "second_log_likelihood",
                           "overdispersion",
                           "symmetry_statistic",
                           "symmetry_df",
                           "symmetry_p",
                           "asymmetric_verdict"}) {
    columns.push_back({name});
  }
  for (const char* name : {"alpha", "mean", "standard_error_log_alpha"}) {
    for (std::size_t j = 1; j <= most_ranks; ++j) {
      columns.push_back({fmt::format("asymmetric_{}_{}", name, j)});
    }
  }
  columns.push_back({"sentence"});
  Table table(columns);
  for (const Sheet& sheet : sheets) {
    const dm::SymmetricFit& fit = sheet.fit;
    std::vector<std::string> row{sheet.rule, fmt::format("{}", fit.ranks),
                                 fmt::format("{}", sheet.players)};
    if (!sheet.done) {
      row.resize(columns.size());
      row[8] = "missing";
      table.add(row);
      continue;
    }
    for (const double value : {fit.games, fit.alpha, fit.standard_error_log_alpha,
                               fit.profile.lower, fit.profile.upper}) {
      row.push_back(csv_number(value));
    }
    row.emplace_back(dm::name(fit.verdict));
    for (const double value :
         {fit.wald.lower, fit.wald.upper, fit.second_alpha, fit.log_likelihood,
          fit.log_likelihood_at_infinity, fit.second_log_likelihood, fit.overdispersion,
          sheet.symmetry.statistic, static_cast<double>(sheet.symmetry.degrees_of_freedom),
          sheet.symmetry.p_value}) {
      row.push_back(csv_number(value));
    }
    row.emplace_back(dm::name(sheet.asymmetric.verdict));
    for (const auto* values : {&sheet.asymmetric.alpha, &sheet.asymmetric.mean,
                               &sheet.asymmetric.standard_error_log_alpha}) {
      for (std::size_t j = 0; j < most_ranks; ++j) {
        row.push_back(j < values->size() ? csv_number((*values)[j]) : "");
      }
    }
    row.push_back(dm::sentence(fit));
    table.add(row);
  }
  table.print_csv(out);
}

/// A number with what it is called where it is none: never a bare infinity.
std::string alpha_text(double alpha) {
  if (std::isnan(alpha)) return "none";
  if (std::isinf(alpha)) return "infinite";
  return alpha == 0 ? "→ 0" : fmt::format("{:.5g}", alpha);
}

void print_symmetry(const std::vector<Sheet>& sheets, std::ostream& out) {
  Table table({{"rule", Table::Align::left},
               {"alpha of each rank, best first", Table::Align::left},
               {"chi-squared"},
               {"df"},
               {"p"}});
  for (const Sheet& sheet : sheets) {
    if (!sheet.done || std::isnan(sheet.symmetry.p_value)) continue;
    std::vector<std::string> alphas;
    for (const double alpha : sheet.asymmetric.alpha) {
      alphas.push_back(alpha == 0 && sheet.asymmetric.verdict == dm::Verdict::finite
                           ? "0 (never seen)"
                           : alpha_text(alpha));
    }
    table.add({sheet.rule, join(alphas, "  "), fixed(sheet.symmetry.statistic, 2),
               fmt::format("{}", sheet.symmetry.degrees_of_freedom),
               fmt::format("{:.3g}", sheet.symmetry.p_value)});
  }
  out << "\nAre all ranks alike? Fit with an alpha for each rank, and likelihood-ratio test:\n";
  table.print_text(out);
}

void print_text(const std::vector<Sheet>& sheets, double confidence, std::ostream& out) {
  std::size_t done = 0;
  for (const Sheet& sheet : sheets) done += sheet.done ? 1 : 0;
  out << fmt::format("Dirichlet(alpha, …, alpha) prior of skill, fitted to {} data set{}\n",
                     sheets.size(), sheets.size() == 1 ? "" : "s");
  if (done < sheets.size()) out << fmt::format("UNFINISHED: {} of {} fits\n", done, sheets.size());
  out << '\n';
  Table table({{"rule", Table::Align::left},
               {"k"},
               {"players"},
               {"games"},
               {"alpha"},
               {"uncertainty"},
               {fmt::format("{} from", percent_text(confidence))},
               {"to"},
               {"verdict", Table::Align::left}});
  for (const Sheet& sheet : sheets) {
    const dm::SymmetricFit& fit = sheet.fit;
    if (!sheet.done) {
      table.add({sheet.rule, fmt::format("{}", fit.ranks), fmt::format("{}", sheet.players), "-",
                 "-", "-", "-", "-", "missing"});
      continue;
    }
    const double uncertainty = fit.alpha * fit.standard_error_log_alpha;
    table.add({sheet.rule, fmt::format("{}", fit.ranks), fmt::format("{}", sheet.players),
               fmt::format("{:.0f}", fit.games), alpha_text(fit.alpha),
               std::isnan(uncertainty) ? "-" : fmt::format("{:.3g}", uncertainty),
               std::isnan(fit.profile.lower) ? "-" : alpha_text(fit.profile.lower),
               std::isnan(fit.profile.upper) ? "-" : alpha_text(fit.profile.upper),
               std::string(dm::name(fit.verdict))});
  }
  table.print_text(out);
  out << '\n';
  for (const Sheet& sheet : sheets) {
    if (sheet.done) out << fmt::format("{}: {}.\n", sheet.rule, dm::sentence(sheet.fit));
  }
  if (done > 0) print_symmetry(sheets, out);
  out << "\nuncertainty: standard error of alpha, alpha times that of log alpha. from, to: "
         "alphas whose likelihood is not too far below the highest.\n";
}

}  // namespace

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  const Bundle set_up = file.read_setup();
  const std::vector<Sheet> sheets = read_sheets(file, set_up);
  if (request.format == TableFormat::csv) {
    print_csv(sheets, file.layout().width(field_asymmetric_alpha), out);
  } else {
    print_text(sheets, set_up.scalar_double("confidence"), out);
  }
}

}  // namespace banzuke::alpha_fit
