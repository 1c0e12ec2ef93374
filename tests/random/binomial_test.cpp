#include "engine/random/binomial.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/math/distributions/binomial.hpp>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/random/chi_square.hpp"

namespace banzuke {
namespace {

using ExactLaw = boost::math::binomial_distribution<long double>;

constexpr double near_one = 1e-6;  // the q of p = 1 - 1e-6

std::vector<BinomialLaw> grid() {
  std::vector<BinomialLaw> laws;
  for (const std::int64_t n : {1, 2, 3, 10, 50, 800, 20000}) {
    laws.push_back({n, 0.5, 0.5});
    laws.push_back({n, 0.1, 0.9});
    laws.push_back({n, 0.9, 0.1});
    laws.push_back({n, 0.001, 0.999});
    laws.push_back({n, 1.0 - near_one, near_one});
  }
  return laws;
}

/// p / (p + q) and q / (p + q): two doubles need not have the sum 1.
long double win(const BinomialLaw& law) {
  return static_cast<long double>(law.p) / (static_cast<long double>(law.p) + law.q);
}
long double loss(const BinomialLaw& law) {
  return win({law.n, law.q, law.p});
}

/// P(X <= k) and P(X > k), each from the smaller of p and q so that nothing cancels.
long double lower_tail(const BinomialLaw& law, std::int64_t k) {
  const auto n = static_cast<long double>(law.n);
  const auto x = static_cast<long double>(k);
  if (law.p <= law.q) return cdf(ExactLaw(n, win(law)), x);
  return cdf(complement(ExactLaw(n, loss(law)), n - x - 1));
}
long double upper_tail(const BinomialLaw& law, std::int64_t k) {
  return lower_tail({law.n, law.q, law.p}, law.n - k - 1);
}
double probability(const BinomialLaw& law, std::int64_t k) {
  const bool turned = law.p > law.q;
  const ExactLaw exact(static_cast<long double>(law.n), turned ? loss(law) : win(law));
  return static_cast<double>(pdf(exact, static_cast<long double>(turned ? law.n - k : k)));
}

TEST(BinomialTable, ThresholdsMeetTheExactLaw) {
  std::vector<BinomialLaw> laws = grid();
  laws.push_back({1000000, 1e-4, 1.0 - 1e-4});
  laws.push_back({100000, 0.3, 0.7});
  for (const auto& law : laws) {
    const BinomialTable table(law.n, law.p, law.q);
    // Rounding of the recursion grows with the distance from the mode: 2^-50 up to the standard
    // deviation of 20,000 even games, in proportion beyond.
    const double deviation = std::sqrt(static_cast<double>(law.n) * law.p * law.q);
    const double growth = std::max(1.0, deviation / 71.0);
    const auto relative = static_cast<long double>(1e-12 * growth);
    for (std::size_t i = 0; i < table.thresholds().size(); ++i) {
      const std::int64_t k = table.lowest() + static_cast<std::int64_t>(i);
      const std::uint64_t threshold = table.thresholds()[i];
      const long double below = static_cast<long double>(threshold) * 0x1p-64L;
      const long double above = static_cast<long double>(0 - threshold) * 0x1p-64L;
      const long double exact = lower_tail(law, k);
      EXPECT_NEAR(static_cast<double>(below - exact), 0.0, 0x1p-50 * growth)
          << law.n << " " << law.p;
      // Small tails are good to 1e-12 (times growth) of themselves, up to half of the last of the
      // 64 bits.
      EXPECT_LE(std::abs(below - exact), 0x1p-64L + relative * exact) << law.n << " " << law.p;
      const long double rest = upper_tail(law, k);
      EXPECT_LE(std::abs(above - rest), 0x1p-64L + relative * rest) << law.n << " " << law.p;
      EXPECT_GE(threshold, table.thresholds()[i > 0 ? i - 1 : 0]);
    }
    // What lies outside the window weighs less than half of the last bit.
    if (table.lowest() > 0) {
      EXPECT_LE(lower_tail(law, table.lowest() - 1), 0x1.001p-65L);
    }
    if (table.highest() < law.n) {
      EXPECT_LE(upper_tail(law, table.highest()), 0x1.001p-65L);
    }
  }
}

// P(X <= k) for 10^7 trials at the doubles 0.3 and 0.7, summed with 48 digits by mpmath (where
// long double incomplete beta functions are good to 4e-14 only).
TEST(BinomialTable, ThresholdsOfTenMillionTrials) {
  const BinomialTable table(10000000, 0.3, 0.7);
  const auto below = [&](std::int64_t k) {
    return static_cast<long double>(
               table.thresholds()[static_cast<std::size_t>(k - table.lowest())]) *
           0x1p-64L;
  };
  const std::pair<std::int64_t, long double> exact[] = {
      {2990000, 2.555491027081418538597e-12L}, {2997000, 0.01922603943943832190086L},
      {2999000, 0.2451925637414419241274L},    {3000000, 0.5001560012458373299511L},
      {3001000, 0.7550395582670559302924L},    {3003000, 0.9807921086988907626629L},
      {3010000, 0.999999999997378927288L}};
  for (const auto& [k, probability_below] : exact) {
    EXPECT_NEAR(static_cast<double>(below(k) - probability_below), 0.0, 0x1p-50 * 21) << k;
    EXPECT_LE(std::abs(below(k) - probability_below), 0x1p-65L + 1e-11L * probability_below) << k;
  }
}

TEST(BinomialTable, QuantileIsTheNumberOfThresholdsNotAboveU) {
  const BinomialTable table(10, 0.3, 0.7);
  EXPECT_EQ(table.thresholds().size(), 10U);
  for (std::size_t k = 0; k < 10; ++k) {
    EXPECT_EQ(table.quantile(table.thresholds()[k] - 1), static_cast<std::int64_t>(k));
    EXPECT_EQ(table.quantile(table.thresholds()[k]), static_cast<std::int64_t>(k) + 1);
  }
  EXPECT_EQ(table.quantile(0), 0);
  EXPECT_EQ(table.quantile(~std::uint64_t{0}), 10);
  const BinomialTable coin(1, 0.5, 0.5);
  ASSERT_EQ(coin.thresholds().size(), 1U);
  EXPECT_EQ(coin.thresholds()[0], std::uint64_t{1} << 63);
}

TEST(BinomialTable, ExchangingPAndQMirrorsTheThresholds) {
  for (const auto& law : grid()) {
    const BinomialTable table(law.n, law.p, law.q);
    const BinomialTable mirror(law.n, law.q, law.p);
    ASSERT_EQ(mirror.thresholds().size(), table.thresholds().size());
    EXPECT_EQ(mirror.lowest(), law.n - table.highest());
    for (std::size_t i = 0; i < table.thresholds().size(); ++i) {
      const std::uint64_t turned = 0 - mirror.thresholds()[table.thresholds().size() - 1 - i];
      const auto distance = static_cast<std::int64_t>(table.thresholds()[i] - turned);
      EXPECT_LE(std::abs(static_cast<double>(distance)), 0x1p14);  // 2^-50 of the whole
    }
  }
}

TEST(BinomialTable, ExtremesOfNAndP) {
  for (const BinomialLaw& law :
       {BinomialLaw{5, 0.0, 1.0}, BinomialLaw{0, 0.5, 0.5}, BinomialLaw{1000, 1e-300, 1.0}}) {
    const BinomialTable table(law.n, law.p, law.q);
    EXPECT_TRUE(table.thresholds().empty());
    EXPECT_EQ(table.quantile(~std::uint64_t{0}), 0);
    EXPECT_TRUE(table.can_be_zero());
    EXPECT_EQ(table.can_be_full(), law.n == 0);
    const BinomialTable mirror(law.n, law.q, law.p);
    EXPECT_EQ(mirror.quantile(0), law.n);
    EXPECT_TRUE(mirror.can_be_full());
  }
  const BinomialTable wide(10000000, 0.5, 0.5);
  EXPECT_FALSE(wide.can_be_zero());
  EXPECT_FALSE(wide.can_be_full());
  EXPECT_EQ(wide.quantile(std::uint64_t{1} << 63), 5000000);
  // The normal law leaves 2^-65 beyond 9.156 standard deviations of 1581.1.
  EXPECT_NEAR(static_cast<double>(wide.highest() - wide.lowest()), 2 * 9.156 * 1581.1, 50.0);
  const BinomialTable rare(2147483647, 1e-12, 1.0);
  EXPECT_TRUE(rare.can_be_zero());
  EXPECT_NEAR(static_cast<double>(rare.thresholds()[0]) * 0x1p-64, std::exp(-0.002147483647),
              1e-14);

  EXPECT_THROW(BinomialTable(-1, 0.5, 0.5), std::invalid_argument);
  EXPECT_THROW(BinomialTable(std::int64_t{1} << 31, 0.5, 0.5), std::invalid_argument);
  EXPECT_THROW(BinomialTable(1, -0.1, 1.1), std::invalid_argument);
  EXPECT_THROW(BinomialTable(1, 0.5, 0.6), std::invalid_argument);
  EXPECT_THROW(BinomialTable(1, std::nan(""), 0.5), std::invalid_argument);
}

class BinomialPath : public testing::TestWithParam<CpuPath> {
 protected:
  void SetUp() override {
    if (!is_available(GetParam())) GTEST_SKIP() << "this machine has no " << name_of(GetParam());
  }
};
INSTANTIATE_TEST_SUITE_P(Paths, BinomialPath,
                         testing::Values(CpuPath::portable, CpuPath::avx2, CpuPath::avx512),
                         [](const auto& path) { return name_of(path.param); });

/// Short and long tables, all probabilities, repeated laws, tables without thresholds.
std::vector<BinomialLaw> mixed_laws() {
  std::vector<BinomialLaw> laws = grid();
  laws.push_back(laws.back());
  laws.push_back({7, 0.0, 1.0});
  laws.push_back({7, 1.0, 0.0});
  laws.push_back({0, 0.3, 0.7});
  laws.push_back({400, 0.5, 0.5});
  laws.push_back({5000, 0.2, 0.8});
  laws.push_back({10000000, 0.7, 0.3});
  for (int i = 1; i < 60; ++i) laws.push_back({i, i / 60.0, 1.0 - i / 60.0});
  return laws;
}

// Every width and path gives the outcome of the textbook: the quantile of the whole uniform. The
// tables of 10^7 and 20,000 trials decide several percent of their draws beyond the first 16 bits.
TEST_P(BinomialPath, DrawsAreTheQuantilesOfTheirUniforms) {
  const auto laws = mixed_laws();
  std::vector<BinomialTable> tables;
  for (const auto& law : laws) tables.emplace_back(law.n, law.p, law.q);
  const BinomialSampler sampler(laws, GetParam());
  ASSERT_EQ(sampler.pairs(), laws.size());
  constexpr std::uint64_t seed = 0x123456789abcdef0;
  constexpr std::uint32_t replicates = 192;  // a multiple of every width below
  for (const std::size_t lanes : {8U, 16U, 24U, 32U, 48U, 64U}) {
    std::vector<std::int32_t> wins(laws.size() * lanes);
    for (std::uint32_t first = 960; first < 960 + replicates;
         first += static_cast<std::uint32_t>(lanes)) {
      sampler.sample(seed, 3, first, lanes, wins);
      for (std::uint32_t pair = 0; pair < laws.size(); ++pair) {
        for (std::uint32_t lane = 0; lane < lanes; ++lane) {
          const std::uint64_t u = binomial_uniform(seed, 3, first + lane, pair);
          ASSERT_EQ(wins[pair * lanes + lane], tables[pair].quantile(u))
              << "pair " << pair << " replicate " << first + lane << " lanes " << lanes;
        }
      }
    }
  }
}

TEST_P(BinomialPath, RangesOfPairsGiveTheSameDraws) {
  const auto laws = mixed_laws();
  const BinomialSampler sampler(laws, GetParam());
  std::vector<std::int32_t> whole(laws.size() * 64);
  sampler.sample(9, 0, 64, 64, whole);
  for (std::size_t first = 0; first < laws.size(); first += 7) {
    const std::size_t count = std::min<std::size_t>(7, laws.size() - first);
    std::vector<std::int32_t> part(count * 64);
    sampler.sample(9, 0, 64, 64, first, count, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(),
                           whole.begin() + static_cast<std::ptrdiff_t>(first * 64)));
  }
}

// Draws of one address, written down: they are part of the promise.
TEST_P(BinomialPath, DrawsStayAsTheyAre) {
  EXPECT_EQ(binomial_uniform(20160701, 0, 13, 5), 5514868596909396059U);
  const std::vector<BinomialLaw> laws(3, BinomialLaw{100, 0.4, 0.6});
  const BinomialSampler sampler(laws, GetParam());
  std::vector<std::int32_t> wins(3 * 8);
  sampler.sample(20160701, 0, 0, 8, wins);
  EXPECT_EQ(wins, (std::vector<std::int32_t>{43, 38, 47, 40, 43, 42, 43, 43, 43, 33, 44, 48,
                                             37, 41, 36, 37, 37, 39, 39, 40, 31, 41, 39, 43}));
}

TEST(BinomialSampler, KnowsWhereAllOrNothingCanHappen) {
  const std::vector<BinomialLaw> laws{
      {1, 0.5, 0.5}, {1000, 0.5, 0.5}, {1000, 0.001, 0.999}, {1000, 0.999, 0.001}, {4, 0.0, 1.0}};
  const BinomialSampler sampler(laws);
  const bool zero[] = {true, false, true, false, true};
  const bool full[] = {true, false, false, true, false};
  for (std::size_t pair = 0; pair < laws.size(); ++pair) {
    EXPECT_EQ(sampler.can_be_zero(pair), zero[pair]) << pair;
    EXPECT_EQ(sampler.can_be_full(pair), full[pair]) << pair;
  }
}

TEST(BinomialSampler, RefusesWhatItCannotDraw) {
  const std::vector<BinomialLaw> laws{{3, 0.5, 0.5}, {4, 0.5, 0.5}};
  const BinomialSampler sampler(laws);
  std::vector<std::int32_t> wins(16);
  EXPECT_NO_THROW(sampler.sample(1, 0, 8, 8, wins));
  EXPECT_THROW(sampler.sample(1, 0, 4, 8, wins), std::invalid_argument);
  EXPECT_THROW(sampler.sample(1, 0, 0, 4, wins), std::invalid_argument);
  EXPECT_THROW(sampler.sample(1, 0, 0, 72, wins), std::invalid_argument);
  EXPECT_THROW(sampler.sample(1, 0, 0, 16, wins), std::invalid_argument);
  EXPECT_THROW(sampler.sample(1, 0, 0, 8, 1, 2, wins), std::invalid_argument);
  EXPECT_THROW(sampler.sample(1, 0, 0, 8, 3, 0, {}), std::invalid_argument);
}

constexpr std::uint32_t draws = 1 << 20;

/// Counts of the outcomes lowest … highest of each law's table in `draws` replicates.
std::vector<std::vector<double>> histograms(const std::vector<BinomialLaw>& laws) {
  const BinomialSampler sampler(laws);
  std::vector<std::vector<double>> counts;
  std::vector<std::int64_t> lowest;
  for (const auto& law : laws) {
    const BinomialTable table(law.n, law.p, law.q);
    lowest.push_back(table.lowest());
    counts.emplace_back(table.thresholds().size() + 1, 0.0);
  }
  std::vector<std::int32_t> wins(laws.size() * 64);
  for (std::uint32_t first = 0; first < draws; first += 64) {
    sampler.sample(77, 0, first, 64, wins);
    for (std::size_t i = 0; i < wins.size(); ++i) {
      counts[i / 64][static_cast<std::size_t>(wins[i] - lowest[i / 64])] += 1.0;
    }
  }
  return counts;
}

// 35 chi-square tests at 1e-5 each: a sound sampler fails one of them for 1 seed in 3,000.
constexpr double significance = 1e-5;

// The same draws against the law with p off by 1 % must be rejected wherever 2^20 draws can tell,
// that is where the chi-square's noncentrality exceeds its mean by 10 standard deviations.
TEST(BinomialSampler, DrawsFollowTheExactLawAndNotANearOne) {
  const auto laws = grid();
  const auto counts = histograms(laws);
  int rejectable = 0;
  for (std::size_t pair = 0; pair < laws.size(); ++pair) {
    const auto& law = laws[pair];
    const std::int64_t lowest = BinomialTable(law.n, law.p, law.q).lowest();
    const double shift = law.p <= law.q ? 0.01 * law.p : -0.01 * law.q;
    const BinomialLaw wrong{law.n, law.p + shift, law.q - shift};
    std::vector<double> expected;
    std::vector<double> expected_wrong;
    double noncentrality = 0.0;
    for (std::size_t i = 0; i < counts[pair].size(); ++i) {
      const std::int64_t k = lowest + static_cast<std::int64_t>(i);
      expected.push_back(draws * probability(law, k));
      expected_wrong.push_back(draws * probability(wrong, k));
      if (expected_wrong.back() >= 10.0) {
        const double difference = expected.back() - expected_wrong.back();
        noncentrality += difference * difference / expected_wrong.back();
      }
    }
    const ChiSquare right(counts[pair], expected);
    EXPECT_GT(right.p_value, significance) << law.n << " " << law.p;
    const ChiSquare off(counts[pair], expected_wrong);
    if (noncentrality >
        10.0 * std::sqrt(2.0 * static_cast<double>(off.degrees_of_freedom)) + 20.0) {
      ++rejectable;
      EXPECT_LT(off.p_value, significance) << law.n << " " << law.p;
    }
  }
  EXPECT_GE(rejectable, 15);
}

}  // namespace
}  // namespace banzuke
