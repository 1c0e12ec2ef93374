#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/batch/job.hpp"
#include "jobs/bt_inputs.hpp"

namespace banzuke::bt_recovery {

enum class Pairing { from_file, round_robin, random, near };

/// One `[[population]]`.
struct PopulationKeys {
  std::string label;
  Location where;
  std::optional<bt_inputs::TruthKeys> truth;  ///< else players drawn with this spread
  std::uint32_t players = 0;
  double spread = 0;  ///< Elo
  Pairing pairing = Pairing::random;
  bt_inputs::GamesKeys games;
  std::uint32_t games_per_pair = 0;
  double games_per_player = 0;
  std::uint32_t reach = 0;
  double stretch = 1;
};

struct Keys {
  std::uint64_t seed = 0;
  std::uint32_t inner_replicates = 0;
  std::uint32_t most_players = 0;  ///< 0: those of the largest population
  bt_inputs::Scale scale;
  std::vector<PopulationKeys> populations;
};
Keys read_keys(const Section& root, const Config& config);

std::unique_ptr<Preparation> prepare(Keys keys);

}  // namespace banzuke::bt_recovery
