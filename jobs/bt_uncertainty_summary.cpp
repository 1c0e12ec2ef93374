#include <algorithm>
#include <limits>

#include "jobs/bt_uncertainty.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

constexpr std::size_t tile_values = std::size_t{8} << 20;  // 64 MiB of doubles

}  // namespace

std::vector<bt::Summary> summarise_players(const ResultFile& file, std::size_t point,
                                           const PointView& view, std::uint64_t count) {
  const std::size_t width = file.layout().width(field_rating);
  const RowRange rows{0, count};
  // A kill may leave values in rows that were never declared done: their status decides.
  const std::vector<std::uint8_t> status = file.read_status(point, rows);
  std::vector<bt::Summary> out(view.players());
  // Column by column, as many at a time as memory allows.
  const std::size_t tile_width = std::clamp<std::size_t>(tile_values / count, 1, width);
  std::vector<double> column(count);
  for (std::size_t begin = 0; begin < width; begin += tile_width) {
    const ElementRange range{begin, std::min(tile_width, width - begin)};
    const auto tile = file.read_doubles(field_rating, point, rows, range);
    for (std::size_t i = 0; i < view.players(); ++i) {
      if (view.player[i] < begin || view.player[i] - begin >= range.count) continue;
      for (std::size_t row = 0; row < count; ++row) {
        column[row] = status[row] == status_ok ? tile[row * range.count + view.player[i] - begin]
                                               : std::numeric_limits<double>::quiet_NaN();
      }
      out[i] = bt::summarise(column, view.rating[i]);
    }
  }
  return out;
}

bool is_known_enough(const ResultFile& file, std::size_t point, std::uint64_t count) {
  const Bundle set_up = file.read_setup();
  const double wanted = set_up.scalar_double("stop_relative_error");
  if (!(wanted > 0)) return false;
  const PointView view = view_point(set_up, point);
  const std::vector<bt::Summary> summaries = summarise_players(file, point, view, count);
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    if (view.is_reference(i)) continue;
    if (!(summaries[i].sd_error <= wanted * summaries[i].sd)) return false;
  }
  return true;
}

}  // namespace banzuke::bt_uncertainty
