#include "engine/models/dirichlet_multinomial/tail_counts.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <stdexcept>
#include <type_traits>

namespace banzuke::dirichlet_multinomial {

void TailCounter::clear() {
  std::fill(count_.begin(), count_.end(), 0);
}

void TailCounter::grow(std::uint32_t value) {
  if (value > max_games_of_a_player) {
    throw std::length_error("a player with more than 4,194,303 games");
  }
  count_.resize(std::bit_ceil(value + std::size_t{1}));
}

void TailCounter::add(std::span<const std::uint32_t> values) {
  while (!values.empty()) {
    const auto chunk = values.first(std::min<std::size_t>(values.size(), 1024));
    // The table's size is a power of two, so that the bits of all values tell whether they fit.
    std::uint32_t bits = 0;
    for (const std::uint32_t value : chunk) bits |= value;
    if (bits >= count_.size()) grow(*std::max_element(chunk.begin(), chunk.end()));
    std::uint32_t* count = count_.data();
    for (const std::uint32_t value : chunk) ++count[value];
    values = values.subspan(chunk.size());
  }
}

void TailCounter::tail(Tail& tail) const {
  std::size_t size = count_.size();
  while (size > 0 && count_[size - 1] == 0) --size;
  const std::size_t used = size > 0 ? size - 1 : 0;  // the largest value exceeds 0 … value - 1
  tail.assign((used + 7) / 8 * 8, 0.0);
  double above = 0;
  for (std::size_t m = used; m > 0; --m) {
    above += count_[m];
    tail[m - 1] = above;
  }
}

namespace {

/// Σ of value(m) over the tail in eight interleaved sums: one chain of additions would wait for
/// each of them.
template <class Value>
double interleaved_sum(const Tail& tail, Value value) {
  std::array<double, 8> sums{};
  std::size_t m = 0;
  for (; m + 8 <= tail.size(); m += 8) {
    for (std::size_t l = 0; l < 8; ++l) sums[l] += value(m + l);
  }
  for (; m < tail.size(); ++m) sums[0] += value(m);
  double sum = 0;
  for (const double s : sums) sum += s;
  return sum;
}

/// Games of `out.size()` players; `ranks` is a constant where that pays.
template <class Ranks>
void row_totals(Ranks ranks, const std::uint32_t* row, std::span<std::uint32_t> out) {
  for (std::uint32_t& total_of_row : out) {
    std::uint64_t n = 0;
    for (std::size_t j = 0; j < ranks; ++j) n += row[j];
    total_of_row = static_cast<std::uint32_t>(
        std::min<std::uint64_t>(n, std::uint64_t{max_games_of_a_player} + 1));
    row += ranks;
  }
}

}  // namespace

double total(const Tail& tail) {
  return interleaved_sum(tail, [&](std::size_t m) { return tail[m]; });
}

double first_moment(const Tail& tail) {
  return interleaved_sum(tail, [&](std::size_t m) { return static_cast<double>(m) * tail[m]; });
}

TailCounts compress(int ranks, std::span<const std::uint32_t> counts) {
  const auto k = static_cast<std::size_t>(ranks);
  if (ranks < 2 || counts.size() % k != 0) {
    throw std::invalid_argument("rank counts must be players x ranks with at least two ranks");
  }
  TailCounter values, games;
  values.add(counts);
  std::array<std::uint32_t, 512> totals;
  const std::size_t players = counts.size() / k;
  for (std::size_t i = 0; i < players; i += totals.size()) {
    const std::span out(totals.data(), std::min(players - i, totals.size()));
    const std::uint32_t* row = counts.data() + i * k;
    if (k == 4) {
      row_totals(std::integral_constant<std::size_t, 4>{}, row, out);
    } else if (k == 3) {
      row_totals(std::integral_constant<std::size_t, 3>{}, row, out);
    } else {
      row_totals(k, row, out);
    }
    games.add(out);
  }
  TailCounts result;
  result.ranks = ranks;
  result.players = static_cast<double>(players);
  values.tail(result.rank_tail);
  games.tail(result.games_tail);
  result.games = total(result.games_tail);
  return result;
}

}  // namespace banzuke::dirichlet_multinomial
