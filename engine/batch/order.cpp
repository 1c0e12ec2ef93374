#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "engine/batch/driver.hpp"
#include "engine/batch/round.hpp"
#include "engine/random/stream_ids.hpp"

namespace banzuke {

RunKeys read_run_keys(const Section& root, const JobKind& kind, const std::string& stem) {
  RunKeys keys;
  keys.job = root.text({"job", "the kind of work"});
  const Key seed{"seed", "the seed of all random streams"};
  const Key replicates{"replicates", "Monte Carlo draws a point", "1", Role::extendable};
  const Range seeds{0, 0x1.0p63}, counts{1, 4294967295.0};
  const bool required = kind.randomness == Randomness::always;
  keys.seed = static_cast<std::uint64_t>(required ? root.integer(seed, seeds)
                                                  : root.integer(seed, 0, seeds));
  if (kind.randomness != Randomness::never) {
    keys.replicates = static_cast<std::uint64_t>(required ? root.integer(replicates, counts)
                                                          : root.integer(replicates, 1, counts));
  }
  keys.output = root.text(
      {"output", "the result file, relative to the working directory", "", Role::operational},
      fmt::format("results/{}.h5", stem));

  const Section run = root.optional_table({"run", "how to run, without effect on the numbers"});
  const auto operational = [](const char* name, const char* meaning, const char* units) {
    return Key{name, meaning, units, Role::operational};
  };
  keys.threads = static_cast<int>(
      run.integer(operational("threads", "OpenMP threads a rank; 0: as OpenMP chooses", "1"), 0,
                  {0, most_threads}));
  keys.round_seconds =
      run.number(operational("round_seconds", "longest time between two commits to the file", "s"),
                 keys.round_seconds, {1e-3, 86400});
  keys.locking = run.flag(
      operational("locking", "HDF5's file lock; false for file systems without locks", ""), true);
  return keys;
}

Order read_order(const Catalogue& catalogue, const RunOptions& options) {
  Order order{Config::read(options.config, options.overrides), nullptr, {}, nullptr};
  const Section root = order.config.root();
  order.kind = &find_job(catalogue, root.text({"job", "the kind of work"}), root.where("job"));
  RunKeys& keys = order.keys;
  keys = read_run_keys(root, *order.kind, std::filesystem::path(options.config).stem().string());
  if (options.output) keys.output = *options.output;
  if (options.shard) {
    keys.shard = options.shard;
    std::filesystem::path output = keys.output;
    const std::string extension = output.extension().string();
    output.replace_extension(
        fmt::format("shard-{}-of-{}{}", options.shard->index, options.shard->count, extension));
    keys.output = output.string();
  }
  if (options.threads) keys.threads = *options.threads;
  if (keys.threads == 0) keys.threads = default_threads();
  keys.threads_asked = keys.threads;
  keys.threads = std::min(keys.threads, thread_limit());

  order.preparation = order.kind->configure(root, order.config);
  order.config.refuse_unknown_keys();
  return order;
}

Identity identity_of(const Order& order, const Inputs& inputs) {
  Identity identity;
  identity.job = order.kind->name;
  identity.job_version = order.kind->version;
  for (const EffectiveKey& key : order.config.effective()) {
    const bool has_own_place = key.path == "job" || key.path == "seed";
    if (key.role == Role::identity && !has_own_place) {
      identity.keys.emplace_back(key.path, key.value);
    }
  }
  for (const Input& input : inputs.files()) {
    identity.inputs.push_back({input.key, input.path, input.sha256, input.bytes});
  }
  identity.seed = order.keys.seed;
  identity.stream_algorithm = stream_algorithm;
  identity.stream_version = stream_version;
  return identity;
}

}  // namespace banzuke
