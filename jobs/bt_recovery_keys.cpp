#include "jobs/bt_recovery_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "engine/models/bradley_terry/synthetic.hpp"

namespace banzuke::bt_recovery {
namespace {

namespace bt = bradley_terry;
using namespace bt_inputs;

/// More games than this are no synthetic schedule for a test of uncertainties.
constexpr double most_games = 5e7;

void read_pairing(const Section& table, const Config& config, PopulationKeys& keys) {
  if (table.has("games")) {
    if (table.has("schedule")) {
      throw InputError("a population has both a schedule and games",
                       "who meets whom comes from one of them", "keep one of them",
                       table.where("games"));
    }
    keys.pairing = Pairing::from_file;
    keys.games = games_keys(
        table.table(
            {"games", "who meets whom: files as in bt_uncertainty; results are left alone"}),
        config);
    return;
  }
  const std::string word = table.choice(
      {"schedule", "who meets whom: everybody, pairs at random, or pairs close in rank"},
      {"round_robin", "random", "near"}, "random");
  if (word == "round_robin") {
    keys.pairing = Pairing::round_robin;
    keys.games_per_pair = static_cast<std::uint32_t>(
        table.integer({"games_per_pair", "games of every pair", "1"}, 1, {1, 1e6}));
    return;
  }
  keys.pairing = word == "near" ? Pairing::near : Pairing::random;
  keys.games_per_player =
      table.number({"games_per_player", "mean number of games of a player", "1"}, {0.01, 1e6});
  if (keys.pairing == Pairing::near) {
    keys.reach = static_cast<std::uint32_t>(table.integer(
        {"reach", "opponents are at most so many ranks of true rating apart", "1"}, 5, {1, 1e6}));
  }
}

PopulationKeys read_population(const Section& table, const Config& config) {
  PopulationKeys keys;
  keys.label = table.text({"label", "what the population is called"});
  keys.where = table.where("label");
  read_pairing(table, config, keys);
  if (table.has("truth")) {
    if (table.has("spread") || table.has("players")) {
      throw InputError("a population has both a truth and players to draw",
                       "true ratings come from one of them", "keep one of them",
                       table.where("truth"));
    }
    keys.truth = truth_keys(table.table({"truth", "true ratings"}), config);
  } else {
    keys.spread = table.number(
        {"spread", "standard deviation of the true ratings, which are normal", "Elo"}, {0, 5000});
    if (keys.pairing != Pairing::from_file) {
      keys.players = static_cast<std::uint32_t>(
          table.integer({"players", "number of players", "1"}, {2, 100000}));
    }
  }
  keys.stretch = table.number(
      {"stretch", "factor on true differences of rating before games are simulated", "1"}, 1.0,
      {0, 10});
  return keys;
}

/// A population made from its keys and files.
struct Made {
  std::vector<std::string> names;  ///< [listed]
  Given given;
};

class RecoveryPreparation final : public Preparation {
 public:
  explicit RecoveryPreparation(Keys keys) : keys_(std::move(keys)) {}

  void load(Inputs& inputs) override {
    made_.clear();
    notes_.clear();
    for (std::uint32_t point = 0; point < keys_.populations.size(); ++point) {
      made_.push_back(make(inputs, point));
    }
  }

  Bundle set_up() override;

 private:
  Made make(Inputs& inputs, std::uint32_t point);
  /// Ratings (Elo) of the players of a synthetic schedule, best first, with their names.
  std::vector<double> ranked_ratings(Inputs& inputs, std::uint32_t point,
                                     std::vector<std::string>& names) const;
  bt::Schedule synthetic_schedule(std::uint32_t point, std::uint32_t players) const;
  void note(const PopulationKeys& keys, const std::string& text) {
    notes_.push_back(fmt::format("{}: {}", keys.label, text));
  }

