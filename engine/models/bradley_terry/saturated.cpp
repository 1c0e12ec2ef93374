#include "engine/models/bradley_terry/saturated.hpp"

#include <algorithm>

#include "engine/base/elementary.hpp"

namespace banzuke::bradley_terry {
namespace {

constexpr std::size_t most_entries = std::size_t{1} << 18;  // 2 MiB
constexpr std::size_t none = ~std::size_t{0};

double x_log_x(std::uint32_t number) {
  const double x = number;
  return number == 0 ? 0.0 : x * det_log(x);
}

double of_result(double wins_part, double losses_part, double games_part) {
  return (wins_part + losses_part) - games_part;
}

}  // namespace

Saturated::Saturated(std::span<const std::uint32_t> games)
    : games_(games), begin_(games.size(), none) {
  std::vector<std::uint32_t> numbers(games.begin(), games.end());
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::size_t> begin;
  std::vector<double> part;  // x ln x
  for (const std::uint32_t n : numbers) {
    if (table_.size() + n + 1 > most_entries) break;
    while (part.size() <= n) part.push_back(x_log_x(static_cast<std::uint32_t>(part.size())));
    begin.push_back(table_.size());
    for (std::uint32_t w = 0; w <= n; ++w)
      table_.push_back(of_result(part[w], part[n - w], part[n]));
  }
  for (std::size_t k = 0; k < games.size(); ++k) {
    const auto at = std::lower_bound(numbers.begin(), numbers.end(), games[k]) - numbers.begin();
    if (static_cast<std::size_t>(at) < begin.size())
      begin_[k] = begin[static_cast<std::size_t>(at)];
  }
}

void Saturated::add(std::span<const std::uint32_t> first, std::span<const std::uint32_t> second,
                    std::span<const std::uint64_t> alive, std::span<const std::int32_t> wins,
                    std::size_t lanes, std::span<double> sums) const {
  constexpr std::size_t w = 8;  // lanes whose sums stay in registers
  for (std::size_t offset = 0; offset < lanes; offset += w) {
    double sum[w] = {};
    for (std::size_t k = 0; k < games_.size(); ++k) {
      const std::uint64_t both = (alive[first[k]] & alive[second[k]]) >> offset & 0xff;
      const std::int32_t* const won = wins.data() + k * lanes + offset;
      if (both == 0xff && begin_[k] != none) {
        const double* const table = table_.data() + begin_[k];
        for (std::size_t l = 0; l < w; ++l) sum[l] += table[won[l]];
        continue;
      }
      for (std::size_t l = 0; l < w; ++l) {
        if (!(both >> l & 1)) continue;
        const auto wins_first = static_cast<std::uint32_t>(won[l]);
        sum[l] +=
            of_result(x_log_x(wins_first), x_log_x(games_[k] - wins_first), x_log_x(games_[k]));
      }
    }
    std::copy_n(sum, w, sums.begin() + static_cast<std::ptrdiff_t>(offset));
  }
}

}  // namespace banzuke::bradley_terry
