#include "engine/records/name_index.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "engine/records/byte_hash.hpp"

namespace banzuke {
namespace {

/// Names of every length around the steps of the hash, and those that differ from them in one byte.
std::vector<std::string> near_names() {
  std::vector<std::string> names{""};
  for (std::size_t size = 1; size <= 70; ++size) {
    const std::string name(size, 'a');
    names.push_back(name);
    for (std::size_t at = 0; at < size; ++at) {
      names.push_back(name);
      names.back()[at] = '\0';
      names.push_back(name);
      names.back()[at] = '\xE9';
    }
  }
  return names;
}

TEST(NameIndex, NumbersNamesInOrderOfAppearance) {
  const std::vector<std::string> names = near_names();
  NameIndex index;
  for (std::uint32_t i = 0; i < names.size(); ++i) {
    ASSERT_FALSE(index.find(names[i])) << i;
    ASSERT_EQ(index.find_or_add(names[i]), i);
    ASSERT_EQ(index.find_or_add(names[i / 2]), i / 2);
  }
  for (std::uint32_t i = 0; i < names.size(); ++i) ASSERT_EQ(index.find(names[i]), i);
  EXPECT_EQ(index.names(), names);
}

TEST(ByteHash, NearNamesAreToldApart) {
  std::set<std::uint64_t> hashes;
  std::set<std::uint64_t> ends;
  const std::vector<std::string> names = near_names();
  for (const std::string& name : names) {
    hashes.insert(byte_hash(name));
    ends.insert(byte_hash(name) & 0xFFFF);
  }
  EXPECT_EQ(hashes.size(), names.size());
  // 5,041 names in 65,536 places: 4,852 taken if they fall at random, standard deviation 13.1.
  EXPECT_GT(ends.size(), 4852u - 5 * 13);
}

TEST(EqualBytes, OneByteIsEnough) {
  for (const std::string& name : near_names()) {
    const std::string plain(name.size(), 'a');
    EXPECT_EQ(equal_bytes(name.data(), plain.data(), name.size()), name == plain);
  }
}

}  // namespace
}  // namespace banzuke
