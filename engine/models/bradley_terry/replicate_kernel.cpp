#include "engine/models/bradley_terry/replicate_kernel.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/anderson.hpp"
#include "engine/models/bradley_terry/conjugate_gradients.hpp"
#include "engine/models/bradley_terry/elimination.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/lane_workspace.hpp"
#include "engine/models/bradley_terry/solvable.hpp"
#include "engine/random/binomial.hpp"

namespace banzuke::bradley_terry {
namespace {

/// Truths within this of the ground (natural-log units) leave room below the strengths' overflow.
constexpr double widest_narrow_truth = 300;
/// A factor that costs more than so many evaluations of the gradient gives way to iterations.
constexpr double most_evaluations = 50;
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

double chance_weight(const BinomialLaw& law) {
  return static_cast<double>(law.n) * (law.p * law.q);
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

/// The complete elimination where it is cheap; else none, in the order of ratings, the ground last.
Elimination elimination_of(const Schedule& schedule, std::span<const double> truth,
                           std::uint32_t ground, Fill fill) {
  if (fill == Fill::complete)
    return Elimination(schedule.players, schedule.first, schedule.second, ground);
  std::vector<std::uint32_t> order(schedule.players), position(schedule.players);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return (a == ground) != (b == ground) ? b == ground : truth[a] < truth[b];
  });
  for (std::uint32_t p = 0; p < schedule.players; ++p) position[order[p]] = p;
  return Elimination(schedule.players, schedule.first, schedule.second, position, fill);
}

}  // namespace

struct ReplicateKernel::State {
  State(const Schedule& schedule, std::span<const double> truth_abilities, const Anchor& anchor_,
        const KernelOptions& options_)
      : anchor(anchor_),
        options(options_),
        newton(lane_kernel::functions_of(options.path, options.lanes)),
        fast(anderson_kernel::functions_of(options.path, options.lanes)),
        games(schedule.games),
        real_games(schedule.games.begin(), schedule.games.end()),
        fill(has_small_fill(schedule.players, schedule.first, schedule.second, anchor.player,
                            most_evaluations)
                 ? Fill::complete
                 : Fill::none),
        elimination(elimination_of(schedule, truth_abilities, anchor.player, fill)),
        shared(shared_view(elimination, real_games, degree)),
        laws(laws_of(schedule, truth_abilities)),
        sampler(laws, options.path),
        solvable(schedule, certain_pairs(sampler), anchor.player),
        truth(schedule.players),
        later_games(schedule.players, 0.0) {
    for (std::uint32_t i = 0; i < schedule.players; ++i)
      truth[elimination.position[i]] = truth_abilities[i] - truth_abilities[anchor.player];
    // The information at the truth depends on no result: its factor serves all replicates.
    std::vector<double> weights;
    for (const BinomialLaw& law : laws) weights.push_back(chance_weight(law));
    factor = factorise(elimination, weights);
    anderson.emplace(elimination, laws);
    shared.truth_entries = factor.entries.data();
    shared.truth_inverse = factor.inverse.data();
    shared.is_narrow = std::all_of(truth.begin(), truth.end(), [](double ability) {
      return std::abs(ability) <= widest_narrow_truth;
    });
    std::vector<double> total(players(), 0.0);
    for (std::size_t k = 0; k < laws.size(); ++k) {
      total[elimination.first[k]] += real_games[k];
      total[elimination.second[k]] += real_games[k];
      later_games[elimination.second[k]] += real_games[k];
      truth_log_likelihood += real_games[k] * det_log(laws[k].q);
    }
    if (*std::max_element(total.begin(), total.end()) < 0x1p31)
      ask_pilot();
    else
      is_hard = true;
  }

  /// Lets a fixed set of replicates choose the schedule, or Newton's method from the start.
  void ask_pilot();

  std::uint32_t players() const { return elimination.players; }
  std::size_t width() const { return static_cast<std::size_t>(options.lanes); }

