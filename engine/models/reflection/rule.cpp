#include "engine/models/reflection/rule.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

namespace banzuke::reflection {
namespace {

__extension__ using Wide = __int128;
__extension__ using UnsignedWide = unsigned __int128;

struct Decimal {
  std::int64_t digits = 0;
  int places = 0;
};

constexpr int most_places = 9;
constexpr double largest_digits = 1e12;

std::int64_t power_of_ten(int exponent) {
  std::int64_t power = 1;
  for (int i = 0; i < exponent; ++i) power *= 10;
  return power;
}

/// x = digits / 10^places with the fewest places, if there are few enough.
std::optional<Decimal> as_decimal(double x) {
  for (int places = 0; places <= most_places; ++places) {
    const auto scale = static_cast<double>(power_of_ten(places));
    const double digits = std::nearbyint(x * scale);
    if (std::abs(digits) > largest_digits) return std::nullopt;
    if (digits / scale == x) return Decimal{static_cast<std::int64_t>(digits), places};
  }
  return std::nullopt;
}

/// All values over one power of ten; empty if one of them is no short decimal.
std::vector<std::int64_t> common_digits(const std::vector<double>& values, int& places) {
  std::vector<Decimal> decimals;
  places = 0;
  for (const double value : values) {
    const auto decimal = as_decimal(value);
    if (!decimal) return {};
    decimals.push_back(*decimal);
    places = std::max(places, decimal->places);
  }
  std::vector<std::int64_t> digits;
  for (const Decimal& d : decimals) digits.push_back(d.digits * power_of_ten(places - d.places));
  return digits;
}

Wide greatest_common_divisor(Wide a, Wide b) {
  if (a < 0) a = -a;
  if (b < 0) b = -b;
  while (b != 0) {
    const Wide rest = a % b;
    a = b;
    b = rest;
  }
  return a;
}

struct Fraction {
  Wide numerator = 0;
  Wide denominator = 1;
};

Fraction reduced(Wide numerator, Wide denominator) {
  const Wide divisor = greatest_common_divisor(numerator, denominator);
  return {numerator / divisor, denominator / divisor};
}

/// The centre as a fraction of payoff units, if it is one with manageable terms.
std::optional<Fraction> centre_fraction(const Rule& rule, const std::vector<std::int64_t>& payoff,
                                        int places) {
  if (rule.centre.kind == Centre::Kind::value) {
    const auto decimal = as_decimal(rule.centre.value);
    if (!decimal) return std::nullopt;
    return reduced(decimal->digits, power_of_ten(decimal->places));
  }
  std::vector<std::int64_t> weight(payoff.size(), 1);
  if (std::adjacent_find(rule.alpha.begin(), rule.alpha.end(), std::not_equal_to<>()) !=
      rule.alpha.end()) {
    int alpha_places = 0;
    weight = common_digits(rule.alpha, alpha_places);
    if (weight.empty()) return std::nullopt;
  }
  Wide sum = 0;
  Wide total = 0;
  for (std::size_t j = 0; j < payoff.size(); ++j) {
    sum += static_cast<Wide>(weight[j]) * payoff[j];
    total += weight[j];
  }
  const Fraction unscaled = reduced(sum, total);
  return reduced(unscaled.numerator, unscaled.denominator * power_of_ten(places));
}

double centre_value(const Rule& rule) {
  if (rule.centre.kind == Centre::Kind::value) return rule.centre.value;
  double sum = 0.0;
  double total = 0.0;
  for (std::size_t j = 0; j < rule.alpha.size(); ++j) {
    sum += rule.alpha[j] * rule.payoff[j];
    total += rule.alpha[j];
  }
  return sum / total;
}

/// Coefficients on the lattice; false if the fractions grow beyond 64 bits.
bool place_on_lattice(const std::vector<std::int64_t>& digits, int places, const Fraction& centre,
                      Game& game) {
  std::int64_t step = 0;
  for (const std::int64_t d : digits) step = std::gcd(step, d - digits.front());
  constexpr Wide limit = Wide{1} << 62;
  const Wide denominator = centre.denominator * step;
  if (centre.denominator > limit / step) return false;
  for (const std::int64_t d : digits) {
    // Digits and denominators stay below 10^24 and 2^62 here: no product passes 2^127.
    const Wide numerator = d * centre.denominator - centre.numerator * power_of_ten(places);
    const Fraction c = reduced(numerator, denominator);
    game.coefficient.push_back(static_cast<double>(c.numerator) /
                               static_cast<double>(c.denominator));
    if (game.coefficient.size() == 1) {
      const Wide rest = c.numerator % c.denominator;
      game.offset_numerator = static_cast<std::uint64_t>(rest < 0 ? rest + c.denominator : rest);
      game.offset_denominator = static_cast<std::uint64_t>(c.denominator);
    }
  }
  game.step = static_cast<double>(step) / static_cast<double>(power_of_ten(places));
  game.offset =
      static_cast<double>(game.offset_numerator) / static_cast<double>(game.offset_denominator);
  game.rational_centre = true;
  return true;
}

/// Sorts by coefficient, descending, and merges outcomes that pay the same.
void merge(const std::vector<double>& alpha, Game& game) {
  std::vector<std::size_t> order(alpha.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::vector<double> coefficient = game.coefficient;
  std::stable_sort(order.begin(), order.end(), [&coefficient](std::size_t a, std::size_t b) {
    return coefficient[a] > coefficient[b];
  });
  game.coefficient.clear();
  for (const std::size_t j : order) {
    if (!game.coefficient.empty() && game.coefficient.back() == coefficient[j]) {
      game.alpha.back() += alpha[j];
    } else {
      game.coefficient.push_back(coefficient[j]);
      game.alpha.push_back(alpha[j]);
    }
  }
}

void set_moments(Game& game) {
  double scale = 0.0;
  for (std::size_t j = 0; j < game.outcomes(); ++j) game.concentration += game.alpha[j];
  for (std::size_t j = 0; j < game.outcomes(); ++j) {
    const double p = game.alpha[j] / game.concentration;
    const double c = game.coefficient[j];
    game.mean += p * c;
    game.second += p * c * c;
    game.third += p * c * c * c;
    scale += p * std::abs(c);
  }
  game.centred = std::abs(game.mean) <= 1e-14 * scale;
  if (game.centred) game.mean = 0.0;
}

}  // namespace

void check(const Rule& rule, const Location& where) {
  const std::string who = fmt::format("rule '{}'", rule.name);
  const std::size_t k = rule.payoff.size();
  if (k < 2 || k > 18) {
    throw InputError(fmt::format("{} has {} outcomes", who, k), "a game has 2 to 18 outcomes",
                     "give 2 to 18 payoffs", where);
  }
  if (rule.alpha.size() != k) {
    throw InputError(
        fmt::format("{} has {} values of alpha for {} payoffs", who, rule.alpha.size(), k),
        "each outcome needs one", "give one number, or one for each payoff", where);
  }
  for (const double a : rule.alpha) {
    if (!(a >= 1e-3 && a <= 1e9)) {
      throw InputError(fmt::format("{} has alpha = {}", who, a),
                       "a Dirichlet parameter is positive; 0.001 to 1e9 are supported",
                       "give a positive number", where);
    }
  }
  for (const double d : rule.payoff) {
    if (!std::isfinite(d)) {
      throw InputError(fmt::format("{} has payoff {}", who, d), "payoffs are finite numbers",
                       "correct the payoff", where);
    }
  }
  const auto [low, high] = std::minmax_element(rule.payoff.begin(), rule.payoff.end());
  if (*low == *high) {
    throw InputError(fmt::format("all payoffs of {} are {}", who, *low),
                     "every player scores the same, so no skill can show",
                     "give payoffs that differ", where);
  }
  if (!(rule.relative_length > 0 && std::isfinite(rule.relative_length))) {
    throw InputError(fmt::format("{} has relative_length = {}", who, rule.relative_length),
                     "a game takes some time", "give a positive number", where);
  }
  const double centre = centre_value(rule);
  if (!(*low < centre && centre < *high)) {
    throw InputError(
        fmt::format("{} has payoffs from {} to {} and the centre {}", who, *low, *high, centre),
        "a score can then lie on one side of the centre only, so nothing is to be told apart",
        "set centre = \"mean\" or a number between the payoffs", where);
  }
}

void check_games(std::int64_t games, const Location& where) {
  if (games < 1 || games > largest_games) {
    throw InputError(fmt::format("N = {}", games),
                     fmt::format("a number of games lies between 1 and {}", largest_games),
                     "choose N in that range", where);
  }
}

Game reduce(const Rule& rule) {
  check(rule);
  Game game;
  int places = 0;
  const std::vector<std::int64_t> digits = common_digits(rule.payoff, places);
  const bool short_digits =
      !digits.empty() && std::all_of(digits.begin(), digits.end(), [](std::int64_t d) {
        return std::abs(d) <= static_cast<std::int64_t>(largest_digits);
      });
  if (short_digits) {
    game.lattice = true;
    const auto centre = centre_fraction(rule, digits, places);
    if (!centre || !place_on_lattice(digits, places, *centre, game)) {
      std::int64_t step = 0;
      for (const std::int64_t d : digits) step = std::gcd(step, d - digits.front());
      game.step = static_cast<double>(step) / static_cast<double>(power_of_ten(places));
    }
  } else {
    game.step = 1.0;
  }
  if (!game.rational_centre) {
    const double centre = centre_value(rule);
    game.coefficient.clear();
    for (const double d : rule.payoff) game.coefficient.push_back((d - centre) / game.step);
    const double first = game.coefficient.front();
    game.offset = first - std::floor(first);
  }
  merge(rule.alpha, game);
  set_moments(game);
  return game;
}

double score_fraction(const Game& game, std::int64_t games) {
  if (game.rational_centre) {
    const UnsignedWide product = static_cast<UnsignedWide>(games) * game.offset_numerator;
    const auto rest = static_cast<std::uint64_t>(product % game.offset_denominator);
    return static_cast<double>(rest) / static_cast<double>(game.offset_denominator);
  }
  const double product = static_cast<double>(games) * game.offset;
  return product - std::floor(product);
}

std::int64_t score_period(const Game& game, std::int64_t limit) {
  if (!game.lattice || !game.rational_centre) return 1;
  return game.offset_denominator > static_cast<std::uint64_t>(limit)
             ? limit
             : static_cast<std::int64_t>(game.offset_denominator);
}

}  // namespace banzuke::reflection
