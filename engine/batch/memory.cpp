#include "engine/batch/memory.hpp"

#include <sys/resource.h>

#include <algorithm>

#include "engine/batch/plan.hpp"

namespace banzuke {

MemoryNeed memory_need(const Layout& layout, const Bundle& set_up, int threads, std::size_t peak) {
  constexpr std::size_t mib = std::size_t{1} << 20;
  constexpr std::size_t program = 64 * mib;    // code, MPI and its buffers
  constexpr std::size_t of_thread = 16 * mib;  // a stack's touched part and a kernel's workspace
  const std::size_t of_threads = static_cast<std::size_t>(threads) * of_thread;
  // As bytes on their way, as arrays, and in the job that was made from them.
  const std::size_t shared = 3 * set_up.to_bytes().size();
  const auto round = static_cast<std::size_t>(std::min<std::uint64_t>(
      round_bytes,
      layout.points.size() * layout.rows() * static_cast<std::uint64_t>(layout.row_bytes())));
  return {std::max(program, peak) + shared + of_threads + 2 * round,
          program + shared + of_threads + round};
}

std::size_t peak_memory() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::size_t>(usage.ru_maxrss) * 1024;
}

}  // namespace banzuke
