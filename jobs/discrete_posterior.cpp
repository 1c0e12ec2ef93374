// Bayes' rule for finitely many kinds of player: which kind is the one whose results were seen?

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "engine/base/text.hpp"
#include "engine/models/dirichlet_multinomial/discrete_prior.hpp"
#include "jobs/catalogue.hpp"
#include "jobs/rank_data.hpp"
#include "jobs/report.hpp"

namespace banzuke {
namespace {

namespace dm = dirichlet_multinomial;

enum Fields : std::size_t { field_probability, field_mean_rank };

double mean_rank(const std::vector<double>& ranks) {
  double sum = 0;
  for (std::size_t j = 0; j < ranks.size(); ++j) sum += static_cast<double>(j + 1) * ranks[j];
  return sum;
}

class DiscretePreparation final : public Preparation {
 public:
  DiscretePreparation(const Section& root, const Config& config) {
    has_data_ = root.has("data");
    const Key data{"data", "rank counts of the players; without it kinds have a `likelihood`"};
    if (has_data_) {
      data_keys_ = rank_file_keys(root.table(data), config);
    } else {
      root.optional_table(data);
    }
    const Key kind{"kind", "a kind of player each"};
    std::vector<Location> where;
    for (const Section& table : root.tables(kind)) {
      names_.push_back(table.text({"name", "what the kind is called"}));
      where.push_back(table.where("name"));
      weights_.push_back(
          table.number({"weight", "how many there are, on any scale", "1"}, {0, 1e12}));
      if (has_data_) {
        read_ranks(table);
      } else {
        likelihoods_.push_back(table.number(
            {"likelihood", "probability that this kind shows what was seen", "1"}, {0, 1}));
        mean_ranks_.push_back(
            table.has("mean_rank")
                ? table.number({"mean_rank", "mean rank of this kind", "1"}, {1, 64})
                : std::numeric_limits<double>::quiet_NaN());
      }
    }
    if (names_.empty()) root.table(kind);  // tells what is missing
    require_distinct(names_, where, "the kind");
    where_ = root.where("kind");
    if (!has_data_) possible([&] { dm::discrete_posterior(weights_, likelihoods_); });
  }

  void load(Inputs& inputs) override {
    if (!has_data_) return;
    data_ = load_rank_file(inputs, data_keys_);
    const auto k = static_cast<std::size_t>(data_.ranks);
    const dm::DiscretePrior prior{weights_, kinds_};
    for (std::size_t i = 0; i < names_.size(); ++i) {
      if (kinds_[i].size() == k) continue;
      throw InputError(fmt::format("the kind {} does not fit the data", in_quotes(names_[i])),
                       fmt::format("it has {} ranks, and the counts have {}", kinds_[i].size(), k),
                       "give a probability for each rank", where_);
    }
    for (std::size_t i = 0; i < data_.names.size(); ++i) {
      possible([&] { prior.posterior(std::span(data_.counts).subspan(i * k, k)); }, data_.names[i]);
    }
  }

  Bundle set_up() override {
    Bundle set_up;
    set_up.set("kind", names_, "kind", "names of the kinds");
    set_up.set("weight", weights_, "kind", "1", "how many there are, on any scale");
    set_up.set("mean_rank", mean_ranks_, "kind", "1", "mean rank of each kind");
    set_up.set("likelihood", likelihoods_, "kind_or_none", "1",
               "without data: probability of what was seen");
    std::vector<double> ranks;
    for (const auto& kind : kinds_) ranks.insert(ranks.end(), kind.begin(), kind.end());
    set_up.set("kind_ranks", ranks, "kind_and_rank", "1",
               "with data: rank distributions, kind by kind");
    set_up.set("player_name", has_data_ ? data_.names : std::vector<std::string>{"what was seen"},
               "player", "players, in the order of the file");
    set_up.set("ranks", std::int64_t{data_.ranks}, "1", "k, the number of ranks; 0 without data");
    set_up.set("counts", as_integers(data_.counts), "count", "1",
               "rank counts, player by player, best rank first");
    return set_up;
  }

 private:
  void read_ranks(const Section& table) {
    std::vector<double> ranks =
        table.numbers({"ranks", "probability of each rank, best first, summing to 1", "1"}, {0, 1});
    const double sum = std::accumulate(ranks.begin(), ranks.end(), 0.0);
    if (std::abs(sum - 1) > 1e-9) {
      throw InputError(fmt::format("{} do not sum to 1", in_quotes(table.path("ranks"))),
                       fmt::format("they sum to {}", shortest(sum)), "mend the probabilities",
                       table.where("ranks"));
    }
    mean_ranks_.push_back(mean_rank(ranks));
    kinds_.push_back(std::move(ranks));
  }

  template <class F>
  void possible(F f, const std::string& player = {}) const {
    try {
      f();
    } catch (const std::invalid_argument&) {
      throw InputError(player.empty()
                           ? std::string("no kind can have shown this")
                           : fmt::format("no kind can have the ranks of {}", in_quotes(player)),
                       "each has weight or probability 0", "mend the kinds, or add one", where_);
    }
  }

