#include "engine/store/run_lock.hpp"

#include <fcntl.h>
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <iterator>
#include <optional>
#include <system_error>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

namespace banzuke {
namespace {

struct Owner {
  std::string host;
  std::int64_t pid = 0;
  std::string process_start;  ///< in clock ticks since boot: tells a reused process id apart
  std::string user;
  std::string time;
  std::string job;  ///< of the scheduler: lets scripts see whether it has ended, from any host
  std::string pid_namespace;  ///< in which the process has this id; empty where unknown
};

std::string host_name() {
  char name[256] = {};
  return gethostname(name, sizeof name - 1) == 0 ? name : "unknown";
}

std::string user_name() {
  const passwd* entry = getpwuid(geteuid());
  return entry != nullptr ? entry->pw_name : fmt::format("uid {}", geteuid());
}

/// State (field 3 of /proc/PID/stat: R, S, Z, …) and start (field 22) of a process; empty where
/// there is no such process or no /proc.
struct Process {
  std::string state;
  std::string start;
};

Process process(std::int64_t pid) {
  std::ifstream file(fmt::format("/proc/{}/stat", pid));
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t after_name = text.rfind(')');
  if (after_name == text.npos) return {};
  const auto fields = split(trimmed(std::string_view(text).substr(after_name + 1)), ' ');
  if (fields.size() < 20) return {};
  return {std::string(fields[0]), std::string(fields[19])};
}

/// Containers may number processes anew.
std::string own_pid_namespace() {
  std::error_code unknown;
  return std::filesystem::read_symlink("/proc/self/ns/pid", unknown).string();
}

std::string scheduler_job() {
  for (const char* name : {"SLURM_JOB_ID", "PBS_JOBID"}) {
    if (const char* job = std::getenv(name)) return job;
  }
  return "none";
}

std::string now_text() {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(std::time(nullptr)));
}

std::string to_text(const Owner& owner) {
  return fmt::format(
      "host: {}\npid: {}\nprocess start: {}\nuser: {}\ntime: {}\njob: {}\npid namespace: {}\n",
      owner.host, owner.pid, owner.process_start, owner.user, owner.time, owner.job,
      owner.pid_namespace);
}

/// Nothing where there is no file, or none that a run can have made.
std::string read_text(const std::filesystem::path& file) {
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(file, unknown)) return {};
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::optional<Owner> parse(const std::string& text) {
  Owner owner;
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t colon = line.find(": ");
    if (colon == line.npos) continue;
    const std::string_view key = line.substr(0, colon);
    const std::string value(line.substr(colon + 2));
    if (key == "host") owner.host = value;
    if (key == "pid") owner.pid = parse_integer(value).value_or(0);
    if (key == "process start") owner.process_start = value;
    if (key == "user") owner.user = value;
    if (key == "time") owner.time = value;
    if (key == "job") owner.job = value;
    if (key == "pid namespace") owner.pid_namespace = value;
  }
  if (owner.host.empty() || owner.pid <= 0 || owner.time.empty()) return std::nullopt;
  return owner;
}

/// Whether its process id says something here.
bool is_seen_from_here(const Owner& owner) {
  if (owner.host != host_name()) return false;
  const std::string ours = own_pid_namespace();
  return ours.empty() || owner.pid_namespace.empty() || owner.pid_namespace == ours;
}

bool is_dead(const Owner& owner) {
  if (!is_seen_from_here(owner)) return false;
  if (kill(static_cast<pid_t>(owner.pid), 0) != 0 && errno == ESRCH) return true;
  const Process now = process(owner.pid);
  // A zombie has ended; where nobody collects orphans, as in many containers, it stays for ever.
  if (now.state == "Z" || now.state == "X") return true;
  return !now.start.empty() && !owner.process_start.empty() && now.start != owner.process_start;
}

/// 0, or the errno of what failed; then there is no file.
int write_new(const std::filesystem::path& file, const std::string& content) {
  const int descriptor = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
  if (descriptor < 0) return errno;
  // Its owner must be able to tell it from others' locks, whatever the umask.
  struct stat entry {};
  if (::fstat(descriptor, &entry) == 0 && (entry.st_mode & S_IRUSR) == 0) {
    static_cast<void>(::fchmod(descriptor, S_IRUSR | S_IWUSR) == 0);
  }
  int error = 0;
  for (std::size_t at = 0; at < content.size() && error == 0;) {
    const ssize_t written =
        TEMP_FAILURE_RETRY(::write(descriptor, content.data() + at, content.size() - at));
    if (written > 0) at += static_cast<std::size_t>(written);
    if (written <= 0) error = written < 0 ? errno : ENOSPC;
  }
  if (TEMP_FAILURE_RETRY(::fsync(descriptor)) != 0 && error == 0) error = errno;
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error != 0) ::unlink(file.c_str());
  return error;
}

