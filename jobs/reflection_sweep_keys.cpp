// The config of a sweep, and the set-up it becomes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/text.hpp"
#include "engine/models/reflection/conditional_score.hpp"
#include "jobs/reflection_sweep.hpp"

namespace banzuke::reflection_sweep {
namespace {

namespace rf = reflection;

constexpr double most_games = static_cast<double>(rf::largest_games);

std::vector<SweepMethod> read_methods(const Section& root) {
  std::vector<SweepMethod> methods;
  for (const std::string& name :
       root.choices({"methods", "how the probabilities are computed"}, sweep_method_names())) {
    for (const SweepMethod& earlier : methods) {
      if (earlier.name == name) {
        throw InputError(fmt::format("the method {} is listed twice", in_quotes(name)), "",
                         "list it once", root.where("methods"));
      }
    }
    methods.push_back(*sweep_method_of(name));
  }
  return methods;
}

std::vector<std::int64_t> read_games(const Section& root) {
  std::vector<std::int64_t> games;
  for (const double n : root.axis({"N", "numbers of games", "1"}, {1, most_games}, true)) {
    games.push_back(static_cast<std::int64_t>(n));
  }
  std::vector<std::int64_t> sorted = games;
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) {
    throw InputError(fmt::format("N = {} is listed twice", *twice), "", "list it once",
                     root.where("N"));
  }
  return games;
}

rf::Rule read_rule(const Section& table) {
  rf::Rule rule;
  rule.name = table.text({"name", "what the rule is called"});
  rule.payoff = table.numbers({"payoff", "what each outcome pays"});
  rule.alpha = table.numbers(
      {"alpha",
       "parameters of the Dirichlet distribution of skill: one number, or one an outcome"});
  if (rule.alpha.size() == 1) rule.alpha.resize(rule.payoff.size(), rule.alpha[0]);
  const Key centre{"centre", "what a score per game is compared with: a number, or \"mean\""};
  if (table.is_text("centre")) {
    table.choice(centre, {"mean"}, "mean");
    rule.centre.kind = rf::Centre::Kind::mean;
  } else {
    rule.centre.value = table.number(centre, 0.0);
  }
  rule.relative_length = table.number(
      {"relative_length", "playing time of a game; only ratios between rules matter"}, 1.0);
  const char* culprit = table.has("payoff") ? "payoff" : "";
  for (const double a : rule.alpha) {
    if (!(a > 0)) culprit = "alpha";
  }
  rf::check(rule, table.where(culprit));
  return rule;
}

class SweepPreparation final : public Preparation {
 public:
  explicit SweepPreparation(const Section& root);
  void load(Inputs&) override {}
  Bundle set_up() override;

 private:
  void read_monte_carlo(const Section& root);
  std::vector<std::string> notes() const;

