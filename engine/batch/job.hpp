#pragma once
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

#include "engine/batch/table_request.hpp"
#include "engine/config/config.hpp"
#include "engine/config/input_file.hpp"
#include "engine/store/bundle.hpp"
#include "engine/store/layout.hpp"
#include "engine/store/result_file.hpp"
#include "engine/store/rows.hpp"

namespace banzuke {

/// A job ready to compute: a pure function from (set-up, point, replicate) to a record.
/// Every rank makes its own from the stored set-up; compute() is called by many threads at once.
class Job {
 public:
  virtual ~Job() = default;

  /// Shapes of the records for a number of replicates a point.
  virtual Layout layout(std::uint64_t replicates) const = 0;

  /// Computes the block's rows and sets a status for each. The rows arrive filled with NaN, 0 and
  /// `missing`. A row may depend on nothing but the set-up, the seed, the point and its place; the
  /// last row of a layout in segments also on the number of replicates.
  virtual void compute(const RowBlock& rows) const = 0;

  /// Rows that share random blocks or vector lanes: blocks begin and end at multiples of it
  /// (the last block of a point may be shorter).
  virtual std::uint64_t lane_group() const { return 1; }

  /// Whether points may have enough replicates before all are done: JobKind::enough is asked then.
  /// Such a run judges complete prefixes, so it cannot be cut in shards.
  virtual bool is_adaptive() const { return false; }

  /// Bytes that a thread needs beside the rows it computes, for the estimate of memory.
  virtual std::size_t workspace_bytes() const { return std::size_t{16} << 20; }

  /// Relative cost of one row of a point, positive; only balance depends on it.
  virtual double cost(std::size_t point) const {
    (void)point;
    return 1.0;
  }
};

/// The first half of a job's life, on rank 0: what the config asked for.
class Preparation {
 public:
  virtual ~Preparation() = default;
  /// Reads and checks the input files. Called in every session, so that their content can be
  /// compared with that of the run.
  virtual void load(Inputs& inputs) = 0;
  /// What all ranks need, and what the summaries need. Called once in the life of a result file,
  /// after load(). An array `notes` of texts holds what the user should know about the input.
  virtual Bundle set_up() = 0;
};

/// A table that is printed when asked for by name.
struct NamedTable {
  std::string name;
  std::string summary;  ///< one line for messages
  std::function<void(const ResultFile& file, const TableRequest& request, std::ostream& out)> print;
};

/// Whether a job draws random numbers, and so needs the keys `seed` and `replicates`.
enum class Randomness {
  always,     ///< both are required
  sometimes,  ///< both may be left out (0 and 1); configure() says which configs need them
  never,      ///< one replicate a point; a seed is allowed and without effect
};

/// One kind of work: an entry of the catalogue.
struct JobKind {
  std::string name;
  std::string summary;  ///< one line for help
  int version = 1;      ///< raised when the same config gives other numbers
  Randomness randomness = Randomness::always;

  /// Declares and reads the job's keys.
  std::function<std::unique_ptr<Preparation>(const Section& root, const Config& config)> configure;
  std::function<std::unique_ptr<Job>(const Bundle& set_up, std::uint64_t seed)> make;
  /// Where the job is_adaptive(): whether a point has enough replicates, given that its first
  /// `count` rows are complete. Asked at counts first_checkpoint · 2^k (rounded up to whole
  /// segments before it is doubled) and nowhere else, so that the answer is a function of the
  /// numbers; the rows not needed get the status `not_needed`,
  /// which the layout must have.
  std::function<bool(const ResultFile& file, std::size_t point, std::uint64_t count)> enough = {};
  std::uint64_t first_checkpoint = 1000;
  /// What the user may want to change before a run, a line each; for `banzuke check`.
  std::function<std::vector<std::string>(const Bundle& set_up)> advice = {};
  /// Prints the summary of a result file, finished or not.
  std::function<void(const ResultFile& file, const TableRequest& request, std::ostream& out)>
      tabulate;
  /// Further tables of a result file, printed by name.
  std::vector<NamedTable> tables = {};
};

using Catalogue = std::vector<JobKind>;

/// The kind of that name. Throws InputError, at `where`, with the nearest name.
const JobKind& find_job(const Catalogue& catalogue, const std::string& name,
                        const Location& where = {});

}  // namespace banzuke
