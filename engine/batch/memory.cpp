#include "engine/batch/memory.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "engine/batch/plan.hpp"

namespace banzuke {

MemoryNeed memory_need(const Job& job, const Layout& layout, int threads, std::size_t peak) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  constexpr std::size_t program = 64 * mib;  // code, MPI and its buffers
  const std::size_t of_threads = static_cast<std::size_t>(threads) * job.workspace_bytes();
  const auto round = static_cast<std::size_t>(std::min<std::uint64_t>(
      round_bytes,
      layout.points.size() * layout.rows() * static_cast<std::uint64_t>(layout.row_bytes())));
  const std::size_t other = std::max(program, peak) + of_threads + round;
  return {other + round, other};
}

std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace banzuke
