#include "jobs/bt_uncertainty_points.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "engine/models/bradley_terry/covariance.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();
/// Up to so many numbers of covariances a file stores (8 MB).
constexpr std::size_t most_covariances = 1'000'000;
/// Point of a note that belongs to none.
constexpr std::int64_t no_point = -1;

/// Where a point's entries are in arrays that hold one point after the other.
struct Part {
  std::size_t first = 0, count = 0;

  template <typename Values>
  auto of(const Values& values) const {
    return std::span(values).subspan(first, count);
  }
};

/// `counts` is the array of entries a point; without it all `whole` are of the only point.
Part part_of(const Bundle& set_up, const char* counts, std::size_t whole, std::size_t point) {
  if (!set_up.has(counts)) return {0, whole};
  Part part;
  const auto all = set_up.integers(counts);
  for (std::size_t i = 0; i < point; ++i) part.first += static_cast<std::size_t>(all[i]);
  part.count = static_cast<std::size_t>(all[point]);
  return part;
}

template <typename To, typename From>
void append(std::vector<To>& to, const From& from) {
  to.insert(to.end(), from.begin(), from.end());
}

/// The players rated at any point, in order of first appearance.
class Union {
 public:
  explicit Union(const std::vector<RatedPoint>& points) {
    for (const RatedPoint& point : points) {
      for (const std::uint32_t listed : point.rated.listed) {
        const std::string& name = point.listed_name[listed];
        const auto [entry, is_new] = place_.emplace(name, static_cast<std::int64_t>(names_.size()));
        if (is_new) names_.push_back(name);
        rated_player_.push_back(entry->second);
      }
    }
  }
  const std::vector<std::string>& names() const { return names_; }
  /// [rated], point after point.
  const std::vector<std::int64_t>& rated_player() const { return rated_player_; }

 private:
  std::unordered_map<std::string, std::int64_t> place_;
  std::vector<std::string> names_;
  std::vector<std::int64_t> rated_player_;
};

void store_players(const std::vector<RatedPoint>& points, const Union& players,
                   const bt_inputs::Scale& scale, Bundle& set_up) {
  const std::string units = scale.units();
  const char* const axis = points.size() == 1 ? "player" : "rated";
  std::vector<std::int64_t> count, listed;
  std::vector<double> games, rating, ability, error, published, published_replicates;
  const bool has_published = std::any_of(points.begin(), points.end(), [](const RatedPoint& point) {
    return !point.published_uncertainty.empty();
  });
  for (const RatedPoint& point : points) {
    const std::size_t rated = point.rated.listed.size();
    count.push_back(static_cast<std::int64_t>(rated));
    append(listed, point.rated.listed);
    append(games, bt::games_of_players(point.rated.schedule));
    append(rating, point.rating);
    append(ability, point.rated.abilities);
    append(error, point.standard_error);
    append(published, point.published_uncertainty);
    append(published_replicates, point.published_replicates);
    published.resize(rating.size(), not_a_number);
    published_replicates.resize(rating.size(), not_a_number);
  }
  set_up.set("rated_name", players.names(), "player",
             "players rated at any point, in order of first appearance");
  set_up.set("rated_count", count, "point", "1", "rated players of each point");
  set_up.set("rated_player", players.rated_player(), axis, "1",
             "place of a point's rated player among the players of the records");
  set_up.set("rated_listed", listed, axis, "1",
             "place of a rated player among the point's listed players");
  set_up.set("rated_games", games, axis, "1", "games against rated players");
  set_up.set("rated_rating", rating, axis, units, "rating the games are simulated from");
  set_up.set("rated_ability", ability, axis, "1",
             "the same on the natural-log scale, relative to the anchor");
  set_up.set("rated_standard_error", error, axis, units,
             "standard error from the inverse Fisher information");
  if (!has_published) return;
  set_up.set("published_standard_uncertainty", published, axis, units,
             "uncertainty published elsewhere");
  set_up.set("published_replicates", published_replicates, axis, "1",
             "valid replicates published elsewhere");
}

void store_listed(const std::vector<RatedPoint>& points, Bundle& set_up) {
  std::vector<std::int64_t> count;
  std::vector<std::string> name, standing;
  std::vector<double> games, wins;
  for (const RatedPoint& point : points) {
    count.push_back(static_cast<std::int64_t>(point.listed_name.size()));
    append(name, point.listed_name);
    append(standing, point.rated.standing);
    append(games, point.listed_games);
    append(wins, point.listed_wins);
  }
  set_up.set("listed_count", count, "point", "1", "players in the input of each point");
  set_up.set("listed_name", name, "listed_player", "all players of the input, in its order");
  set_up.set("listed_games", games, "listed_player", "1", "games in the input");
  set_up.set("listed_wins", wins, "listed_player", "1", "wins in the input, draws as chosen");
  set_up.set("listed_standing", standing, "listed_player", "rated, or why not");
}

