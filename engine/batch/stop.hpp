#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace banzuke {

/// Seconds since some moment, never going back. Tests give a clock of their own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double seconds() const = 0;
  /// Seconds since 1970-01-01 UTC, the clock that schedulers go by.
  virtual double unix_seconds() const;
};

class SteadyClock final : public Clock {
 public:
  double seconds() const override;
};

/// From now on SIGINT, SIGTERM and SIGUSR1 only ask the run to stop; a second SIGINT ends the
/// process at once. Call before MPI is initialised.
void catch_stop_signals();

/// The signal that asked to stop, or 0.
int stop_signal();

/// When the scheduler will end this job, in seconds since 1970-01-01 UTC: the environment variable
/// BANZUKE_END_TIME, which scripts/submit exports, else SLURM_JOB_END_TIME, which newer versions of
/// Slurm set. Throws InputError when BANZUKE_END_TIME is no number.
std::optional<double> scheduled_end();

/// Why a run should stop before its work is done: a signal, a file, or too little time for another
/// round. The margin is learned from the rounds so far.
class StopRule {
 public:
  /// `time_limit` in seconds from now, `end` in Unix seconds; nothing means no limit.
  StopRule(const Clock& clock, std::optional<double> time_limit, std::optional<double> end = {});

  /// From now on a file of that name asks to stop, whoever made it.
  void watch(std::filesystem::path stop_file) { stop_file_ = std::move(stop_file); }
  /// What a round took of what it was expected to take (0 where nothing was), and its commit.
  void learn(double expected_seconds, double round_seconds, double commit_seconds);

  /// Seconds left before the nearer limit, or infinity.
  double seconds_left() const { return deadline_ - clock_.seconds(); }
  /// How long the next round may be expected to take: what is left without the margin for a
  /// commit, divided by how far rounds went beyond their expected time.
  double room() const;
  /// The reason to stop now, given that another round takes at least `round_seconds`; `signalled`
  /// is whether any rank saw a signal. A stop file that is the reason is removed.
  std::optional<std::string> reason(double round_seconds, bool signalled) const;

 private:
  const Clock& clock_;
  double deadline_;
  std::string limit_ = "time limit";
  std::filesystem::path stop_file_;
  double slowest_commit_ = 0;
  double worst_overrun_ = 1.4;  ///< before anything is learned
};

}  // namespace banzuke
