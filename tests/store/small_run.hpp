#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <vector>

#include "engine/store/result_file.hpp"

namespace banzuke::testing {

/// An empty folder of the test's own, removed at its end.
class Folder {
 public:
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "banzuke_store_XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }
  const std::filesystem::path& path() const { return path_; }
  std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(path_), {}));
  }

 private:
  std::filesystem::path path_;
};

/// Every type of field, with and without a dimension.
inline Layout small_layout(std::uint64_t replicates = 40, std::size_t points = 2) {
  Layout layout;
  for (std::size_t i = 0; i < points; ++i) layout.points.push_back("N=" + std::to_string(100 * i));
  layout.replicates = replicates;
  layout.dimensions = {{"player", 3, {"Ābele", "将棋 bot", ""}, "rated player"},
                       {"quantile", 5, {}, "probability level"}};
  layout.fields = {{"rating", FieldType::float64, "player", "Elo", "fitted rating"},
                   {"share", FieldType::float32, "quantile", "1", "share"},
                   {"games", FieldType::int64, "", "1", "simulated games"},
                   {"iterations", FieldType::int32, "", "1", "Newton steps"},
                   {"flags", FieldType::uint8, "player", "1", "player is rated"}};
  layout.statuses = {"missing", "ok", "unsolvable"};
  return layout;
}

inline Identity small_identity() {
  Identity identity;
  identity.job = "bt_uncertainty";
  identity.job_version = 2;
  identity.keys = {{"games.draws", "\"half\""}, {"scale.rating", "2800"}};
  identity.inputs = {{"games.files[0]", "data/a.csv", std::string(64, 'a'), 123}};
  identity.seed = 18446744073709551615U;
  identity.stream_algorithm = "philox4x32-10";
  identity.stream_version = 1;
  return identity;
}

inline Bundle small_setup() {
  Bundle setup;
  setup.set("truth", std::vector<double>{1.5, -0.0, 1e300}, "player", "Elo", "true rating");
  setup.set(
      "wins",
      Array{{2, 3}, std::vector<std::int64_t>{1, 2, 3, 4, 5, -6}, {"row", "player"}, "1", "wins"});
  setup.set("names", std::vector<std::string>{"a,\"b\"", "将棋", ""}, "player");
  setup.set("log_likelihood", -12.25, "1");
  setup.set("note", "");
  setup.set("nothing", std::vector<double>{});
  setup.set("no_names", std::vector<std::string>{});
  return setup;
}

inline Provenance small_provenance() {
  return {{"version", "0.1.0"},
          {"git commit", "0123abc"},
          {"config verbatim", "a = 1\nb = \"ü\"\n"},
          {"empty", ""}};
}

/// A session that has not ended.
inline Session small_session() {
  Session session;
  session.start = 1'700'000'000;
  session.end = 1'700'000'001;
  session.ranks = 2;
  session.threads = 4;
  session.hosts = "node1,node2";
  session.version = "0.1.0 0123abc";
  return session;
}

/// Value that a record has by its address alone.
inline double value_at(std::size_t field, std::size_t point, std::uint64_t replicate,
                       std::size_t element) {
  return static_cast<double>((field * 7 + point * 31 + replicate * 101 + element * 3) % 251);
}

/// Rows in memory, with their bytes.
class Rows {
 public:
  Rows(const Layout& layout, std::size_t point, std::uint64_t first, std::size_t count)
      : bytes_(RowBlock::bytes(layout, count)), block_(layout, point, first, count, bytes_.data()) {
    block_.fill();
    for (std::size_t i = 0; i < layout.fields.size(); ++i) {
      const std::size_t width = layout.width(i);
      for (std::size_t k = 0; k < count * width; ++k) {
        set(i, k, value_at(i, point, first + k / width, k % width));
      }
    }
    for (std::size_t k = 0; k < count; ++k) {
      block_.status()[k] = (first + k) % 10 == 9 && layout.statuses.size() > 2 ? 2 : status_ok;
    }
  }
  const RowBlock& block() const { return block_; }

 private:
  void set(std::size_t field, std::size_t k, double value) {
    switch (block_.layout().fields[field].type) {
      case FieldType::float64:
        block_.doubles(field)[k] = value;
        break;
      case FieldType::float32:
        block_.floats(field)[k] = static_cast<float>(value);
        break;
      case FieldType::int64:
        block_.integers(field)[k] = static_cast<std::int64_t>(value);
        break;
      case FieldType::int32:
        block_.integers32(field)[k] = static_cast<std::int32_t>(value);
        break;
      case FieldType::uint8:
        block_.octets(field)[k] = static_cast<std::uint8_t>(value);
        break;
    }
  }

  std::vector<std::byte> bytes_;
  RowBlock block_;
};

inline void commit_rows(ResultFile& file, std::size_t point, std::uint64_t first,
                        std::size_t count) {
  const Rows rows(file.layout(), point, first, count);
  Session session = small_session();
  session.rows_committed = count;
  file.commit({&rows.block(), 1}, session);
}

/// A file of the small run with all rows in it.
inline void make_whole(const std::filesystem::path& path, const Layout& layout) {
  ResultFile::create(path, layout, small_setup(), small_identity(), small_provenance());
  ResultFile file = ResultFile::open(path);
  file.begin_session(small_session());
  for (std::size_t point = 0; point < layout.points.size(); ++point) {
    commit_rows(file, point, 0, layout.rows());
  }
}

/// Number of replicates of a point that are not missing; each is checked against its address.
inline std::uint64_t check_rows(const ResultFile& file, std::size_t point) {
  const Layout& layout = file.layout();
  const RowRange all{0, layout.rows()};
  const std::vector<std::uint8_t> status = file.read_status(point, all);
  std::uint64_t done = 0;
  for (const std::uint8_t code : status) done += code != status_missing;
  for (std::size_t field = 0; field < layout.fields.size(); ++field) {
    const std::size_t width = layout.width(field);
    const std::vector<double> values = file.read_doubles(field, point, all);
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (status[k / width] == status_missing) continue;
      if (values[k] != value_at(field, point, k / width, k % width)) {
        ADD_FAILURE() << "wrong value in " << layout.fields[field].name << " at " << k;
        return done;
      }
    }
  }
  return done;
}

/// The message of the error of type E that f throws; empty, with a failure, when it does not.
template <class E, class Function>
std::string message_of(Function f) {
  try {
    f();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& error) {
    ADD_FAILURE() << "another error: " << error.what();
    return {};
  }
  ADD_FAILURE() << "no error";
  return {};
}

}  // namespace banzuke::testing
