#include "engine/models/bradley_terry/saturated.hpp"

#include <algorithm>

#include "engine/base/elementary.hpp"

namespace banzuke::bradley_terry {
namespace {

constexpr std::uint32_t largest_table = 1 << 16;  // 512 KiB; more is computed each time

double x_log_x(std::uint32_t number) {
  const double x = number;
  return number == 0 ? 0.0 : x * det_log(x);
}

}  // namespace

Saturated::Saturated(std::span<const std::uint32_t> games) : games_(games) {
  const std::uint32_t most = games.empty() ? 0 : *std::max_element(games.begin(), games.end());
  table_.resize(std::size_t{std::min(most, largest_table - 1)} + 1);
  for (std::uint32_t x = 0; x < table_.size(); ++x) table_[x] = x_log_x(x);
}

double Saturated::entropy(std::uint32_t number) const {
  return number < table_.size() ? table_[number] : x_log_x(number);
}

void Saturated::add(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second,
                    std::span<const std::uint64_t> alive, std::span<const std::int32_t> wins,
                    std::size_t lanes, std::span<double> sums) const {
  const std::uint64_t all = ~std::uint64_t{0} >> (64 - lanes);
  double sum[64] = {};
  for (std::size_t k = 0; k < games_.size(); ++k) {
    const std::uint64_t both = alive[first[k]] & alive[second[k]] & all;
    if (both == 0) continue;
    const std::uint32_t n = games_[k];
    const double whole = entropy(n);
    const std::int32_t* const won = wins.data() + k * lanes;
    if (both == all && n < table_.size()) {
      const double* const of_wins = table_.data();
      for (std::size_t l = 0; l < lanes; ++l) {
        const auto w = static_cast<std::uint32_t>(won[l]);
        sum[l] += (of_wins[w] + of_wins[n - w]) - whole;
      }
      continue;
    }
    for (std::uint64_t left = both; left != 0; left &= left - 1) {
      const auto l = static_cast<std::size_t>(__builtin_ctzll(left));
      const auto w = static_cast<std::uint32_t>(won[l]);
      sum[l] += (entropy(w) + entropy(n - w)) - whole;
    }
  }
  std::copy_n(sum, lanes, sums.begin());
}

}  // namespace banzuke::bradley_terry
