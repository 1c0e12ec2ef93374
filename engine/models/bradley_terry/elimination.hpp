#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace banzuke::bradley_terry {

/// The symbolic elimination of a weighted graph's Laplacian: one minimum-degree order of the
/// players, the ground last, and the pattern of the factor. Every replicate and every lane shares
/// it. Players are named by their position in the order; columns hold the rows after the diagonal,
/// ascending, the ground's row included.
struct Elimination {
  std::uint32_t players = 0;
  std::vector<std::uint32_t> position;       ///< of each player
  std::vector<std::uint32_t> first, second;  ///< positions of each pair's players
  std::vector<std::uint64_t> column_begin;   ///< [players + 1] into `row`
  std::vector<std::uint32_t> row;
  /// The pairs that meet in column j (their earlier player is j), and the other player.
  std::vector<std::uint64_t> pair_begin;
  std::vector<std::uint32_t> pair, pair_row;
  /// The earlier columns that change column j, ascending, and where in them row j stands.
  std::vector<std::uint64_t> update_begin;
  std::vector<std::uint32_t> update_column;
  std::vector<std::uint64_t> update_entry;

  Elimination(std::uint32_t players, std::span<const std::uint32_t> first,
              std::span<const std::uint32_t> second, std::uint32_t ground);
};

}  // namespace banzuke::bradley_terry
