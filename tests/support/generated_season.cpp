#include "tests/support/generated_season.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/scale.hpp"
#include "engine/random/binomial.hpp"

namespace banzuke::testing {
namespace {

using bradley_terry::elo_per_natural;
using bradley_terry::make_pair_data;
using bradley_terry::PairResult;

/// Marsaglia's xorshift64*, good enough to make up data.
class Numbers {
 public:
  explicit Numbers(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 2685821657736338717ULL;
  }
  double uniform() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  double exponential() { return -det_log(uniform()); }
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i) sum += uniform();
    return sum;
  }

 private:
  std::uint64_t state_;
};

}  // namespace

GeneratedSeason generate_season(const SeasonShape& shape, std::uint64_t seed) {
  const std::uint64_t n = shape.players;
  if (n < 2 || shape.pairs < n || shape.pairs > n * (n - 1) / 2 || shape.games < shape.pairs) {
    throw std::invalid_argument("no such season");
  }
  Numbers numbers(seed);
  for (int i = 0; i < 16; ++i) numbers.next();
  GeneratedSeason out;
  for (std::uint64_t i = 0; i < n; ++i) {
    out.truth.push_back(shape.elo_deviation * numbers.normal() / elo_per_natural);
  }
  std::vector<std::uint32_t> by_rank(n);
  for (std::uint32_t i = 0; i < n; ++i) by_rank[i] = i;
  std::sort(by_rank.begin(), by_rank.end(),
            [&](std::uint32_t a, std::uint32_t b) { return out.truth[a] < out.truth[b]; });

  // Ranks of pairs: a chain, so that everybody is connected, then neighbours at random.
  std::vector<PairResult> rows;
  std::unordered_set<std::uint64_t> met;
  double weights = 0;
  const auto add = [&](std::uint64_t a, std::uint64_t b) {
    if (a == b || b >= n || !met.insert(std::min(a, b) * n + std::max(a, b)).second) return;
    rows.push_back({by_rank[a], by_rank[b], numbers.exponential(), 0});
    weights += rows.back().wins_first;
  };
  for (std::uint64_t a = 0; a + 1 < n; ++a) add(a, a + 1);
  const double mean = shape.neighbours * static_cast<double>(n);
  while (rows.size() < shape.pairs) {
    const std::uint64_t a = numbers.next() % n;
    add(a, a + 1 + static_cast<std::uint64_t>(mean * numbers.exponential()));
  }
  // One game each, the rest by the weights; what rounding leaves goes to the first pairs.
  std::uint64_t left = shape.games - shape.pairs;
  const double scale = static_cast<double>(left) / weights;
  for (PairResult& row : rows) {
    const auto more = std::min(left, static_cast<std::uint64_t>(scale * row.wins_first));
    row.wins_first = 1.0 + static_cast<double>(more);
    left -= more;
  }
  for (std::size_t k = 0; left > 0; --left, k = (k + 1) % rows.size()) rows[k].wins_first += 1;
  out.schedule = schedule_of(make_pair_data(shape.players, rows));
  return out;
}

GeneratedSeason generate_ladder(std::uint32_t players, std::uint32_t games) {
  GeneratedSeason out;
  std::vector<PairResult> rows;
  for (std::uint32_t i = 0; i < players; ++i) {
    out.truth.push_back(6700.0 / elo_per_natural * i / (players - 1));
    for (const std::uint32_t gap : {1U, 2U, 5U}) {
      if (i + gap < players) rows.push_back({i, i + gap, static_cast<double>(games), 0});
    }
  }
  out.schedule = schedule_of(make_pair_data(players, rows));
  return out;
}

bradley_terry::PairData play(const GeneratedSeason& season, std::uint64_t seed) {
  const bradley_terry::Schedule& schedule = season.schedule;
  std::vector<BinomialLaw> laws;
  for (std::size_t k = 0; k < schedule.size(); ++k) {
    const double d = season.truth[schedule.first[k]] - season.truth[schedule.second[k]];
    laws.push_back({schedule.games[k], 1.0 / (1.0 + det_exp(-d)), 1.0 / (1.0 + det_exp(d))});
  }
  const BinomialSampler sampler(laws, CpuPath::portable);
  std::vector<std::int32_t> wins(laws.size() * 8);
  sampler.sample(seed, 0, 0, 8, wins);
  bradley_terry::PairData out{schedule.players, schedule.first, schedule.second, {}, {}};
  for (std::size_t k = 0; k < laws.size(); ++k) {
    out.wins_first.push_back(wins[k * 8]);
    out.wins_second.push_back(schedule.games[k] - out.wins_first.back());
  }
  return out;
}

}  // namespace banzuke::testing