  bool has_data_ = false;
  RankFile data_keys_;
  Location where_;
  std::vector<std::string> names_;
  std::vector<double> weights_, likelihoods_, mean_ranks_;
  std::vector<std::vector<double>> kinds_;
  RankTable data_;
};

class DiscretePosterior final : public Job {
 public:
  explicit DiscretePosterior(const Bundle& set_up)
      : players_(set_up.strings("player_name")),
        kinds_(set_up.strings("kind")),
        ranks_(static_cast<std::size_t>(set_up.scalar_integer("ranks"))),
        counts_(stored_counts(set_up, "counts")) {
    const auto copy = [&](const char* name) {
      const auto values = set_up.doubles(name);
      return std::vector<double>(values.begin(), values.end());
    };
    likelihoods_ = copy("likelihood");
    mean_ranks_ = copy("mean_rank");
    prior_.weights = copy("weight");
    const auto all = set_up.doubles("kind_ranks");
    for (std::size_t at = 0; at < all.size(); at += ranks_) {
      const auto kind = all.subspan(at, ranks_);
      prior_.kinds.emplace_back(kind.begin(), kind.end());
    }
  }

  Layout layout(std::uint64_t replicates) const override {
    Layout layout;
    layout.points = players_;
    layout.replicates = replicates;
    layout.dimensions = {{"kind", kinds_.size(), kinds_, "kinds of player"}};
    layout.fields = {
        {"probability", FieldType::float64, "kind", "1", "posterior probability of each kind"},
        {"mean_rank", FieldType::float64, "", "1",
         "posterior mean of the mean rank; NaN where kinds have none"}};
    return layout;
  }

  void compute(const RowBlock& rows) const override {
    for (std::size_t row = 0; row < rows.count(); ++row) {
      const std::vector<double> probability =
          likelihoods_.empty()
              ? prior_.posterior(std::span(counts_).subspan(rows.point() * ranks_, ranks_))
              : dm::discrete_posterior(prior_.weights, likelihoods_);
      double mean = 0;
      for (std::size_t i = 0; i < kinds_.size(); ++i) {
        rows.doubles(field_probability)[row * kinds_.size() + i] = probability[i];
        mean += probability[i] * mean_ranks_[i];
      }
      rows.doubles(field_mean_rank)[row] = mean;
      rows.status()[row] = status_ok;
    }
  }

 private:
  std::vector<std::string> players_, kinds_;
  std::size_t ranks_;
  std::vector<std::uint32_t> counts_;
  std::vector<double> likelihoods_, mean_ranks_;
  dm::DiscretePrior prior_;
};

void tabulate(const ResultFile& file, const TableRequest& request, std::ostream& out) {
  using enum Table::Align;
  const Bundle set_up = file.read_setup();
  const Layout& layout = file.layout();
  const auto weights = set_up.doubles("weight");
  const auto means = set_up.doubles("mean_rank");
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  Report report;
  report.counted = "players";
  report.total = layout.points.size();
  report.table = Table({{"name", "player", "whose results were seen", "1", left, true, true},
                        {"kind", "kind", "kind of player", "1", left},
                        {"mean_rank", "mean rank", "mean rank of the kind"},
                        {"prior", "prior %", "probability of the kind before the results"},
                        {"posterior", "posterior %", "probability of the kind given the results"},
                        {"posterior_mean_rank", "posterior mean rank",
                         "posterior mean of the player's mean rank", "1", right, true, true},
                        {"status", "status", "whether the player is computed", "1", left}});
  report.table.show({"name", "kind", "mean_rank", "prior", "posterior", "posterior_mean_rank"});
  for (std::size_t point = 0; point < layout.points.size(); ++point) {
    const RowRange all{0, 1};
    const Cell name = Cell::text(layout.points[point]);
    report.table.at_point(layout.points[point]);
    if (file.read_status(point, all)[0] != status_ok) {
      report.table.add({name, {}, {}, {}, {}, {}, Cell::text("missing")}, true);
      continue;
    }
    ++report.done;
    const auto probability = file.read_doubles(field_probability, point, all);
    const double mean = file.read_doubles(field_mean_rank, point, all)[0];
    for (std::size_t i = 0; i < probability.size(); ++i) {
      report.table.add({name, Cell::text(set_up.strings("kind")[i]), Cell::fixed(means[i], 3),
                        Cell::percent(weights[i] / total, 2), Cell::percent(probability[i], 2),
                        Cell::fixed(mean, 3), Cell::text("ok")});
    }
  }
  report.title.push_back(
      fmt::format("Which of {} kinds? Posterior by Bayes' rule", weights.size()));
  if (report.done < report.total) {
    report.title.push_back(fmt::format("UNFINISHED: {} of {} players", report.done, report.total));
  }
  print(report, request, out);
}

}  // namespace

JobKind discrete_posterior_job() {
  JobKind kind;
  kind.name = "discrete_posterior";
  kind.summary = "which of a few kinds of player one is, by Bayes' rule";
  kind.randomness = Randomness::never;
  kind.configure = [](const Section& root, const Config& config) -> std::unique_ptr<Preparation> {
    return std::make_unique<DiscretePreparation>(root, config);
  };
  kind.make = [](const Bundle& set_up, std::uint64_t) -> std::unique_ptr<Job> {
    return std::make_unique<DiscretePosterior>(set_up);
  };
  kind.tabulate = tabulate;
  return kind;
}

}  // namespace banzuke
