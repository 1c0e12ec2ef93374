#include <algorithm>
#include <limits>

#include "jobs/bt_uncertainty.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

constexpr std::size_t tile_values = std::size_t{8} << 20;  // 64 MiB of doubles

}  // namespace

std::vector<bt::Summary> summarise_players(const ResultFile& file, const Bundle& set_up,
                                           std::uint64_t count) {
  const std::size_t players = file.layout().width(field_rating);
  const auto truth = set_up.doubles("rated_rating");
  const RowRange rows{0, count};
  // A kill may leave values in rows that were never declared done: their status decides.
  const std::vector<std::uint8_t> status = file.read_status(0, rows);
  std::vector<bt::Summary> out;
  // Column by column, as many at a time as memory allows.
  const std::size_t width = std::clamp<std::size_t>(tile_values / count, 1, players);
  std::vector<double> column(count);
  for (std::size_t begin = 0; begin < players; begin += width) {
    const std::size_t columns = std::min(width, players - begin);
    const auto tile = file.read_doubles(field_rating, 0, rows, ElementRange{begin, columns});
    for (std::size_t i = 0; i < columns; ++i) {
      for (std::size_t row = 0; row < count; ++row) {
        column[row] = status[row] == status_ok ? tile[row * columns + i]
                                               : std::numeric_limits<double>::quiet_NaN();
      }
      out.push_back(bt::summarise(column, truth[begin + i]));
    }
  }
  return out;
}

bool is_known_enough(const ResultFile& file, std::size_t, std::uint64_t count) {
  const Bundle set_up = file.read_setup();
  const double wanted = set_up.scalar_double("stop_relative_error");
  if (!(wanted > 0)) return false;
  const bool has_reference = set_up.scalar_integer("anchor_is_mean") == 0;
  const auto reference = static_cast<std::size_t>(set_up.scalar_integer("anchor_player"));
  const std::vector<bt::Summary> summaries = summarise_players(file, set_up, count);
  for (std::size_t i = 0; i < summaries.size(); ++i) {
    if (has_reference && i == reference) continue;
    if (!(summaries[i].sd_error <= wanted * summaries[i].sd)) return false;
  }
  return true;
}

}  // namespace banzuke::bt_uncertainty
