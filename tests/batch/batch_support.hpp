#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "engine/batch/comm.hpp"
#include "engine/batch/driver.hpp"
#include "engine/batch/job.hpp"

namespace banzuke::test {

/// A folder of its own for each test, gone at its end.
class Folder {
 public:
  Folder() {
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    path_ = std::filesystem::temp_directory_path() /
            (std::string("banzuke_") + test->test_suite_name() + "_" + test->name() + "_" +
             std::to_string(getpid()));
    std::filesystem::remove_all(path_);
    std::filesystem::create_directories(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& content) const {
    std::ofstream(file(name), std::ios::binary) << content;
    return file(name);
  }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

inline std::string content_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Time goes on by `tick` with each look at the clock, or by hand.
class FakeClock final : public Clock {
 public:
  explicit FakeClock(double tick = 0) : tick_(tick) {}
  double seconds() const override {
    now_ += tick_;
    return now_;
  }
  void advance(double seconds) { now_ += seconds; }

 private:
  double tick_;
  mutable double now_ = 100;
};

/// Threads as ranks: what MPI does, in one process.
class Crowd {
 public:
  explicit Crowd(int size) : size_(size) {}
  int size() const { return size_; }

  /// Everybody's pointer, seen by everybody between two meetings.
  template <class Function>
  void exchange(int rank, void* mine, Function use) {
    {
      const std::lock_guard hold(mutex_);
      shared_.resize(static_cast<std::size_t>(size_));
      shared_[static_cast<std::size_t>(rank)] = mine;
    }
    meet();
    use(shared_);
    meet();
  }

 private:
  void meet() {
    std::unique_lock hold(mutex_);
    const std::size_t turn = turn_;
    if (++arrived_ == size_) {
      arrived_ = 0;
      ++turn_;
      everybody_.notify_all();
      return;
    }
    everybody_.wait(hold, [&] { return turn_ != turn; });
  }

  int size_;
  int arrived_ = 0;
  std::size_t turn_ = 0;
  std::vector<void*> shared_;
  std::mutex mutex_;
  std::condition_variable everybody_;
};

class ThreadCommunicator final : public Communicator {
 public:
  ThreadCommunicator(Crowd& crowd, int rank) : crowd_(crowd), rank_(rank) {}
  int rank() const override { return rank_; }
  int size() const override { return crowd_.size(); }

  void broadcast(std::vector<std::byte>& bytes) override {
    std::vector<std::byte> received;
    crowd_.exchange(rank_, &bytes, [&](const std::vector<void*>& all) {
      received = *static_cast<const std::vector<std::byte>*>(all[0]);
    });
    bytes = std::move(received);
  }

  void sum(std::span<double> values) override {
    std::vector<double> total(values.size(), 0.0);
    crowd_.exchange(rank_, &values, [&](const std::vector<void*>& all) {
      for (const void* one : all) {
        const auto& theirs = *static_cast<const std::span<double>*>(one);
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += theirs[i];
      }
    });
    std::copy(total.begin(), total.end(), values.begin());
  }

  void gather(std::vector<std::byte>& bytes, std::span<const std::size_t> sizes) override {
    std::vector<std::byte> together;
    crowd_.exchange(rank_, &bytes, [&](const std::vector<void*>& all) {
      if (rank_ != 0) return;
      for (std::size_t rank = 0; rank < all.size(); ++rank) {
        const auto& theirs = *static_cast<const std::vector<std::byte>*>(all[rank]);
        EXPECT_EQ(theirs.size(), sizes[rank]);
        together.insert(together.end(), theirs.begin(), theirs.end());
      }
    });
    if (rank_ == 0) bytes = std::move(together);
  }

  [[noreturn]] void abort(int) override { std::abort(); }
  std::string library() const override { return "threads"; }

 private:
  Crowd& crowd_;
  int rank_;
};

/// What the test's job does at one replicate, for example throw; told the point and the replicate.
using Incident = std::function<void(std::size_t point, std::uint64_t replicate)>;

/// A job of two points of different cost, and one more for each [[more]] of its config; its numbers
/// are integer hashes of the address.
class Lottery final : public Job {
 public:
  Lottery(const Bundle& set_up, std::uint64_t seed, Incident incident, bool adaptive = false)
      : seed_(seed),
        adaptive_(adaptive),
        salt_(static_cast<std::uint64_t>(set_up.scalar_integer("salt"))),
        segment_(static_cast<std::uint64_t>(set_up.scalar_integer("segment"))),
        more_(set_up.strings("more")),
        incident_(std::move(incident)) {}

  Layout layout(std::uint64_t replicates) const override {
    Layout layout;
    layout.points = {"cheap", "dear"};
    layout.points.insert(layout.points.end(), more_.begin(), more_.end());
    layout.replicates = replicates;
    layout.segment = segment_;
    layout.dimensions = {{"ball", 3, {"red", "white", "blue"}, "balls"}};
    layout.fields = {{"value", FieldType::float64, "ball", "1", "drawn values"},
                     {"ticket", FieldType::int32, "", "1", "number of the ticket"}};
    layout.statuses = {"missing", "ok", "void", "not_needed"};
    return layout;
  }

  void compute(const RowBlock& rows) const override {
    for (std::size_t i = 0; i < rows.count(); ++i) {
      const std::uint64_t replicate = rows.first() + i;
      if (incident_) incident_(rows.point(), replicate);
      std::uint64_t hash = seed_ ^ (salt_ * 0x9E3779B97F4A7C15U);
      // The size of a last segment shows in its row.
      const std::uint64_t size =
          std::min(segment_, rows.layout().replicates - replicate * segment_);
      for (const std::uint64_t part : {std::uint64_t{rows.point()}, replicate, size}) {
        hash = (hash ^ part) * 0xBF58476D1CE4E5B9U;
        hash ^= hash >> 31U;
      }
      for (std::size_t ball = 0; ball < 3; ++ball) {
        rows.doubles(0)[3 * i + ball] = static_cast<double>((hash >> (8 * ball)) & 0xFFFFU);
      }
      rows.integers32(1)[i] = static_cast<std::int32_t>(hash & 0xFFFFFFU);
      rows.status()[i] = hash % 10 == 0 ? std::uint8_t{2} : status_ok;
    }
  }

  std::uint64_t lane_group() const override { return 4; }
  bool is_adaptive() const override { return adaptive_; }
  double cost(std::size_t point) const override { return point == 0 ? 1.0 : 3.0; }

 private:
  std::uint64_t seed_;
  bool adaptive_;
  std::uint64_t salt_;
  std::uint64_t segment_;
  std::vector<std::string> more_;
  Incident incident_;
};

class LotteryPreparation final : public Preparation {
 public:
  LotteryPreparation(const Section& root, const Config& config)
      : salt_(root.integer({"salt", "changes every number"}, 1)),
        segment_(root.integer({"segment", "replicates a row"}, 1)) {
    if (root.has("table")) {
      table_ = config.resolve(root.text({"table", "an input file", "", Role::operational}));
      where_ = root.where("table");
    }
    for (const Section& more : root.tables({"more", "further points"})) {
      more_.push_back(more.text({"name", "label of the point"}));
    }
  }
  void load(Inputs& inputs) override {
    if (table_) inputs.load("table", *table_, where_);
  }
  Bundle set_up() override {
    Bundle set_up;
    set_up.set("salt", salt_);
    set_up.set("segment", segment_);
    set_up.set("more", more_, "more");
    set_up.set("notes", std::vector<std::string>{"a note of the lottery"}, "note");
    return set_up;
  }

 private:
  std::int64_t salt_;
  std::int64_t segment_;
  std::vector<std::string> more_;
  std::optional<std::string> table_;
  Location where_;
};

inline Catalogue lottery_catalogue(Incident incident = {}, bool adaptive = false) {
  JobKind kind;
  kind.name = "lottery";
  kind.summary = "a job of the tests";
  kind.configure = [](const Section& root, const Config& config) -> std::unique_ptr<Preparation> {
    return std::make_unique<LotteryPreparation>(root, config);
  };
  kind.make = [incident, adaptive](const Bundle& set_up,
                                   std::uint64_t seed) -> std::unique_ptr<Job> {
    return std::make_unique<Lottery>(set_up, seed, incident, adaptive);
  };
  kind.tabulate = [](const ResultFile&, const TableRequest&, std::ostream&) {};
  return {kind};
}

/// Runs on `ranks` threads; all of them must return the same exit code.
inline int run_on(int ranks, const Catalogue& catalogue, const RunOptions& options,
                  const Clock& clock) {
  Crowd crowd(ranks);
  std::vector<int> codes(static_cast<std::size_t>(ranks), -1);
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadCommunicator comm(crowd, rank);
      codes[static_cast<std::size_t>(rank)] = run(catalogue, options, comm, clock);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const int code : codes) EXPECT_EQ(code, codes[0]);
  return codes[0];
}

}  // namespace banzuke::test
