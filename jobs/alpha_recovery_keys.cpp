#include "jobs/alpha_recovery_keys.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/models/dirichlet_multinomial/tail_counts.hpp"

namespace banzuke::alpha_recovery {
namespace {

namespace dm = dirichlet_multinomial;

constexpr double most_games = dm::max_games_of_a_player;
constexpr Range rank_range{2, 64};
constexpr Range alpha_range{1e-3, 1e9};
constexpr Range player_range{1, 1e9};

/// How games are given, in the set-up.
enum class Law : std::int64_t { fixed, listed, lognormal, resampled };

bool drawn_anew(const Section& table) {
  return table.choice(
             {"games_drawn", "games of the players: drawn once for all replicates, or anew"},
             {"once", "per_replicate"}, "once") == "per_replicate";
}

dm::GamesPerPlayer games_of(const Section& table, const Config& config, RuleKeys& keys) {
  const Key key{"games",
                "games of a player: a number, a list, { distribution = \"lognormal\", median = …, "
                "sigma = …, max = … } or { file = …, draw = … }"};
  if (!table.is_table("games")) {
    std::vector<std::uint32_t> games;
    for (const double n : table.axis(key, {0, most_games}, true)) {
      games.push_back(static_cast<std::uint32_t>(n));
    }
    if (games.size() == 1) return dm::FixedGames{games[0]};
    return dm::ListedGames{games};
  }
  const Section law = table.table(key);
  if (law.has("file")) {
    keys.games_file = rank_file_keys(law, config);
    const std::string draw =
        law.choice({"draw", "players of the file in turn, or drawn with equal chances"},
                   {"listed", "resampled"}, "listed");
    if (draw == "listed") return dm::ListedGames{};
    return dm::ResampledGames{};
  }
  law.choice({"distribution", "law of the number of games"}, {"lognormal"}, "");
  dm::LognormalGames games;
  games.median = law.number({"median", "median of the games", "1"}, {1, 1e8});
  games.sigma = law.number({"sigma", "standard deviation of log games", "1"}, {0, 100});
  games.max = static_cast<std::uint32_t>(
      law.integer({"max", "the most games of a player", "1"}, 8000, {1, most_games}));
  return games;
}

void read_grid(const Section& root, double confidence, std::vector<RuleKeys>& rules) {
  if (!root.has("grid")) return;
  const Section grid = root.table({"grid", "all combinations of k, alpha, players and games"});
  const auto ranks = grid.axis({"k", "numbers of ranks", "1"}, rank_range, true);
  const auto alphas = grid.axis({"alpha", "true concentrations", "1"}, alpha_range);
  const auto players = grid.axis({"players", "numbers of players", "1"}, player_range, true);
  const auto games = grid.axis({"games", "games a player", "1"}, {0, most_games}, true);
  for (const double k : ranks) {
    for (const double alpha : alphas) {
      for (const double size : players) {
        for (const double n : games) {
          RuleKeys keys;
          keys.name = fmt::format("k = {}, alpha = {}, {} × {}", k, shortest(alpha), size, n);
          keys.where = root.where("grid");
          keys.rule = {static_cast<int>(k),
                       alpha,
                       static_cast<std::uint32_t>(size),
                       dm::FixedGames{static_cast<std::uint32_t>(n)},
                       false,
                       confidence};
          rules.push_back(std::move(keys));
        }
      }
    }
  }
}

}  // namespace

std::vector<RuleKeys> read_rules(const Section& root, const Config& config) {
  const double confidence = confidence_key(root);
  const Key rule{"rule", "a population each, whose alpha is known"};
  std::vector<RuleKeys> rules;
  for (const Section& table : root.tables(rule)) {
    RuleKeys keys;
    keys.name = table.text({"name", "what the population is called"});
    keys.where = table.where("name");
    keys.rule.ranks =
        static_cast<int>(table.integer({"k", "the number of ranks", "1"}, rank_range));
    keys.rule.alpha = table.number({"alpha", "true concentration of each rank", "1"}, alpha_range);
    keys.rule.games = games_of(table, config, keys);
    const Key players{"players", "number of players; with a file of games: its own by default",
                      "1"};
    keys.all_players = keys.games_file && !table.has("players");
    keys.rule.players =
        static_cast<std::uint32_t>(keys.all_players ? table.integer(players, 1, player_range)
                                                    : table.integer(players, player_range));
    keys.rule.redraw_games = drawn_anew(table);
    keys.rule.confidence = confidence;
    rules.push_back(std::move(keys));
  }
  read_grid(root, confidence, rules);
  if (rules.empty()) root.table(rule);  // tells what is missing
  std::vector<std::string> names;
  std::vector<Location> where;
  for (const RuleKeys& keys : rules) {
    names.push_back(keys.name);
    where.push_back(keys.where);
  }
  require_distinct(names, where, "the rule");
  return rules;
}

void take_games(const RankTable& table, RuleKeys& keys) {
  std::vector<std::uint32_t> games;
  const auto k = static_cast<std::size_t>(table.ranks);
  for (std::size_t i = 0; i < table.counts.size(); i += k) {
    std::uint32_t sum = 0;
    for (std::size_t j = 0; j < k; ++j) sum += table.counts[i + j];
    games.push_back(sum);
  }
  if (keys.all_players) keys.rule.players = static_cast<std::uint32_t>(games.size());
  if (std::holds_alternative<dm::ListedGames>(keys.rule.games)) {
    keys.rule.games = dm::ListedGames{std::move(games)};
  } else {
    keys.rule.games = dm::ResampledGames{std::move(games)};
  }
}

void store_rules(const std::vector<RuleKeys>& rules, Bundle& set_up) {
  std::vector<std::string> names;
  std::vector<std::int64_t> ranks, players, redraw, laws, most, sizes, list;
  std::vector<double> alphas, medians, sigmas;
  for (const RuleKeys& keys : rules) {
    const dm::RecoveryRule& rule = keys.rule;
    names.push_back(keys.name);
    ranks.push_back(rule.ranks);
    alphas.push_back(rule.alpha);
    players.push_back(rule.players);
    redraw.push_back(rule.redraw_games ? 1 : 0);
    const auto* lognormal = std::get_if<dm::LognormalGames>(&rule.games);
    medians.push_back(lognormal ? lognormal->median : 0);
    sigmas.push_back(lognormal ? lognormal->sigma : 0);
    most.push_back(dm::largest(rule.games));
    std::size_t size = 0;
    Law law = lognormal ? Law::lognormal : Law::fixed;
    const auto take = [&](const std::vector<std::uint32_t>& games, Law which) {
      law = which;
      size = games.size();
      list.insert(list.end(), games.begin(), games.end());
    };
    if (const auto* listed = std::get_if<dm::ListedGames>(&rule.games)) {
      take(listed->games, Law::listed);
    } else if (const auto* resampled = std::get_if<dm::ResampledGames>(&rule.games)) {
      take(resampled->from, Law::resampled);
    }
    laws.push_back(static_cast<std::int64_t>(law));
    sizes.push_back(static_cast<std::int64_t>(size));
  }
  set_up.set("confidence", rules.front().rule.confidence, "1", "coverage the intervals aim at");
  set_up.set("rule", names, "population", "names of the populations");
  set_up.set("ranks", ranks, "population", "1", "k, the number of ranks");
  set_up.set("alpha", alphas, "population", "1", "true concentration of each rank");
  set_up.set("players", players, "population", "1", "players simulated");
  set_up.set("games_redrawn", redraw, "population", "1",
             "1: games are drawn anew in every replicate");
  set_up.set("games_law", laws, "population", "1",
             "games a player: 0 fixed, 1 listed, 2 lognormal, 3 drawn from a list");
  set_up.set("games_median", medians, "population", "1", "of the lognormal law");
  set_up.set("games_sigma", sigmas, "population", "1", "of the lognormal law");
  set_up.set("games_max", most, "population", "1", "most games of a player; the fixed number");
  set_up.set("games_list_size", sizes, "population", "1", "its part of the list of games");
  set_up.set("games_list", list, "listed_games", "1", "lists of games, population by population");
}

std::vector<dm::RecoveryRule> stored_rules(const Bundle& set_up) {
  const auto integer = [&](const char* name, std::size_t i) { return set_up.integers(name)[i]; };
  const std::vector<std::uint32_t> list = stored_counts(set_up, "games_list");
  std::vector<dm::RecoveryRule> rules;
  auto next = list.begin();
  for (std::size_t i = 0; i < set_up.strings("rule").size(); ++i) {
    const auto most = static_cast<std::uint32_t>(integer("games_max", i));
    const auto end = next + integer("games_list_size", i);
    const std::vector<std::uint32_t> games(next, end);
    next = end;
    dm::RecoveryRule rule;
    rule.ranks = static_cast<int>(integer("ranks", i));
    rule.alpha = set_up.doubles("alpha")[i];
    rule.players = static_cast<std::uint32_t>(integer("players", i));
    rule.redraw_games = integer("games_redrawn", i) == 1;
    rule.confidence = set_up.scalar_double("confidence");
    switch (static_cast<Law>(integer("games_law", i))) {
      case Law::fixed:
        rule.games = dm::FixedGames{most};
        break;
      case Law::listed:
        rule.games = dm::ListedGames{games};
        break;
      case Law::lognormal:
        rule.games = dm::LognormalGames{set_up.doubles("games_median")[i],
                                        set_up.doubles("games_sigma")[i], most};
        break;
      case Law::resampled:
        rule.games = dm::ResampledGames{games};
        break;
    }
    rules.push_back(std::move(rule));
  }
  return rules;
}

}  // namespace banzuke::alpha_recovery
