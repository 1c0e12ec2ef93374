#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace banzuke::dirichlet_multinomial {

/// W_m for m = 0, 1, …: how many counts exceed m. Padded with zeros to a multiple of 8, so that
/// sums over it need no remainder loop.
using Tail = std::vector<double>;

/// Largest number of games of one player a tail can hold; bounds the memory to 32 MiB.
inline constexpr std::uint32_t max_games_of_a_player = (1u << 22) - 1;

/// What the symmetric likelihood depends on: C_m = #{(i, j): y_ij > m}, T_m = #{i: N_i > m}.
struct TailCounts {
  int ranks = 0;
  double players = 0;  ///< all, those without games included
  double games = 0;    ///< Σ N_i = Σ C_m = Σ T_m
  Tail rank_tail;      ///< C_m
  Tail games_tail;     ///< T_m
};

/// Counts how often each value occurs and turns that into a tail: a counting sort.
class TailCounter {
 public:
  void clear();
  /// Throws std::length_error above `max_games_of_a_player`.
  void add(std::span<const std::uint32_t> values);
  /// Overwrites `tail`, whose memory is used again.
  void tail(Tail& tail) const;

 private:
  void grow(std::uint32_t value);
  std::vector<std::uint32_t> count_;
};

/// Σ_m W_m, the sum of the counted values; exact below 2^53.
double total(const Tail& tail);

/// Σ_m m W_m = Σ y(y-1)/2 over the counted values y; exact below 2^53.
double first_moment(const Tail& tail);

/// Compresses rank counts, players × ranks row by row. Throws std::invalid_argument when ranks < 2
/// or the size is no multiple of it, std::length_error for too many games.
TailCounts compress(int ranks, std::span<const std::uint32_t> counts);

}  // namespace banzuke::dirichlet_multinomial
