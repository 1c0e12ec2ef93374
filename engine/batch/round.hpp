#pragma once
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/batch/job.hpp"
#include "engine/batch/plan.hpp"

namespace banzuke {

/// Bytes that a hand of blocks takes, block after block in RowBlock's form.
std::size_t bytes_of(const Layout& layout, std::span<const Block> blocks);
/// Views of the blocks in such bytes.
std::vector<RowBlock> views(const Layout& layout, std::span<const Block> blocks, std::byte* bytes);

/// The most threads that anybody may ask for.
constexpr int most_threads = 4096;
/// The most threads that OpenMP gives this rank: OMP_THREAD_LIMIT, up to `most_threads`.
int thread_limit();
/// Threads a rank has when nobody says how many: what OpenMP chooses (OMP_NUM_THREADS, or the
/// cores this process may use), up to the limit.
int default_threads();

/// What one rank brings home from a round.
struct RoundResult {
  std::vector<std::byte> rows;         ///< all blocks, in the order given
  std::optional<std::string> failure;  ///< where and why a block threw; the rows are void then
  double busy_seconds = 0;             ///< summed over the threads
};

/// Computes blocks with OpenMP threads, which take them one by one. After a stop signal the blocks
/// not begun are left missing. Exceptions end the round, not the process. `memory` is used for the
/// rows: that of the round before spares the system new pages.
RoundResult compute_round(const Job& job, const Layout& layout, std::span<const Block> blocks,
                          int threads, std::vector<std::byte> memory = {});

}  // namespace banzuke
