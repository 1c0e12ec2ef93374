#include "engine/store/new_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "engine/base/error.hpp"

namespace banzuke {
namespace {

constexpr const char* choose_another = "choose another output";

std::string in_units(std::uint64_t bytes) {
  const double value = static_cast<double>(bytes);
  if (value < 1e3) return fmt::format("{} B", bytes);
  if (value < 1e6) return fmt::format("{:.1f} kB", value / 1e3);
  if (value < 1e9) return fmt::format("{:.1f} MB", value / 1e6);
  return fmt::format("{:.1f} GB", value / 1e9);
}

void synchronise(const std::filesystem::path& path, int flags) {
  const int descriptor = ::open(path.c_str(), flags | O_CLOEXEC);
  int error = descriptor < 0 ? errno : 0;
  // EINVAL: a folder on a file system that cannot synchronise folders.
  if (error == 0 && TEMP_FAILURE_RETRY(::fsync(descriptor)) != 0 && errno != EINVAL) error = errno;
  if (descriptor >= 0 && ::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) {
    throw SystemError("cannot bring the file to the disk", std::strerror(error),
                      "free space or choose another output, then run again", {path.string(), 0});
  }
}

/// rename(2) that fails with EEXIST; where the file system has no such thing, a check before.
int rename_without_replacing(const char* from, const char* to) {
  if (::renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  if (::access(to, F_OK) == 0) return EEXIST;
  return ::rename(from, to) == 0 ? 0 : errno;
}

}  // namespace

NewFile::NewFile(const std::filesystem::path& path, bool replace)
    : path_(path), part_(path.string() + ".part"), folder_(path.parent_path()), replace_(replace) {
  if (folder_.empty()) folder_ = ".";
  const auto refuse = [&](std::string_view problem, std::string_view why) {
    throw InputError(problem, why, choose_another, {path.string(), 0});
  };
  if (path.empty()) refuse("no output is named", "");
  if (path.filename().empty()) refuse("the output is a folder, not a file", "");
  struct stat entry {};
  if (::stat(path.c_str(), &entry) == 0) {
    if (S_ISDIR(entry.st_mode)) refuse("the output is a folder, not a file", "");
    if (!replace) refuse("the output exists", "it is never written over");
  } else if (errno == ENAMETOOLONG) {
    refuse("the output's name is too long", std::strerror(errno));
  } else if (errno != ENOENT && errno != ENOTDIR) {
    refuse("the output cannot be made", std::strerror(errno));
  } else if (!replace && ::lstat(path.c_str(), &entry) == 0) {
    refuse("the output exists", "it is a link that leads nowhere");
  }
  if (::lstat(part_.c_str(), &entry) != 0 && errno == ENAMETOOLONG) {
    refuse("the output's name is too long", "it is built under the name with .part at its end");
  }
  folders_.emplace(path);
  if (::access(folder_.c_str(), W_OK | X_OK) != 0) {
    const int error = errno;
    remove();
    refuse("the output's folder cannot be written", std::strerror(error));
  }
}

NewFile::~NewFile() {
  if (!published_) remove();
}

void NewFile::remove() noexcept {
  // Emptied first: a handle that HDF5 could not close would keep the space of a removed file.
  static_cast<void>(::truncate(part_.c_str(), 0) == 0);
  ::unlink(part_.c_str());
  folders_.reset();
}

void NewFile::require_space(std::uint64_t bytes) const {
  struct statvfs disk {};
  if (::statvfs(folder_.c_str(), &disk) != 0 || disk.f_blocks == 0) return;
  const std::uint64_t free = static_cast<std::uint64_t>(disk.f_bavail) * disk.f_frsize;
  if (free >= bytes) return;
  throw InputError("the disk is too small for the output",
                   fmt::format("it needs {}, {} are free", in_units(bytes), in_units(free)),
                   "free space, choose another output, or ask for fewer replicates",
                   {path_.string(), 0});
}

void NewFile::publish() {
  synchronise(part_, O_RDWR);
  const int error = replace_ ? (::rename(part_.c_str(), path_.c_str()) == 0 ? 0 : errno)
                             : rename_without_replacing(part_.c_str(), path_.c_str());
  if (error == EEXIST) {
    throw InputError("the output exists", "it was made in the meantime", choose_another,
                     {path_.string(), 0});
  }
  if (error != 0) {
    throw SystemError("cannot give the output its name", std::strerror(error), choose_another,
                      {path_.string(), 0});
  }
  published_ = true;
  folders_->keep();
  synchronise(folder_, O_RDONLY | O_DIRECTORY);
}

}  // namespace banzuke
