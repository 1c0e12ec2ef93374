#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace banzuke::bradley_terry {

/// Probabilities of the quantiles in a Summary.
inline constexpr std::array<double, 5> summary_probabilities = {0.025, 0.16, 0.5, 0.84, 0.975};

/// What the replicates say about one player, in the unit of the ratings given. NaN where there are
/// too few valid replicates: mean, bias and quantiles need one, sd and its error two.
struct Summary {
  std::uint64_t valid = 0;  ///< number of replicates in which the player was rated
  double mean = 0;
  double bias = 0;      ///< mean - truth
  double sd = 0;        ///< about the replicate mean, divisor valid - 1
  double sd_error = 0;  ///< Monte Carlo standard error of sd:
                        ///< sd sqrt((kappa - (B-3)/(B-1)) / (4B)), kappa = m4 / m2^2, B = valid
  std::array<double, 5> quantiles{};  ///< linear interpolation, type 7 of Hyndman and Fan 1996
};

/// Quantile of ascending values by linear interpolation, type 7 of Hyndman and Fan 1996; at least
/// one value.
double sorted_quantile(std::span<const double> sorted, double probability);

/// Summary of one player's column; NaN entries are replicates in which the player was not rated.
Summary summarise(std::span<const double> ratings, double truth);

/// One player's valid values as far as their moments go: number, mean and sums of powers of the
/// deviations from it. One pass, stable for values far from 0 (Pébay 2008); + - * / alone, so that
/// equal values in equal order give equal bits.
struct MomentSums {
  std::uint64_t count = 0;
  double mean = 0;
  double m2 = 0, m3 = 0, m4 = 0;  ///< sums of (value - mean)^2, ^3, ^4

  /// Adds a value; NaN, a replicate in which the player was not rated, is passed over.
  void add(double value);
  /// Adds all values of another, as if they came after these.
  void merge(const MomentSums& other);
};

/// What summarise() says of the same values, to rounding; quantiles are NaN.
Summary summary_of(const MomentSums& sums, double truth);

/// Summaries of all players from ratings [replicates][players]; `truth` has one entry a player.
/// Throws std::invalid_argument when the lengths do not fit.
std::vector<Summary> summarise_players(std::span<const double> ratings,
                                       std::span<const double> truth);

}  // namespace banzuke::bradley_terry
