#include "engine/models/reflection/monte_carlo.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "engine/models/reflection/kink_mapping.hpp"
#include "engine/models/reflection/sobol.hpp"
#include "engine/random/binomial_kernel.hpp"
#include "engine/random/stream.hpp"

namespace banzuke::reflection {
namespace {

constexpr std::uint32_t most_draws = 1U << 24;

DrawKernel draw_kernel_of(CpuPath path) {
  switch (path) {
    case CpuPath::avx2:
      return draw_kernel_avx2();
    case CpuPath::avx512:
      return draw_kernel_avx512();
    case CpuPath::portable:
      break;
  }
  return draw_kernel_portable();
}

/// Sample mean and covariance of the replicates' sums.
struct Scatter {
  std::array<double, block_fields> mean{};
  std::array<std::array<double, block_fields>, block_fields> covariance_of_mean{};
};

std::array<double, block_fields> as_array(const BlockSums& s) {
  return {s.total, s.skill, s.both, s.tie, s.score, s.score_zero};
}

Scatter scatter_of(std::span<const BlockSums> replicates) {
  Scatter scatter;
  const auto count = static_cast<double>(replicates.size());
  for (const BlockSums& sums : replicates) {
    const auto values = as_array(sums);
    for (std::size_t i = 0; i < values.size(); ++i) scatter.mean[i] += values[i] / count;
  }
  const double divisor =
      replicates.size() > 1 ? count * (count - 1.0) : 0.0;  // no replicates: infinite below
  for (const BlockSums& sums : replicates) {
    const auto values = as_array(sums);
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t j = 0; j < values.size(); ++j) {
        scatter.covariance_of_mean[i][j] +=
            (values[i] - scatter.mean[i]) * (values[j] - scatter.mean[j]) / divisor;
      }
    }
  }
  return scatter;
}

/// Standard error of (sum of weights over `top`) / (mean of `bottom`).
double ratio_error(const Scatter& scatter, const std::array<double, block_fields>& top,
                   std::size_t bottom, double ratio) {
  std::array<double, block_fields> gradient = top;
  gradient[bottom] -= ratio;
  double variance = 0.0;
  for (std::size_t i = 0; i < gradient.size(); ++i) {
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      variance += gradient[i] * gradient[j] * scatter.covariance_of_mean[i][j];
    }
  }
  return std::sqrt(std::max(variance, 0.0)) / scatter.mean[bottom];
}

[[noreturn]] void refuse(const std::string& problem, const char* why, const char* remedy) {
  throw InputError(problem, why, remedy);
}

}  // namespace

const char* name_of(Sampling sampling) {
  switch (sampling) {
    case Sampling::plain:
      return "plain";
    case Sampling::rao_blackwell:
      return "rao_blackwell";
    case Sampling::sobol:
      break;
  }
  return "sobol";
}

std::optional<Sampling> sampling_of(std::string_view name) {
  for (const Sampling sampling : all_samplings) {
    if (name == name_of(sampling)) return sampling;
  }
  return std::nullopt;
}

std::size_t gamma_words(const DrawRule& rule) {
  std::size_t words = (rule.outcomes + 1) / 2 * 2 + rule.outcomes;
  for (std::size_t j = 0; j < rule.outcomes; ++j) words += rule.inverse[j] > 0.0 ? 1 : 0;
  return words;
}

std::size_t multinomial_words(const DrawRule& rule) {
  return 2 * (rule.outcomes - 1);
}

void philox_words(const StreamAddress& address, std::uint16_t block, std::uint64_t* words) {
  const auto b = philox_block(address, block);
  words[0] = static_cast<std::uint64_t>(b[1]) << 32 | b[0];
  words[1] = static_cast<std::uint64_t>(b[3]) << 32 | b[2];
}

MonteCarloEstimate estimate(std::span<const BlockSums> replicates) {
  const Scatter scatter = scatter_of(replicates);
  const auto& [total, skill, both, tie, score, score_zero] = scatter.mean;
  MonteCarloEstimate result;
  result.replicates = static_cast<std::int64_t>(replicates.size());
  result.value =
      from_joint(both / total, tie / total, skill / total, score / total, score_zero / total, 0.0);
  const Probabilities& p = result.value;
  if (replicates.size() < 2) {
    constexpr double infinite = std::numeric_limits<double>::infinity();
    result.value.error = result.error_zero = result.error_half = result.error_skill = infinite;
    return result;
  }
  result.value.error = ratio_error(scatter, {0, 0, 1, 0, 0, 0}, 1, p.p_positive);
  result.error_zero = ratio_error(scatter, {0, 0, 0, 1, 0, 0}, 1, p.p_zero);
  result.error_half = ratio_error(scatter, {0, 0, 1, 0.5, 0, 0}, 1, p.p_half);
  result.error_skill = ratio_error(scatter, {0, 1, 0, 0, 0, 0}, 0, p.p_skill_positive);
  return result;
}