  Keys keys_;
  std::vector<Made> made_;
  std::vector<std::string> notes_;
};

std::vector<double> drawn_ratings(std::uint64_t seed, std::uint32_t point, std::uint32_t players,
                                  double spread) {
  return bt::normal_abilities(seed, point, players, spread);
}

std::vector<double> RecoveryPreparation::ranked_ratings(Inputs& inputs, std::uint32_t point,
                                                        std::vector<std::string>& names) const {
  const PopulationKeys& keys = keys_.populations[point];
  if (!keys.truth) {
    std::vector<double> ratings = drawn_ratings(keys_.seed, point, keys.players, keys.spread);
    std::sort(ratings.begin(), ratings.end(), std::greater<>());
    for (std::size_t i = 0; i < ratings.size(); ++i)
      names.push_back(fmt::format("player {}", i + 1));
    return ratings;
  }
  const RatingsTable table = read_truth(inputs, *keys.truth);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < table.names.size(); ++i) {
    if (!std::isnan(table.columns[0][i])) order.push_back(i);
  }
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return table.columns[0][a] > table.columns[0][b];
  });
  std::vector<double> ratings;
  for (const std::size_t i : order) {
    names.push_back(table.names[i]);
    ratings.push_back(table.columns[0][i]);
  }
  if (ratings.size() < 2) {
    throw InputError(
        fmt::format("{} has fewer than two ratings", path_in_quotes(keys.truth->csv.path)), "",
        "give a file with more players", keys.truth->csv.where);
  }
  return ratings;
}

bt::Schedule RecoveryPreparation::synthetic_schedule(std::uint32_t point,
                                                     std::uint32_t players) const {
  const PopulationKeys& keys = keys_.populations[point];
  const double pairs = 0.5 * players * (players - 1.0);
  const double games = keys.pairing == Pairing::round_robin
                           ? pairs * keys.games_per_pair
                           : std::floor(0.5 * players * keys.games_per_player + 0.5);
  if (games > most_games) {
    throw InputError(
        fmt::format("the population {} plays {:.3g} games", in_quotes(keys.label), games),
        fmt::format("synthetic schedules have at most {:.0e}", most_games),
        "give fewer players or fewer games", keys.where);
  }
  if (keys.pairing == Pairing::round_robin) return bt::round_robin(players, keys.games_per_pair);
  const std::uint32_t reach =
      keys.pairing == Pairing::near ? std::min(keys.reach, players - 1) : players - 1;
  return bt::random_schedule(keys_.seed, point, players, static_cast<std::uint64_t>(games), reach);
}

Made RecoveryPreparation::make(Inputs& inputs, std::uint32_t point) {
  const PopulationKeys& keys = keys_.populations[point];
  Made made;
  bt::Schedule schedule;
  std::vector<double> truth;
  if (keys.pairing == Pairing::from_file) {
    const PairTable table = read_games(inputs, keys.games);
    made.names = table.names;
    schedule = schedule_of(table);
    std::vector<std::string> told = table.notes;
    if (keys.truth) {
      const RatingsTable ratings = read_truth(inputs, *keys.truth);
      truth = truth_of(ratings, *keys.truth, table.names);
      if (auto text = note_on_absent(ratings, table.names)) told.push_back(*std::move(text));
    } else {
      truth = drawn_ratings(keys_.seed, point, schedule.players, keys.spread);
    }
    for (const std::string& text : told) note(keys, text);
  } else {
    truth = ranked_ratings(inputs, point, made.names);
    schedule = synthetic_schedule(point, static_cast<std::uint32_t>(truth.size()));
  }
  const auto reference = find_reference(keys_.scale, made.names,
                                        fmt::format("the population {}", in_quotes(keys.label)));
  if (reference && std::isnan(truth[*reference])) {
    throw InputError(fmt::format("the reference {} has no rating in the population {}",
                                 in_quotes(keys_.scale.reference), in_quotes(keys.label)),
                     "", "name a player who has one", keys_.scale.where);
  }
  made.given = rate_given(schedule, truth, keys_.scale, reference, keys.where);
  if (made.given.players_dropped > 0) {
    note(keys, fmt::format("players without a rating, left out: {}, with {} games",
                           made.given.players_dropped, made.given.games_dropped));
  }
  const auto apart = static_cast<std::int64_t>(made.names.size() - made.given.rated.listed.size()) -
                     made.given.players_dropped;
  if (apart > 0) {
    note(keys, fmt::format("players left out, whom no games connect to the anchor: {}", apart));
  }
  return made;
}

