#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "engine/models/dirichlet_multinomial/beta_binomial_sampler.hpp"
#include "engine/random/stream.hpp"

namespace banzuke::dirichlet_multinomial {

/// Careers of players whose rank distribution is drawn from a symmetric Dirichlet:
/// x ~ Dirichlet(alpha, …, alpha), y ~ Multinomial(N, x), sampled exactly without drawing x.
///
/// The ranks are halved again and again: the games of a group of p + q ranks split into those of
/// its first p and last q ranks by a beta-binomial law with parameters p alpha and q alpha
/// (aggregation and neutrality of the Dirichlet law). That takes k - 1 draws; draw d, attempt t
/// uses block d + (k - 1) t of the player's stream, so that a career is a function of its address
/// alone.
class CareerSampler {
 public:
  /// Tables of about 100 bytes times `max_games`. Throws std::invalid_argument unless
  /// 2 ≤ ranks ≤ 64 and alpha is positive and at most 10^12 / ranks.
  CareerSampler(int ranks, double alpha, std::uint32_t max_games);

  int ranks() const { return ranks_; }
  std::uint32_t max_games() const { return max_games_; }

  /// The careers of `games.size()` players, the first of which is entity `address.entity`.
  /// `counts`: games.size() × ranks, row by row. Every games[i] ≤ max_games().
  void draw(StreamAddress address, std::span<const std::uint32_t> games,
            std::span<std::uint32_t> counts) const;

 private:
  /// A group of ranks first … first + left + right - 1 and the law of its split.
  struct Split {
    std::size_t first;
    std::size_t left;
    std::size_t sampler;
  };
  std::size_t law(std::size_t left, std::size_t right);
  void split(std::size_t first, std::size_t size);

  int ranks_;
  double alpha_;
  std::uint32_t max_games_;
  std::vector<BetaBinomialSampler> samplers_;
  std::vector<std::pair<std::size_t, std::size_t>> shapes_;
  std::vector<Split> splits_;  ///< parents before children, depth first
};

}  // namespace banzuke::dirichlet_multinomial