void store_pairs(const std::vector<RatedPoint>& points, Bundle& set_up) {
  std::vector<std::int64_t> count, first, second, games;
  for (const RatedPoint& point : points) {
    const bt::Schedule& schedule = point.rated.schedule;
    count.push_back(static_cast<std::int64_t>(schedule.size()));
    append(first, schedule.first);
    append(second, schedule.second);
    append(games, schedule.games);
  }
  set_up.set("pair_count", count, "point", "1", "pairs of rated players who meet, of each point");
  set_up.set("pair_first", first, "pair", "1", "first player, among the point's rated players");
  set_up.set("pair_second", second, "pair", "1", "second player");
  set_up.set("pair_games", games, "pair", "1", "games of the pair");
}

void store_covariances(const std::vector<RatedPoint>& points, const Union& players,
                       const bt_inputs::Scale& scale, Bundle& set_up) {
  const std::size_t n = players.names().size();
  if (n * n > most_covariances / points.size()) return;
  const double unit = scale.unit();
  std::vector<double> values(points.size() * n * n, not_a_number);
  std::size_t first_rated = 0, first_value = 0;
  for (const RatedPoint& point : points) {
    const bt_inputs::Rated& rated = point.rated;
    const Eigen::MatrixXd covariance =
        bt::covariance(rated.schedule, rated.abilities, {rated.anchor, !scale.has_reference});
    const auto place = Part{first_rated, rated.listed.size()}.of(players.rated_player());
    for (std::size_t i = 0; i < place.size(); ++i) {
      for (std::size_t j = 0; j < place.size(); ++j) {
        values[first_value + static_cast<std::size_t>(place[i]) * n +
               static_cast<std::size_t>(place[j])] =
            covariance(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) * (unit * unit);
      }
    }
    first_rated += place.size();
    first_value += n * n;
  }
  set_up.set("rated_covariance", Array{{points.size(), n, n},
                                       std::move(values),
                                       {"point", "player", "player"},
                                       scale.elo ? "Elo^2" : "1",
                                       "covariance of the ratings: inverse Fisher information"});
}

void store_values(const std::vector<RatedPoint>& points, bool fitted, Bundle& set_up) {
  std::vector<std::string> label;
  std::vector<double> log_likelihood, deviance, last_step;
  std::vector<std::int64_t> anchor, iterations, games, games_rated, draws;
  for (const RatedPoint& point : points) {
    label.push_back(point.label.empty() ? std::string(unnamed_point) : point.label);
    anchor.push_back(point.rated.anchor);
    log_likelihood.push_back(point.log_likelihood);
    deviance.push_back(point.deviance);
    last_step.push_back(point.fit_last_step);
    iterations.push_back(point.fit_iterations);
    games.push_back(point.games_total);
    draws.push_back(point.draws_total);
    std::int64_t rated = 0;
    for (const std::uint32_t of_pair : point.rated.schedule.games) rated += of_pair;
    games_rated.push_back(rated);
  }
  set_up.set("point_label", label, "point", "names of the points");
  set_up.set("anchor_player", anchor, "point", "1",
             "the player whose component is rated, among the point's rated players");
  set_up.set("games_total", games, "point", "1", "games in the input");
  set_up.set("games_rated", games_rated, "point", "1", "games between rated players");
  set_up.set("draws_total", draws, "point", "1", "draws in the input");
  if (!fitted) return;
  set_up.set("log_likelihood", log_likelihood, "point", "1",
             "log-likelihood of the fit, without binomial coefficients");
  set_up.set("deviance", deviance, "point", "1", "deviance of the fit over pair totals");
  set_up.set("fit_iterations", iterations, "point", "1", "gradient evaluations of the fit");
  set_up.set("fit_last_step", last_step, "point", "Elo",
             "largest change of a rating in the fit's last step");
}