  Sweep sweep_;
  bool replicates_given_;
};

SweepPreparation::SweepPreparation(const Section& root)
    : replicates_given_(root.has("replicates")) {
  sweep_.methods = read_methods(root);
  sweep_.games = read_games(root);
  read_monte_carlo(root);
  const std::vector<Section> tables =
      root.tables({"rule", "a game: its payoffs and the distribution of skill"});
  if (tables.empty()) {
    throw InputError("there is no rule", "a sweep needs at least one",
                     "add a table [[rule]] with name, alpha and payoff", root.where(""));
  }
  for (const Section& table : tables) {
    rf::Rule rule = read_rule(table);
    for (const rf::Rule& earlier : sweep_.rules) {
      if (earlier.name == rule.name) {
        throw InputError(fmt::format("two rules are called {}", in_quotes(rule.name)), "",
                         "give each a name of its own", table.where("name"));
      }
    }
    sweep_.reduced.push_back(rf::reduce(rule));
    sweep_.rules.push_back(std::move(rule));
  }
}

void SweepPreparation::read_monte_carlo(const Section& root) {
  const Key key{"monte_carlo", "how the method monte_carlo draws"};
  if (!sweep_.has_monte_carlo()) {
    if (root.has("monte_carlo")) {
      throw InputError("[monte_carlo] without the method monte_carlo", "nothing would be drawn",
                       "add \"monte_carlo\" to methods, or remove the table",
                       root.where("monte_carlo"));
    }
    return;
  }
  for (const char* needed : {"seed", "replicates"}) {
    if (!root.has(needed)) {
      throw InputError(fmt::format("the key {} is missing", in_quotes(needed)),
                       "the method monte_carlo needs it", "add it", root.where("methods"));
    }
  }
  const Section table = root.optional_table(key);
  std::vector<std::string> words;
  for (const rf::Sampling sampling : rf::all_samplings) words.push_back(rf::name_of(sampling));
  sweep_.sampling = *rf::sampling_of(table.choice({"sampling", "what is drawn"}, words, "plain"));
  constexpr std::int64_t most_draws = 1 << 24;
  const std::int64_t draws =
      table.integer({"draws", "draws a replicate: a multiple of 64, for sobol a power of two", "1"},
                    16384, {64, static_cast<double>(most_draws)});
  if (draws % 64 != 0 || (sweep_.sampling == rf::Sampling::sobol && (draws & (draws - 1)) != 0)) {
    throw InputError(fmt::format("a replicate of {} draws", draws),
                     "it holds a multiple of 64 draws, with sobol a power of two",
                     "choose for example 16384", table.where("draws"));
  }
  sweep_.draws = static_cast<std::uint32_t>(draws);
  if (table.has("standard_error")) {
    sweep_.standard_error = table.number(
        {"standard_error", "a point needs no more replicates once its standard error is below it"},
        {1e-15, 1.0});
  }
}

/// What is swept with a remark.
std::vector<std::string> SweepPreparation::notes() const {
  std::vector<std::string> notes;
  if (replicates_given_ && !sweep_.has_monte_carlo()) {
    notes.push_back("replicates is for the method monte_carlo: every point has one value");
  }
  const bool has_exact =
      std::any_of(sweep_.methods.begin(), sweep_.methods.end(), [](const SweepMethod& m) {
        return m.kind == SweepMethod::Kind::point && m.method == rf::Method::exact;
      });
  for (std::size_t r = 0; r < sweep_.rules.size(); ++r) {
    const rf::Rule& rule = sweep_.rules[r];
    const rf::Game& game = sweep_.reduced[r];
    if (!game.centred) {
      notes.push_back(fmt::format(
          "the mean payoff of {} lies {:.6g} {} the centre: more or less than half of the players "
          "have positive skill, see p_skill_positive; the arctan laws have no value",
          in_quotes(rule.name), std::abs(game.mean) * game.step,
          game.mean > 0 ? "above" : "below"));
    }
    if (!game.lattice && has_exact) {
      notes.push_back(fmt::format(
          "the payoffs of {} have no common step of nine decimals or fewer: exact enumerates few "
          "games and is estimated by Monte Carlo beyond",
          in_quotes(rule.name)));
    }
    if (!sweep_.has_monte_carlo()) continue;
    const auto plain = std::count_if(sweep_.games.begin(), sweep_.games.end(), [&](std::int64_t n) {
      return sampling_for(game, n, sweep_.sampling) != sweep_.sampling;
    });
    if (plain > 0) {
      notes.push_back(fmt::format(
          "{} of {} N of {} are drawn with sampling = \"plain\": {} needs the scores' lattice to "
          "be coarse enough",
          plain, sweep_.games.size(), in_quotes(rule.name), rf::name_of(sweep_.sampling)));
    }
  }
  return notes;
}

Bundle SweepPreparation::set_up() {
  Bundle set_up;
  std::vector<std::string> names, methods;
  std::vector<std::int64_t> outcomes, centre_is_mean;
  std::vector<double> alpha, payoff, centre, length;
  for (const rf::Rule& rule : sweep_.rules) {
    names.push_back(rule.name);
    outcomes.push_back(static_cast<std::int64_t>(rule.payoff.size()));
    alpha.insert(alpha.end(), rule.alpha.begin(), rule.alpha.end());
    payoff.insert(payoff.end(), rule.payoff.begin(), rule.payoff.end());
    centre_is_mean.push_back(rule.centre.kind == rf::Centre::Kind::mean ? 1 : 0);
    centre.push_back(rule.centre.value);
    length.push_back(rule.relative_length);
  }
  for (const SweepMethod& method : sweep_.methods) methods.push_back(method.name);
  set_up.set("rule_name", names, "rule", "rules");
  set_up.set("rule_outcomes", outcomes, "rule", "1", "outcomes of a game");
  set_up.set("rule_centre_is_mean", centre_is_mean, "rule", "1",
             "1: the centre is the mean payoff");
  set_up.set("rule_centre", centre, "rule", "1", "the centre, where it is not the mean");
  set_up.set("rule_relative_length", length, "rule", "1", "playing time of a game");
  set_up.set("outcome_alpha", alpha, "outcome", "1", "Dirichlet parameters, rule after rule");
  set_up.set("outcome_payoff", payoff, "outcome", "1", "payoffs, rule after rule");
  set_up.set("games", sweep_.games, "N", "1", "numbers of games");
  set_up.set("method", methods, "method", "methods");
  std::vector<std::int64_t> rules_of, games_of, methods_of;
  for (std::size_t point = 0; point < sweep_.points(); ++point) {
    const Sweep::Place place = sweep_.place(point);
    rules_of.push_back(static_cast<std::int64_t>(place.rule));
    games_of.push_back(sweep_.games[place.games]);
    methods_of.push_back(static_cast<std::int64_t>(place.method));
  }
  set_up.set("point_rule", rules_of, "point", "1", "index of the point's rule");
  set_up.set("point_games", games_of, "point", "1", "N of the point");
  set_up.set("point_method", methods_of, "point", "1", "index of the point's method");
  set_up.set("sampling", rf::name_of(sweep_.sampling), "what monte_carlo draws");
  set_up.set("draws", std::int64_t{sweep_.draws}, "1", "draws of a Monte Carlo replicate");
  set_up.set("standard_error",
             sweep_.standard_error.value_or(std::numeric_limits<double>::quiet_NaN()), "1",
             "standard error at which a Monte Carlo point stops; NaN: none");
  set_up.set("notes", notes(), "note", "what the user should know of the rules");
  return set_up;
}

}  // namespace

