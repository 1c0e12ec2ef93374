#include "jobs/bt_recovery_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_recovery.hpp"

namespace banzuke::bt_recovery {
namespace {

namespace bt = bradley_terry;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t tile_values = std::size_t{1} << 20;
constexpr double infinity = std::numeric_limits<double>::infinity();
/// Lower ends of the bins.
constexpr std::array games_bins{0.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0, infinity};
constexpr std::array distance_bins{0.0, 100.0, 200.0, 400.0, 800.0, infinity};  // Elo

/// Sums over intervals, data set by data set.
class Cover {
 public:
  void add(bool hit) {
    ++row_intervals_;
    row_hits_ += hit ? 1 : 0;
  }
  void end_row() {
    intervals_ += row_intervals_;
    hits_ += row_hits_;
    square_ += row_intervals_ * row_intervals_;
    mixed_ += row_intervals_ * row_hits_;
    hits_square_ += row_hits_ * row_hits_;
    row_intervals_ = row_hits_ = 0;
  }
  double intervals() const { return intervals_; }
  Share share() const {
    if (intervals_ == 0) return {nan, nan};
    const double p = hits_ / intervals_;
    const double spread = hits_square_ - 2 * p * mixed_ + p * p * square_;
    return {p, std::sqrt(std::max(0.0, spread)) / intervals_};
  }

 private:
  double row_intervals_ = 0, row_hits_ = 0;
  double intervals_ = 0, hits_ = 0, square_ = 0, mixed_ = 0, hits_square_ = 0;
};

struct BeliefSums {
  double uncertainty = 0;
  Cover within_1, within_196;
  void add(double error, double u) {
    if (std::isnan(u)) return;
    uncertainty += u;
    within_1.add(std::abs(error) <= u);
    within_196.add(std::abs(error) <= 1.96 * u);
  }
  void end_row() {
    within_1.end_row();
    within_196.end_row();
  }
  Belief belief() const {
    const double n = within_1.intervals();
    return {static_cast<std::uint64_t>(n), n > 0 ? uncertainty / n : nan, within_1.share(),
            within_196.share()};
  }
};

struct Sums {
  BeliefSums fisher, monte_carlo;
  double inner_rated = 0;
  void end_row() {
    fisher.end_row();
    monte_carlo.end_row();
  }
};

struct PlayerSums {
  double rated = 0, error = 0, square = 0;
};

template <std::size_t N>
std::size_t bin_of(const std::array<double, N>& bins, double value) {
  return static_cast<std::size_t>(std::upper_bound(bins.begin(), bins.end() - 1, value) -
                                  bins.begin()) -
         1;
}

/// The groups of a point, empty, and for every player the places of theirs.
struct Grouping {
  std::vector<Group> groups;
  std::vector<std::vector<std::size_t>> of_player;

  Grouping(const Population& population, bool has_reference) : of_player(population.games.size()) {
    groups.push_back({.by = "all", .label = "all"});
    for (std::size_t b = 0; b + 1 < games_bins.size(); ++b) {
      groups.push_back({.by = "games", .label = label(games_bins[b], games_bins[b + 1], 1)});
    }
    for (std::size_t b = 0; b + 1 < distance_bins.size(); ++b) {
      groups.push_back(
          {.by = "distance", .label = label(distance_bins[b], distance_bins[b + 1], 0)});
    }
    for (std::size_t i = 0; i < of_player.size(); ++i) {
      if (has_reference && i == population.anchor) continue;
      const double distance = std::abs(population.abilities[i]) * bt::elo_per_natural;
      of_player[i] = {0, 1 + bin_of(games_bins, population.games[i]),
                      games_bins.size() + bin_of(distance_bins, distance)};
      for (const std::size_t g : of_player[i]) ++groups[g].players;
    }
  }

