#pragma once
#include <cstddef>

#include "engine/batch/job.hpp"
#include "engine/store/layout.hpp"

namespace banzuke {

/// Bytes a rank needs at most, roughly.
struct MemoryNeed {
  std::size_t root = 0;   ///< rank 0: reads the inputs, holds a round of everybody's rows
  std::size_t other = 0;  ///< any other rank
};

/// Estimate for a run with so many threads a rank; `peak` is what a process that has read the
/// inputs and made the job has taken. The rounds are bounded, so the number of ranks does not
/// matter.
MemoryNeed memory_need(const Job& job, const Layout& layout, int threads, std::size_t peak);

/// The largest resident size this process has had, in bytes.
std::size_t peak_memory();

}  // namespace banzuke
