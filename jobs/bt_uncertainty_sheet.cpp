#include "jobs/bt_uncertainty_sheet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "engine/base/text.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "jobs/bt_status.hpp"
#include "jobs/bt_uncertainty.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

Sheet read_sheet(const ResultFile& file, const Bundle& set_up, std::size_t point) {
  Sheet sheet;
  sheet.view = view_point(set_up, point);
  const Layout& layout = file.layout();
  const std::vector<std::uint8_t> status = file.read_status(point, {0, layout.rows()});
  // Rows are closed from the end.
  const auto needed = layout.rows() - static_cast<std::uint64_t>(std::count(
                                          status.begin(), status.end(), bt_status::not_needed));
  sheet.most = layout.replicates;
  sheet.total = std::min(needed * layout.segment, layout.replicates);
  sheet.summary = summarise_point(file, point, sheet.view, storage_of(set_up), layout.rows());
  sheet.done = sheet.summary.done();
  sheet.order.resize(sheet.view.players());
  std::iota(sheet.order.begin(), sheet.order.end(), std::size_t{0});
  std::stable_sort(sheet.order.begin(), sheet.order.end(), [&](std::size_t a, std::size_t b) {
    return sheet.view.rating[a] > sheet.view.rating[b];
  });
  return sheet;
}

}  // namespace

bool Sheet::has_few_valid() const {
  return std::any_of(summary.players.begin(), summary.players.end(),
                     [&](const bt::Summary& s) { return s.valid < done; });
}

std::vector<std::pair<std::size_t, std::string>> Sheet::outsiders() const {
  std::vector<std::pair<std::size_t, std::string>> out;
  for (std::size_t i = 0; i < view.listed_standing.size(); ++i) {
    const std::string& standing = view.listed_standing[i];
    if (standing != bt::describe(bt::Standing::rated)) out.emplace_back(i, standing);
  }
  return out;
}

std::vector<Sheet> read_sheets(const ResultFile& file, const Bundle& set_up,
                               const TableRequest& request) {
  const std::vector<std::string>& labels = file.layout().points;
  std::vector<Sheet> sheets;
  for (std::size_t point = 0; point < labels.size(); ++point) {
    if (request.point && *request.point != labels[point]) continue;
    sheets.push_back(read_sheet(file, set_up, point));
  }
  return sheets;
}

bool is_elo(const Bundle& set_up) {
  return set_up.scalar_integer("unit_is_elo") == 1;
}

std::string units_of(const Bundle& set_up) {
  return is_elo(set_up) ? "Elo" : "natural-log units";
}

std::string relative_to(const Bundle& set_up) {
  const std::string value = shortest(set_up.scalar_double("anchor_value"));
  if (set_up.scalar_integer("anchor_is_mean") == 1) {
    return fmt::format("the mean of the rated players = {}", value);
  }
  // The reference is the same at all points.
  const auto rated = static_cast<std::size_t>(set_up.integers("anchor_player")[0]);
  const auto listed = static_cast<std::size_t>(set_up.integers("rated_listed")[rated]);
  return fmt::format("{} = {}", set_up.strings("listed_name")[listed], value);
}

}  // namespace banzuke::bt_uncertainty