MonteCarlo::MonteCarlo(const Game& game, std::int64_t games, Sampling sampling, std::uint32_t draws,
                       CpuPath path)
    : game_(game),
      games_(static_cast<double>(games)),
      fraction_(score_fraction(game, games)),
      sampling_(sampling),
      draws_(draws),
      path_(path),
      kernel_(draw_kernel_of(path)) {
  check_games(games);
  const bool power = (draws & (draws - 1)) == 0;
  if (draws < draws_at_once || draws % draws_at_once != 0 || draws > most_draws ||
      (sampling == Sampling::sobol && !power)) {
    refuse(fmt::format("a replicate of {} draws", draws),
           "replicates hold a multiple of 64 draws up to 2^24, a power of two for sobol",
           "choose for example 65536");
  }
  if (sampling != Sampling::plain) {
    if (!game.lattice) {
      refuse(fmt::format("sampling = \"{}\" with payoffs without a common step", name_of(sampling)),
             "it computes the score's distribution on its lattice", "use sampling = \"plain\"");
    }
    if (!ConditionalScore::is_feasible(game, games)) {
      refuse(fmt::format("sampling = \"{}\" with N = {}", name_of(sampling), games),
             "the lattice of scores has too many points to compute their distribution",
             "use sampling = \"plain\", a smaller N or coarser payoffs");
    }
    score_.emplace(game, games, path);
  }
  for (const double alpha : game.alpha) {
    const double d = (alpha < 1.0 ? alpha + 1.0 : alpha) - 1.0 / 3.0;
    shape_.push_back(d);
    scale_.push_back(1.0 / std::sqrt(9.0 * d));
    inverse_.push_back(alpha < 1.0 ? 1.0 / alpha : 0.0);
  }
}

double MonteCarlo::sign_of_score(double score) const {
  // A lattice score is an integer and the known fraction.
  if (game_.lattice) return std::nearbyint(score - fraction_) + fraction_;
  return std::abs(score) < 1e-12 * games_ ? 0.0 : score;
}

void MonteCarlo::run_draws(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate,
                           BlockSums& sums) const {
  const std::size_t k = game_.outcomes();
  const DrawRule rule{
      k, game_.coefficient.data(), shape_.data(), scale_.data(), inverse_.data(), games_};
  const bool draw_games = sampling_ == Sampling::plain;
  const std::size_t needed = (gamma_words(rule) + 1) / 2 * 2 + multinomial_words(rule);
  const std::size_t blocks = ((draw_games ? needed : gamma_words(rule)) + 1) / 2;
  std::vector<std::uint64_t> words(blocks * draws_at_once * 2);
  std::vector<double> gammas(k * draws_at_once);
  std::vector<double> x(k);
  std::array<double, draws_at_once> scores{};
  std::array<std::uint32_t, draws_at_once> entity{};
  std::array<std::uint32_t, draws_at_once> replicates{};
  replicates.fill(replicate);
  const auto& philox = binomial_kernel::kernel_of(path_).philox;
  const auto stream = static_cast<std::uint32_t>(StreamId::reflection);
  for (std::uint32_t first = 0; first < draws_; first += draws_at_once) {
    for (std::uint32_t l = 0; l < draws_at_once; ++l) entity[l] = first + l;
    for (std::size_t b = 0; b < blocks; ++b) {
      philox(seed, entity.data(), replicates.data(), point,
             stream << 16 | static_cast<std::uint32_t>(b), draws_at_once,
             words.data() + b * draws_at_once * 2);
    }
    const DrawWords source{words.data(), {seed, StreamId::reflection, point, replicate, first}};
    kernel_.gammas(rule, source, gammas.data());
    if (draw_games) kernel_.scores(rule, source, gammas.data(), scores.data());
    for (std::size_t l = 0; l < draws_at_once; ++l) {
      double skill = 0.0;
      double mass = 0.0;
      for (std::size_t j = 0; j < k; ++j) {
        skill += game_.coefficient[j] * gammas[j * draws_at_once + l];
        mass += gammas[j * draws_at_once + l];
      }
      double positive = 0.0;
      double zero = 0.0;
      if (draw_games) {
        const double sign = sign_of_score(scores[l]);
        positive = sign > 0 ? 1.0 : 0.0;
        zero = sign == 0 ? 1.0 : 0.0;
      } else {
        for (std::size_t j = 0; j < k; ++j) x[j] = gammas[j * draws_at_once + l] / mass;
        const ScoreProbabilities p = (*score_)(x.data());
        positive = p.positive;
        zero = p.zero;
      }
      sums.total += 1.0;
      sums.score += positive;
      sums.score_zero += zero;
      if (skill > 0) {
        sums.skill += 1.0;
        sums.both += positive;
        sums.tie += zero;
      }
    }
  }
}

void MonteCarlo::run_sobol(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate,
                           BlockSums& sums) const {
  const KinkMapping mapping(game_);
  const std::size_t dimensions = mapping.dimensions();
  ScrambledSobol sobol(dimensions, seed, point, replicate);
  std::vector<double> u(dimensions);
  std::vector<double> x(game_.outcomes());
  for (std::uint32_t i = 0; i < draws_; ++i) {
    for (std::size_t d = 0; d < dimensions; ++d) u[d] = sobol[d];
    sobol.next();
    const double signed_weight = mapping.map(u.data(), x.data());
    const double weight = std::abs(signed_weight);
    if (weight < 1e-30) continue;  // below the peak's weight of order 1 by far more than rounding
    const ScoreProbabilities p = (*score_)(x.data());
    sums.total += weight;
    sums.score += weight * p.positive;
    sums.score_zero += weight * p.zero;
    if (signed_weight > 0) {
      sums.skill += weight;
      sums.both += weight * p.positive;
      sums.tie += weight * p.zero;
    }
  }
}

BlockSums MonteCarlo::run(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate) const {
  BlockSums sums;
  if (sampling_ == Sampling::sobol) {
    run_sobol(seed, point, replicate, sums);
  } else {
    run_draws(seed, point, replicate, sums);
  }
  return sums;
}

}  // namespace banzuke::reflection