  Anchor anchor;
  KernelOptions options;
  const lane_kernel::Functions& newton;
  const anderson_kernel::Functions& fast;
  std::vector<std::uint32_t> games;
  std::vector<double> real_games;
  Fill fill;
  Elimination elimination;
  std::vector<std::uint32_t> degree;
  lane_kernel::Shared shared;
  std::vector<BinomialLaw> laws;
  BinomialSampler sampler;
  Solvable solvable;
  std::vector<double> truth;        ///< by position, relative to the ground
  std::vector<double> later_games;  ///< by position: games as a pair's second player
  double truth_log_likelihood = 0;  ///< of losing every game as the first player
  SharedFactor factor;
  std::optional<Anderson> anderson;
  bool is_hard = false;  ///< Newton's method from the start
};

namespace {

/// One replicate's estimate.
struct Estimate {
  bool found = false;
  std::int32_t iterations = 0;
  double last_step = 0, log_likelihood = 0;
};

}  // namespace

/// A few replicates at once: from their addresses to their records.
class ReplicateKernel::Season {
 public:
  explicit Season(const State& state, std::size_t most)
      : s_(state),
        newton_workspace_(),
        fast_workspace_(state.anderson->model(), state.width()),
        wins_(state.shared.pairs * most),
        sums_(state.players() * most),
        one_sided_(state.shared.pairs),
        alive_(state.players()),
        alive_by_position_(state.players()) {}

  /// Replicates [begin, begin + size) of which those in `wanted` go to `out`, from row `first` on.
  void play(std::uint64_t seed, std::uint32_t point, std::uint64_t begin, std::size_t size,
            std::uint64_t wanted) {
    size_ = size;
    s_.sampler.sample(seed, point, static_cast<std::uint32_t>(begin), size,
                      std::span(wins_).first(s_.shared.pairs * size));
    std::fill(sums_.begin(), sums_.end(), 0);
    s_.fast.tally(s_.shared.pairs, s_.shared.first, s_.shared.second, s_.games.data(), size,
                  wins_.data(), sums_.data(), one_sided_.data());
    s_.solvable.rated(std::span(wins_).first(s_.shared.pairs * size), size, one_sided_, alive_);
    std::fill_n(rated_, 64, 0);
    for (std::uint32_t i = 0; i < s_.players(); ++i) {
      alive_[i] &= wanted;
      alive_by_position_[s_.elimination.position[i]] = alive_[i];
    }
    for (const std::uint64_t bits : alive_)
      for (std::size_t b = 0; b < size; ++b) rated_[b] += static_cast<int>(bits >> b & 1);
    wanted_ = wanted;
  }

  void estimate(const ReplicateOutput& out, std::uint64_t begin, std::uint64_t first) {
    std::uint64_t open = 0;
    for (std::size_t b = 0; b < size_; ++b)
      if (wanted_ >> b & 1) {
        if (rated_[b] >= 2)
          open |= std::uint64_t{1} << b;
        else
          write({}, b, out, begin + b - first, [](std::uint32_t) { return 0.0; });
      }
    if (!s_.is_hard) estimate_fast(open, out, begin, first);
    s_.fill == Fill::complete ? estimate_by_newton(open, out, begin, first)
                              : estimate_by_conjugate_gradients(open, out, begin, first);
  }

 private:
  void estimate_fast(std::uint64_t& open, const ReplicateOutput& out, std::uint64_t begin,
                     std::uint64_t first);
  void estimate_by_newton(std::uint64_t open, const ReplicateOutput& out, std::uint64_t begin,
                          std::uint64_t first);
  void estimate_by_conjugate_gradients(std::uint64_t open, const ReplicateOutput& out,
                                       std::uint64_t begin, std::uint64_t first);
  void leave_out(std::size_t offset, std::uint64_t every);
  void add_log_likelihoods(std::size_t offset, std::size_t filled, double* sums) const;

