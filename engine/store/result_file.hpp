#pragma once
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/store/bundle.hpp"
#include "engine/store/identity.hpp"
#include "engine/store/layout.hpp"
#include "engine/store/provenance.hpp"
#include "engine/store/rows.hpp"
#include "engine/store/shard.hpp"

namespace banzuke {

/// Version of the file's own layout, the root's attribute `banzuke_schema`.
inline constexpr int result_schema = 1;
/// Rows of the table of sessions; when it is full the last row is written over.
inline constexpr std::size_t session_capacity = 1000;

/// Rows first … first+count-1 of a point: replicates, or segments of them (see Layout).
struct RowRange {
  std::uint64_t first = 0;
  std::uint64_t count = 0;
  bool operator==(const RowRange&) const = default;
};

/// How a file is opened for writing.
struct FileAccess {
  bool locking = true;         ///< HDF5's file lock; off for file systems that have none
  bool durable = true;         ///< fsync rows before status: survives the loss of the host
  double wait_seconds = 60.0;  ///< how long a commit waits for a reader that holds the file
  /// Told once, in words, when a commit begins to wait.
  std::function<void(const std::string&)> on_wait;
};

/// The one file of a run: set-up, identity, provenance, sessions, records and their statuses.
/// Every call opens the file and closes it again, so others may read it in between; reading takes
/// no lock and works while a run goes on. Used by one thread of rank 0 only (HDF5 is serial).
///
/// Errors: InputError when the file is not what it should be (missing, foreign, truncated,
/// another schema); SystemError when reading or writing fails, with HDF5's own reason.
class ResultFile {
 public:
  /// Makes the file with every record missing, whole or not at all: written beside its place,
  /// then renamed. All space is written, so that a full disk is found now. Missing folders of the
  /// path are made. Throws InputError when the path exists or cannot be written, or the disk is
  /// too small; nothing is left behind then.
  static void create(const std::filesystem::path& path, const Layout& layout, const Bundle& setup,
                     const Identity& identity, const Provenance& provenance);
  /// The same for one shard of a run: the file holds its own rows only.
  static void create(const std::filesystem::path& path, const Shard& shard, const Bundle& setup,
                     const Identity& identity, const Provenance& provenance);

  /// Rebuilds the file with more replicates or more points at the end (a last segment that grows is
  /// missing again, labels new to a dimension are NaN or 0 in the old rows); rows, statuses and
  /// sessions as they are, the rest as given. Replaces the old file at once by renaming; on any
  /// error the old one stays. Throws InputError when the layouts do not allow it.
  static void extend(const std::filesystem::path& path, const Layout& layout, const Bundle& setup,
                     const Identity& identity, const Provenance& provenance,
                     const FileAccess& access = {});

  /// Reads and checks schema, layout and identity.
  static ResultFile open(const std::filesystem::path& path, FileAccess access = {});

  const std::filesystem::path& path() const { return path_; }
  /// Of the file: of a shard, its own points and rows, counted from 0.
  const Layout& layout() const { return layout_; }
  /// What part of a run this file holds; nothing for a whole run.
  const std::optional<Shard>& shard() const { return shard_; }
  /// Of the run: where rows to commit are counted.
  const Layout& run_layout() const { return shard_ ? shard_->whole : layout_; }
  const Identity& identity() const { return identity_; }

  Bundle read_setup() const;
  Provenance provenance() const;
  /// Sessions in order, at most session_capacity.
  std::vector<Session> sessions() const;
  /// Sessions whose row was written over because the table was full.
  std::uint64_t sessions_overwritten() const;

  /// Per point the ranges of missing rows, ascending.
  std::vector<std::vector<RowRange>> missing() const;
  /// Per point and status code the number of rows: [point][status].
  std::vector<std::vector<std::uint64_t>> status_counts() const;

  /// Adds a row to the table of sessions; later updates of this object go there.
  void begin_session(const Session& session);
  /// Writes rows, flushes, writes their statuses, flushes, writes the session's row. While a reader
  /// holds the file it waits; then and on any failure it throws SystemError, and what was committed
  /// before stays. Blocks may have any order, must not overlap, and have the layout of the run.
  void commit(std::span<const RowBlock> blocks, const Session& session);
  void update_session(const Session& session) { commit({}, session); }

  /// Values of a field for some rows of a point, row-major [row][element]; all
  /// elements, or a range of them. Numbers of any type come as doubles; integers() refuses
  /// floating-point fields with std::logic_error. Missing rows hold NaN or 0.
  std::vector<double> read_doubles(std::size_t field, std::size_t point, RowRange rows,
                                   std::optional<ElementRange> elements = {}) const;
  std::vector<std::int64_t> read_integers(std::size_t field, std::size_t point, RowRange rows,
                                          std::optional<ElementRange> elements = {}) const;
  std::vector<std::uint8_t> read_status(std::size_t point, RowRange rows) const;
  /// The first row's value at every point, of a field without a dimension: for sweeps whose
  /// points have one value.
  std::vector<double> read_first(std::size_t field) const;
  std::vector<std::uint8_t> read_first_status() const;

  /// Throws InputError, with the reason, unless `other` is a file or shard of the same run.
  void require_same_run(const ResultFile& other) const;
  /// Throws InputError when `other`, a file or shard of the same run, holds another value for a row
  /// that both have.
  void require_equal_rows(const ResultFile& other) const;
  /// Copies into this file every row that `other`, a file or shard of the same run, has. Returns
  /// the number of rows that were missing here. Throws InputError, before anything is written, when
  /// `other` is of another run (with the reason) or holds another value for a row that both have.
  std::uint64_t take_rows(const ResultFile& other);

  /// SHA-256 over identity, points, fields, rows and statuses of the replicates below the limit
  /// (all when not given), as defined in docs/results.md: the same however, wherever and in
  /// however many sessions the rows were computed. 64 hexadecimal digits.
  std::string digest(std::optional<std::uint64_t> replicate_limit = {}) const;

 private:
  ResultFile() = default;

  std::filesystem::path path_;
  FileAccess access_;
  Layout layout_;
  std::optional<Shard> shard_;
  Identity identity_;
  std::optional<std::size_t> session_row_;
};

}  // namespace banzuke
