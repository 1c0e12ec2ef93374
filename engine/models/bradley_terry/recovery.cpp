#include "engine/models/bradley_terry/recovery.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "engine/models/bradley_terry/covariance.hpp"

namespace banzuke::bradley_terry {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
/// Inner seasons held in memory at once; a multiple of 8, without effect on the numbers.
constexpr std::uint64_t tile = 64;

std::uint64_t addresses(std::uint32_t inner_replicates) {
  return (std::uint64_t{inner_replicates} + 7) / 8 * 8;
}

std::vector<double> stretched(std::vector<double> abilities, double factor) {
  for (double& ability : abilities) ability *= factor;
  return abilities;
}

}  // namespace

/// The part of a data set that can be rated.
struct RecoveryPoint::Season {
  std::vector<std::uint32_t> players;
  Schedule schedule;
  std::vector<double> abilities;
  Anchor anchor;
};

RecoveryPoint::RecoveryPoint(Schedule schedule, std::vector<double> truth, const Anchor& anchor,
                             double stretch, std::uint32_t inner_replicates, std::uint64_t seed,
                             std::uint32_t point)
    : schedule_(std::move(schedule)),
      truth_(std::move(truth)),
      anchor_(anchor),
      inner_replicates_(inner_replicates),
      seed_(seed),
      point_(point),
      kernel_(schedule_, stretched(truth_, stretch), anchor) {
  if (point == inner_point(point)) throw std::invalid_argument("a point must be below 2^31");
}

std::uint64_t RecoveryPoint::most_replicates(std::uint32_t inner_replicates) {
  const std::uint64_t all = std::uint64_t{1} << 32;
  return inner_replicates == 0 ? all : all / addresses(inner_replicates);
}

void RecoveryPoint::nest(const Season& season, std::uint64_t replicate,
                         std::span<double> uncertainty, std::span<std::int32_t> rated) const {
  const std::size_t n = season.players.size();
  const ReplicateKernel kernel(season.schedule, season.abilities, season.anchor);
  std::vector<double> ratings(tile * n), log_likelihood(tile);
  std::vector<std::int32_t> iterations(tile), players_rated(tile);
  std::vector<ReplicateStatus> status(tile);
  std::vector<double> sum(n, 0.0), squares(n, 0.0);
  for (std::uint64_t begin = 0; begin < inner_replicates_; begin += tile) {
    const std::uint64_t count = std::min<std::uint64_t>(tile, inner_replicates_ - begin);
    kernel.run(seed_, inner_point(point_), replicate * addresses(inner_replicates_) + begin, count,
               {std::span(ratings).first(count * n), std::span(log_likelihood).first(count),
                std::span(iterations).first(count), std::span(players_rated).first(count),
                std::span(status).first(count)});
    for (std::uint64_t r = 0; r < count; ++r) {
      for (std::size_t i = 0; i < n; ++i) {
        // About the estimate, so that no digits are lost.
        const double d = ratings[r * n + i] - season.abilities[i];
        if (std::isnan(d)) continue;
        ++rated[season.players[i]];
        sum[i] += d;
        squares[i] += d * d;
      }
    }
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double count = rated[season.players[i]];
    if (count < 2) continue;
    const double variance = (squares[i] - sum[i] * sum[i] / count) / (count - 1);
    uncertainty[season.players[i]] = std::sqrt(variance > 0 ? variance : 0.0);
  }
}

void RecoveryPoint::run(std::uint64_t first, std::uint64_t count, const RecoveryOutput& out) const {
  const std::size_t n = players();
  const std::size_t inner = inner_replicates_ > 0 ? count * n : 0;
  if (out.standard_error.size() != count * n || out.standard_uncertainty.size() != inner ||
      out.inner_rated.size() != inner || out.truth_offset.size() != count)
    throw std::invalid_argument("the output's lengths do not fit the number of data sets");
  if (first + count > most_replicates(inner_replicates_))
    throw std::invalid_argument("there are no addresses for so many inner seasons");
  kernel_.run(seed_, point_, first, count, out.estimate);
  std::fill(out.standard_error.begin(), out.standard_error.end(), nan);
  std::fill(out.standard_uncertainty.begin(), out.standard_uncertainty.end(), nan);
  std::fill(out.inner_rated.begin(), out.inner_rated.end(), 0);
  std::fill(out.truth_offset.begin(), out.truth_offset.end(), nan);
  std::vector<std::uint8_t> keep(n);
  for (std::uint64_t r = 0; r < count; ++r) {
    if (out.estimate.status[r] != ReplicateStatus::ok) continue;
    const std::span<double> ratings = out.estimate.ratings.subspan(r * n, n);
    Season season;
    season.anchor = anchor_;
    double true_sum = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      keep[i] = !std::isnan(ratings[i]);
      if (!keep[i]) continue;
      if (i == anchor_.player)
        season.anchor.player = static_cast<std::uint32_t>(season.players.size());
      season.players.push_back(i);
      season.abilities.push_back(ratings[i]);
      true_sum += truth_[i];
    }
    season.schedule = restricted(schedule_, keep);
    out.truth_offset[r] =
        anchor_.mean ? true_sum / static_cast<double>(season.players.size()) : 0.0;
    const std::vector<double> errors =
        standard_errors(season.schedule, season.abilities, season.anchor);
    for (std::size_t i = 0; i < season.players.size(); ++i)
      out.standard_error[r * n + season.players[i]] = errors[i];
    if (inner_replicates_ > 0)
      nest(season, first + r, out.standard_uncertainty.subspan(r * n, n),
           out.inner_rated.subspan(r * n, n));
  }
}

}  // namespace banzuke::bradley_terry
