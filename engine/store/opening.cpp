#include "engine/store/opening.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <string_view>
#include <thread>

namespace banzuke::opening {
namespace {

constexpr const char* restore = "restore a copy, or run again with another output";

bool is_held(const hdf5::Failure& failure) {
  return failure.error_number() == EAGAIN || failure.error_number() == EACCES;
}

bool has_no_locks(const hdf5::Failure& failure) {
  return failure.error_number() == ENOSYS || failure.error_number() == ENOLCK ||
         failure.error_number() == EOPNOTSUPP;
}

}  // namespace

void require_hdf5_file(const std::filesystem::path& path) {
  const Location where{path.string(), 0};
  struct stat entry {};
  if (::stat(path.c_str(), &entry) != 0) {
    throw InputError("there is no result file to read", std::strerror(errno),
                     "check the name, or run the job first", where);
  }
  if (S_ISDIR(entry.st_mode)) {
    throw InputError("it is a folder, not a result file", "", "name the file in it", where);
  }
  if (!S_ISREG(entry.st_mode)) {
    throw InputError("it is not a regular file", "", "name a result file", where);
  }
  constexpr std::string_view signature = "\x89HDF\r\n\x1a\n";
  char start[8] = {};
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const ssize_t count = descriptor < 0 ? -1 : ::read(descriptor, start, sizeof start);
  const int error = errno;
  if (descriptor >= 0) ::close(descriptor);
  if (count < 0) {
    throw InputError("the result file cannot be read", std::strerror(error),
                     "check its permissions and its disk", where);
  }
  if (count == 0) throw InputError("the result file is empty", "", restore, where);
  if (std::string_view(start, static_cast<std::size_t>(count)) != signature) {
    throw InputError("it is not a result file", "it is no HDF5 file",
                     "name a file that a run has made", where);
  }
}

void require_still_there(const std::filesystem::path& path) {
  struct stat entry {};
  if (::stat(path.c_str(), &entry) != 0) {
    throw SystemError("the result file cannot be written", std::strerror(errno),
                      "bring it back and run again: the rows committed before are in it",
                      {path.string(), 0});
  }
  require_hdf5_file(path);
}

void require_schema(const std::filesystem::path& path, const hdf5::File& file) {
  const Location where{path.string(), 0};
  if (!hdf5::has_attribute(file, "banzuke_schema")) {
    throw InputError("it is not a result file",
                     "an HDF5 file of another program: it has no attribute banzuke_schema",
                     "name a file that a run has made", where);
  }
  const std::int64_t schema = hdf5::get_integer(file, "banzuke_schema");
  if (schema != result_schema) {
    throw InputError(fmt::format("the result file has schema {}", schema),
                     fmt::format("this version of the program reads schema {}", result_schema),
                     "use the version of the program that made the file, or a newer one", where);
  }
}

void throw_unreadable(const std::filesystem::path& path, const hdf5::Failure& failure) {
  const Location where{path.string(), 0};
  if (failure.error_number() != 0) {
    throw SystemError("the result file cannot be read", failure.reason(),
                      "check its permissions and its disk", where);
  }
  if (failure.reason().find("truncated file") != std::string::npos) {
    throw InputError("the result file is truncated", failure.reason(), restore, where);
  }
  throw InputError("the result file is damaged", failure.what(), restore, where);
}

void throw_unwritable(const std::filesystem::path& path, const hdf5::Failure& failure) {
  const Location where{path.string(), 0};
  if (has_no_locks(failure)) {
    throw SystemError("the result file cannot be locked",
                      failure.reason() + "; its file system has no file locks",
                      "set run.locking to false (locking = false under [run]), or "
                      "HDF5_USE_FILE_LOCKING=FALSE in the environment",
                      where);
  }
  if (is_held(failure)) {
    throw SystemError("the result file cannot be written",
                      "another program holds it open, or its permissions forbid it",
                      "close that program and run again: the rows committed before are kept",
                      where);
  }
  throw SystemError("the result file cannot be written", failure.what(),
                    "check the disk and its free space, then run again: the rows committed before "
                    "are kept",
                    where);
}

hdf5::File open_for_writing(const std::filesystem::path& path, const FileAccess& access) {
  using Clock = std::chrono::steady_clock;
  const auto deadline = Clock::now() + std::chrono::duration<double>(access.wait_seconds);
  std::chrono::duration<double> pause(0.01);
  bool told = false;
  for (;;) {
    try {
      return hdf5::open_file(path.string(), H5F_ACC_RDWR, access.locking);
    } catch (const hdf5::Failure& failure) {
      // Permissions are no lock: waiting does not help.
      if (!is_held(failure) || ::access(path.c_str(), R_OK | W_OK) != 0) throw;
      if (Clock::now() >= deadline) throw;
    }
    if (!told && access.on_wait) {
      access.on_wait(fmt::format(
          "{}: another program holds the result file open; waiting up to {:.0f} s to commit",
          path.string(), access.wait_seconds));
    }
    told = true;
    const std::chrono::duration<double> left = deadline - Clock::now();
    std::this_thread::sleep_for(std::clamp(left, std::chrono::duration<double>(0.0), pause));
    pause = std::min(pause * 2.0, std::chrono::duration<double>(1.0));
  }
}

}  // namespace banzuke::opening
