#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/batch/comm.hpp"
#include "engine/batch/job.hpp"
#include "engine/batch/stop.hpp"

namespace banzuke {

/// Which of how many shards to compute, from 1/n to n/n.
struct ShardNumber {
  std::uint32_t index = 1;
  std::uint32_t count = 1;
};

/// What the command line says of a run.
struct RunOptions {
  std::string config;                  ///< path of the TOML file
  std::optional<std::string> output;   ///< instead of the config's
  std::vector<std::string> overrides;  ///< key=value
  std::optional<int> threads;          ///< OpenMP threads a rank
  std::optional<double> time_limit;    ///< seconds
  std::optional<ShardNumber> shard;    ///< this part only, into a file of its own
  bool quiet = false;
};

/// Exit codes of the program.
enum ExitCode { exit_done = 0, exit_bug = 1, exit_input = 2, exit_stopped = 3 };

/// The keys that every config has.
struct RunKeys {
  std::string job;
  std::uint64_t seed = 0;
  std::uint64_t replicates = 1;
  std::string output;  ///< of this run, or of its shard
  std::optional<ShardNumber> shard;
  int threads = 1;        ///< a rank, no more than OpenMP gives
  int threads_asked = 1;  ///< by whoever asked, perhaps for more
  double round_seconds = 20;
  bool locking = true;
};

/// A config read against its job: everything known before an input file is opened.
struct Order {
  Config config;
  const JobKind* kind = nullptr;
  RunKeys keys;
  std::unique_ptr<Preparation> preparation;
};

/// Reads the keys that every config has. `stem` is the config's name, for that of the output.
RunKeys read_run_keys(const Section& root, const JobKind& kind, const std::string& stem);

/// Reads the config and refuses unknown keys. Throws InputError.
Order read_order(const Catalogue& catalogue, const RunOptions& options);

/// Identity of the run that an order describes, after its inputs are loaded.
Identity identity_of(const Order& order, const Inputs& inputs);

/// Runs or resumes what the options ask for, collectively on all ranks; rank 0 writes messages to
/// standard error. Returns an ExitCode, the same on every rank.
int run(const Catalogue& catalogue, const RunOptions& options, Communicator& comm,
        const Clock& clock);

}  // namespace banzuke
