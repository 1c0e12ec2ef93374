#include "engine/models/bradley_terry/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace banzuke::bradley_terry {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// sd and its error from the sums of the second and fourth powers of deviations from the mean.
void set_sd(Summary& out, double square, double fourth) {
  const auto count = static_cast<double>(out.valid);
  out.sd = std::sqrt(square / (count - 1));
  const double m2 = square / count;
  if (m2 > 0) {
    const double kurtosis = fourth / count / (m2 * m2);
    const double variance = (kurtosis - (count - 3) / (count - 1)) / (4 * count);
    out.sd_error = out.sd * std::sqrt(std::max(0.0, variance));
  } else {
    out.sd_error = 0;  // a constant, such as the reference player itself
  }
}

}  // namespace

double sorted_quantile(std::span<const double> sorted, double probability) {
  const double position = static_cast<double>(sorted.size() - 1) * probability;
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = position - static_cast<double>(below);
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

Summary summarise(std::span<const double> ratings, double truth) {
  std::vector<double> valid;
  valid.reserve(ratings.size());
  for (const double rating : ratings)
    if (!std::isnan(rating)) valid.push_back(rating);
  Summary out{valid.size(), nan, nan, nan, nan, {nan, nan, nan, nan, nan}};
  if (valid.empty()) return out;

  const auto count = static_cast<double>(valid.size());
  // Sums about the truth keep the digits of ratings far from 0.
  const double shift = std::isfinite(truth) ? truth : valid.front();
  double sum = 0;
  for (const double rating : valid) sum += rating - shift;
  const double offset = sum / count;
  out.mean = shift + offset;
  out.bias = std::isfinite(truth) ? offset : nan;
  if (valid.size() >= 2) {
    double residual = 0, square = 0, fourth = 0;
    for (const double rating : valid) {
      const double d = (rating - shift) - offset;
      residual += d;
      square += d * d;
      fourth += d * d * d * d;
    }
    square = std::max(0.0, square - residual * residual / count);
    set_sd(out, square, fourth);
  }
  std::sort(valid.begin(), valid.end());
  for (std::size_t q = 0; q < out.quantiles.size(); ++q)
    out.quantiles[q] = sorted_quantile(valid, summary_probabilities[q]);
  return out;
}

void MomentSums::add(double value) {
  if (std::isnan(value)) return;
  const auto before = static_cast<double>(count);
  ++count;
  const auto now = static_cast<double>(count);
  const double delta = value - mean, part = delta / now, part2 = part * part;
  const double square = delta * part * before;
  mean += part;
  m4 += square * part2 * (now * now - 3 * now + 3) + 6 * part2 * m2 - 4 * part * m3;
  m3 += square * part * (now - 2) - 3 * part * m2;
  m2 += square;
}

void MomentSums::merge(const MomentSums& other) {
  if (other.count == 0) return;
  if (count == 0) {
    *this = other;
    return;
  }
  const auto a = static_cast<double>(count), b = static_cast<double>(other.count);
  const double n = a + b;
  const double delta = other.mean - mean, part = delta / n, part2 = part * part;
  const double square = delta * part * (a * b);
  m4 += other.m4 + square * part2 * (a * a - a * b + b * b) +
        6 * part2 * (a * a * other.m2 + b * b * m2) + 4 * part * (a * other.m3 - b * m3);
  m3 += other.m3 + square * part * (a - b) + 3 * part * (a * other.m2 - b * m2);
  m2 += other.m2 + square;
  mean += part * b;
  count += other.count;
}

Summary summary_of(const MomentSums& sums, double truth) {
  Summary out{sums.count, nan, nan, nan, nan, {nan, nan, nan, nan, nan}};
  if (sums.count == 0) return out;
  out.mean = sums.mean;
  out.bias = std::isfinite(truth) ? sums.mean - truth : nan;
  if (sums.count >= 2) set_sd(out, sums.m2, sums.m4);
  return out;
}

std::vector<Summary> summarise_players(std::span<const double> ratings,
                                       std::span<const double> truth) {
  const std::size_t players = truth.size();
  if (players == 0 || ratings.size() % players != 0)
    throw std::invalid_argument("ratings must be [replicates][players]");
  const std::size_t replicates = ratings.size() / players;
  std::vector<Summary> out;
  out.reserve(players);
  std::vector<double> column(replicates);
  for (std::size_t i = 0; i < players; ++i) {
    for (std::size_t r = 0; r < replicates; ++r) column[r] = ratings[r * players + i];
    out.push_back(summarise(column, truth[i]));
  }
  return out;
}

}  // namespace banzuke::bradley_terry
