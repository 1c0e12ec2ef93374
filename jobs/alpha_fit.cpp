// The Dirichlet prior of skill, fitted to rank counts: one data set a point, no randomness.

#include "jobs/alpha_fit.hpp"

#include <algorithm>

#include "engine/models/dirichlet_multinomial/fit_summary.hpp"
#include "jobs/catalogue.hpp"
#include "jobs/rank_data.hpp"

namespace banzuke {
namespace alpha_fit {
namespace {

namespace dm = dirichlet_multinomial;

class FitPreparation final : public Preparation {
 public:
  FitPreparation(const Section& root, const Config& config) : confidence_(confidence_key(root)) {
    const Key data{"data", "a data set of rank counts each"};
    const auto tables = root.tables(data);
    if (tables.empty()) root.table(data);  // tells what is missing
    std::vector<Location> where;
    for (const Section& table : tables) {
      rules_.push_back(table.text({"rule", "what the data set is called"}));
      where.push_back(table.where("rule"));
      files_.push_back(rank_file_keys(table, config));
    }
    require_distinct(rules_, where, "the rule");
  }

  void load(Inputs& inputs) override {
    for (const RankFile& file : files_) data_.push_back(load_rank_file(inputs, file));
  }

  Bundle set_up() override {
    std::vector<std::int64_t> ranks, players, counts;
    for (const RankTable& table : data_) {
      ranks.push_back(table.ranks);
      players.push_back(static_cast<std::int64_t>(table.names.size()));
      counts.insert(counts.end(), table.counts.begin(), table.counts.end());
    }
    Bundle set_up;
    set_up.set("confidence", confidence_, "1", "coverage the intervals aim at");
    set_up.set("rule", rules_, "data_set", "names of the data sets");
    set_up.set("ranks", ranks, "data_set", "1", "k, the number of ranks");
    set_up.set("players", players, "data_set", "1", "players in the file");
    set_up.set("counts", counts, "count", "1",
               "rank counts, data set by data set, player by player, best rank first");
    return set_up;
  }

 private:
  double confidence_;
  std::vector<std::string> rules_;
  std::vector<RankFile> files_;
  std::vector<RankTable> data_;
};

class AlphaFit final : public Job {
 public:
  explicit AlphaFit(const Bundle& set_up)
      : confidence_(set_up.scalar_double("confidence")),
        rules_(set_up.strings("rule")),
        counts_(stored_counts(set_up, "counts")) {
    const auto ranks = set_up.integers("ranks");
    const auto players = set_up.integers("players");
    std::size_t first = 0;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
      const auto k = static_cast<std::size_t>(ranks[i]);
      const std::size_t size = k * static_cast<std::size_t>(players[i]);
      sets_.push_back({static_cast<int>(ranks[i]), {counts_.data() + first, size}});
      first += size;
      most_ranks_ = std::max(most_ranks_, k);
    }
  }

  Layout layout(std::uint64_t replicates) const override {
    using enum FieldType;
    Layout layout;
    layout.points = rules_;
    layout.replicates = replicates;
    Dimension rank{"rank", most_ranks_, {}, "finishing ranks, best first"};
    for (std::size_t j = 0; j < most_ranks_; ++j) rank.labels.push_back(std::to_string(j + 1));
    layout.dimensions = {rank};
    const std::string verdicts = "0 finite, 1 infinite, 2 zero, 3 flat, 4 bimodal";
    layout.fields = {
        {"alpha", float64, "", "1", "maximum-likelihood concentration of each rank"},
        {"standard_error_log_alpha", float64, "", "1", "from the observed information of log"},
        {"wald_lower", float64, "", "1", "Wald interval on the log scale"},
        {"wald_upper", float64, "", "1", "Wald interval on the log scale"},
        {"profile_lower", float64, "", "1", "likelihood interval; 0 where it has no lower end"},
        {"profile_upper", float64, "", "1", "likelihood interval; inf where it has no upper end"},
        {"second_alpha", float64, "", "1", "the next lower maximum; NaN: there is none"},
        {"log_likelihood", float64, "", "1", "supremum, without multinomial coefficients"},
        {"log_likelihood_at_infinity", float64, "", "1", "of players of equal skill"},
        {"second_log_likelihood", float64, "", "1", "at the next lower maximum"},
        {"overdispersion", float64, "", "1", "k sum y(y-1) - sum N(N-1)"},
        {"players", float64, "", "1", "players, those without games included"},
        {"games", float64, "", "1", "games of all players"},
        {"verdict", uint8, "", "1", verdicts},
        {"iterations", int32, "", "1", "evaluations of the exact score"},
        {"asymmetric_alpha", float64, "rank", "1", "concentrations of a fit with one a rank"},
        {"asymmetric_mean", float64, "rank", "1", "mean rank distribution of that fit"},
        {"asymmetric_standard_error_log_alpha", float64, "rank", "1", "of its log alphas"},
        {"asymmetric_log_likelihood", float64, "", "1", "its supremum"},
        {"asymmetric_verdict", uint8, "", "1", verdicts},
        {"symmetry_statistic", float64, "", "1", "likelihood ratio of the two fits, doubled log"}};
    return layout;
  }