  template <class Ability>
  void write(const Estimate& estimate, std::size_t bit, const ReplicateOutput& out,
             std::uint64_t row, const Ability& ability) const;

  const State& s_;
  std::optional<LaneWorkspace> newton_workspace_;  ///< most blocks need none
  AndersonWorkspace fast_workspace_;
  std::vector<std::int32_t> wins_, sums_;
  std::vector<std::uint8_t> one_sided_;
  std::vector<std::uint64_t> alive_, alive_by_position_;
  std::size_t size_ = 0;
  std::uint64_t wanted_ = 0;
  std::int32_t rated_[64];
};

void ReplicateKernel::State::ask_pilot() {
  constexpr std::uint64_t seed = 0x70696c6f74;
  const std::size_t size = fill == Fill::complete ? 64 : 16;
  const std::int32_t most = fill == Fill::complete ? 18 : 40;
  anderson->set_schedule(1, most);  // exact from the start
  std::vector<double> ratings(size * players()), log_likelihood(size);
  std::vector<std::int32_t> passes(size), rated(size);
  std::vector<ReplicateStatus> status(size);
  Season season(*this, size);
  season.play(seed, 0, 0, size, ~std::uint64_t{0} >> (64 - size));
  season.estimate({ratings, log_likelihood, passes, rated, status}, 0, 0);
  std::sort(passes.begin(), passes.end());
  const std::int32_t usual = passes[size - 1 - size / 16];
  is_hard = usual > most;
  anderson->set_schedule(usual, usual + usual / 2 + 2);
}

void ReplicateKernel::Season::leave_out(std::size_t offset, std::uint64_t every) {
  fast_workspace_.include_everybody();
  bool any = false;
  for (std::uint32_t p = 0; p < s_.players(); ++p) {
    const std::uint64_t out = ~(alive_by_position_[p] >> offset) & every;
    if (out == 0) continue;
    fast_workspace_.leave_out_player(p, out);
    any = true;
  }
  if (!any) return;
  const anderson_kernel::Model& model = s_.anderson->model();
  const anderson_kernel::Lanes& lanes = fast_workspace_.lanes();
  const std::size_t w = s_.width();
  for (std::uint32_t i = 0; i < s_.players(); ++i)
    for (std::uint64_t slot = model.slot_begin[i]; slot < model.slot_begin[i + 1]; ++slot) {
      const std::uint32_t j = model.slot_other[slot];
      const std::uint64_t out =
          ~((alive_by_position_[i] & alive_by_position_[j]) >> offset) & every;
      if (out == 0) continue;
      fast_workspace_.leave_out_slot(static_cast<std::uint32_t>(slot), i, out);
      const std::uint32_t k = s_.elimination.pair[slot];
      const double expected = s_.real_games[k] * s_.laws[k].p;
      for (std::size_t l = 0; l < w; ++l) {
        if (!(out >> l & 1)) continue;
        const double surplus = wins_[k * size_ + offset + l] - expected;
        lanes.score[s_.elimination.first[k] * w + l] -= surplus;
        lanes.score[s_.elimination.second[k] * w + l] += surplus;
      }
    }
  for (std::size_t o = 0; o < lanes.out_players; ++o)
    for (std::size_t l = 0; l < w; ++l)
      if (lanes.out_player_mask[o * w + l]) lanes.score[lanes.out_player[o] * w + l] = 0;
}