 private:
  static std::string label(double least, double next, int gap) {
    return next == infinity ? fmt::format("{:.0f} and more", least)
                            : fmt::format("{:.0f} to {:.0f}", least, next - gap);
  }
};

}  // namespace

std::vector<Group> groups_of(const ResultFile& file, const Bundle& set_up, std::size_t point) {
  const Layout& layout = file.layout();
  const Population population = population_of(set_up, point);
  const std::size_t players = population.games.size();
  const double unit = set_up.scalar_integer("unit_is_elo") == 1 ? bt::elo_per_natural : 1.0;
  const double offset = set_up.scalar_double("anchor_value");
  const auto inner = static_cast<double>(set_up.scalar_integer("inner_replicates"));
  Grouping grouping(population, set_up.scalar_integer("anchor_is_mean") == 0);
  std::vector<Group>& groups = grouping.groups;
  std::vector<Sums> sums(groups.size());
  std::vector<PlayerSums> of_player(players);
  double rows_ok = 0;

  const std::uint64_t step = std::clamp<std::uint64_t>(tile_values / players, 1, layout.replicates);
  for (std::uint64_t begin = 0; begin < layout.replicates; begin += step) {
    const RowRange rows{begin, std::min(step, layout.replicates - begin)};
    const ElementRange own{0, players};
    const auto status = file.read_status(point, rows);
    const auto ratings = file.read_doubles(field_rating, point, rows, own);
    const auto errors = file.read_doubles(field_standard_error, point, rows, own);
    const auto truth_offset = file.read_doubles(field_truth_offset, point, rows);
    std::vector<double> uncertainties, inner_rated;
    if (inner > 0) {
      uncertainties = file.read_doubles(field_standard_uncertainty, point, rows, own);
      inner_rated = file.read_doubles(field_inner_rated, point, rows, own);
    }
    for (std::size_t r = 0; r < rows.count; ++r) {
      if (status[r] != status_ok) continue;
      ++rows_ok;
      for (std::size_t i = 0; i < players; ++i) {
        const std::size_t at = r * players + i;
        if (std::isnan(ratings[at])) continue;
        const double truth = offset + population.abilities[i] * unit;
        const double error = ratings[at] + truth_offset[r] - truth;
        of_player[i].rated += 1;
        of_player[i].error += error;
        of_player[i].square += error * error;
        for (const std::size_t g : grouping.of_player[i]) {
          sums[g].fisher.add(error, errors[at]);
          if (inner == 0) continue;
          sums[g].monte_carlo.add(error, uncertainties[at]);
          sums[g].inner_rated += inner_rated[at] / inner;
        }
      }
      for (Sums& group : sums) group.end_row();
    }
  }

  std::vector<double> spread(groups.size(), 0.0), weight(groups.size(), 0.0);
  for (std::size_t i = 0; i < players; ++i) {
    const PlayerSums& player = of_player[i];
    const double side = population.abilities[i] < 0 ? -1 : 1;
    for (const std::size_t g : grouping.of_player[i]) {
      groups[g].cases += static_cast<std::uint64_t>(rows_ok);
      if (player.rated == 0) continue;
      groups[g].rated += static_cast<std::uint64_t>(player.rated);
      groups[g].bias += player.error;
      groups[g].outward += side * player.error;
      if (player.rated < 2) continue;
      const double squares = player.square - player.error * player.error / player.rated;
      spread[g] += player.rated * std::sqrt(std::max(0.0, squares) / (player.rated - 1));
      weight[g] += player.rated;
    }
  }
  std::vector<Group> out;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].players == 0) continue;
    Group& group = groups[g];
    const auto rated = static_cast<double>(group.rated);
    group.bias = rated > 0 ? group.bias / rated : nan;
    group.outward = rated > 0 ? group.outward / rated : nan;
    group.sd = weight[g] > 0 ? spread[g] / weight[g] : nan;
    group.fisher = sums[g].fisher.belief();
    group.monte_carlo = sums[g].monte_carlo.belief();
    group.inner_rated = inner > 0 && rated > 0 ? sums[g].inner_rated / rated : nan;
    out.push_back(std::move(group));
  }
  return out;
}

}  // namespace banzuke::bt_recovery