  double cost(std::size_t point) const override {
    return 100.0 + static_cast<double>(sets_[point].counts.size());
  }

  void compute(const RowBlock& rows) const override {
    const Set& set = sets_[rows.point()];
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const dm::FitSummary summary = dm::summarise_fit(set.ranks, set.counts, {confidence_});
      const dm::SymmetricFit& fit = summary.symmetric;
      rows.doubles(field_alpha)[i] = fit.alpha;
      rows.doubles(field_standard_error)[i] = fit.standard_error_log_alpha;
      rows.doubles(field_wald_lower)[i] = fit.wald.lower;
      rows.doubles(field_wald_upper)[i] = fit.wald.upper;
      rows.doubles(field_profile_lower)[i] = fit.profile.lower;
      rows.doubles(field_profile_upper)[i] = fit.profile.upper;
      rows.doubles(field_second_alpha)[i] = fit.second_alpha;
      rows.doubles(field_log_likelihood)[i] = fit.log_likelihood;
      rows.doubles(field_log_likelihood_at_infinity)[i] = fit.log_likelihood_at_infinity;
      rows.doubles(field_second_log_likelihood)[i] = fit.second_log_likelihood;
      rows.doubles(field_overdispersion)[i] = fit.overdispersion;
      rows.doubles(field_players)[i] = fit.players;
      rows.doubles(field_games)[i] = fit.games;
      rows.octets(field_verdict)[i] = static_cast<std::uint8_t>(fit.verdict);
      rows.integers32(field_iterations)[i] = fit.iterations;
      const dm::AsymmetricFit& asymmetric = summary.asymmetric;
      const auto by_rank = [&](std::size_t field, const std::vector<double>& values) {
        std::copy(values.begin(), values.end(),
                  rows.doubles(field).subspan(i * most_ranks_, most_ranks_).begin());
      };
      by_rank(field_asymmetric_alpha, asymmetric.alpha);
      by_rank(field_asymmetric_mean, asymmetric.mean);
      by_rank(field_asymmetric_standard_error, asymmetric.standard_error_log_alpha);
      rows.doubles(field_asymmetric_log_likelihood)[i] = asymmetric.log_likelihood;
      rows.octets(field_asymmetric_verdict)[i] = static_cast<std::uint8_t>(asymmetric.verdict);
      rows.doubles(field_symmetry_statistic)[i] = summary.symmetry.statistic;
      rows.status()[i] = status_ok;
    }
  }

 private:
  struct Set {
    int ranks;
    std::span<const std::uint32_t> counts;
  };
  double confidence_;
  std::vector<std::string> rules_;
  std::vector<std::uint32_t> counts_;
  std::vector<Set> sets_;
  std::size_t most_ranks_ = 0;
};

}  // namespace
}  // namespace alpha_fit

JobKind alpha_fit_job() {
  using namespace alpha_fit;
  JobKind kind;
  kind.name = "alpha_fit";
  kind.summary = "the Dirichlet prior of skill, fitted to rank counts";
  kind.randomness = Randomness::never;
  kind.configure = [](const Section& root, const Config& config) -> std::unique_ptr<Preparation> {
    return std::make_unique<FitPreparation>(root, config);
  };
  kind.make = [](const Bundle& set_up, std::uint64_t) -> std::unique_ptr<Job> {
    return std::make_unique<AlphaFit>(set_up);
  };
  kind.tabulate = tabulate;
  return kind;
}

}  // namespace banzuke