void ReplicateKernel::Season::add_log_likelihoods(std::size_t offset, std::size_t filled,
                                                  double* sums) const {
  const anderson_kernel::Lanes& lanes = fast_workspace_.lanes();
  const std::size_t w = s_.width();
  for (std::size_t l = 0; l < filled; ++l) sums[l] = s_.truth_log_likelihood - lanes.logs[l];
  for (std::uint32_t p = 0; p < s_.players(); ++p)
    for (std::size_t l = 0; l < filled; ++l) {
      const double change = lanes.residual[p * w + l];
      const double won = sums_[p * size_ + offset + l];
      sums[l] += won * (s_.truth[p] + change) + s_.later_games[p] * change;
    }
  for (std::size_t o = 0; o < lanes.out_slots; ++o) {
    const std::uint32_t k = s_.elimination.pair[lanes.out_slot[o]];
    const std::uint32_t i = s_.elimination.first[k], j = s_.elimination.second[k];
    const BinomialLaw& law = s_.laws[k];
    for (std::size_t l = 0; l < filled; ++l) {
      if (!lanes.out_slot_mask[o * w + l]) continue;
      const double theta_i = s_.truth[i] + lanes.residual[i * w + l];
      const double theta_j = s_.truth[j] + lanes.residual[j * w + l];
      const double won = wins_[k * size_ + offset + l];
      const double ratio =
          (1.0 + law.p * lanes.excess[i * w + l]) + law.q * lanes.excess[j * w + l];
      sums[l] -= won * (theta_i - theta_j) +
                 s_.real_games[k] * (lanes.residual[j * w + l] + det_log(law.q) - det_log(ratio));
    }
  }
}

void ReplicateKernel::Season::estimate_fast(std::uint64_t& open, const ReplicateOutput& out,
                                            std::uint64_t begin, std::uint64_t first) {
  const std::size_t w = s_.width();
  const anderson_kernel::Lanes& lanes = fast_workspace_.lanes();
  for (std::size_t offset = 0; offset < size_; offset += w) {
    const std::size_t filled = std::min(w, size_ - offset);
    const std::uint64_t every = ~std::uint64_t{0} >> (64 - filled);
    const std::uint64_t here = open >> offset & every;
    if (here == 0) continue;
    const auto expected = s_.anderson->expected();
    for (std::uint32_t p = 0; p < s_.players(); ++p)
      for (std::size_t l = 0; l < filled; ++l)
        lanes.score[p * w + l] = sums_[p * size_ + offset + l] - expected[p];
    for (std::size_t l = 0; l < w; ++l)
      lanes.status[l] = l < filled && (here >> l & 1) ? anderson_kernel::LaneStatus::open
                                                      : anderson_kernel::LaneStatus::given_up;
    leave_out(offset, here);
    s_.fast.estimate(s_.anderson->model(), lanes);
    s_.fast.finish(s_.anderson->model(), lanes);
    double log_likelihoods[64];
    add_log_likelihoods(offset, filled, log_likelihoods);
    for (std::size_t l = 0; l < filled; ++l) {
      if (lanes.status[l] != anderson_kernel::LaneStatus::found) continue;
      open &= ~(std::uint64_t{1} << (offset + l));
      write({true, lanes.iterations[l], lanes.last_step[l], log_likelihoods[l]}, offset + l, out,
            begin + offset + l - first,
            [&, shift = lanes.residual[(s_.players() - 1) * w + l]](std::uint32_t p) {
              return s_.truth[p] + (lanes.residual[p * w + l] - shift);
            });
    }
  }
}

