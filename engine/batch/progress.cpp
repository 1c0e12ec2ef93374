#include "engine/batch/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace banzuke {

void say(std::string_view line) {
  const std::string text = std::string(line) + '\n';
  std::fwrite(text.data(), 1, text.size(), stderr);
}

std::string duration_text(double seconds) {
  if (!(seconds < 1e9)) return "very long";
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  const auto whole = static_cast<long>(std::llround(seconds));
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{} min {} s", whole / 60, whole % 60);
  return fmt::format("{} h {} min", whole / 3600, whole % 3600 / 60);
}

std::string bytes_text(double bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (bytes >= 1024 && unit < 5) {
    bytes /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{:.0f} B", bytes) : fmt::format("{:.1f} {}", bytes, units[unit]);
}

Progress::Progress(std::FILE* out, bool quiet, std::string_view noun, std::uint64_t total,
                   std::uint64_t done)
    : out_(out),
      quiet_(quiet),
      terminal_(isatty(fileno(out)) == 1),
      noun_(noun),
      total_(total),
      before_(done) {}

void Progress::update(std::uint64_t done, double seconds) {
  if (quiet_) return;
  const double rate = static_cast<double>(done - before_) / std::max(seconds, 1e-9);
  const double left = static_cast<double>(total_ - done) / rate;
  const double share = static_cast<double>(done) / static_cast<double>(total_);
  const std::string figures =
      fmt::format("{} of {} {}s ({:.1f} %), {:.4g}/s, {}", done, total_, noun_, 100 * share, rate,
                  done < total_ ? duration_text(left) + " left" : "in " + duration_text(seconds));
  if (terminal_) {
    constexpr int width = 30;
    const int full = static_cast<int>(share * width);
    std::fprintf(out_, "\r[%s%s] %s\x1b[K",
                 std::string(static_cast<std::size_t>(full), '#').c_str(),
                 std::string(static_cast<std::size_t>(width - full), '.').c_str(), figures.c_str());
    open_line_ = true;
  } else {
    std::fprintf(out_, "%s\n", figures.c_str());
  }
  std::fflush(out_);
}

void Progress::finish() {
  if (open_line_) std::fputc('\n', out_);
  open_line_ = false;
}

}  // namespace banzuke
