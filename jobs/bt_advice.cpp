#include "jobs/bt_advice.hpp"

#include <fmt/format.h>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/reference_advice.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "jobs/bt_uncertainty_points.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

/// Median standard error, relative to that with the best reference, from which on a reference is
/// called bad; and the share of replicates that may be lost because it wins or loses everything.
constexpr double largest_ratio = 1.25, largest_loss = 1e-4;
/// In so small a field everybody knows everybody.
constexpr std::size_t fewest_players = 5;

std::string counted(double number, const char* one, const char* many) {
  return fmt::format("{:.0f} {}", number, number == 1 ? one : many);
}

}  // namespace

std::vector<std::string> advise(const Bundle& set_up) {
  const bool elo = set_up.scalar_integer("unit_is_elo") == 1;
  const auto error = [&](const bt::Reference& reference) {
    return elo ? fmt::format("{:.1f} Elo", reference.median_error * bt::elo_per_natural)
               : fmt::format("{:.3f}", reference.median_error);
  };
  std::vector<std::string> lines;
  const std::size_t points = point_labels(set_up).size();
  for (std::size_t point = 0; point < points; ++point) {
    const PointView view = view_point(set_up, point);
    if (view.players() < fewest_players) continue;
    const bt::ReferenceAdvice advice =
        bt::advise_reference(view.schedule, view.ability, view.anchor.player);
    const bt::Reference& chosen = advice.chosen;
    const std::string label = points > 1 ? view.label + ": " : std::string();
    std::string best;
    for (const bt::Reference& reference : advice.best) {
      best += fmt::format("{}{} ({}, {}; {})", best.empty() ? "" : ", ",
                          in_quotes(view.name(reference.player)),
                          counted(reference.games, "game", "games"),
                          counted(reference.opponents, "opponent", "opponents"), error(reference));
    }
    std::string why;
    if (!view.anchor.mean && advice.ratio > largest_ratio) {
      why = fmt::format("the others' median standard error is {}, {:.2f} times that of the best",
                        error(chosen), advice.ratio);
    }
    if (!view.anchor.mean && chosen.isolation > largest_loss) {
      why += fmt::format(
          "{}in {:.2g} % of the replicates it wins or loses every game and nobody can "
          "be rated",
          why.empty() ? "" : "; ", 100 * chosen.isolation);
    }
    if (!why.empty()) {
      lines.push_back(fmt::format("{}{} is a bad reference with {} against {} ({}): choose {}",
                                  label, in_quotes(view.name(chosen.player)),
                                  counted(chosen.games, "game", "games"),
                                  counted(chosen.opponents, "player", "players"), why, best));
    } else if (points == 1) {
      lines.push_back(
          fmt::format("good references, with the others' median standard error: {}", best));
    }
  }
  return lines;
}

}  // namespace banzuke::bt_uncertainty
