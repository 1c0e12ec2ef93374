#include "engine/batch/stop.hpp"

#include <chrono>
#include <csignal>
#include <limits>

namespace banzuke {
namespace {

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

StopRule::StopRule(const Clock& clock, std::optional<double> time_limit)
    : clock_(clock),
      deadline_(time_limit ? clock.seconds() + *time_limit
                           : std::numeric_limits<double>::infinity()) {}

double StopRule::seconds_left() const {
  return deadline_ - clock_.seconds();
}

std::optional<std::string> StopRule::reason(double round_seconds, bool signalled) const {
  if (signalled) return "signal";
  if (seconds_left() <= round_seconds) return "time limit";
  return std::nullopt;
}

}  // namespace banzuke
