#include "engine/models/bradley_terry/replicate_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/elimination.hpp"
#include "engine/models/bradley_terry/lane_workspace.hpp"
#include "engine/models/bradley_terry/solvable.hpp"
#include "engine/random/binomial.hpp"

namespace banzuke::bradley_terry {
namespace {

/// Truths within this of the ground (natural-log units) leave room below the strengths' overflow.
constexpr double widest_narrow_truth = 300;
constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::vector<BinomialLaw> laws_of(const Schedule& schedule, std::span<const double> truth) {
  std::vector<BinomialLaw> laws(schedule.size());
  for (std::size_t k = 0; k < laws.size(); ++k) {
    const double d = truth[schedule.first[k]] - truth[schedule.second[k]];
    const double weak = det_exp(d < 0 ? d : -d);
    const double high = 1.0 / (1.0 + weak), low = weak * high;
    laws[k] = {schedule.games[k], d < 0 ? low : high, d < 0 ? high : low};
  }
  return laws;
}

std::vector<std::uint8_t> certain_pairs(const BinomialSampler& sampler) {
  std::vector<std::uint8_t> certain(sampler.pairs());
  for (std::size_t k = 0; k < certain.size(); ++k)
    certain[k] = !sampler.can_be_zero(k) && !sampler.can_be_full(k);
  return certain;
}

const Schedule& checked(const Schedule& schedule, std::span<const double> truth,
                        const Anchor& anchor) {
  if (schedule.players < 2) throw std::invalid_argument("replicates need two players");
  if (truth.size() != schedule.players)
    throw std::invalid_argument("one true ability a player is needed");
  if (schedule.second.size() != schedule.size() || schedule.games.size() != schedule.size())
    throw std::invalid_argument("the schedule's arrays differ in length");
  for (std::size_t k = 0; k < schedule.size(); ++k)
    if (schedule.first[k] >= schedule.second[k] || schedule.second[k] >= schedule.players)
      throw std::invalid_argument("the schedule's pairs must be ordered players");
  for (const std::uint32_t games : schedule.games)
    if (games > std::uint32_t{std::numeric_limits<std::int32_t>::max()})
      throw std::invalid_argument("a pair has more than 2^31 - 1 games");
  for (const double ability : truth)
    if (!std::isfinite(ability)) throw std::invalid_argument("true abilities must be finite");
  if (anchor.player >= schedule.players) throw std::invalid_argument("the anchor is no player");
  return schedule;
}

}  // namespace

struct ReplicateKernel::State {
  State(const Schedule& schedule, std::span<const double> truth_abilities, const Anchor& anchor_,
        const KernelOptions& options_)
      : anchor(anchor_),
        options(options_),
        functions(lane_kernel::functions_of(options.path, options.lanes)),
        games(schedule.games.begin(), schedule.games.end()),
        elimination(schedule.players, schedule.first, schedule.second, anchor.player),
        shared(shared_view(elimination, games, degree)),
        sampler(laws_of(schedule, truth_abilities), options.path),
        solvable(schedule, certain_pairs(sampler), anchor.player),
        truth(schedule.players) {
    for (std::uint32_t i = 0; i < schedule.players; ++i)
      truth[elimination.position[i]] = truth_abilities[i] - truth_abilities[anchor.player];
    // The information at the truth depends on no result: its factor gives everybody's first step.
    const LaneWorkspace workspace(elimination, 1);
    const lane_kernel::Lanes& lane = workspace.lanes();
    for (std::size_t k = 0; k < schedule.size(); ++k) {
      const double d = truth_abilities[schedule.first[k]] - truth_abilities[schedule.second[k]];
      const double weak = det_exp(d < 0 ? d : -d);
      const double high = 1.0 / (1.0 + weak);
      lane.information[k] = games[k] * (high * (weak * high));
    }
    lane_kernel::functions_of(CpuPath::portable, 1).factorise(shared, lane);
    truth_entries.assign(lane.entries, lane.entries + elimination.row.size());
    truth_inverse.assign(lane.inverse, lane.inverse + schedule.players);
    shared.truth_entries = truth_entries.data();
    shared.is_narrow = std::all_of(truth.begin(), truth.end(), [](double ability) {
      return std::abs(ability) <= widest_narrow_truth;
    });
    shared.truth_inverse = truth_inverse.data();
  }

  std::uint32_t players() const { return elimination.players; }
  std::size_t width() const { return static_cast<std::size_t>(options.lanes); }

  /// Fills the lanes with their games and starts; lanes of nobody are closed at once.
  void start(const lane_kernel::Lanes& lanes, std::span<const std::int32_t> wins,
             std::size_t stride, std::size_t offset, std::span<const std::uint64_t> alive,
             std::span<const std::int32_t> rated) const;
  void write(const lane_kernel::Lanes& lanes, std::size_t lane, std::uint64_t bit,
             std::span<const std::uint64_t> alive, std::int32_t rated, std::uint64_t row,
             const ReplicateOutput& out) const;

