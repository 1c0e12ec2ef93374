#include "engine/models/bradley_terry/fisher_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/models/bradley_terry/covariance.hpp"
#include "engine/models/bradley_terry/elimination.hpp"
#include "engine/random/stream.hpp"

namespace banzuke::bradley_terry {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t w = Laplacian::lanes;
/// Probes are added until the standard errors are known so well, root mean square.
constexpr double enough = 1e-3;
constexpr std::uint32_t fewest_batches = 2, most_batches = 16;  // of eight probes
constexpr double probe_tolerance = 1e-7, column_tolerance = 1e-11;

/// Eight vectors of +1 and -1.
void set_probes(std::uint32_t batch, std::span<double> z) {
  for (std::size_t i = 0; i < z.size() / w; ++i) {
    const std::uint32_t bits = philox_block(
        {0, StreamId::bradley_terry_probes, 0, batch, static_cast<std::uint32_t>(i)}, 0)[0];
    for (std::size_t l = 0; l < w; ++l) z[i * w + l] = bits >> l & 1 ? 1.0 : -1.0;
  }
}

}  // namespace

FisherErrors::FisherErrors(const Schedule& schedule, std::span<const double> abilities,
                           double most_work)
    : schedule_(schedule), abilities_(abilities) {
  if (abilities.size() != schedule.players)
    throw std::invalid_argument("standard errors need one ability a player");
  if (costs_at_most(schedule.players, schedule.first, schedule.second,
                    player_with_most_games(schedule), most_work))
    return;
  laplacian_.emplace(schedule, abilities);
  probe();
}

/// With H = D - W and J = I - 11'/n, H+ = J D^-1 + D^-1 J W D^-1 + D^-1 W H+ W D^-1; of H+ in the
/// last term the parts Q and D^-1 are known, the rest is estimated (Bekas, Kokiopoulou and Saad
/// 2007).
void FisherErrors::probe() {
  const Laplacian& h = *laplacian_;
  const std::uint32_t n = h.players();
  std::vector<double> known(n), sum(n, 0.0), square(n, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) {
    const double d = h.diagonal(i);
    known[i] = (1.0 - 2.0 / n) / d + (h.slow_weight(i) + h.returning_weight(i)) / (d * d);
  }
  variance_.assign(n, nan);
  variance_error_.assign(n, nan);
  std::vector<double> z(n * w), image(n * w), solution(n * w), rest(n * w);
  for (std::uint32_t batch = 0; batch < most_batches; ++batch) {
    set_probes(batch, z);
    h.multiply_weights(z, image);
    if (!h.solve(image, solution, probe_tolerance)) {
      variance_.assign(n, nan);
      return;
    }
    std::fill(rest.begin(), rest.end(), 0.0);
    h.add_slow_part(image, rest);
    for (std::size_t i = 0; i < rest.size(); ++i)
      rest[i] = solution[i] - rest[i] - image[i] / h.diagonal(static_cast<std::uint32_t>(i / w));
    h.multiply_weights(rest, image);
    const double probes = static_cast<double>(w) * (batch + 1);
    double errors = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
      for (std::size_t l = 0; l < w; ++l) {
        const double value = z[i * w + l] * image[i * w + l];
        sum[i] += value;
        square[i] += value * value;
      }
      const double mean = sum[i] / probes, d = h.diagonal(i);
      const double spread = std::max(0.0, square[i] / probes - mean * mean) / (probes - 1);
      variance_[i] = known[i] + mean / (d * d);
      variance_error_[i] = std::sqrt(spread) / (d * d);
      const double relative = variance_error_[i] / (2 * variance_[i]);
      errors += relative * relative;
    }
    if (batch + 1 >= fewest_batches && errors <= enough * enough * n) break;
  }
}

StandardErrors FisherErrors::relative_to(const Anchor& anchor) const {
  const std::uint32_t n = schedule_.players;
  if (anchor.player >= n) throw std::invalid_argument("the anchor is no player");
  if (!laplacian_) return {standard_errors(schedule_, abilities_, anchor), false, 0, 0};
  StandardErrors out;
  out.is_estimate = true;
  // Var(i) relative to r = V_ii + V_rr - 2 V_ir, the last two exactly.
  std::vector<double> column(n, 0.0);
  if (!anchor.mean) {
    std::vector<double> unit(n * w, 0.0), solution(n * w);
    unit[anchor.player * w] = 1;
    if (laplacian_->solve(unit, solution, column_tolerance)) {
      for (std::uint32_t i = 0; i < n; ++i)
        column[i] = solution[anchor.player * w] - 2 * solution[i * w];
    } else {
      column.assign(n, nan);
    }
  }
  double errors = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    if (!anchor.mean && i == anchor.player) {
      out.value.push_back(0);
      continue;
    }
    const double variance = variance_[i] + column[i];
    const double relative = variance_error_[i] / (2 * variance);
    out.value.push_back(std::sqrt(variance));
    out.largest_error = std::max(out.largest_error, relative);
    errors += relative * relative;
  }
  out.relative_error = std::sqrt(errors / (anchor.mean ? n : n - 1));
  return out;
}

}  // namespace banzuke::bradley_terry
