#pragma once
#include <set>
#include <string>
#include <vector>

#include "engine/batch/comm.hpp"

namespace banzuke {

/// Where a rank runs, as its operating system tells.
struct Placement {
  std::string host;
  int host_cpus = 1;            ///< CPUs of the host that are online
  std::set<int> cpus;           ///< those this rank may use (sched_getaffinity)
  std::set<int> cores;          ///< their physical cores, each named by its first CPU
  std::vector<int> numa_cores;  ///< how many of these cores lie on each NUMA node they touch
  bool operator==(const Placement&) const = default;
};

/// This process's placement. What the system does not tell counts as one core a CPU, one node.
Placement own_placement();

/// Everybody's placement on rank 0, by rank; nothing elsewhere. Collective.
std::vector<Placement> gather_placements(const Placement& mine, Communicator& comm);

/// "n1" or "n1, n2", in order of rank; of many hosts the first and their number.
std::string hosts_text(const std::vector<Placement>& ranks);

/// A line a host (of many hosts the first): its ranks, their threads and CPUs.
std::vector<std::string> placement_lines(const std::vector<Placement>& ranks, int threads);

/// What slows such a run, each with the remedy; numbers never depend on it. At most one line for
/// each kind of trouble, which names the first host or rank that has it.
std::vector<std::string> placement_warnings(const std::vector<Placement>& ranks, int threads);

}  // namespace banzuke
