#pragma once
#include <optional>
#include <string>

namespace banzuke {

/// Seconds since some moment, never going back. Tests give a clock of their own.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual double seconds() const = 0;
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

/// Why a run should stop before its work is done: a signal, or too little time for another round.
class StopRule {
 public:
  /// `time_limit` in seconds from now; nothing means no limit.
  StopRule(const Clock& clock, std::optional<double> time_limit);

  /// The reason to stop now, given that another round may take `round_seconds`; `signalled` is
  /// whether any rank saw a signal.
  std::optional<std::string> reason(double round_seconds, bool signalled) const;
  /// Seconds left before the limit, or infinity.
  double seconds_left() const;

 private:
  const Clock& clock_;
  double deadline_;
};

}  // namespace banzuke
