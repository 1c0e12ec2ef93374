#include "engine/models/dirichlet_multinomial/games_per_player.hpp"

#include <algorithm>
#include <stdexcept>

#include "engine/base/elementary.hpp"
#include "engine/base/normal_quantile.hpp"
#include "engine/models/dirichlet_multinomial/tail_counts.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

void require(bool holds, const char* what) {
  if (!holds) throw std::invalid_argument(what);
}

struct Check {
  void operator()(const FixedGames& fixed) const { size(fixed.games); }
  void operator()(const ListedGames& listed) const { list(listed.games); }
  void operator()(const ResampledGames& resampled) const { list(resampled.from); }
  void operator()(const LognormalGames& law) const {
    require(law.median >= 1 && law.median < 1e9, "the median number of games is below 1 or huge");
    require(law.sigma >= 0 && law.sigma <= 100, "sigma of the games is not in [0, 100]");
    require(law.max >= 1, "the largest number of games is 0");
    size(law.max);
  }
  static void size(std::uint32_t games) {
    require(games <= max_games_of_a_player, "a player with more than 4,194,303 games");
  }
  static void list(const std::vector<std::uint32_t>& games) {
    require(!games.empty(), "an empty list of games");
    for (const std::uint32_t n : games) size(n);
  }
};

struct Largest {
  std::uint32_t operator()(const FixedGames& fixed) const { return fixed.games; }
  std::uint32_t operator()(const LognormalGames& law) const { return law.max; }
  std::uint32_t operator()(const ListedGames& listed) const { return of(listed.games); }
  std::uint32_t operator()(const ResampledGames& resampled) const { return of(resampled.from); }
  static std::uint32_t of(const std::vector<std::uint32_t>& games) {
    return *std::max_element(games.begin(), games.end());
  }
};

struct Draw {
  StreamAddress address;
  std::span<std::uint32_t> out;

  void operator()(const FixedGames& fixed) const { std::fill(out.begin(), out.end(), fixed.games); }
  void operator()(const ListedGames& listed) const {
    for (std::size_t i = 0; i < out.size(); ++i) {
      out[i] = listed.games[(address.entity + i) % listed.games.size()];
    }
  }
  void operator()(const LognormalGames& law) const {
    const double location = det_log(law.median);
    const double max = law.max;
    each([&](double u) {
      const double games = det_exp(location + law.sigma * normal_quantile(u)) + 0.5;
      return static_cast<std::uint32_t>(games < 1 ? 1.0 : games > max ? max : games);
    });
  }
  void operator()(const ResampledGames& resampled) const {
    const auto size = static_cast<double>(resampled.from.size());
    each([&](double u) {
      const auto index = static_cast<std::size_t>(u * size);
      return resampled.from[std::min(index, resampled.from.size() - 1)];
    });
  }

  template <class Map>
  void each(Map map) const {
    StreamAddress at = address;
    for (std::uint32_t& games : out) {
      games = map(Stream(at).uniform());
      ++at.entity;
    }
  }
};

}  // namespace

void check(const GamesPerPlayer& distribution) {
  std::visit(Check{}, distribution);
}

std::uint32_t largest(const GamesPerPlayer& distribution) {
  return std::visit(Largest{}, distribution);
}

void draw_games(const GamesPerPlayer& distribution, StreamAddress address,
                std::span<std::uint32_t> out) {
  std::visit(Draw{address, out}, distribution);
}

}  // namespace banzuke::dirichlet_multinomial
