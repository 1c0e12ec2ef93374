#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "engine/batch/job.hpp"
#include "engine/batch/plan.hpp"

namespace banzuke {

/// A machine to forecast a run on.
struct Machine {
  std::size_t ranks = 1;
  std::size_t threads = 1;                ///< a rank
  double seconds_per_cost = 0;            ///< of one thread
  double round_seconds = 20;              ///< longest time between commits
  double write_bytes_per_second = 4e8;    ///< of rank 0 into the file
  double network_bytes_per_second = 1e9;  ///< into rank 0
  double seconds_per_round = 0.02;        ///< collectives, opening and closing the file
};

/// What the planner would do there.
struct Forecast {
  std::uint64_t rounds = 0;
  double compute_seconds = 0;  ///< of the slowest rank, over all rounds
  double writer_seconds = 0;   ///< gathering, writing, and the overhead of rounds: all ranks wait
  double efficiency = 0;       ///< busy time of all threads over threads × wall time
  double balance = 0;          ///< mean over longest busy time of a round's ranks
  std::size_t largest_round_bytes = 0;  ///< of rows, in rank 0's memory
  std::size_t most_blocks = 0;          ///< of a round: more threads than that have no work in it
  /// Threads beyond which writing takes longer than computing.
  double saturation_threads = 0;

  double wall_seconds() const { return compute_seconds + writer_seconds; }
};

/// Plays the rounds of a run with the planner's own functions and a clock made of costs: what a
/// cluster would do, without one. At most `most_rounds` are played, the rest is scaled up.
Forecast forecast(Missing missing, const Machine& machine, std::uint64_t most_rounds = 200);

/// Processor seconds of one thread per unit of cost, measured by computing the first lane group of
/// the points in turn for about `seconds`; the rows are thrown away.
double measure_cost(const Job& job, const Layout& layout, double seconds = 0.2);

}  // namespace banzuke
