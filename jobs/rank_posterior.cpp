// What players' rank counts say once a Dirichlet prior is known: payoffs adjusted by the prior,
// their uncertainty, and a ranking. One payoff a point, all players in a record.

#include "jobs/rank_posterior.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/text.hpp"
#include "engine/models/dirichlet_multinomial/posterior.hpp"
#include "jobs/catalogue.hpp"
#include "jobs/rank_data.hpp"

namespace banzuke {
namespace rank_posterior {
namespace {

namespace dm = dirichlet_multinomial;

/// A payoff as the config gives it; checked against the number of ranks when that is known.
struct PayoffKeys {
  std::string name;
  Location where;
  std::string key;  ///< the key that gives the weights
  dm::Payoff payoff;
};

PayoffKeys payoff_keys(const Section& table) {
  PayoffKeys keys;
  keys.name = table.text({"name", "what the payoff is called"});
  const Range finite{-1e12, 1e12};
  if (table.has("room")) {
    const Section room = table.table(
        {"room", "points of a room: the stable grade is where nothing is gained on average"});
    keys.key = room.path("points");
    keys.where = room.where("points");
    const std::vector<double> points =
        room.numbers({"points", "points gained in each rank but the last", "1"}, finite);
    const double step =
        room.number({"step", "the last rank loses step (grade + offset)", "1"}, {1e-9, 1e12});
    const double offset = room.number({"offset", "see step", "1"}, 0.0, finite);
    keys.payoff = dm::stable_grade(points, step, offset);
    if (table.has("weights")) {
      throw InputError(fmt::format("the payoff {} has weights and a room", in_quotes(keys.name)),
                       "each is a payoff of its own", "keep one of them", table.where("weights"));
    }
    return keys;
  }
  keys.key = table.path("weights");
  keys.payoff.numerator =
      table.numbers({"weights", "what each rank is worth, best first (or a `room`)", "1"}, finite);
  keys.where = table.where("weights");
  if (table.has("per")) {
    keys.payoff.denominator = table.numbers(
        {"per", "weights of the denominator, for a payoff that is a ratio", "1"}, {0, 1e12});
    if (keys.payoff.denominator.size() != keys.payoff.numerator.size() ||
        *std::max_element(keys.payoff.denominator.begin(), keys.payoff.denominator.end()) == 0) {
      throw InputError(fmt::format("the payoff {} has no denominator", in_quotes(keys.name)),
                       "`per` needs one weight for each rank, and one above 0",
                       "mend it, or leave it out", table.where("per"));
    }
  }
  return keys;
}

class PosteriorPreparation final : public Preparation {
 public:
  PosteriorPreparation(const Section& root, const Config& config)
      : data_keys_(rank_file_keys(root.table({"data", "rank counts of the players"}), config)) {
    const Section posterior = root.table({"posterior", "the prior, and what is told of players"});
    const Key alpha{"alpha", "concentration of each rank, or \"fit\" for that of the data", "1"};
    alpha_where_ = posterior.where("alpha");
    fit_ = posterior.is_text("alpha");
    if (fit_) {
      posterior.choice(alpha, {"fit"}, "");
    } else {
      alpha_ = posterior.number(alpha, {1e-9, 1e12});
    }
    credible_ = posterior.number({"credible", "probability of the credible intervals", "1"}, 0.95,
                                 {0.01, 0.9999});
    const Key payoff{"payoff", "a payoff each; the players are ranked by each of them"};
    for (const Section& table : posterior.tables(payoff)) payoffs_.push_back(payoff_keys(table));
    if (payoffs_.empty()) posterior.table(payoff);  // tells what is missing
    std::vector<std::string> names;
    std::vector<Location> where;
    for (const PayoffKeys& keys : payoffs_) {
      names.push_back(keys.name);
      where.push_back(keys.where);
    }
    require_distinct(names, where, "the payoff");
  }

  void load(Inputs& inputs) override {
    data_ = load_rank_file(inputs, data_keys_);
    for (const PayoffKeys& keys : payoffs_) {
      const std::size_t weights = keys.payoff.numerator.size();
      if (weights == static_cast<std::size_t>(data_.ranks)) continue;
      throw InputError(
          fmt::format("{} does not fit the data", in_quotes(keys.key)),
          fmt::format("it stands for {} ranks, and the counts have {}", weights, data_.ranks),
          "give one number for each rank (of a room: for each but the last)", keys.where);
    }
    if (fit_) {
      const dm::SymmetricFit fit = dm::fit_symmetric(dm::compress(data_.ranks, data_.counts));
      if (!(fit.alpha > 0 && std::isfinite(fit.alpha))) {
        throw InputError("alpha cannot be fitted to these data", dm::sentence(fit),
                         "give a number, for example from a larger data set", alpha_where_);
      }
      alpha_ = fit.alpha;
    }
  }