std::optional<SweepMethod> sweep_method_of(const std::string& name) {
  if (name == "head_to_head") return SweepMethod{name, SweepMethod::Kind::head_to_head};
  if (name == "monte_carlo") return SweepMethod{name, SweepMethod::Kind::monte_carlo};
  const auto method = rf::method_of(name);
  if (!method) return std::nullopt;
  return SweepMethod{name, SweepMethod::Kind::point, *method};
}

std::vector<std::string> sweep_method_names() {
  std::vector<std::string> names;
  for (const rf::Method method : rf::all_methods) names.emplace_back(rf::name_of(method));
  names.insert(names.end(), {"monte_carlo", "head_to_head"});
  return names;
}

bool Sweep::has_monte_carlo() const {
  return std::any_of(methods.begin(), methods.end(), [](const SweepMethod& method) {
    return method.kind == SweepMethod::Kind::monte_carlo;
  });
}

rf::Sampling sampling_for(const rf::Game& game, std::int64_t games, rf::Sampling wanted) {
  const bool possible = game.lattice && rf::ConditionalScore::is_feasible(game, games);
  return possible ? wanted : rf::Sampling::plain;
}

Sweep read_sweep(const Bundle& set_up) {
  Sweep sweep;
  const auto& names = set_up.strings("rule_name");
  const auto alpha = set_up.doubles("outcome_alpha");
  const auto payoff = set_up.doubles("outcome_payoff");
  std::size_t begin = 0;
  for (std::size_t r = 0; r < names.size(); ++r) {
    const auto count = static_cast<std::size_t>(set_up.integers("rule_outcomes")[r]);
    rf::Rule rule;
    rule.name = names[r];
    const auto part_of = [&](std::span<const double> all) {
      const auto part = all.subspan(begin, count);
      return std::vector<double>(part.begin(), part.end());
    };
    rule.alpha = part_of(alpha);
    rule.payoff = part_of(payoff);
    begin += count;
    rule.centre.kind = set_up.integers("rule_centre_is_mean")[r] == 1 ? rf::Centre::Kind::mean
                                                                      : rf::Centre::Kind::value;
    rule.centre.value = set_up.doubles("rule_centre")[r];
    rule.relative_length = set_up.doubles("rule_relative_length")[r];
    sweep.reduced.push_back(rf::reduce(rule));
    sweep.rules.push_back(std::move(rule));
  }
  const auto games = set_up.integers("games");
  sweep.games.assign(games.begin(), games.end());
  for (const std::string& name : set_up.strings("method")) {
    sweep.methods.push_back(*sweep_method_of(name));
  }
  sweep.sampling = *rf::sampling_of(set_up.scalar_string("sampling"));
  sweep.draws = static_cast<std::uint32_t>(set_up.scalar_integer("draws"));
  const double target = set_up.scalar_double("standard_error");
  if (!std::isnan(target)) sweep.standard_error = target;
  return sweep;
}

std::unique_ptr<Preparation> prepare(const Section& root) {
  return std::make_unique<SweepPreparation>(root);
}

}  // namespace banzuke::reflection_sweep