Bundle RecoveryPreparation::set_up() {
  std::vector<std::string> labels, names;
  std::vector<std::int64_t> players, pairs, anchors, first, second, games;
  std::vector<double> stretch, abilities, ratings, played;
  std::size_t largest = 0;
  for (std::size_t point = 0; point < made_.size(); ++point) {
    const Rated& rated = made_[point].given.rated;
    labels.push_back(keys_.populations[point].label);
    players.push_back(rated.schedule.players);
    pairs.push_back(static_cast<std::int64_t>(rated.schedule.size()));
    anchors.push_back(rated.anchor);
    stretch.push_back(keys_.populations[point].stretch);
    largest = std::max<std::size_t>(largest, rated.schedule.players);
    for (std::size_t i = 0; i < rated.listed.size(); ++i) {
      names.push_back(made_[point].names[rated.listed[i]]);
      abilities.push_back(rated.abilities[i]);
      ratings.push_back(keys_.scale.anchor_value + rated.abilities[i] * keys_.scale.unit());
    }
    const std::vector<double> of_players = bt::games_of_players(rated.schedule);
    played.insert(played.end(), of_players.begin(), of_players.end());
    first.insert(first.end(), rated.schedule.first.begin(), rated.schedule.first.end());
    second.insert(second.end(), rated.schedule.second.begin(), rated.schedule.second.end());
    games.insert(games.end(), rated.schedule.games.begin(), rated.schedule.games.end());
  }
  if (keys_.most_players > 0 && keys_.most_players < largest) {
    throw InputError(fmt::format("a population has {} players", largest),
                     fmt::format("most_players is {}", keys_.most_players),
                     "raise it, or make the population smaller", keys_.populations.front().where);
  }
  Bundle set_up;
  set_up.set("population", labels, "population", "names of the populations");
  set_up.set("players", players, "population", "1", "players of each");
  set_up.set("pairs", pairs, "population", "1", "pairs who meet");
  set_up.set("anchor_player", anchors, "population", "1",
             "the player whose component is rated, counted within the population");
  set_up.set("stretch", stretch, "population", "1",
             "factor on true differences of rating before games are simulated");
  set_up.set("player_name", names, "all_players", "players, population by population");
  set_up.set("true_ability", abilities, "all_players", "1",
             "true ability on the natural-log scale, relative to the anchor");
  set_up.set("true_rating", ratings, "all_players", keys_.scale.units(), "true rating");
  set_up.set("player_games", played, "all_players", "1", "games of each player");
  set_up.set("pair_first", first, "all_pairs", "1", "first player, within the population");
  set_up.set("pair_second", second, "all_pairs", "1", "second player");
  set_up.set("pair_games", games, "all_pairs", "1", "games of the pair");
  set_up.set("most_players",
             static_cast<std::int64_t>(keys_.most_players > 0 ? keys_.most_players : largest), "1",
             "players a record has room for");
  set_up.set("inner_replicates", std::int64_t{keys_.inner_replicates}, "1",
             "seasons simulated from each estimate");
  set_up.set("anchor_is_mean", std::int64_t{keys_.scale.has_reference ? 0 : 1}, "1",
             "1: ratings are relative to the mean of the rated players");
  set_up.set("anchor_value", keys_.scale.anchor_value, keys_.scale.units(), "rating of the anchor");
  set_up.set("anchor_name", keys_.scale.reference, "the reference player; empty under a mean");
  set_up.set("unit_is_elo", std::int64_t{keys_.scale.elo ? 1 : 0}, "1",
             "1: Elo, 0: natural-log units");
  set_up.set("notes", notes_, "note", "what the user should know of the input");
  return set_up;
}

}  // namespace

Keys read_keys(const Section& root, const Config& config) {
  Keys keys;
  keys.seed = static_cast<std::uint64_t>(
      root.integer({"seed", "the seed of all random streams"}, {0, 0x1.0p63}));
  keys.inner_replicates = static_cast<std::uint32_t>(
      root.integer({"inner_replicates",
                    "seasons simulated anew from each estimate; 0: Fisher's errors alone", "1"},
                   0, {0, 1e6}));
  keys.most_players = static_cast<std::uint32_t>(
      root.integer({"most_players",
                    "players a record has room for; 0: as many as the largest population has", "1"},
                   0, {0, 1e6}));
  keys.scale = read_scale(root);
  const Key population{"population", "players, their true ratings, and who meets whom"};
  for (const Section& table : root.tables(population)) {
    keys.populations.push_back(read_population(table, config));
  }
  if (keys.populations.empty()) root.table(population);  // tells what is missing
  for (std::size_t i = 0; i < keys.populations.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (keys.populations[i].label != keys.populations[j].label) continue;
      throw InputError(
          fmt::format("two populations are called {}", in_quotes(keys.populations[i].label)),
          "tables tell them apart by their label", "give each a label of its own",
          keys.populations[i].where);
    }
  }
  return keys;
}

std::unique_ptr<Preparation> prepare(Keys keys) {
  return std::make_unique<RecoveryPreparation>(std::move(keys));
}

}  // namespace banzuke::bt_recovery
