#include "engine/store/new_folders.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/base/error.hpp"

namespace banzuke {
namespace {

bool is_folder(const std::filesystem::path& path) {
  struct stat entry {};
  return ::stat(path.c_str(), &entry) == 0 && S_ISDIR(entry.st_mode);
}

}  // namespace

NewFolders::NewFolders(const std::filesystem::path& output) {
  std::filesystem::path folder;
  for (const auto& name : output.parent_path()) {
    folder /= name;
    if (is_folder(folder)) continue;
    const bool made = ::mkdir(folder.c_str(), 0777) == 0;
    const int error = errno;
    if (made) {
      made_.push_back(folder);
    } else if (error != EEXIST || !is_folder(folder)) {
      remove();
      throw InputError("the output's folder cannot be made",
                       error == EEXIST ? "a file has its name" : std::strerror(error),
                       "choose another output", {folder.string(), 0});
    }
  }
}

NewFolders::~NewFolders() {
  remove();
}

void NewFolders::remove() noexcept {
  for (auto folder = made_.rbegin(); folder != made_.rend(); ++folder) ::rmdir(folder->c_str());
  made_.clear();
}

}  // namespace banzuke
