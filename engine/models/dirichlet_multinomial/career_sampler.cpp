#include "engine/models/dirichlet_multinomial/career_sampler.hpp"

#include <Random123/philox.h>

#include <algorithm>
#include <stdexcept>

namespace banzuke::dirichlet_multinomial {
namespace {

std::array<std::uint32_t, 4> block_of(const StreamAddress& address, std::uint32_t block) {
  const r123::Philox4x32::key_type key{
      {static_cast<std::uint32_t>(address.seed), static_cast<std::uint32_t>(address.seed >> 32)}};
  const auto stream = static_cast<std::uint32_t>(address.stream);
  const r123::Philox4x32::ctr_type counter{
      {address.entity, address.replicate, address.point, stream << 16 | block}};
  const auto out = r123::Philox4x32{}(counter, key);
  return {out[0], out[1], out[2], out[3]};
}

}  // namespace

CareerSampler::CareerSampler(int ranks, double alpha, std::uint32_t max_games)
    : ranks_(ranks), alpha_(alpha), max_games_(max_games) {
  if (ranks < 2 || ranks > 64) throw std::invalid_argument("careers need 2 to 64 ranks");
  split(0, static_cast<std::size_t>(ranks));
}

std::size_t CareerSampler::law(std::size_t left, std::size_t right) {
  const std::pair shape{left, right};
  const auto known = std::find(shapes_.begin(), shapes_.end(), shape);
  if (known != shapes_.end()) return static_cast<std::size_t>(known - shapes_.begin());
  shapes_.push_back(shape);
  samplers_.emplace_back(static_cast<double>(left) * alpha_, static_cast<double>(right) * alpha_,
                         max_games_);
  return shapes_.size() - 1;
}

void CareerSampler::split(std::size_t first, std::size_t size) {
  if (size < 2) return;
  const std::size_t left = size / 2;
  splits_.push_back({first, left, law(left, size - left)});
  split(first, left);
  split(first + left, size - left);
}

void CareerSampler::draw(StreamAddress address, std::span<const std::uint32_t> games,
                         std::span<std::uint32_t> counts) const {
  const auto ranks = static_cast<std::size_t>(ranks_);
  const auto draws = static_cast<std::uint32_t>(splits_.size());
  std::uint32_t* row = counts.data();
  for (const std::uint32_t n : games) {
    row[0] = n;
    for (std::uint32_t d = 0; d < draws; ++d) {
      const Split& s = splits_[d];
      const BetaBinomialSampler& law = samplers_[s.sampler];
      const std::uint32_t total = row[s.first];
      std::uint32_t left = 0;
      if (total > 0) {
        std::uint32_t block = d;
        while (!law.attempt(total, block_of(address, block), left)) {
          block += draws;
          if (block > 0xFFFF) throw std::length_error("a career ran out of its 65,536 blocks");
        }
      }
      row[s.first] = left;
      row[s.first + s.left] = total - left;
    }
    row += ranks;
    ++address.entity;
  }
}

}  // namespace banzuke::dirichlet_multinomial
