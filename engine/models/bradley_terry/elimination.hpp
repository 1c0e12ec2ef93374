#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace banzuke::bradley_terry {

/// Whether the pattern of the factor is made, or the order alone.
enum class Fill : std::uint8_t { complete, none };

/// The symbolic elimination of a weighted graph's Laplacian: one order of the players, the ground
/// last, and the pattern of the factor. Every replicate and every lane shares it. Players are named
/// by their position in the order; columns hold the rows after the diagonal, ascending, the
/// ground's row included.
struct Elimination {
  std::uint32_t players = 0;
  std::vector<std::uint32_t> position;       ///< of each player
  std::vector<std::uint32_t> first, second;  ///< positions of each pair's players
  std::vector<std::uint64_t> column_begin;   ///< [players + 1] into `row`
  std::vector<std::uint32_t> row;
  /// The pairs that meet in column j (their earlier player is j), and the other player, ascending.
  std::vector<std::uint64_t> pair_begin;
  std::vector<std::uint32_t> pair, pair_row;
  /// The earlier columns that change column j, ascending, and where in them row j stands.
  std::vector<std::uint64_t> update_begin;
  std::vector<std::uint32_t> update_column;
  std::vector<std::uint64_t> update_entry;

  /// In a minimum-degree order, with all fill.
  Elimination(std::uint32_t players, std::span<const std::uint32_t> first,
              std::span<const std::uint32_t> second, std::uint32_t ground);
  /// In a given order.
  Elimination(std::uint32_t players, std::span<const std::uint32_t> first,
              std::span<const std::uint32_t> second, std::vector<std::uint32_t> position,
              Fill fill);
};

/// Whether the factor of the complete elimination takes at most so many multiplications and
/// additions, by going through its pattern; stops as soon as it takes more.
bool costs_at_most(std::uint32_t players, std::span<const std::uint32_t> first,
                   std::span<const std::uint32_t> second, std::uint32_t ground, double most);

/// Whether the factor is small: its multiplications and additions cost no more than `evaluations`
/// of the gradient. A function of the pairs alone.
bool has_small_fill(std::uint32_t players, std::span<const std::uint32_t> first,
                    std::span<const std::uint32_t> second, std::uint32_t ground,
                    double evaluations);

}  // namespace banzuke::bradley_terry