  Anchor anchor;
  KernelOptions options;
  const lane_kernel::Functions& functions;
  std::vector<double> games;
  Elimination elimination;
  std::vector<std::uint32_t> degree;
  lane_kernel::Shared shared;
  BinomialSampler sampler;
  Solvable solvable;
  std::vector<double> truth;  ///< by position, relative to the ground
  std::vector<double> truth_entries, truth_inverse;
};

void ReplicateKernel::State::start(const lane_kernel::Lanes& lanes,
                                   std::span<const std::int32_t> wins, std::size_t stride,
                                   std::size_t offset, std::span<const std::uint64_t> alive,
                                   std::span<const std::int32_t> rated) const {
  const std::size_t w = width();
  functions.load(shared, lanes, wins.data(), stride, offset, alive.data());
  for (std::uint32_t p = 0; p < players(); ++p) std::fill_n(lanes.abilities + p * w, w, truth[p]);
  for (std::size_t l = 0; l < w; ++l) {
    lanes.iterations[l] = 0;
    lanes.last_step[l] = 0;
    lanes.status[l] = rated[offset + l] >= 2 ? lane_kernel::LaneStatus::open
                                             : lane_kernel::LaneStatus::not_converged;
  }
}

void ReplicateKernel::State::write(const lane_kernel::Lanes& lanes, std::size_t lane,
                                   std::uint64_t bit, std::span<const std::uint64_t> alive,
                                   std::int32_t rated, std::uint64_t row,
                                   const ReplicateOutput& out) const {
  const bool found = rated >= 2 && (lanes.status[lane] == lane_kernel::LaneStatus::ok ||
                                    lanes.status[lane] == lane_kernel::LaneStatus::rounding_floor);
  const std::uint32_t n = players();
  double* const ratings = out.ratings.data() + row * n;
  double sum = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t p = elimination.position[i];
    const bool is_rated = found && (alive[p] >> bit & 1);
    ratings[i] = is_rated ? lanes.abilities[p * width() + lane] : nan;
    if (is_rated) sum += ratings[i];
  }
  if (anchor.mean && found) {
    const double mean = sum / rated;
    for (std::uint32_t i = 0; i < n; ++i) ratings[i] = ratings[i] - mean;
  }
  out.log_likelihood[row] = found ? lanes.log_likelihood[lane] : nan;
  out.iterations[row] = lanes.iterations[lane];
  out.players_rated[row] = rated >= 2 ? rated : 0;
  out.status[row] = rated < 2 ? ReplicateStatus::unsolvable
                    : found   ? ReplicateStatus::ok
                              : ReplicateStatus::not_converged;
  if (!out.last_step.empty()) out.last_step[row] = rated >= 2 ? lanes.last_step[lane] : nan;
}

ReplicateKernel::ReplicateKernel(const Schedule& schedule, std::span<const double> truth,
                                 const Anchor& anchor, const KernelOptions& options)
    : state_(std::make_unique<const State>(checked(schedule, truth, anchor), truth, anchor,
                                           options)) {}
ReplicateKernel::~ReplicateKernel() = default;
ReplicateKernel::ReplicateKernel(ReplicateKernel&&) noexcept = default;
ReplicateKernel& ReplicateKernel::operator=(ReplicateKernel&&) noexcept = default;

std::uint32_t ReplicateKernel::players() const {
  return state_->players();
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
      out.status.size() != count || (!out.last_step.empty() && out.last_step.size() != count))
    throw std::invalid_argument("the output's lengths do not fit the number of replicates");
  if (first + count > std::uint64_t{1} << 32 || first > std::uint64_t{1} << 32)
    throw std::invalid_argument("a replicate's index must be below 2^32");

  // Streams serve eight replicates together, so sampling starts at a multiple of eight.
  const std::size_t width = s.width(), group = std::max<std::size_t>(8, width);
  const LaneWorkspace workspace(s.elimination, width);
  const lane_kernel::Lanes& lanes = workspace.lanes();
  std::vector<std::int32_t> wins(s.shared.pairs * group), rated(group);
  std::vector<std::uint64_t> alive(n), alive_by_position(n);
  for (std::uint64_t begin = first / 8 * 8; begin < first + count; begin += group) {
    s.sampler.sample(seed, point, static_cast<std::uint32_t>(begin), group, wins);
    s.solvable.rated(wins, group, alive);
    std::uint64_t wanted = 0;
    for (std::size_t b = 0; b < group; ++b)
      if (begin + b >= first && begin + b < first + count) wanted |= std::uint64_t{1} << b;
    std::fill(rated.begin(), rated.end(), 0);
    for (std::uint32_t i = 0; i < n; ++i) {
      alive[i] &= wanted;
      alive_by_position[s.elimination.position[i]] = alive[i];
      for (std::size_t b = 0; b < group; ++b) rated[b] += static_cast<int>(alive[i] >> b & 1);
    }
    for (std::size_t offset = 0; offset < group; offset += width) {
      s.start(lanes, wins, group, offset, alive_by_position, rated);
      s.functions.estimate(s.shared, lanes);
      s.functions.log_likelihood(s.shared, lanes);
      for (std::size_t l = 0; l < width; ++l) {
        const std::uint64_t b = offset + l;
        if (wanted >> b & 1)
          s.write(lanes, l, b, alive_by_position, rated[b], begin + b - first, out);
      }
    }
  }
}

}  // namespace banzuke::bradley_terry
