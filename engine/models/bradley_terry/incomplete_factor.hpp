#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace banzuke::bradley_terry {

/// An approximate factor U D U' of a weighted graph's Laplacian with the last player grounded:
/// players are eliminated from the least weight to the greatest, and small entries are dropped,
/// their weight going to the column's others (docs/methods/bradley_terry.md). Only + - * / in one
/// order: the same bits everywhere. Columns are counted in the order of elimination.
struct IncompleteFactor {
  std::vector<std::uint32_t> player;  ///< [players - 1] of each column
  std::vector<float> inverse;         ///< [players - 1] of the pivots
  /// Entries relative to the column's pivot, the ground's left out, twice: by the row's column
  /// (earlier columns ascending) and by column (later rows ascending), with the other's player.
  struct Entries {
    std::vector<std::uint64_t> begin;
    std::vector<std::uint32_t> other;
    std::vector<float> value;
  };
  Entries of_row, of_column;

  /// Pairs (first[k], second[k]) with weights >= 0, each pair once. Entries w with
  /// w / d_i + w / d_j < `dropped`, d the players' weights, are dropped.
  IncompleteFactor(std::uint32_t players, std::span<const std::uint32_t> first,
                   std::span<const std::uint32_t> second, std::span<const double> weights,
                   double dropped);
};

}  // namespace banzuke::bradley_terry
