#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/error.hpp"

namespace banzuke::reflection {

/// What a score is compared with: skill shows where the score per game lies above it.
struct Centre {
  enum class Kind { value, mean } kind = Kind::value;
  double value = 0.0;  ///< used by Kind::value, in units of the payoff
};

/// A game as a user names it: x ~ Dirichlet(alpha) over the k outcomes is a player's true outcome
/// distribution, `payoff` what each outcome pays, and y ~ Multinomial(N, x) are N results.
struct Rule {
  std::string name;
  std::vector<double> alpha;   ///< k values > 0
  std::vector<double> payoff;  ///< k values
  Centre centre;
  double relative_length = 1.0;  ///< length of one game; only ratios between rules matter
};

/// Largest number of games the methods take.
inline constexpr std::int64_t largest_games = 1'000'000'000;

/// Throws InputError unless 2 <= k <= 18, every alpha is in [1e-3, 1e9], payoffs are finite and
/// not all equal, and some payoff lies on each side of the centre.
void check(const Rule& rule, const Location& where = {});

/// Throws InputError unless 1 <= games <= largest_games.
void check_games(std::int64_t games, const Location& where = {});

/// A rule in the units of the mathematics: outcomes of equal payoff are merged (their alphas add),
/// payoffs are measured from the centre in steps of their lattice, in descending order.
struct Game {
  std::vector<double> alpha;
  std::vector<double> coefficient;  ///< (payoff - centre) / step
  double concentration = 0.0;       ///< A, the sum of the alphas
  double step = 0.0;                ///< lattice step in payoff units; 1 where there is no lattice
  bool lattice = false;             ///< all payoffs are decimals of at most nine places
  bool rational_centre = false;     ///< ties are decided exactly
  /// c_j = offset_numerator / offset_denominator mod 1 for every outcome, if rational_centre.
  std::uint64_t offset_numerator = 0;
  std::uint64_t offset_denominator = 1;
  double offset = 0.0;   ///< the same as a double
  double mean = 0.0;     ///< of the coefficient under p = alpha / A
  double second = 0.0;   ///< E c^2
  double third = 0.0;    ///< E c^3
  bool centred = false;  ///< the mean is 0 (exactly, or to rounding where the centre is irrational)

  std::size_t outcomes() const { return alpha.size(); }
};

Game reduce(const Rule& rule);

/// The fractional part of the score of N games in lattice steps, in [0, 1); 0: ties are possible.
double score_fraction(const Game& game, std::int64_t games);

/// The smallest period of score_fraction in N (1 when ties are possible for every N); at most
/// `limit`, beyond which the classes no longer matter.
std::int64_t score_period(const Game& game, std::int64_t limit);

}  // namespace banzuke::reflection