void ReplicateKernel::Season::estimate_by_newton(std::uint64_t open, const ReplicateOutput& out,
                                                 std::uint64_t begin, std::uint64_t first) {
  const std::size_t w = s_.width();
  const std::int32_t passes_before = s_.is_hard ? 0 : s_.anderson->model().max_passes;
  if (open != 0 && !newton_workspace_) newton_workspace_.emplace(s_.elimination, w);
  while (open != 0) {
    std::uint32_t column[64] = {};
    std::size_t filled = 0;
    for (; open != 0 && filled < w; open &= open - 1)
      column[filled++] = static_cast<std::uint32_t>(__builtin_ctzll(open));
    for (std::size_t l = filled; l < w; ++l) column[l] = column[0];
    const lane_kernel::Lanes& lanes = newton_workspace_->lanes();
    s_.newton.load(s_.shared, lanes, wins_.data(), size_, column, alive_by_position_.data());
    for (std::uint32_t p = 0; p < s_.players(); ++p)
      std::fill_n(lanes.abilities + p * w, w, s_.truth[p]);
    for (std::size_t l = 0; l < w; ++l) {
      lanes.iterations[l] = 0;
      lanes.last_step[l] = 0;
      lanes.status[l] =
          l < filled ? lane_kernel::LaneStatus::open : lane_kernel::LaneStatus::not_converged;
    }
    s_.newton.estimate(s_.shared, lanes);
    s_.newton.log_likelihood(s_.shared, lanes);
    for (std::size_t l = 0; l < filled; ++l)
      write({lanes.status[l] == lane_kernel::LaneStatus::ok ||
                 lanes.status[l] == lane_kernel::LaneStatus::rounding_floor,
             passes_before + lanes.iterations[l], lanes.last_step[l], lanes.log_likelihood[l]},
            column[l], out, begin + column[l] - first,
            [&](std::uint32_t p) { return lanes.abilities[p * w + l]; });
  }
}

void ReplicateKernel::Season::estimate_by_conjugate_gradients(std::uint64_t open,
                                                              const ReplicateOutput& out,
                                                              std::uint64_t begin,
                                                              std::uint64_t first) {
  if (open == 0) return;
  const std::int32_t passes_before = s_.is_hard ? 0 : s_.anderson->model().max_passes;
  PairData pairs{s_.players(), s_.elimination.first, s_.elimination.second, s_.real_games,
                 s_.real_games};
  const ConjugateGradients search(pairs.players, pairs.first, pairs.second);
  for (; open != 0; open &= open - 1) {
    const auto bit = static_cast<std::size_t>(__builtin_ctzll(open));
    for (std::size_t k = 0; k < pairs.size(); ++k) {
      const bool is_played =
          (alive_by_position_[pairs.first[k]] & alive_by_position_[pairs.second[k]]) >> bit & 1;
      pairs.wins_first[k] = is_played ? wins_[k * size_ + bit] : 0.0;
      pairs.wins_second[k] = is_played ? s_.real_games[k] - pairs.wins_first[k] : 0.0;
    }
    const ConjugateGradients::Estimate estimate =
        search.fit(pairs.wins_first, pairs.wins_second, s_.truth);
    const double shift = estimate.abilities.back();
    write({estimate.status != FitStatus::not_converged, passes_before + estimate.iterations,
           estimate.max_step, log_likelihood(pairs, estimate.abilities)},
          bit, out, begin + bit - first,
          [&](std::uint32_t p) { return estimate.abilities[p] - shift; });
  }
}

template <class Ability>
void ReplicateKernel::Season::write(const Estimate& estimate, std::size_t bit,
                                    const ReplicateOutput& out, std::uint64_t row,
                                    const Ability& ability) const {
  const std::int32_t rated = rated_[bit];
  const std::uint32_t n = s_.players();
  double* const ratings = out.ratings.data() + row * n;
  double sum = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    const bool is_rated = estimate.found && (alive_[i] >> bit & 1);
    ratings[i] = is_rated ? ability(s_.elimination.position[i]) : nan;
    if (is_rated) sum += ratings[i];
  }
  if (s_.anchor.mean && estimate.found) {
    const double mean = sum / rated;
    for (std::uint32_t i = 0; i < n; ++i) ratings[i] = ratings[i] - mean;
  }
  out.log_likelihood[row] = estimate.found ? estimate.log_likelihood : nan;
  out.iterations[row] = estimate.iterations;
  out.players_rated[row] = rated >= 2 ? rated : 0;
  out.status[row] = rated < 2        ? ReplicateStatus::unsolvable
                    : estimate.found ? ReplicateStatus::ok
                                     : ReplicateStatus::not_converged;
  if (!out.last_step.empty()) out.last_step[row] = rated >= 2 ? estimate.last_step : nan;
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
  constexpr std::size_t most_wins = std::size_t{1} << 26;  // 256 MiB
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