/// The same, with the file complete from the moment it has its name: a process killed in between
/// would leave a lock without an owner. `beside` names it until then.
int write_exclusively(const std::filesystem::path& file, const std::filesystem::path& beside,
                      const std::string& content) {
  ::unlink(beside.c_str());  // of an earlier process of this id
  if (const int error = write_new(beside, content)) return error;
  const int error = ::link(beside.c_str(), file.c_str()) == 0 ? 0 : errno;
  ::unlink(beside.c_str());
  const bool no_links = error == EPERM || error == EOPNOTSUPP || error == ENOSYS;
  return no_links ? write_new(file, content) : error;
}

/// The file that a link leads to: under each of its names an output has one lock.
std::filesystem::path behind_link(const std::filesystem::path& output) {
  std::error_code unresolved;
  if (!std::filesystem::is_symlink(output, unresolved)) return output;
  const auto file = std::filesystem::canonical(output, unresolved);
  return unresolved ? output : file;
}

/// Removes what runs of this host that were killed left beside the lock: the names of unfinished
/// locks and a result file in the making. Only the holder of the lock may do so.
void remove_leftovers(const std::filesystem::path& lock, const std::filesystem::path& output) {
  std::error_code ignored;
  const std::string prefix = fmt::format("{}.{}.", lock.filename().string(), host_name());
  const std::filesystem::path folder = lock.has_parent_path() ? lock.parent_path() : ".";
  std::vector<std::filesystem::path> leftovers{output.string() + ".part"};
  for (std::filesystem::directory_iterator entry(folder, ignored), end; !ignored && entry != end;
       entry.increment(ignored)) {
    const std::string name = entry->path().filename().string();
    if (!name.starts_with(prefix)) continue;
    const auto pid = parse_integer(name.substr(prefix.size()));
    if (pid && *pid > 0 && is_dead({host_name(), *pid, "", "", "", "", ""})) {
      leftovers.push_back(entry->path());
    }
  }
  for (const std::filesystem::path& leftover : leftovers) ::unlink(leftover.c_str());
}

}  // namespace

RunLock::RunLock(const std::filesystem::path& name) {
  const std::filesystem::path output = behind_link(name);
  file_ = output.string() + ".lock";
  const std::int64_t pid = getpid();
  content_ = to_text({host_name(), pid, process(pid).start, user_name(), now_text(),
                      scheduler_job(), own_pid_namespace()});
  const std::filesystem::path beside = fmt::format("{}.{}.{}", file_.string(), host_name(), pid);
  for (int attempt = 0;; ++attempt) {
    const int error = write_exclusively(file_, beside, content_);
    if (error == 0) {
      remove_leftovers(file_, output);
      return;
    }
    if (error != EEXIST) {
      const bool full = error == ENOSPC || error == EDQUOT;
      throw InputError("cannot make the run's lock", std::strerror(error),
                       full                    ? "free space or choose another output"
                       : error == ENAMETOOLONG ? "choose an output with a shorter name"
                                               : "choose an output in a folder that can be written",
                       {file_.string(), 0});
    }
    const std::string found = read_text(file_);
    const std::optional<Owner> owner = parse(found);
    if (!owner) {
      // Whoever made it has not written it yet, or died in between.
      if (attempt < 20) {
        usleep(50'000);
        continue;
      }
      throw InputError("the output is locked", "the lock file names no owner",
                       "if no other run writes to this output, delete the lock file",
                       {file_.string(), 0});
    }
    if (!is_dead(*owner) || attempt > 40) {
      const bool elsewhere = owner->host != host_name();
      const bool in_container = !elsewhere && !is_seen_from_here(*owner);
      throw InputError(
          "another run is writing to this output",
          fmt::format("process {} of {} on host {}{} since {}{}", owner->pid, owner->user,
                      owner->host, in_container ? " in another container" : "", owner->time,
                      owner->job.empty() || owner->job == "none" ? "" : ", job " + owner->job),
          elsewhere ? "wait for it or stop it; if that host has lost it, delete the lock file"
          : in_container
              ? "wait for it or stop it; if that container has ended, delete the lock file"
              : "wait for it or stop it, or choose another output",
          {file_.string(), 0});
    }
    // Renaming lets only one of several takers win; a lock made anew in between is put back.
    if (::rename(file_.c_str(), beside.c_str()) != 0) continue;
    const bool same = read_text(beside) == found;
    if (!same) static_cast<void>(::link(beside.c_str(), file_.c_str()));
    ::unlink(beside.c_str());
    if (same) {
      note_ = fmt::format(
          "took over the lock of process {} of {} on this host, which ended without "
          "removing it (locked {})",
          owner->pid, owner->user, owner->time);
    }
  }
}

RunLock::RunLock(RunLock&& other) noexcept
    : file_(std::move(other.file_)),
      content_(std::move(other.content_)),
      note_(std::move(other.note_)) {
  other.file_.clear();
}

RunLock::~RunLock() {
  if (file_.empty()) return;
  try {
    if (read_text(file_) == content_) ::unlink(file_.c_str());
  } catch (...) {  // a lock left behind is taken over by the next run
  }
}

}  // namespace banzuke
