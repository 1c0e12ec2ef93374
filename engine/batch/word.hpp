#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/batch/comm.hpp"
#include "engine/batch/plan.hpp"
#include "engine/store/bundle.hpp"

namespace banzuke {

/// What rank 0 tells everybody before the first round.
struct StartWord {
  int exit_code = 0;  ///< not 0: the run cannot begin, nothing else counts
  std::string job;
  std::uint64_t seed = 0;
  std::uint64_t replicates = 0;
  int threads = 1;
  Bundle set_up;
};
void broadcast(StartWord& word, Communicator& comm);

/// What is to be computed next; nothing when the run is over. Most runs have one stage.
struct StageWord {
  std::vector<Block> missing;
};
void broadcast(StageWord& word, Communicator& comm);

/// What rank 0 tells everybody before each round.
struct RoundWord {
  double cost = 0;  ///< of the coming round; 0: there is none
  int exit_code = 0;
};
void broadcast(RoundWord& word, Communicator& comm);

}  // namespace banzuke
