#include <algorithm>
#include <limits>

#include "jobs/bt_status.hpp"
#include "jobs/bt_uncertainty.hpp"

namespace banzuke::bt_uncertainty {
namespace {

namespace bt = bradley_terry;

constexpr std::size_t tile_values = std::size_t{8} << 20;  // 64 MiB of doubles
constexpr double not_a_number = std::numeric_limits<double>::quiet_NaN();

/// Rows [0, count) of a point, some players at a time.
class Rows {
 public:
  Rows(const ResultFile& file, std::size_t point, std::uint64_t count)
      : file_(file), point_(point), range_{0, count}, status_(file.read_status(point, range_)) {}

  std::size_t count() const { return status_.size(); }
  /// A kill may leave values in rows that were never declared done: their status decides.
  bool is_ok(std::size_t row) const { return status_[row] == status_ok; }
  std::uint64_t count_of(std::uint8_t status) const {
    return static_cast<std::uint64_t>(std::count(status_.begin(), status_.end(), status));
  }
  std::vector<double> values(std::string_view field, std::optional<ElementRange> range = {}) const {
    return file_.read_doubles(file_.layout().field_index(field), point_, range_, range);
  }
  /// Calls f(range, rated players in it) so that `fields` columns of all rows fit a tile.
  template <class Function>
  void for_each_tile(const PointView& view, std::size_t fields, Function f) const {
    const std::size_t width = file_.layout().dimensions[0].size;
    const std::size_t tile = std::clamp<std::size_t>(tile_values / (count() * fields), 1, width);
    for (std::size_t begin = 0; begin < width; begin += tile) {
      const ElementRange range{begin, std::min(tile, width - begin)};
      std::vector<std::size_t> rated;
      for (std::size_t i = 0; i < view.players(); ++i) {
        if (view.player[i] >= begin && view.player[i] - begin < range.count) rated.push_back(i);
      }
      if (!rated.empty()) f(range, rated);
    }
  }

