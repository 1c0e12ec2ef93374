#include "engine/batch/stop.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <limits>
#include <system_error>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

namespace banzuke {
namespace {

// The scheduler ends more than this process: mpirun and the batch script want to end before it.
constexpr double seconds_to_leave = 10;

// A signal handler can reach nothing but a flag of static storage.
volatile std::sig_atomic_t caught = 0;

extern "C" void note_signal(int number) {
  if (caught != 0 && number == SIGINT) {
    std::signal(number, SIG_DFL);
    std::raise(number);
  }
  caught = number;
}

}  // namespace

double Clock::unix_seconds() const {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

double SteadyClock::seconds() const {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = note_signal;
  sigemptyset(&action.sa_mask);
  action.sa_flags = SA_RESTART;
  for (const int number : {SIGINT, SIGTERM, SIGUSR1}) sigaction(number, &action, nullptr);
}

int stop_signal() {
  return caught;
}

std::optional<double> scheduled_end() {
  if (const char* text = std::getenv("BANZUKE_END_TIME")) {
    if (const auto end = parse_double(text); end && std::isfinite(*end)) return *end;
    throw InputError(fmt::format("BANZUKE_END_TIME={} is no time", text),
                     "it counts seconds since 1970-01-01 UTC", "export what `date +%s` prints");
  }
  const char* text = std::getenv("SLURM_JOB_END_TIME");
  return text ? parse_double(text) : std::nullopt;
}

StopRule::StopRule(const Clock& clock, std::optional<double> time_limit, std::optional<double> end)
    : clock_(clock), deadline_(std::numeric_limits<double>::infinity()) {
  if (time_limit) deadline_ = clock.seconds() + *time_limit;
  if (end) {
    const double left = *end - seconds_to_leave - clock.unix_seconds();
    if (left < seconds_left()) {
      deadline_ = clock.seconds() + left;
      limit_ = "scheduler's time limit";
    }
  }
}

void StopRule::learn(double expected_seconds, double round_seconds, double commit_seconds) {
  slowest_commit_ = std::max(slowest_commit_, commit_seconds);
  // Very short rounds say nothing: their time is noise.
  if (expected_seconds > 0.05) {
    worst_overrun_ = std::clamp(round_seconds / expected_seconds, worst_overrun_, 10.0);
  }
}

double StopRule::room() const {
  return std::max(0.0, (seconds_left() - 2 * slowest_commit_) / worst_overrun_);
}

std::optional<std::string> StopRule::reason(double round_seconds, bool signalled) const {
  if (signalled) return "signal";
  std::error_code unknown;
  if (!stop_file_.empty() && std::filesystem::is_regular_file(stop_file_, unknown)) {
    std::filesystem::remove(stop_file_, unknown);
    return "stop file";
  }
  if (seconds_left() - 2 * slowest_commit_ <= round_seconds) return limit_;
  return std::nullopt;
}

}  // namespace banzuke
