#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "engine/store/layout.hpp"

namespace banzuke {

/// One of several files that together hold a run: a rectangle of its points and rows.
/// Whoever computes it needs no word with the others; merge unites them.
struct Shard {
  std::uint32_t index = 1;  ///< from 1 to count
  std::uint32_t count = 1;
  Layout whole;  ///< of the run
  std::size_t first_point = 0;
  std::size_t points = 0;
  std::uint64_t first_row = 0;
  std::uint64_t rows = 0;

  /// The layout of the shard's own file: its points and rows only.
  Layout own() const;
  /// "shard 2 of 4: replicates 250 to 499".
  std::string describe() const;

  bool operator==(const Shard&) const = default;
};

/// Cuts a run in `count` near-equal parts, by rows at multiples of `lane_group`, or by points where
/// there are too few rows for that. Throws InputError unless
/// 1 <= index <= count, or when there are more shards than parts to cut.
Shard cut(const Layout& whole, std::uint64_t lane_group, std::uint32_t index, std::uint32_t count);

}  // namespace banzuke
