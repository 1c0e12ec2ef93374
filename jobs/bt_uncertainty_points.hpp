#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/models/bradley_terry/anchor.hpp"
#include "engine/models/bradley_terry/pair_data.hpp"
#include "engine/store/bundle.hpp"
#include "jobs/bt_inputs.hpp"

// The points of a set-up. Its arrays hold point after point: of the rated players, of the players
// listed in the input, of the pairs who meet, and one value a point. The players of the records are
// those who are rated at any point, in order of first appearance. A set-up of version 2 and before
// holds one point in the same arrays, without the counts.
namespace banzuke::bt_uncertainty {

/// Label of the only point of a run whose data set has no name.
inline constexpr std::string_view unnamed_point = "all games";

/// What a set-up says of one point; a view of the bundle, which must outlive it.
struct PointView {
  std::string label;

  std::vector<std::size_t> player;  ///< [rated] place among the players of the records
  std::span<const double> rating;   ///< [rated] that games are simulated from
  std::span<const double> ability;  ///< [rated] the same in natural units, relative to the anchor
  std::span<const double> standard_error, games;  ///< [rated]
  std::span<const std::int64_t> place;            ///< [rated] place among the point's listed
  /// [rated] published elsewhere, NaN where not; empty where nothing is for the whole run
  std::span<const double> published_uncertainty, published_replicates;

  std::span<const std::string> listed_name, listed_standing;
  std::span<const double> listed_games, listed_wins;

  bradley_terry::Schedule schedule;
  bradley_terry::Anchor anchor;
  std::optional<double> log_likelihood, deviance;  ///< of a fit
  std::int64_t games_total = 0, games_rated = 0, draws_total = 0;
  std::vector<std::string> notes;

  std::size_t players() const { return player.size(); }
  const std::string& name(std::size_t i) const {
    return listed_name[static_cast<std::size_t>(place[i])];
  }
  bool is_reference(std::size_t i) const { return !anchor.mean && i == anchor.player; }
  bool has_published() const;
};

std::vector<std::string> point_labels(const Bundle& set_up);
PointView view_point(const Bundle& set_up, std::size_t point);
/// Names of the players of the records.
const std::vector<std::string>& player_names(const Bundle& set_up);
/// Notes that belong to no point.
std::vector<std::string> general_notes(const Bundle& set_up);

/// What is known of one point once it is rated.
struct RatedPoint {
  std::string label;  ///< empty: unnamed_point
  bt_inputs::Rated rated;
  std::vector<std::string> listed_name;
  std::vector<double> listed_games, listed_wins;
  std::vector<double> rating, standard_error;                       ///< [rated]
  std::vector<double> published_uncertainty, published_replicates;  ///< [rated], or none
  bool errors_are_estimates = false;                                ///< of the standard errors
  double log_likelihood = 0, deviance = 0, fit_last_step = 0;       ///< of a fit
  std::int64_t fit_iterations = 0, games_total = 0, draws_total = 0;
  std::vector<std::string> notes;
};

/// Stores the arrays of all points, and the notes: those of the points after the general ones.
/// `fitted` says whether there are likelihoods to store.
void store_points(const std::vector<RatedPoint>& points, const bt_inputs::Scale& scale, bool fitted,
                  const std::vector<std::string>& general_notes, Bundle& set_up);

}  // namespace banzuke::bt_uncertainty
