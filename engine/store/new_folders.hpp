#pragma once
#include <filesystem>
#include <vector>

namespace banzuke {

/// The folders of an output that are not there yet: made, and removed again unless kept.
class NewFolders {
 public:
  /// Throws InputError, with nothing left behind, when one cannot be made.
  explicit NewFolders(const std::filesystem::path& output);
  ~NewFolders();
  NewFolders(const NewFolders&) = delete;
  NewFolders& operator=(const NewFolders&) = delete;
  void keep() { made_.clear(); }

 private:
  void remove() noexcept;

  std::vector<std::filesystem::path> made_;  ///< outermost first
};

}  // namespace banzuke
