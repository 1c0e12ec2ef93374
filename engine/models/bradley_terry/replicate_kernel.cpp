#include "engine/models/bradley_terry/replicate_kernel.hpp"

#include <algorithm>
#include <stdexcept>

#include "engine/models/bradley_terry/replicate_season.hpp"
#include "engine/models/bradley_terry/replicate_state.hpp"

namespace banzuke::bradley_terry {

ReplicateKernel::ReplicateKernel(const Schedule& schedule, std::span<const double> truth,
                                 const Anchor& anchor, const KernelOptions& options)
    : state_(std::make_unique<const State>(schedule, truth, anchor, options)) {}
ReplicateKernel::~ReplicateKernel() = default;
ReplicateKernel::ReplicateKernel(ReplicateKernel&&) noexcept = default;
ReplicateKernel& ReplicateKernel::operator=(ReplicateKernel&&) noexcept = default;

std::uint32_t ReplicateKernel::players() const {
  return state_->players();
}
bool ReplicateKernel::has_control() const {
  return state_->fill == Fill::complete && state_->sums_fit;
}
const KernelOptions& ReplicateKernel::options() const {
  return state_->options;
}

void ReplicateKernel::run(std::uint64_t seed, std::uint32_t point, std::uint64_t first,
                          std::uint64_t count, const ReplicateOutput& out) const {
  const State& s = *state_;
  const std::uint32_t n = s.players();
  if (out.ratings.size() != count * n || out.log_likelihood.size() != count ||
      out.iterations.size() != count || out.players_rated.size() != count ||
      out.status.size() != count || (!out.last_step.empty() && out.last_step.size() != count) ||
      (!out.deviance.empty() && out.deviance.size() != count) ||
      (!out.control.empty() && out.control.size() != count * n))
    throw std::invalid_argument("the output's lengths do not fit the number of replicates");
  if (!out.control.empty() && !has_control())
    throw std::invalid_argument("this schedule has no complete factor for linearised estimates");
  if (first + count > std::uint64_t{1} << 32 || first > std::uint64_t{1} << 32)
    throw std::invalid_argument("a replicate's index must be below 2^32");

  // Streams serve eight replicates together, so sampling starts at a multiple of eight.
  constexpr std::size_t most_wins = std::size_t{1} << 25;  // 128 MiB
  const std::uint64_t start = first / 8 * 8;
  std::size_t group = std::max<std::size_t>(16, s.width());
  while (group < 64 && 2 * group * s.shared.pairs <= most_wins) group *= 2;
  group = std::min<std::size_t>(group, (first + count - start + 7) / 8 * 8);
  Season season(s, group);
  for (std::uint64_t begin = start; begin < first + count; begin += group) {
    const std::size_t size = std::min<std::size_t>(group, (first + count - begin + 7) / 8 * 8);
    std::uint64_t wanted = 0;
    for (std::size_t b = 0; b < size; ++b)
      if (begin + b >= first && begin + b < first + count) wanted |= std::uint64_t{1} << b;
    season.play(seed, point, begin, size, wanted);
    season.estimate(out, begin, first);
  }
}

}  // namespace banzuke::bradley_terry