void store_notes(const std::vector<RatedPoint>& points, const std::vector<std::string>& general,
                 Bundle& set_up) {
  std::vector<std::string> notes = general;
  std::vector<std::int64_t> of_point(general.size(), no_point);
  for (std::size_t i = 0; i < points.size(); ++i) {
    for (const std::string& note : points[i].notes) {
      notes.push_back(points[i].label.empty() ? note
                                              : fmt::format("{}: {}", points[i].label, note));
      of_point.push_back(static_cast<std::int64_t>(i));
    }
  }
  set_up.set("notes", notes, "note", "what the user should know of the input");
  set_up.set("note_point", of_point, "note", "1", "the point a note belongs to; -1: to all");
}

std::vector<std::string> notes_of(const Bundle& set_up, std::int64_t point) {
  const std::vector<std::string>& all = set_up.strings("notes");
  if (!set_up.has("note_point")) return point == 0 ? all : std::vector<std::string>();
  const auto of_point = set_up.integers("note_point");
  std::vector<std::string> notes;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (of_point[i] == point) notes.push_back(all[i]);
  }
  return notes;
}

}  // namespace

bool PointView::has_published() const {
  return std::any_of(published_uncertainty.begin(), published_uncertainty.end(),
                     [](double value) { return !std::isnan(value); });
}

std::vector<std::string> point_labels(const Bundle& set_up) {
  return set_up.has("point_label") ? set_up.strings("point_label")
                                   : std::vector<std::string>{std::string(unnamed_point)};
}

const std::vector<std::string>& player_names(const Bundle& set_up) {
  return set_up.strings("rated_name");
}

std::vector<std::string> general_notes(const Bundle& set_up) {
  return notes_of(set_up, no_point);
}

PointView view_point(const Bundle& set_up, std::size_t point) {
  PointView view;
  view.label = point_labels(set_up)[point];
  const auto doubles = [&](const char* name) { return set_up.doubles(name); };

  const auto listed_by = set_up.integers("rated_listed");
  const Part rated = part_of(set_up, "rated_count", listed_by.size(), point);
  for (std::size_t i = 0; i < rated.count; ++i) {
    view.player.push_back(set_up.has("rated_player") ? static_cast<std::size_t>(set_up.integers(
                                                           "rated_player")[rated.first + i])
                                                     : i);
  }
  view.place = rated.of(listed_by);
  view.rating = rated.of(doubles("rated_rating"));
  view.ability = rated.of(doubles("rated_ability"));
  view.standard_error = rated.of(doubles("rated_standard_error"));
  view.games = rated.of(doubles("rated_games"));
  if (set_up.has("published_standard_uncertainty")) {
    view.published_uncertainty = rated.of(doubles("published_standard_uncertainty"));
    view.published_replicates = rated.of(doubles("published_replicates"));
  }

  const std::vector<std::string>& names = set_up.strings("listed_name");
  const Part listed = part_of(set_up, "listed_count", names.size(), point);
  view.listed_name = listed.of(names);
  view.listed_standing = listed.of(set_up.strings("listed_standing"));
  view.listed_games = listed.of(doubles("listed_games"));
  view.listed_wins = listed.of(doubles("listed_wins"));

  const auto first = set_up.integers("pair_first");
  const Part pairs = part_of(set_up, "pair_count", first.size(), point);
  view.schedule = {static_cast<std::uint32_t>(rated.count), bt_inputs::indices(pairs.of(first)),
                   bt_inputs::indices(pairs.of(set_up.integers("pair_second"))),
                   bt_inputs::indices(pairs.of(set_up.integers("pair_games")))};
  view.anchor = {static_cast<std::uint32_t>(set_up.integers("anchor_player")[point]),
                 set_up.scalar_integer("anchor_is_mean") == 1};
  if (set_up.has("log_likelihood")) {
    view.log_likelihood = doubles("log_likelihood")[point];
    view.deviance = doubles("deviance")[point];
  }
  view.games_total = set_up.integers("games_total")[point];
  view.games_rated = set_up.integers("games_rated")[point];
  view.draws_total = set_up.integers("draws_total")[point];
  view.notes = notes_of(set_up, static_cast<std::int64_t>(point));
  return view;
}

void store_points(const std::vector<RatedPoint>& points, const bt_inputs::Scale& scale, bool fitted,
                  const std::vector<std::string>& general, Bundle& set_up) {
  const Union players(points);
  store_values(points, fitted, set_up);
  store_players(points, players, scale, set_up);
  store_covariances(points, players, scale, set_up);
  store_listed(points, set_up);
  store_pairs(points, set_up);
  store_notes(points, general, set_up);
}

}  // namespace banzuke::bt_uncertainty
