#pragma once
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace banzuke {

/// Where the numbers come from: program version, git commit, compiler, libraries, config verbatim
/// and effective … Names (any text without `/`) and values, in order, stored one dataset each.
using Provenance = std::vector<std::pair<std::string, std::string>>;

/// One process run that worked on a file. Texts are cut to their fixed size in the file, at a
/// UTF-8 boundary.
struct Session {
  std::int64_t start = 0;  ///< seconds since 1970-01-01 UTC
  std::int64_t end = 0;    ///< of the last update, same unit
  std::uint64_t rows_committed = 0;
  std::int32_t ranks = 1;
  std::int32_t threads = 1;                ///< per rank
  double rows_per_second = 0.0;            ///< over the time spent in rounds
  double imbalance = 0.0;                  ///< last round's time over the mean busy time; 0 unknown
  std::string hosts;                       ///< 64 bytes
  std::string version;                     ///< program version and commit, 64 bytes
  std::string why_it_stopped = "running";  ///< 32 bytes: running, done, time limit, signal, error

  bool operator==(const Session&) const = default;
};

}  // namespace banzuke
