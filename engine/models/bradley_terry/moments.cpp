#include "engine/models/bradley_terry/moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace banzuke::bradley_terry {
double sorted_quantile(std::span<const double> sorted, double probability) {
  const double position = static_cast<double>(sorted.size() - 1) * probability;
  const auto below = static_cast<std::size_t>(position);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = position - static_cast<double>(below);
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

Summary summarise(std::span<const double> ratings, double truth) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
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
  std::sort(valid.begin(), valid.end());
  for (std::size_t q = 0; q < out.quantiles.size(); ++q)
    out.quantiles[q] = sorted_quantile(valid, summary_probabilities[q]);
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
