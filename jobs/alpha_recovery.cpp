// How well alpha is recovered: simulate the careers of a population whose alpha is known, refit,
// and keep every replicate.

#include "jobs/alpha_recovery.hpp"

#include "jobs/alpha_recovery_keys.hpp"
#include "jobs/catalogue.hpp"

namespace banzuke {
namespace alpha_recovery {
namespace {

namespace dm = dirichlet_multinomial;

class RecoveryPreparation final : public Preparation {
 public:
  RecoveryPreparation(const Section& root, const Config& config)
      : rules_(read_rules(root, config)) {}

  void load(Inputs& inputs) override {
    for (RuleKeys& keys : rules_) {
      if (keys.games_file) take_games(load_rank_file(inputs, *keys.games_file), keys);
    }
  }

  Bundle set_up() override {
    Bundle set_up;
    store_rules(rules_, set_up);
    return set_up;
  }

 private:
  std::vector<RuleKeys> rules_;
};

class AlphaRecovery final : public Job {
 public:
  AlphaRecovery(const Bundle& set_up, std::uint64_t seed) : names_(set_up.strings("rule")) {
    std::uint32_t point = 0;
    for (const dm::RecoveryRule& rule : stored_rules(set_up)) {
      points_.emplace_back(rule, seed, point++);
    }
  }

  Layout layout(std::uint64_t replicates) const override {
    using enum FieldType;
    Layout layout;
    layout.points = names_;
    layout.replicates = replicates;
    layout.fields = {
        {"alpha", float64, "", "1", "refitted alpha; inf, 0 or NaN as the verdict says"},
        {"standard_error_log_alpha", float64, "", "1", "NaN without a finite maximum"},
        {"wald_lower", float64, "", "1", "Wald interval on the log scale"},
        {"wald_upper", float64, "", "1", "Wald interval on the log scale"},
        {"profile_lower", float64, "", "1", "likelihood interval; 0 where it has no lower end"},
        {"profile_upper", float64, "", "1", "likelihood interval; inf where it has no upper end"},
        {"log_likelihood", float64, "", "1", "supremum, without multinomial coefficients"},
        {"log_likelihood_at_infinity", float64, "", "1", "of players of equal skill"},
        {"games", float64, "", "1", "games of all players"},
        {"players", float64, "", "1", "players in the fit"},
        {"iterations", int32, "", "1", "evaluations of the exact score"},
        {"verdict", uint8, "", "1", "0 finite, 1 infinite, 2 zero, 3 flat, 4 bimodal"}};
    return layout;
  }

  double cost(std::size_t point) const override {
    const dm::RecoveryRule& rule = points_[point].rule();
    return 20.0 + static_cast<double>(rule.players) * (rule.ranks - 1);
  }

  void compute(const RowBlock& rows) const override {
    const dm::RecoveryPoint& point = points_[rows.point()];
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const dm::RecoveryRecord record =
          point.simulate_and_fit(static_cast<std::uint32_t>(rows.first() + i));
      rows.doubles(field_alpha)[i] = record.alpha;
      rows.doubles(field_standard_error)[i] = record.standard_error_log_alpha;
      rows.doubles(field_wald_lower)[i] = record.wald.lower;
      rows.doubles(field_wald_upper)[i] = record.wald.upper;
      rows.doubles(field_profile_lower)[i] = record.profile.lower;
      rows.doubles(field_profile_upper)[i] = record.profile.upper;
      rows.doubles(field_log_likelihood)[i] = record.log_likelihood;
      rows.doubles(field_log_likelihood_at_infinity)[i] = record.log_likelihood_at_infinity;
      rows.doubles(field_games)[i] = record.games;
      rows.doubles(field_players)[i] = record.players;
      rows.integers32(field_iterations)[i] = record.iterations;
      rows.octets(field_verdict)[i] = static_cast<std::uint8_t>(record.verdict);
      rows.status()[i] = status_ok;
    }
  }

 private:
  std::vector<std::string> names_;
  std::vector<dm::RecoveryPoint> points_;
};

}  // namespace
}  // namespace alpha_recovery

JobKind alpha_recovery_job() {
  using namespace alpha_recovery;
  JobKind kind;
  kind.name = "alpha_recovery";
  kind.summary = "how well alpha is recovered: populations simulated and refitted";
  kind.configure = [](const Section& root, const Config& config) -> std::unique_ptr<Preparation> {
    return std::make_unique<RecoveryPreparation>(root, config);
  };
  kind.make = [](const Bundle& set_up, std::uint64_t seed) -> std::unique_ptr<Job> {
    return std::make_unique<AlphaRecovery>(set_up, seed);
  };
  kind.tabulate = tabulate;
  return kind;
}

}  // namespace banzuke
