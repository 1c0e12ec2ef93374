#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "engine/store/new_folders.hpp"

namespace banzuke {

/// A file that is built beside its place under the name `<path>.part` and appears whole or not at
/// all. Unless published, it and the folders made for it are removed. Internal to the store.
class NewFile {
 public:
  /// Makes missing folders. Throws InputError when the place cannot be written to, is a folder or,
  /// unless `replace`, exists.
  NewFile(const std::filesystem::path& path, bool replace);
  ~NewFile();
  NewFile(const NewFile&) = delete;
  NewFile& operator=(const NewFile&) = delete;

  std::string part() const { return part_.string(); }
  /// Throws InputError when the disk has less free; where that is unknown it passes.
  void require_space(std::uint64_t bytes) const;
  /// Brings the file to the disk, then to its name. Throws InputError when the name was taken in
  /// between, SystemError when the disk fails.
  void publish();

 private:
  void remove() noexcept;

  std::filesystem::path path_;
  std::filesystem::path part_;
  std::filesystem::path folder_;
  bool replace_;
  bool published_ = false;
  std::optional<NewFolders> folders_;
};

}  // namespace banzuke
