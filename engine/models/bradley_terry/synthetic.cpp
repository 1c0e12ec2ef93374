#include "engine/models/bradley_terry/synthetic.hpp"

#include <algorithm>
#include <stdexcept>

#include "engine/base/normal_quantile.hpp"
#include "engine/random/stream.hpp"

namespace banzuke::bradley_terry {
namespace {

/// A whole number below n < 2^32, with chances that are equal within 2^-20.
std::uint32_t below(Stream& stream, std::uint32_t n) {
  return std::min(static_cast<std::uint32_t>(stream.uniform() * n), n - 1);
}

}  // namespace

std::vector<double> normal_abilities(std::uint64_t seed, std::uint32_t point, std::uint32_t players,
                                     double standard_deviation) {
  std::vector<double> abilities;
  abilities.reserve(players);
  for (std::uint32_t i = 0; i < players; ++i) {
    Stream stream({seed, StreamId::bradley_terry_abilities, point, 0, i});
    abilities.push_back(standard_deviation * normal_quantile(stream.uniform()));
  }
  return abilities;
}

Schedule round_robin(std::uint32_t players, std::uint32_t games) {
  Schedule out{players, {}, {}, {}};
  for (std::uint32_t i = 0; i < players; ++i) {
    for (std::uint32_t j = i + 1; j < players; ++j) {
      out.first.push_back(i);
      out.second.push_back(j);
      out.games.push_back(games);
    }
  }
  return out;
}

Schedule random_schedule(std::uint64_t seed, std::uint32_t point, std::uint32_t players,
                         std::uint64_t games, std::uint32_t reach) {
  if (players < 2 || reach < 1 || reach >= players || games >= std::uint64_t{1} << 31)
    throw std::invalid_argument(
        "a random schedule needs players, a reach below them, < 2^31 games");
  std::vector<std::uint64_t> pairs;
  pairs.reserve(games);
  for (std::uint64_t game = 0; game < games; ++game) {
    Stream stream(
        {seed, StreamId::bradley_terry_schedule, point, 0, static_cast<std::uint32_t>(game)});
    std::uint64_t first = 0, second = 0;
    do {
      first = below(stream, players);
      second = first + 1 + below(stream, reach);
    } while (second >= players);
    pairs.push_back(first << 32 | second);
  }
  std::sort(pairs.begin(), pairs.end());
  Schedule out{players, {}, {}, {}};
  for (std::size_t k = 0; k < pairs.size(); ++k) {
    if (k > 0 && pairs[k] == pairs[k - 1]) {
      ++out.games.back();
      continue;
    }
    out.first.push_back(static_cast<std::uint32_t>(pairs[k] >> 32));
    out.second.push_back(static_cast<std::uint32_t>(pairs[k]));
    out.games.push_back(1);
  }
  return out;
}

}  // namespace banzuke::bradley_terry
