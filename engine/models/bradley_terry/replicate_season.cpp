#include "engine/models/bradley_terry/replicate_season.hpp"

#include <algorithm>
#include <limits>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/conjugate_gradients.hpp"
#include "engine/models/bradley_terry/fit.hpp"
#include "engine/models/bradley_terry/linearised.hpp"

namespace banzuke::bradley_terry {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

}  // namespace

void ReplicateKernel::Season::play(std::uint64_t seed, std::uint32_t point, std::uint64_t begin,
                                   std::size_t size, std::uint64_t wanted) {
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
  if (!out.deviance.empty())
    out.deviance[row] = estimate.found ? 2 * (saturated_[bit] - estimate.log_likelihood) : nan;
}

void ReplicateKernel::Season::estimate(const ReplicateOutput& out, std::uint64_t begin,
                                       std::uint64_t first) {
  if (!out.deviance.empty())
    s_.saturated.add(s_.elimination.first, s_.elimination.second, alive_by_position_, wins_, size_,
                     saturated_);
  if (!out.control.empty()) write_controls(out, begin, first);
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

void ReplicateKernel::Season::write_controls(const ReplicateOutput& out, std::uint64_t begin,
                                             std::uint64_t first) {
  constexpr std::size_t w = Linearised::lanes;
  const std::uint32_t n = s_.players();
  const auto expected = s_.anderson->expected();
  const Linearised linearised(s_.elimination, s_.factor);
  column_.resize(n * w);
  for (std::size_t offset = 0; offset < size_; offset += w) {
    if ((wanted_ >> offset & 0xff) == 0) continue;
    for (std::uint32_t p = 0; p < n; ++p)
      for (std::size_t l = 0; l < w; ++l)
        column_[p * w + l] = sums_[p * size_ + offset + l] - expected[p];
    linearised.solve(column_);
    for (std::size_t l = 0; l < w; ++l) {
      if (!(wanted_ >> (offset + l) & 1)) continue;
      double* const control = out.control.data() + (begin + offset + l - first) * n;
      double sum = 0;
      for (std::uint32_t i = 0; i < n; ++i) {
        control[i] = column_[s_.elimination.position[i] * w + l];
        sum += control[i];
      }
      if (!s_.anchor.mean) continue;
      const double mean = sum / n;
      for (std::uint32_t i = 0; i < n; ++i) control[i] -= mean;
    }
  }
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

}  // namespace banzuke::bradley_terry
