#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "engine/base/cpu_path.hpp"
#include "engine/models/reflection/conditional_score.hpp"
#include "engine/models/reflection/draw_kernel.hpp"
#include "engine/models/reflection/probabilities.hpp"
#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

enum class Sampling {
  plain,          ///< x and y drawn
  rao_blackwell,  ///< x drawn, the score's probabilities given x computed
  sobol,          ///< scrambled Sobol points along the kink f(x) = 0, probabilities computed
};
inline constexpr Sampling all_samplings[] = {Sampling::plain, Sampling::rao_blackwell,
                                             Sampling::sobol};
const char* name_of(Sampling sampling);
std::optional<Sampling> sampling_of(std::string_view name);

/// Sums over the draws of one replicate: what a record stores.
struct BlockSums {
  double total = 0.0;       ///< of the weights: the number of draws, or of importance weights
  double skill = 0.0;       ///< with f(x) > 0
  double both = 0.0;        ///< with f(x) > 0 and f(y) > 0
  double tie = 0.0;         ///< with f(x) > 0 and f(y) = 0
  double score = 0.0;       ///< with f(y) > 0
  double score_zero = 0.0;  ///< with f(y) = 0
};
inline constexpr int block_fields = 6;

/// A Monte Carlo estimate: `error` is the standard error of p_positive; the others beside it.
struct MonteCarloEstimate {
  Probabilities value;
  double error_zero = 0.0;
  double error_half = 0.0;
  double error_skill = 0.0;
  std::int64_t replicates = 0;
};

/// Ratios of the sums, with standard errors from the scatter of the replicates (delta method).
/// Fewer than two replicates have infinite errors. An event that no draw showed (ties at large N)
/// has the error 0, which is no bound: stop by the errors of p_positive or p_half.
MonteCarloEstimate estimate(std::span<const BlockSums> replicates);

/// Draws of one rule and N. A replicate is `draws` draws; its sums are a pure function of
/// (rule, N, sampling, draws, seed, point, replicate), with equal bits on every CPU path.
class MonteCarlo {
 public:
  /// `draws` a multiple of 64 and, for sobol, a power of two; at most 2^24. rao_blackwell and sobol
  /// need a lattice game for which
  /// ConditionalScore is feasible. Throws InputError otherwise.
  MonteCarlo(const Game& game, std::int64_t games, Sampling sampling, std::uint32_t draws,
             CpuPath path = best_cpu_path());
  MonteCarlo(const MonteCarlo&) = delete;
  MonteCarlo& operator=(const MonteCarlo&) = delete;

  BlockSums run(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate) const;

 private:
  void run_draws(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate,
                 BlockSums& sums) const;
  void run_sobol(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate,
                 BlockSums& sums) const;
  double sign_of_score(double score) const;

  Game game_;
  double games_;
  double fraction_;
  Sampling sampling_;
  std::uint32_t draws_;
  CpuPath path_;
  DrawKernel kernel_;
  std::vector<double> shape_;
  std::vector<double> scale_;
  std::vector<double> inverse_;
  std::optional<ConditionalScore> score_;
};

}  // namespace banzuke::reflection
