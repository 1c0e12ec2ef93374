#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "engine/random/binomial_kernel.hpp"
#include "engine/random/stream.hpp"

namespace banzuke {
namespace {

struct KnownAnswer {
  std::array<std::uint32_t, 4> counter{};
  std::array<std::uint32_t, 2> key{};
  std::array<std::uint32_t, 4> expected{};
  std::uint64_t seed() const { return std::uint64_t{key[1]} << 32 | key[0]; }
};

std::vector<KnownAnswer> known_answers() {
  std::ifstream file(BANZUKE_TEST_DATA "/random/philox4x32_known_answers.txt");
  std::vector<KnownAnswer> answers;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string name;
    int rounds = 0;
    KnownAnswer answer;
    fields >> name >> rounds >> std::hex;
    for (auto& word : answer.counter) fields >> word;
    for (auto& word : answer.key) fields >> word;
    for (auto& word : answer.expected) fields >> word;
    EXPECT_TRUE(fields && name == "philox4x32" && rounds == 10) << line;
    answers.push_back(answer);
  }
  return answers;
}

TEST(Philox, BlockGivesThePublishedVectors) {
  const auto answers = known_answers();
  ASSERT_EQ(answers.size(), 3U);
  for (const auto& answer : answers) {
    const StreamAddress address{.seed = answer.seed(),
                                .stream = static_cast<StreamId>(answer.counter[3] >> 16),
                                .point = answer.counter[2],
                                .replicate = answer.counter[1],
                                .entity = answer.counter[0]};
    EXPECT_EQ(philox_block(address, static_cast<std::uint16_t>(answer.counter[3] & 0xffff)),
              answer.expected);
  }
}

class PhiloxPath : public testing::TestWithParam<CpuPath> {};

// The published vector at every place of a run of counters, Random123 for its neighbours.
TEST_P(PhiloxPath, GivesThePublishedVectorsAtEveryPlace) {
  if (!is_available(GetParam())) GTEST_SKIP() << "this machine has no " << name_of(GetParam());
  const auto& kernel = binomial_kernel::kernel_of(GetParam());
  constexpr std::size_t count = 24;
  for (const auto& answer : known_answers()) {
    for (std::size_t place = 0; place < count; ++place) {
      std::array<std::uint32_t, count> c0{};
      std::array<std::uint32_t, count> c1{};
      for (std::size_t i = 0; i < count; ++i) {
        const auto distance = static_cast<std::uint32_t>(i) - static_cast<std::uint32_t>(place);
        c0[i] = answer.counter[0] + distance;
        c1[i] = answer.counter[1] ^ (distance << 16);
      }
      std::array<std::array<std::uint32_t, 4>, count> out{};
      kernel.philox(answer.seed(), c0.data(), c1.data(), answer.counter[2], answer.counter[3],
                    count, out.data());
      EXPECT_EQ(out[place], answer.expected);
      for (std::size_t i = 0; i < count; ++i) {
        const StreamAddress address{.seed = answer.seed(),
                                    .stream = static_cast<StreamId>(answer.counter[3] >> 16),
                                    .point = answer.counter[2],
                                    .replicate = c1[i],
                                    .entity = c0[i]};
        EXPECT_EQ(out[i],
                  philox_block(address, static_cast<std::uint16_t>(answer.counter[3] & 0xffff)));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Paths, PhiloxPath,
                         testing::Values(CpuPath::portable, CpuPath::avx2, CpuPath::avx512),
                         [](const auto& path) { return name_of(path.param); });

}  // namespace
}  // namespace banzuke
