// The smallest job: uniform numbers whose laws are known in closed form. It proves a cluster's
// set-up (ranks, threads, file system, equal bytes) and shows what a job consists of.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <ostream>
#include <utility>

#include "engine/base/text.hpp"
#include "engine/random/stream.hpp"
#include "jobs/catalogue.hpp"
#include "jobs/report.hpp"

namespace banzuke {
namespace {

enum Fields : std::size_t { field_mean, field_inside };

class Selfcheck final : public Job {
 public:
  Selfcheck(const Bundle& set_up, std::uint64_t seed)
      : seed_(seed),
        points_(static_cast<std::size_t>(set_up.scalar_integer("points"))),
        draws_(static_cast<std::uint32_t>(set_up.scalar_integer("draws"))) {}

  Layout layout(std::uint64_t replicates) const override {
    Layout layout;
    for (std::size_t i = 0; i < points_; ++i) layout.points.push_back(fmt::format("point {}", i));
    layout.replicates = replicates;
    layout.fields = {
        {"mean", FieldType::float64, "", "1", "mean of the first coordinates, uniform on (0, 1)"},
        {"inside", FieldType::int32, "", "1", "points inside the quarter of the unit circle"}};
    return layout;
  }

  void compute(const RowBlock& rows) const override {
    for (std::size_t i = 0; i < rows.count(); ++i) {
      double sum = 0;
      std::int32_t inside = 0;
      for (std::uint32_t draw = 0; draw < draws_; ++draw) {
        Stream stream({seed_, StreamId::selfcheck, static_cast<std::uint32_t>(rows.point()),
                       static_cast<std::uint32_t>(rows.first() + i), draw});
        const double x = stream.uniform();
        const double y = stream.uniform();
        sum += x;
        inside += x * x + y * y < 1.0 ? 1 : 0;
      }
      rows.doubles(field_mean)[i] = sum / draws_;
      rows.integers32(field_inside)[i] = inside;
      rows.status()[i] = status_ok;
    }
  }

 private:
  std::uint64_t seed_;
  std::size_t points_;
  std::uint32_t draws_;
};

class SelfcheckPreparation final : public Preparation {
 public:
  explicit SelfcheckPreparation(const Section& root)
      : points_(root.integer({"points", "settings that differ in nothing but their streams"}, 1,
                             {1, 1e6})),
        draws_(root.integer({"draws", "uniform points in the unit square a replicate"}, 1000,
                            {1, 1e9})) {}
  void load(Inputs&) override {}
  Bundle set_up() override {
    Bundle set_up;
    set_up.set("points", points_);
    set_up.set("draws", draws_);
    return set_up;
  }

 private:
  std::int64_t points_;
  std::int64_t draws_;
};

struct Check {
  std::string quantity;
  double expected;
  double found;
  double standard_error;
  bool is_count = false;  ///< of rare events, by Poisson's law
};

/// Pairs among `replicates` that agree in both values by chance. Two values of a law that is nearly
/// normal, on a grid of step h, agree with probability h / (2 √π σ). The mean of n uniforms has
/// σ² = 1/(12 n) and the grid of its roundings; given the mean, the number inside the circle has
/// σ² = n (v - 12 c²), with its variance v and its covariance c with a first coordinate.
double chance_pairs(double replicates, double draws) {
  constexpr double quarter = std::numbers::pi / 4;
  constexpr double covariance = 1.0 / 3 - quarter / 2;
  const double deviation = std::sqrt(1 / (12 * draws));
  const auto step_at = [](double value) { return std::nextafter(value, 2 * value) - value; };
  const double step = std::max(
      {step_at(draws * (0.5 + deviation)) / draws, 0x1.0p-52 / draws, step_at(0.5 + deviation)});
  const double inside = std::sqrt(draws * (quarter * (1 - quarter) - 12 * covariance * covariance));
  const double twice_root = 2 / std::numbers::inv_sqrtpi;
  return replicates * (replicates - 1) / 2 * std::min(1.0, step / (twice_root * deviation)) *
         std::min(1.0, 1 / (twice_root * inside));
}

/// P(X >= count) of Poisson's law.
double poisson_tail(double count, double mean) {
  if (count <= mean) return 1;
  double term = std::exp(count * std::log(mean) - mean - std::lgamma(count + 1));
  double sum = 0;
  for (double i = count; term > 1e-17 * sum; term *= mean / ++i) sum += term;
  return sum;
}

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  using enum Table::Align;
  const double draws = static_cast<double>(file.read_setup().scalar_integer("draws"));
  const Layout& layout = file.layout();
  std::vector<std::pair<double, std::int64_t>> values;  // mean, inside
  for (std::size_t point = 0; point < layout.points.size(); ++point) {
    const RowRange all{0, layout.replicates};
    const auto means = file.read_doubles(field_mean, point, all);
    const auto counts = file.read_integers(field_inside, point, all);
    const auto status = file.read_status(point, all);
    for (std::size_t i = 0; i < means.size(); ++i) {
      if (status[i] == status_ok) values.emplace_back(means[i], counts[i]);
    }
  }
  const double replicates = static_cast<double>(values.size());
  const double total = replicates * draws;
  double sum = 0, squares = 0, inside = 0;
  for (const auto& [mean, count] : values) {
    sum += mean - 0.5;
    squares += (mean - 0.5) * (mean - 0.5);
    inside += static_cast<double>(count);
  }
  std::sort(values.begin(), values.end());
  double repeated = 0;
  for (std::size_t i = 1; i < values.size(); ++i) repeated += values[i] == values[i - 1];
  const double by_chance = chance_pairs(replicates, draws);

