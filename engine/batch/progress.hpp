#pragma once
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>

namespace banzuke {

/// A line to standard error. A log that cannot be written (closed, on a full disk) ends no run.
void say(std::string_view line);

/// Tells how a run goes on, on standard error: a bar that is drawn over on a terminal, one plain
/// line a round elsewhere.
class Progress {
 public:
  /// `total` rows in all, of which `done` were there before; a row is a `noun`.
  Progress(std::FILE* out, bool quiet, std::string_view noun, std::uint64_t total,
           std::uint64_t done);

  /// After a round: rows in the file now, and seconds since the run began.
  void update(std::uint64_t done, double seconds);
  /// Ends the bar's line.
  void finish();

 private:
  std::FILE* out_;
  bool quiet_;
  bool terminal_;
  std::string noun_;
  bool open_line_ = false;
  std::uint64_t total_;
  std::uint64_t before_;
};

/// Seconds in words: "45 s", "3 min 20 s", "2 h 5 min".
std::string duration_text(double seconds);
/// Bytes in words, in binary units: "1.4 GiB".
std::string bytes_text(double bytes);

}  // namespace banzuke
