#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/batch/comm.hpp"
#include "engine/batch/driver.hpp"
#include "engine/batch/plan.hpp"
#include "engine/store/result_file.hpp"
#include "engine/store/run_lock.hpp"

namespace banzuke {

/// Rank 0's hold on a run: the output file, locked against other runs, its set-up, and the record
/// of this session.
class Desk {
 public:
  /// Opens the output to go on, or creates it. All input is read and checked before the output is
  /// touched. `hosts` is for the record. Throws InputError: bad input, or an output that holds
  /// another run.
  Desk(Order& order, const Communicator& comm, const std::string& hosts);

  /// Of the whole run, also where the file is one of its shards.
  const Layout& layout() const { return file_.run_layout(); }
  /// Rows the file has space for.
  std::uint64_t rows_total() const;
  /// "shard 2 of 4: …", or empty.
  std::string part() const;
  const Bundle& set_up() const { return set_up_; }
  const std::string& lock_note() const { return lock_.note(); }
  /// What to compute next, in order of point and replicate: all that the file lacks or, in an
  /// adaptive job, what it lacks below each point's next checkpoint, after those reached have been
  /// judged. Empty when the run is complete.
  std::vector<Block> next_stage();
  /// Rows that the file lacks.
  std::uint64_t rows_left() const { return rows_left_; }

  void begin_session();
  /// Writes a round's rows; `imbalance` is the round's time over the mean busy time of its threads.
  void commit(std::span<const RowBlock> rows, double seconds_so_far, double imbalance);
  void end_session(const std::string& why);

 private:
  Desk(RunLock lock, ResultFile file, Bundle set_up, Session session, const Order& order);

  /// Gives the rows from `first` on the status `not_needed`.
  void close_point(std::size_t point, std::uint64_t first);

  RunLock lock_;
  ResultFile file_;
  Bundle set_up_;
  Session session_;
  const JobKind* kind_;
  bool adaptive_;
  std::uint64_t rows_left_ = 0;
};

}  // namespace banzuke
