#pragma once
#include <cstdint>
#include <functional>
#include <optional>

#include "engine/base/cpu_path.hpp"
#include "engine/models/reflection/point.hpp"

namespace banzuke::reflection {

/// What counts as success of a player whose skill is positive.
enum class Convention {
  strict,        ///< f(y) > 0
  half_tie,      ///< f(y) > 0, and f(y) = 0 half the time
  not_negative,  ///< f(y) >= 0
};
inline constexpr Convention all_conventions[] = {Convention::strict, Convention::half_tie,
                                                 Convention::not_negative};

/// "strict", "half_tie", "not_negative".
const char* name_of(Convention convention);

double value_of(const Probabilities& p, Convention convention);

/// P(N) is not monotone (ties come and go with the parity of N), so two answers may differ: the
/// smallest N that reaches the target, and the smallest from which every N does.
struct Threshold {
  std::int64_t games = 0;     ///< the smallest N such that P >= target from N on
  double value = 0.0;         ///< P(games)
  double value_before = 0.0;  ///< P(games - 1), below the target; NaN for games = 1
  std::int64_t first = 0;     ///< the smallest N with P >= target
  double first_value = 0.0;   ///< P(first)
};

/// Classes of N that are searched one by one; a longer period counts as this one, and the answer
/// may then miss the extreme class by up to a period.
inline constexpr std::int64_t longest_period = 128;

/// Searches a P that tends to 1 and is monotone within each class of N modulo `period` above 64
/// games: every N up to 64, bisection in each class above, and the neighbourhood of the answer.
/// Empty if the answer is above largest_games or P is NaN on the way.
std::optional<Threshold> smallest_games(const std::function<double(std::int64_t)>& probability,
                                        double target, std::int64_t period, std::int64_t guess);

/// For a rule and a method. `target` in (0, 1); throws InputError otherwise.
std::optional<Threshold> smallest_games(const Game& game, Method method, Convention convention,
                                        double target, CpuPath path = best_cpu_path());

/// How many games of another rule show as much skill.
struct ExchangeRate {
  double target = 0.0;     ///< P of `games` games of the first rule
  std::int64_t games = 0;  ///< smallest N of the second from which P >= target
  double ratio = 0.0;      ///< games of the second for one of the first
};

/// Empty where either side has no value. For playing time multiply by the relative lengths.
std::optional<ExchangeRate> exchange_rate(const Game& from, std::int64_t games, const Game& to,
                                          Method method, Convention convention,
                                          CpuPath path = best_cpu_path());

}  // namespace banzuke::reflection
