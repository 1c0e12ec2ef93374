#include "engine/models/reflection/threshold.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "engine/base/elementary_trig.hpp"

namespace banzuke::reflection {
namespace {

constexpr std::int64_t scanned = 64;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Remembers P, and whether it ever was NaN.
class Curve {
 public:
  Curve(const std::function<double(std::int64_t)>& probability, double target)
      : probability_(probability), target_(target) {}

  double at(std::int64_t games) {
    const auto found = known_.find(games);
    if (found != known_.end()) return found->second;
    const double p = probability_(games);
    if (std::isnan(p)) lost_ = true;
    known_.emplace(games, p);
    return p;
  }
  bool reaches(std::int64_t games) { return at(games) >= target_; }
  double target() const { return target_; }
  bool lost() const { return lost_; }

 private:
  const std::function<double(std::int64_t)>& probability_;
  double target_;
  std::map<std::int64_t, double> known_;
  bool lost_ = false;
};

/// tan^2(pi (P - 1/2)), which is nearly proportional to N.
double linear_measure(double p) {
  const SinCos angle = det_sincos(0x1.921fb54442d18p+1 * (p - 0.5));
  const double tangent = std::max(angle.sin, 0.0) / std::max(angle.cos, 1e-9);
  return tangent * tangent;
}

/// The largest failing N = class + i * period in (scanned, above), or `scanned` if none fails.
/// `near`, the answer of another class, is where the search begins; 0: none is known.
std::int64_t last_failure(Curve& curve, std::int64_t residue, std::int64_t period,
                          std::int64_t above, std::int64_t near) {
  const std::int64_t begin = scanned + 1 + residue;  // in the class
  if (curve.reaches(begin)) return scanned;
  std::int64_t low = 0;  // in periods from begin
  std::int64_t high = (above - begin + period - 1) / period;
  const double wanted = linear_measure(curve.target());
  std::int64_t middle = (near - begin) / period;
  std::int64_t stride = 1;
  // Interpolation lands next to the answer, a growing stride then closes in; bisection is what
  // remains if P does not follow its law.
  for (int step = 0; high - low > 1; ++step) {
    if (step >= 12) {
      middle = low + (high - low) / 2;
    } else if (step % 3 == 0 && !(step == 0 && near > scanned)) {
      const double from = linear_measure(curve.at(begin + low * period));
      const double to = linear_measure(curve.at(begin + high * period));
      const double share = to > from ? (wanted - from) / (to - from) : 0.5;
      middle = low + static_cast<std::int64_t>(share * static_cast<double>(high - low));
    } else if (step > 0) {
      middle += middle == high ? -stride : stride;
      stride *= 8;
    }
    middle = std::clamp(middle, low + 1, high - 1);
    (curve.reaches(begin + middle * period) ? high : low) = middle;
  }
  return begin + low * period;
}

/// 1/2 + arctan(sqrt(N / (A + 1))) / pi = target.
std::int64_t first_guess(const Game& game, double target) {
  const double games = (game.concentration + 1.0) * linear_measure(target);
  return static_cast<std::int64_t>(std::min(games, static_cast<double>(largest_games)));
}

}  // namespace

const char* name_of(Convention convention) {
  switch (convention) {
    case Convention::strict:
      return "strict";
    case Convention::half_tie:
      return "half_tie";
    case Convention::not_negative:
      break;
  }
  return "not_negative";
}

double value_of(const Probabilities& p, Convention convention) {
  switch (convention) {
    case Convention::strict:
      return p.p_positive;
    case Convention::half_tie:
      return p.p_half;
    case Convention::not_negative:
      break;
  }
  return p.p_positive + p.p_zero;
}

std::optional<Threshold> smallest_games(const std::function<double(std::int64_t)>& probability,
                                        double target, std::int64_t period, std::int64_t guess) {
  period = std::clamp<std::int64_t>(period, 1, longest_period);
  Curve curve(probability, target);
  // A whole period that reaches the target: no failure above it, by monotonicity in each class.
  std::int64_t above = std::max(guess + guess / 8, 2 * scanned);
  for (std::int64_t i = 0; i < period; ++i) {
    if (above + i > largest_games || curve.lost()) return std::nullopt;
    if (!curve.reaches(above + i)) {
      above *= 2;
      i = -1;
    }
  }
  std::int64_t last = scanned;
  std::int64_t first = above + period;
  std::int64_t near = 0;
  for (std::int64_t residue = 0; residue < period; ++residue) {
    const std::int64_t failure = last_failure(curve, residue, period, above, near);
    near = failure;
    last = std::max(last, failure);
    first = std::min(first, failure > scanned ? failure + period : scanned + 1 + residue);
  }
  for (std::int64_t n = scanned; n >= 1; --n) {
    if (curve.reaches(n)) first = n;
  }
  for (std::int64_t n = last + 1;
       n <= std::min(last + std::min<std::int64_t>(2 * period, 128) + 4, largest_games); ++n) {
    if (!curve.reaches(n)) last = n;
  }
  while (last > 0 && curve.reaches(last)) --last;
  if (curve.lost()) return std::nullopt;
  return Threshold{last + 1, curve.at(last + 1), last > 0 ? curve.at(last) : nan, first,
                   curve.at(first)};
}

std::optional<Threshold> smallest_games(const Game& game, Method method, Convention convention,
                                        double target, CpuPath path) {
  if (!(target > 0.0 && target < 1.0)) {
    throw InputError(fmt::format("target = {}", target), "a probability lies between 0 and 1",
                     "choose for example 0.75");
  }
  const auto probability = [&](std::int64_t games) {
    return value_of(compute_point(game, games, method, path).value, convention);
  };
  return smallest_games(probability, target, score_period(game, longest_period),
                        first_guess(game, target));
}

std::optional<ExchangeRate> exchange_rate(const Game& from, std::int64_t games, const Game& to,
                                          Method method, Convention convention, CpuPath path) {
  const double target = value_of(compute_point(from, games, method, path).value, convention);
  if (!(target > 0.0 && target < 1.0)) return std::nullopt;
  const auto threshold = smallest_games(to, method, convention, target, path);
  if (!threshold) return std::nullopt;
  return ExchangeRate{target, threshold->games,
                      static_cast<double>(threshold->games) / static_cast<double>(games)};
}

}  // namespace banzuke::reflection