 private:
  const ResultFile& file_;
  std::size_t point_;
  RowRange range_;
  std::vector<std::uint8_t> status_;
};

void summarise_replicates(const Rows& rows, const PointView& view, const Storage& storage,
                          PointSummary& out, std::vector<bt::CrossMoments>& cross) {
  out.ok = rows.count_of(status_ok);
  out.unsolvable = rows.count_of(bt_status::unsolvable);
  out.not_converged = rows.count_of(bt_status::not_converged);
  rows.for_each_tile(view, storage.control ? 2 : 1,
                     [&](const ElementRange& range, const std::vector<std::size_t>& rated) {
                       const auto ratings = rows.values("rating", range);
                       const auto controls = storage.control ? rows.values("linearised", range)
                                                             : std::vector<double>();
                       std::vector<double> column(rows.count());
                       for (const std::size_t i : rated) {
                         for (std::size_t row = 0; row < rows.count(); ++row) {
                           const std::size_t at = row * range.count + view.player[i] - range.first;
                           column[row] = rows.is_ok(row) ? ratings[at] : not_a_number;
                           if (storage.control)
                             cross[i].add(column[row] - view.rating[i], controls[at]);
                         }
                         out.players[i] = bt::summarise(column, view.rating[i]);
                       }
                     });
  const auto steps = rows.values("last_step");
  const auto deviances = storage.deviance ? rows.values("deviance") : std::vector<double>();
  bt::DevianceTally tally;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    if (!rows.is_ok(row)) continue;
    out.coarsest_step = std::max(out.coarsest_step, steps[row]);
    if (storage.deviance) tally.add(deviances[row], *view.deviance);
  }
  if (storage.deviance) out.goodness = tally.result();
}

void summarise_segments(const Rows& rows, const PointView& view, const Storage& storage,
                        PointSummary& out, std::vector<bt::CrossMoments>& cross) {
  rows.for_each_tile(view, storage.control ? 5 + cross_fields().size() : 5,
                     [&](const ElementRange& range, const std::vector<std::size_t>& rated) {
                       const auto count = rows.values("replicates_rated", range);
                       const auto mean = rows.values("rating_mean", range),
                                  m2 = rows.values("rating_m2", range),
                                  m3 = rows.values("rating_m3", range),
                                  m4 = rows.values("rating_m4", range);
                       std::vector<std::vector<double>> sums;
                       for (std::size_t f = 0; storage.control && f < cross_fields().size(); ++f) {
                         sums.push_back(rows.values(cross_fields()[f].name, range));
                       }
                       for (const std::size_t i : rated) {
                         bt::MomentSums moments;
                         for (std::size_t row = 0; row < rows.count(); ++row) {
                           if (!rows.is_ok(row)) continue;
                           const std::size_t at = row * range.count + view.player[i] - range.first;
                           const auto rated_in = static_cast<std::uint64_t>(count[at]);
                           moments.merge({rated_in, mean[at], m2[at], m3[at], m4[at]});
                           if (!storage.control) continue;
                           bt::CrossMoments part;
                           part.count = rated_in;
                           for (std::size_t f = 0; f < sums.size(); ++f)
                             part.*cross_fields()[f].sum = sums[f][at];
                           cross[i].merge(part);
                         }
                         out.players[i] = bt::summary_of(moments, view.rating[i]);
                       }
                     });
  const auto ok = rows.values("replicates_ok"), unsolvable = rows.values("replicates_unsolvable"),
             not_converged = rows.values("replicates_not_converged"),
             steps = rows.values("last_step");
  std::vector<double> mean, m2, as_large;
  if (storage.deviance) {
    mean = rows.values("deviance_mean");
    m2 = rows.values("deviance_m2");
    as_large = rows.values("deviance_as_large");
  }
  bt::DevianceTally tally;
  for (std::size_t row = 0; row < rows.count(); ++row) {
    if (!rows.is_ok(row)) continue;
    const auto solved = static_cast<std::uint64_t>(ok[row]);
    out.ok += solved;
    out.unsolvable += static_cast<std::uint64_t>(unsolvable[row]);
    out.not_converged += static_cast<std::uint64_t>(not_converged[row]);
    out.coarsest_step = std::max(out.coarsest_step, steps[row]);
    if (storage.deviance) {
      // Third and fourth moments are of no use here.
      tally.merge({static_cast<std::uint64_t>(as_large[row]), {solved, mean[row], m2[row], 0, 0}});
    }
  }
  if (storage.deviance) out.goodness = tally.result();
}

/// Puts what the control variate says in the place of the plain summaries, where it says more.
void control(const PointView& view, const std::vector<bt::CrossMoments>& cross, PointSummary& out) {
  for (std::size_t i = 0; i < view.players(); ++i) {
    const double error = view.standard_error[i];
    out.controlled.push_back(bt::controlled_summary(cross[i], error * error, out.done()));
    const bt::ControlledSummary& better = out.controlled.back();
    if (better.use != bt::ControlUse::used) continue;
    bt::Summary& summary = out.players[i];
    summary.bias = better.bias;
    summary.mean = view.rating[i] + better.bias;
    summary.sd = better.sd;
    summary.sd_error = better.sd_error;
  }
}

}  // namespace

PointSummary summarise_point(const ResultFile& file, std::size_t point, const PointView& view,
                             const Storage& storage, std::uint64_t count) {
  const Rows rows(file, point, count);
  PointSummary out;
  out.players.resize(view.players());
  std::vector<bt::CrossMoments> cross(storage.control ? view.players() : 0);
  storage.moments_only() ? summarise_segments(rows, view, storage, out, cross)
                         : summarise_replicates(rows, view, storage, out, cross);
  if (storage.control) control(view, cross, out);
  return out;
}

bool is_known_enough(const ResultFile& file, std::size_t point, std::uint64_t count) {
  const Bundle set_up = file.read_setup();
  const double wanted = set_up.scalar_double("stop_relative_error");
  if (!(wanted > 0)) return false;
  const PointView view = view_point(set_up, point);
  const PointSummary summary = summarise_point(file, point, view, storage_of(set_up), count);
  for (std::size_t i = 0; i < summary.players.size(); ++i) {
    if (view.is_reference(i)) continue;
    if (!(summary.players[i].sd_error <= wanted * summary.players[i].sd)) return false;
  }
  return true;
}

}  // namespace banzuke::bt_uncertainty