  Bundle set_up() override {
    const auto k = static_cast<std::size_t>(data_.ranks);
    std::vector<std::string> names;
    std::vector<double> numerators, denominators;
    std::vector<std::int64_t> ratios;
    for (const PayoffKeys& keys : payoffs_) {
      names.push_back(keys.name);
      ratios.push_back(keys.payoff.is_ratio() ? 1 : 0);
      const auto& [w, v] = keys.payoff;
      numerators.insert(numerators.end(), w.begin(), w.end());
      denominators.insert(denominators.end(), v.begin(), v.end());
      if (v.empty()) denominators.resize(denominators.size() + k, 1.0);
    }
    const auto matrix = [&](auto values, std::size_t rows, const char* row, const char* meaning) {
      return Array{{rows, k}, std::move(values), {row, "rank"}, "1", meaning};
    };
    Bundle set_up;
    set_up.set("alpha", alpha_, "1", "concentration of each rank in the prior");
    set_up.set("alpha_is_fitted", std::int64_t{fit_ ? 1 : 0}, "1", "1: to these data");
    set_up.set("credible", credible_, "1", "probability of the credible intervals");
    set_up.set("ranks", std::int64_t{data_.ranks}, "1", "k, the number of ranks");
    set_up.set("player_name", data_.names, "player", "players, in the order of the file");
    set_up.set("counts", matrix(as_integers(data_.counts), data_.names.size(), "player",
                                "how often each player finished in each rank, best first"));
    set_up.set("payoff", names, "payoff", "names of the payoffs");
    set_up.set("payoff_is_ratio", ratios, "payoff", "1", "1: the denominator counts");
    set_up.set("payoff_numerator",
               matrix(std::move(numerators), names.size(), "payoff", "weights of the ranks"));
    set_up.set("payoff_denominator", matrix(std::move(denominators), names.size(), "payoff",
                                            "weights of the ranks in the denominator"));
    return set_up;
  }

 private:
  RankFile data_keys_;
  bool fit_ = false;
  double alpha_ = 0;
  Location alpha_where_;
  double credible_ = 0;
  std::vector<PayoffKeys> payoffs_;
  RankTable data_;
};

class RankPosterior final : public Job {
 public:
  explicit RankPosterior(const Bundle& set_up)
      : alpha_(set_up.scalar_double("alpha")),
        ranks_(static_cast<std::size_t>(set_up.scalar_integer("ranks"))),
        names_(set_up.strings("player_name")),
        counts_(stored_counts(set_up, "counts")),
        payoff_names_(set_up.strings("payoff")),
        payoffs_(stored_payoffs(set_up)) {}

  Layout layout(std::uint64_t replicates) const override {
    using enum FieldType;
    Layout layout;
    layout.points = payoff_names_;
    layout.replicates = replicates;
    layout.dimensions = {{"player", names_.size(), names_, "players"}};
    layout.fields = {
        {"raw", float64, "player", "1", "payoff of the counts alone; NaN or inf where undefined"},
        {"adjusted", float64, "player", "1", "payoff of the posterior mean of the ranks"},
        {"mean", float64, "player", "1", "posterior mean of the payoff; NaN where not known"},
        {"standard_deviation", float64, "player", "1", "posterior sd; NaN where not known"},
        {"place", int32, "player", "1", "by falling adjusted payoff, ties in the file's order"}};
    return layout;
  }

  void compute(const RowBlock& rows) const override {
    const dm::Payoff& payoff = payoffs_[rows.point()];
    const std::size_t players = names_.size();
    const auto order = dm::ranking(alpha_, static_cast<int>(ranks_), counts_, payoff);
    for (std::size_t row = 0; row < rows.count(); ++row) {
      for (std::size_t i = 0; i < players; ++i) {
        const dm::PayoffEstimate estimate =
            dm::payoff_moments(alpha_, std::span(counts_).subspan(i * ranks_, ranks_), payoff);
        const std::size_t at = row * players + i;
        rows.doubles(field_raw)[at] = estimate.raw;
        rows.doubles(field_adjusted)[at] = estimate.adjusted;
        rows.doubles(field_mean)[at] = estimate.mean;
        rows.doubles(field_standard_deviation)[at] = estimate.standard_deviation;
      }
      for (std::size_t place = 0; place < players; ++place) {
        rows.integers32(field_place)[row * players + order[place]] =
            static_cast<std::int32_t>(place + 1);
      }
      rows.status()[row] = status_ok;
    }
  }

 private:
  double alpha_;
  std::size_t ranks_;
  std::vector<std::string> names_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::string> payoff_names_;
  std::vector<dm::Payoff> payoffs_;
};

}  // namespace

std::vector<dm::Payoff> stored_payoffs(const Bundle& set_up) {
  const auto k = static_cast<std::size_t>(set_up.scalar_integer("ranks"));
  const auto ratios = set_up.integers("payoff_is_ratio");
  std::vector<dm::Payoff> payoffs;
  for (std::size_t i = 0; i < ratios.size(); ++i) {
    const auto w = set_up.doubles("payoff_numerator").subspan(i * k, k);
    const auto v = set_up.doubles("payoff_denominator").subspan(i * k, k);
    dm::Payoff payoff;
    payoff.numerator.assign(w.begin(), w.end());
    if (ratios[i] == 1) payoff.denominator.assign(v.begin(), v.end());
    payoffs.push_back(std::move(payoff));
  }
  return payoffs;
}

}  // namespace rank_posterior

JobKind rank_posterior_job() {
  using namespace rank_posterior;
  JobKind kind;
  kind.name = "rank_posterior";
  kind.summary = "players ranked by payoffs that a Dirichlet prior adjusts";
  kind.randomness = Randomness::never;
  kind.configure = [](const Section& root, const Config& config) -> std::unique_ptr<Preparation> {
    return std::make_unique<PosteriorPreparation>(root, config);
  };
  kind.make = [](const Bundle& set_up, std::uint64_t) -> std::unique_ptr<Job> {
    return std::make_unique<RankPosterior>(set_up);
  };
  kind.tabulate = tabulate;
  return kind;
}

}  // namespace banzuke
