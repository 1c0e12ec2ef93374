#include "engine/batch/placement.hpp"

#include <gtest/gtest.h>
#include <sched.h>

#include <thread>

#include "tests/batch/batch_support.hpp"

namespace banzuke {
namespace {

/// A rank on a host of `host_cpus` cores (one CPU a core), bound to the given ones.
Placement on(std::string host, int host_cpus, std::set<int> cpus) {
  const int cores = static_cast<int>(cpus.size());
  return {std::move(host), host_cpus, cpus, cpus, {cores}};
}

std::string text_of(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

::testing::AssertionResult has(const std::vector<std::string>& lines, const std::string& words) {
  if (text_of(lines).find(words) != std::string::npos) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "\"" << words << "\" is not in:\n" << text_of(lines);
}

const std::set<int> first_four{0, 1, 2, 3};

TEST(Placement, IsSilentWhereEveryThreadHasACore) {
  EXPECT_TRUE(placement_warnings({on("a", 4, first_four)}, 4).empty());
  EXPECT_TRUE(placement_warnings({on("a", 4, first_four), on("b", 4, first_four)}, 4).empty());
  EXPECT_TRUE(placement_warnings({on("a", 4, {0, 1}), on("a", 4, {2, 3})}, 2).empty());
  EXPECT_TRUE(placement_warnings({on("a", 4, first_four), on("a", 4, first_four)}, 2).empty());
}

TEST(Placement, WarnsOfOneCpuForManyThreads) {
  const auto warnings = placement_warnings({on("a", 8, {0}), on("b", 8, {0})}, 4);
  ASSERT_EQ(warnings.size(), 1U) << text_of(warnings);
  EXPECT_TRUE(has(warnings, "rank 0 has 1 CPU for its 4 threads"));
  EXPECT_TRUE(has(warnings, "--map-by slot:PE=4"));
  EXPECT_TRUE(has(warnings, "srun -c 4"));
  EXPECT_TRUE(has(placement_warnings({on("a", 8, first_four), on("b", 8, {5})}, 4), "rank 1 has"));
}

TEST(Placement, WarnsWhereThreadsShareCpus) {
  const auto full = placement_warnings({on("a", 2, {0, 1}), on("a", 2, {0, 1})}, 2);
  ASSERT_EQ(full.size(), 1U) << text_of(full);
  EXPECT_TRUE(has(full, "2 ranks × 2 threads share 2 CPUs of host a"));
  EXPECT_TRUE(has(full, "OMP_WAIT_POLICY=passive"));
  const auto idle = placement_warnings({on("a", 8, {0, 1}), on("a", 8, {0, 1})}, 2);
  EXPECT_TRUE(has(idle, "6 CPUs of it stay idle"));
  // More threads than the whole host has CPUs.
  EXPECT_TRUE(has(placement_warnings({on("a", 2, {0, 1})}, 4), "1 rank × 4 threads share 2 CPUs"));
}

TEST(Placement, TellsOfTwoThreadsACore) {
  const Placement hyper{"a", 4, first_four, {0, 1}, {2}};
  EXPECT_TRUE(placement_warnings({hyper}, 2).empty());
  EXPECT_TRUE(has(placement_warnings({hyper}, 4), "4 threads run on 2 cores of host a"));
}

TEST(Placement, TellsOfRanksThatSpanNumaNodes) {
  const Placement wide{"a", 4, first_four, first_four, {2, 2}};
  EXPECT_TRUE(placement_warnings({wide}, 2).empty());
  const auto warnings = placement_warnings({wide}, 4);
  ASSERT_EQ(warnings.size(), 1U) << text_of(warnings);
  EXPECT_TRUE(has(warnings, "rank 0 span 2 NUMA nodes"));
  EXPECT_TRUE(has(warnings, "--threads 2"));
}

TEST(Placement, OneLineAHost) {
  const auto free = placement_lines({on("a", 4, first_four), on("a", 4, first_four)}, 2);
  EXPECT_EQ(text_of(free), "a: 2 ranks × 2 threads, CPUs 0-3 of 4, not bound\n");
  const auto bound = placement_lines({on("a", 4, {0}), on("b", 4, {1, 3}), on("a", 4, {2})}, 1);
  EXPECT_EQ(text_of(bound),
            "a: 2 ranks × 1 thread, CPUs 0,2 of 4, bound: rank 0 to 0, rank 2 to 2\n"
            "b: 1 rank × 1 thread, CPUs 1,3 of 4\n");
}

TEST(Placement, OfManyHostsTheFirst) {
  std::vector<Placement> ranks;
  for (int i = 0; i < 10'000; ++i) ranks.push_back(on("node" + std::to_string(i), 2, {0, 1}));
  EXPECT_TRUE(has(placement_lines(ranks, 1), "… and 9992 more hosts"));
  EXPECT_EQ(placement_lines(ranks, 1).size(), 9U);
  EXPECT_EQ(hosts_text(ranks), "10000 hosts: node0, …");
  EXPECT_EQ(hosts_text({on("a", 1, {0}), on("b", 1, {0}), on("a", 1, {0})}), "a, b");
}

TEST(Placement, OfThisProcessIsWhatTheSystemAllows) {
  const Placement all = own_placement();
  EXPECT_FALSE(all.host.empty());
  EXPECT_FALSE(all.cores.empty());
  EXPECT_LE(all.cores.size(), all.cpus.size());
  std::thread([&] {  // bound for itself: the other tests keep their CPUs
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<std::size_t>(*all.cpus.rbegin()), &one);
    ASSERT_EQ(sched_setaffinity(0, sizeof one, &one), 0);
    const Placement bound = own_placement();
    EXPECT_EQ(bound.cpus, std::set<int>{*all.cpus.rbegin()});
    EXPECT_EQ(bound.cores.size(), 1U);
    EXPECT_EQ(bound.numa_cores, std::vector<int>{1});
  })
      .join();
}

TEST(Placement, IsGatheredInOrderOfRanks) {
  test::Crowd crowd(3);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < 3; ++rank) {
    threads.emplace_back([&crowd, rank] {
      test::ThreadCommunicator comm(crowd, rank);
      const auto mine = [](int of) {
        return on(std::string(static_cast<std::size_t>(of) + 1, 'h'), 8, {of, of + 1});
      };
      const auto all = gather_placements(mine(rank), comm);
      if (rank == 0) {
        EXPECT_EQ(all, (std::vector<Placement>{mine(0), mine(1), mine(2)}));
      } else {
        EXPECT_TRUE(all.empty());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

}  // namespace
}  // namespace banzuke
