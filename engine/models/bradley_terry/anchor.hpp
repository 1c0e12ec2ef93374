#pragma once
#include <cstdint>

namespace banzuke::bradley_terry {

/// What abilities are relative to.
struct Anchor {
  /// The player whose strongly connected component is rated, and who is held at 0 while fitting:
  /// the reference player; under a mean anchor the player with the most games.
  std::uint32_t player = 0;
  /// false: abilities relative to `player`; true: relative to the mean of the rated players.
  bool mean = false;
};

}  // namespace banzuke::bradley_terry
