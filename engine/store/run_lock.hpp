#pragma once
#include <filesystem>
#include <string>

namespace banzuke {

/// Keeps a second run away from an output file, by a file `<output>.lock` that holds host,
/// process id, user and time; beside the file itself where `<output>` is a link. Made with O_EXCL,
/// so it works where file locks do not (NFS, Lustre).
class RunLock {
 public:
  /// Takes the lock. One left by a dead process of this host (and of this container, where
  /// processes are numbered anew in each) is taken over; note() says so. Then
  /// removes what killed runs left beside it: `<output>.part`, and `<output>.lock.HOST.PID` of dead
  /// processes of this host.
  /// Throws InputError when another run has it (who, where, since when, what to do) or when
  /// the folder cannot be written.
  explicit RunLock(const std::filesystem::path& output);
  ~RunLock();
  RunLock(RunLock&& other) noexcept;
  RunLock& operator=(RunLock&&) = delete;

  /// Empty, or one line to tell the user.
  const std::string& note() const { return note_; }

 private:
  std::filesystem::path file_;
  std::string content_;
  std::string note_;
};

}  // namespace banzuke