  // The variance of a squared mean of n uniforms: its kurtosis is 3 - 6/(5n).
  const double variance = 1.0 / (12.0 * draws);
  const double quarter = std::numbers::pi / 4;
  const std::vector<Check> checks{
      {"mean", 0.5, 0.5 + sum / replicates, std::sqrt(1.0 / (12.0 * total))},
      {"variance of replicate means", variance, squares / replicates,
       variance * std::sqrt((2.0 - 1.2 / draws) / replicates)},
      {"share inside the circle", quarter, inside / total,
       std::sqrt(quarter * (1 - quarter) / total)},
      {"equal replicates", by_chance, repeated, std::sqrt(by_chance), true}};

  const auto wanted = layout.points.size() * layout.replicates;
  Report report;
  report.done = values.size();
  report.total = wanted;
  report.table = Table({{"quantity", "quantity", "what is compared", "1", left},
                        {"expected", "expected", "value by theory"},
                        {"found", "found", "value over all replicates"},
                        {"standard_error", "standard_error", "of found, by theory, one sigma"},
                        {"z", "z", "found minus expected, in standard errors"},
                        {"verdict", "verdict", "ok within 5 standard errors", "1", left},
                        {"replicates_done", "done", "replicates so far"},
                        {"replicates_total", "wanted", "replicates asked for"}});
  report.table.show({"quantity", "expected", "found", "standard_error", "z", "verdict"});
  std::vector<std::string> wrong;
  for (const Check& check : checks) {
    const double off = check.found - check.expected;
    const double z = off / check.standard_error;
    // As rare as five standard errors to one side.
    const bool fine =
        check.is_count ? poisson_tail(check.found, check.expected) > 2.9e-7 : std::abs(z) < 5;
    if (!fine && report.done > 0) wrong.push_back(check.quantity);
    report.table.add({Cell::text(check.quantity), Cell::significant(check.expected, 6),
                      Cell::significant(check.found, 6), Cell::significant(check.standard_error, 6),
                      check.is_count ? Cell() : Cell::fixed(z, 2),
                      Cell::text(report.done == 0 ? "missing"
                                 : fine           ? "ok"
                                                  : "WRONG"),
                      Cell::whole(report.done), Cell::whole(report.total)});
  }
  report.notes = {fmt::format("{} of {} replicates. {}", report.done, wanted,
                              report.done == 0 ? "Nothing to judge yet."
                              : wrong.empty()
                                  ? "All within 5 standard errors."
                                  : "Something is wrong with this machine or this build.")};
  print(report, request, out);
  if (!wrong.empty()) {
    throw SystemError(fmt::format("{} came out WRONG", join(wrong, ", ")),
                      "this machine or this build computes wrong numbers",
                      "run it again elsewhere and compare `banzuke digest`");
  }
}

}  // namespace

JobKind selfcheck_job() {
  JobKind kind;
  kind.name = "selfcheck";
  kind.summary = "uniform numbers with known laws: proves ranks, threads and file system";
  kind.configure = [](const Section& root, const Config&) -> std::unique_ptr<Preparation> {
    return std::make_unique<SelfcheckPreparation>(root);
  };
  kind.make = [](const Bundle& set_up, std::uint64_t seed) -> std::unique_ptr<Job> {
    return std::make_unique<Selfcheck>(set_up, seed);
  };
  kind.tabulate = tabulate;
  return kind;
}

}  // namespace banzuke
