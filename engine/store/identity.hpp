#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace banzuke {

/// A file the numbers depend on. Compared by content; the path is for people.
struct InputFile {
  std::string key;     ///< of the config: `games.files[0]`
  std::string path;    ///< as given
  std::string sha256;  ///< 64 hexadecimal digits
  std::uint64_t bytes = 0;
};

/// All that decides the numbers of a run: two runs of equal identity have equal records, as far
/// as both have them. The number of replicates is not part of it.
struct Identity {
  std::string job;
  int job_version = 1;
  /// Config key and canonical text of its value, of the keys that change numbers, in order.
  std::vector<std::pair<std::string, std::string>> keys;
  std::vector<InputFile> inputs;
  std::uint64_t seed = 0;
  std::string stream_algorithm;
  int stream_version = 1;

  /// One line per item (`key: value`), line breaks and backslashes in values escaped; what the
  /// digest hashes. Paths are left out.
  std::string canonical_text() const;
};

/// `now` without the tables that it appends to the arrays of tables in `stored`, and without their
/// inputs: whatever stands under a `name[i].` of which `stored` has nothing. What is left tells
/// whether points were added at the end and nothing else was changed.
Identity without_appended_tables(const Identity& stored, const Identity& now);

/// Readable difference, one line per item, `key: stored → now`; inputs by hash, not by path.
/// Nothing when the identities are equal.
std::optional<std::string> difference(const Identity& stored, const Identity& now);

}  // namespace banzuke
