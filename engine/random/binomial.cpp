#include "engine/random/binomial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "engine/random/stream.hpp"

namespace banzuke {

namespace {

// Outcomes less likely than this, relative to the mode, cannot move a threshold: even 2^31 of them
// weigh less than 2^-99.
constexpr double negligible = 0x1p-130;

// Up to this length a scan over 64 lanes is cheaper than a search a lane.
constexpr std::uint32_t longest_scan = 128;

/// Nearest integer of a value in [0, 2^64).
std::uint64_t rounded(double value) {
  return static_cast<std::uint64_t>(value < 0x1p52 ? (value + 0x1p52) - 0x1p52 : value);
}

/// 16 bits of the address's block `block` for the replicate's lane.
std::uint64_t uniform_bits(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate,
                           std::uint32_t pair, std::uint16_t block) {
  const auto words = philox_block({.seed = seed,
                                   .stream = StreamId::bradley_terry_wins,
                                   .point = point,
                                   .replicate = replicate / 8,
                                   .entity = pair},
                                  block);
  const std::uint32_t lane = replicate % 8;
  return words[lane / 2] >> (16 * (lane % 2)) & 0xffff;
}

std::int64_t count_not_above(std::span<const std::uint64_t> thresholds, std::uint64_t u) {
  return std::upper_bound(thresholds.begin(), thresholds.end(), u) - thresholds.begin();
}

}  // namespace

namespace binomial_kernel {

const Kernel& kernel_of(CpuPath path) {
  const Kernel* kernel = nullptr;
  if (is_available(path)) {
    kernel = path == CpuPath::avx512 ? avx512() : path == CpuPath::avx2 ? avx2() : portable();
  }
  if (kernel == nullptr) {
    throw std::invalid_argument(std::string("no ") + name_of(path) + " kernel on this machine");
  }
  return *kernel;
}

}  // namespace binomial_kernel

BinomialTable::BinomialTable(std::int64_t n, double p, double q) : n_(n) {
  if (n < 0 || n > std::numeric_limits<std::int32_t>::max()) {
    throw std::invalid_argument("a binomial law needs a number of trials in [0, 2^31)");
  }
  if (!(p >= 0.0 && q >= 0.0 && std::abs(p + q - 1.0) <= 1e-9)) {
    throw std::invalid_argument("a binomial law needs p >= 0 and q >= 0 with the sum 1");
  }
  const auto trials = static_cast<double>(n);
  const std::int64_t mode = q == 0.0 ? n : std::min(n, static_cast<std::int64_t>((trials + 1) * p));

  // Weights relative to the mode, outward: f(k+1) / f(k) = (n-k) p / ((k+1) q).
  std::vector<double> above;  // of mode + 1, mode + 2, …
  for (std::int64_t k = mode; k < n; ++k) {
    const auto x = static_cast<double>(k);
    const double f = (above.empty() ? 1.0 : above.back()) * ((trials - x) * p / ((x + 1.0) * q));
    if (!(f > negligible)) break;
    above.push_back(f);
  }
  std::vector<double> below;  // of mode - 1, mode - 2, …
  for (std::int64_t k = mode; k > 0; --k) {
    const auto x = static_cast<double>(k);
    const double f = (below.empty() ? 1.0 : below.back()) * (x * q / ((trials - x + 1.0) * p));
    if (!(f > negligible)) break;
    below.push_back(f);
  }

  // Each tail is summed from its far end, so that a small tail keeps its relative accuracy.
  for (std::size_t i = below.size(); i-- > 1;) below[i - 1] += below[i];
  for (std::size_t i = above.size(); i-- > 1;) above[i - 1] += above[i];
  const double total =
      (below.empty() ? 0.0 : below.front()) + 1.0 + (above.empty() ? 0.0 : above.front());

  lowest_ = mode - static_cast<std::int64_t>(below.size());
  for (std::size_t i = below.size(); i-- > 0;) {
    const std::uint64_t threshold = rounded(below[i] / total * 0x1p64);
    if (threshold == 0) {
      ++lowest_;
    } else {
      thresholds_.push_back(threshold);
    }
  }
  for (const double tail : above) {
    const std::uint64_t complement = rounded(tail / total * 0x1p64);
    if (complement == 0) break;
    thresholds_.push_back(0 - complement);
  }
}

std::int64_t BinomialTable::quantile(std::uint64_t u) const {
  return lowest_ + count_not_above(thresholds_, u);
}

BinomialSampler::BinomialSampler(std::span<const BinomialLaw> laws, CpuPath path)
    : kernel_(&binomial_kernel::kernel_of(path)) {
  if (laws.size() > std::numeric_limits<std::uint32_t>::max()) {
    throw std::invalid_argument("a sampler holds at most 2^32 - 1 pairs");
  }
  table_of_pair_.reserve(laws.size());
  for (std::size_t pair = 0; pair < laws.size(); ++pair) {
    const BinomialLaw& law = laws[pair];
    const bool as_before = pair > 0 && law.n == laws[pair - 1].n && law.p == laws[pair - 1].p &&
                           law.q == laws[pair - 1].q;
    table_of_pair_.push_back(as_before ? table_of_pair_.back() : add_table(law));
  }
}

std::uint32_t BinomialSampler::add_table(const BinomialLaw& law) {
  const BinomialTable source(law.n, law.p, law.q);
  binomial_kernel::PackedTable table;
  table.first = thresholds_.size();
  table.size = static_cast<std::uint32_t>(source.thresholds().size());
  table.lowest = static_cast<std::int32_t>(source.lowest());
  std::vector<std::uint32_t> cells(binomial_kernel::guide_cells + 1, 0);
  for (const std::uint64_t threshold : source.thresholds()) {
    const auto top = static_cast<std::uint16_t>(threshold >> 48);
    table.scan_first += top == 0;
    table.scan_size += top != 0 && top != 0xffff;
    ++cells[(top >> 8) + 1U];
    thresholds_.push_back(threshold);
    tops_.push_back(static_cast<std::int16_t>(top ^ 0x8000));
  }
  if (table.scan_size > longest_scan) {
    for (std::size_t i = 1; i < cells.size(); ++i) cells[i] += cells[i - 1];
    table.guide = static_cast<std::uint32_t>(guides_.size()) + 1;
    guides_.insert(guides_.end(), cells.begin(), cells.end());
  }
  tables_.push_back(table);
  n_of_table_.push_back(static_cast<std::int32_t>(law.n));
  return static_cast<std::uint32_t>(tables_.size() - 1);
}

const binomial_kernel::PackedTable& BinomialSampler::table(std::size_t pair) const {
  return tables_[table_of_pair_[pair]];
}

bool BinomialSampler::can_be_zero(std::size_t pair) const {
  return table(pair).lowest == 0;
}

bool BinomialSampler::can_be_full(std::size_t pair) const {
  const std::int64_t highest = table(pair).lowest + std::int64_t{table(pair).size};
  return highest == n_of_table_[table_of_pair_[pair]];
}

std::int32_t BinomialSampler::draw(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate,
                                   std::size_t pair) const {
  const auto& packed = table(pair);
  const auto thresholds = std::span(thresholds_).subspan(packed.first, packed.size);
  std::uint64_t u = 0;
  std::uint64_t open = ~std::uint64_t{0};  // the bits not drawn yet
  std::int64_t count = 0;
  for (std::uint16_t block = 0; block < 4; ++block) {
    open >>= 16;
    const std::uint64_t bits =
        uniform_bits(seed, point, replicate, static_cast<std::uint32_t>(pair), block);
    u |= bits << (48 - 16 * block);
    count = count_not_above(thresholds, u);
    if (count == count_not_above(thresholds, u | open)) break;
  }
  return packed.lowest + static_cast<std::int32_t>(count);
}

void BinomialSampler::sample(std::uint64_t seed, std::uint32_t point, std::uint32_t first_replicate,
                             std::size_t lanes, std::span<std::int32_t> wins) const {
  sample(seed, point, first_replicate, lanes, 0, pairs(), wins);
}

void BinomialSampler::sample(std::uint64_t seed, std::uint32_t point, std::uint32_t first_replicate,
                             std::size_t lanes, std::size_t first_pair, std::size_t count,
                             std::span<std::int32_t> wins) const {
  if (first_replicate % 8 != 0 || lanes == 0 || lanes % 8 != 0 || lanes > max_lanes) {
    throw std::invalid_argument(
        "binomials are drawn for 8, 16, … 64 replicates from a multiple of 8");
  }
  if (first_pair > pairs() || count > pairs() - first_pair || wins.size() != count * lanes) {
    throw std::invalid_argument("the range of pairs or the place for their wins does not fit");
  }
  const binomial_kernel::Tables tables{tables_.data(), table_of_pair_.data(), tops_.data(),
                                       guides_.data()};
  std::uint64_t ties[binomial_kernel::max_pairs];
  for (std::size_t done = 0; done < count; done += binomial_kernel::max_pairs) {
    const std::size_t chunk = std::min(binomial_kernel::max_pairs, count - done);
    const std::size_t first = first_pair + done;
    std::int32_t* out = wins.data() + done * lanes;
    kernel_->sample(tables, seed, point, first_replicate, lanes, static_cast<std::uint32_t>(first),
                    chunk, out, ties);
    for (std::size_t pair = 0; pair < chunk; ++pair) {
      for (std::uint64_t left = ties[pair]; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(__builtin_ctzll(left));
        out[pair * lanes + lane] = draw(seed, point, first_replicate + lane, first + pair);
      }
    }
  }
}

std::uint64_t binomial_uniform(std::uint64_t seed, std::uint32_t point, std::uint32_t replicate,
                               std::uint32_t pair) {
  std::uint64_t u = 0;
  for (std::uint16_t block = 0; block < 4; ++block) {
    u = u << 16 | uniform_bits(seed, point, replicate, pair, block);
  }
  return u;
}

}  // namespace banzuke
