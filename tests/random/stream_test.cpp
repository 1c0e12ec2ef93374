#include "engine/random/stream.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tests/random/chi_square.hpp"

namespace banzuke {
namespace {

StreamAddress address(std::uint32_t entity) {
  return {.seed = 20160701, .stream = StreamId::selfcheck, .entity = entity};
}

TEST(Stream, HandsOutTheWordsOfItsBlocksInOrder) {
  Stream words(address(3));
  for (std::uint16_t block = 0; block < 5; ++block) {
    for (const std::uint32_t word : philox_block(address(3), block)) {
      EXPECT_EQ(words.next_u32(), word);
    }
  }
  Stream halves(address(3));
  Stream whole(address(3));
  for (int i = 0; i < 9; ++i) {
    const std::uint64_t low = halves.next_u32();
    const std::uint64_t high = halves.next_u32();
    EXPECT_EQ(whole.next_u64(), high << 32 | low);
  }
}

TEST(Stream, EveryFieldOfTheAddressMatters) {
  const StreamAddress base{
      .seed = 1, .stream = StreamId::selfcheck, .point = 2, .replicate = 3, .entity = 4};
  std::vector<StreamAddress> others(6, base);
  others[0].seed ^= 1;
  others[1].seed ^= std::uint64_t{1} << 32;
  others[2].stream = StreamId::reflection;
  others[3].point ^= 1;
  others[4].replicate ^= 1;
  others[5].entity ^= 1;
  for (const auto& other : others) EXPECT_NE(philox_block(base, 0), philox_block(other, 0));
  EXPECT_NE(philox_block(base, 0), philox_block(base, 1));
}

TEST(Stream, EndsAfterItsBlocks) {
  Stream stream(address(0));
  for (int i = 0; i < 4 * 65536; ++i) stream.next_u32();
  EXPECT_THROW(stream.next_u32(), std::length_error);
}

// The moments of 2^20 uniforms within 5 standard errors, sqrt(1/12/N) and sqrt(1/180/N); the same
// uniforms to the power 0.99 must miss.
TEST(Stream, UniformsHaveTheMomentsOfUniforms) {
  constexpr int count = 1 << 20;
  const auto deviations = [](double power) {
    double mean = 0.0;
    double square = 0.0;
    for (std::uint32_t entity = 0; entity < count / 64; ++entity) {
      Stream stream(address(entity));
      for (int i = 0; i < 64; ++i) {
        const double u = power == 1.0 ? stream.uniform() : std::pow(stream.uniform(), power);
        EXPECT_TRUE(u > 0.0 && u < 1.0);
        mean += u / count;
        square += (u - 0.5) * (u - 0.5) / count;
      }
    }
    return std::pair(std::abs(mean - 0.5) / std::sqrt(1.0 / 12.0 / count),
                     std::abs(square - 1.0 / 12.0) / std::sqrt(1.0 / 180.0 / count));
  };
  const auto [mean, square] = deviations(1.0);
  EXPECT_LT(mean, 5.0);
  EXPECT_LT(square, 5.0);
  EXPECT_GT(deviations(0.99).first, 5.0);
}

enum class Neighbour { entity, replicate, point, seed, block };

// Cells 16 x 16 of the uniforms of an address and its neighbour. `step` 0 pairs an address with
// itself and must be rejected.
double neighbours_p_value(Neighbour field, std::uint32_t step) {
  constexpr std::uint32_t count = 1 << 17;
  std::vector<double> observed(256, 0.0);
  for (std::uint32_t i = 0; i < count; ++i) {
    StreamAddress one{.seed = 5, .stream = StreamId::selfcheck, .point = 7};
    one.replicate = 2 * (i / 512);
    one.entity = 2 * (i % 512);
    StreamAddress other = one;
    if (field == Neighbour::entity) other.entity += step;
    if (field == Neighbour::replicate) other.replicate += step;
    if (field == Neighbour::point) other.point += step;
    if (field == Neighbour::seed) other.seed += step;
    const auto block = static_cast<std::uint16_t>(field == Neighbour::block ? step : 0);
    const auto x = philox_block(one, 0)[0] >> 28;
    const auto y = philox_block(other, block)[0] >> 28;
    observed[16 * x + y] += 1.0;
  }
  return ChiSquare(observed, std::vector<double>(256, count / 256.0)).p_value;
}

TEST(Stream, NeighboursAreIndependent) {
  for (const auto field : {Neighbour::entity, Neighbour::replicate, Neighbour::point,
                           Neighbour::seed, Neighbour::block}) {
    EXPECT_GT(neighbours_p_value(field, 1), 1e-4) << static_cast<int>(field);
    EXPECT_LT(neighbours_p_value(field, 0), 1e-12) << static_cast<int>(field);
  }
}

}  // namespace
}  // namespace banzuke
