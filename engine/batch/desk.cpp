#include "engine/batch/desk.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <ctime>
#include <filesystem>

#include "engine/base/text.hpp"
#include "engine/batch/build_info.hpp"
#include "engine/batch/progress.hpp"
#include "engine/store/new_folders.hpp"

namespace banzuke {
namespace {

std::string host_name() {
  char name[256] = "unknown";
  gethostname(name, sizeof name - 1);
  return name;
}

Provenance provenance_of(const Order& order, const Communicator& comm) {
  Provenance provenance = build_provenance();
  std::string effective;
  for (const EffectiveKey& key : order.config.effective()) {
    effective += fmt::format("{} = {}{}\n", key.path, key.value, key.written ? "" : "  # default");
  }
  const auto now = fmt::gmtime(std::time(nullptr));
  provenance.emplace_back("library_mpi", comm.library());
  provenance.emplace_back("created_on_host", host_name());
  provenance.emplace_back("created_at", fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", now));
  provenance.emplace_back("created_with_ranks", fmt::format("{}", comm.size()));
  provenance.emplace_back("created_with_threads", fmt::format("{}", order.keys.threads));
  provenance.emplace_back("seed", fmt::format("{}", order.keys.seed));
  provenance.emplace_back("config_path", order.config.path());
  provenance.emplace_back("config_verbatim", order.config.verbatim());
  provenance.emplace_back("config_effective", effective);
  return provenance;
}

struct Opened {
  RunLock lock;
  ResultFile file;
  Bundle set_up;
};

ResultFile open_own(const std::filesystem::path& path, const FileAccess& access,
                    const Identity& identity) {
  ResultFile file = ResultFile::open(path, access);
  // Points added at the end are welcome: the layout tells whether that is what they are.
  const Identity same_part = without_appended_tables(file.identity(), identity);
  if (const auto changes = difference(file.identity(), same_part)) {
    throw InputError(
        fmt::format("{} holds another run", path_in_quotes(path.string())),
        "its config or inputs differ",
        fmt::format("restore them, or name another output; stored → now:\n{}", *changes));
  }
  return file;
}

Opened open_or_create(Order& order, const Communicator& comm) {
  Inputs inputs;
  order.preparation->load(inputs);
  const Identity identity = identity_of(order, inputs);
  const std::filesystem::path path = order.keys.output;
  FileAccess access;
  access.locking = order.keys.locking;
  access.on_wait = [](const std::string& text) { say(fmt::format("banzuke: {}", text)); };
  const auto job_for = [&](const Bundle& set_up) {
    return order.kind->make(set_up, order.keys.seed);
  };
  const auto shard_of = [&](const Job& job) -> std::optional<Shard> {
    if (!order.keys.shard) return std::nullopt;
    if (job.is_adaptive()) {
      throw InputError("a run that may stop early cannot be cut in shards",
                       "whether it has enough is judged on complete prefixes",
                       "leave out the rule to stop, or run it whole", {order.config.path(), 0});
    }
    return cut(job.layout(order.keys.replicates), job.lane_group(), order.keys.shard->index,
               order.keys.shard->count);
  };

  std::error_code unreachable;  // told by whoever makes the file
  if (!std::filesystem::exists(path, unreachable)) {
    Bundle set_up = order.preparation->set_up();
    const std::unique_ptr<Job> job = job_for(set_up);
    const std::optional<Shard> shard = shard_of(*job);
    // Before the file: two runs that begin at once would write the same one.
    NewFolders folders(path);
    RunLock lock(path);
    const Provenance provenance = provenance_of(order, comm);
    if (shard) {
      ResultFile::create(path, *shard, set_up, identity, provenance);
    } else {
      ResultFile::create(path, job->layout(order.keys.replicates), set_up, identity, provenance);
    }
    folders.keep();
    return {std::move(lock), ResultFile::open(path, access), std::move(set_up)};
  }
  open_own(path, access, identity);  // a foreign file is refused before a lock is laid beside it
  RunLock lock(path);
  ResultFile file = open_own(path, access, identity);
  const bool appended = difference(file.identity(), identity).has_value();
  Bundle set_up = appended ? order.preparation->set_up() : file.read_setup();
  const std::unique_ptr<Job> job = job_for(set_up);
  const Layout layout = job->layout(order.keys.replicates);
  if (file.shard() || order.keys.shard) {
    if (file.shard() && appended) {
      throw InputError(fmt::format("{} cannot take more points", path_in_quotes(path.string())),
                       fmt::format("it is {}", file.shard()->describe()),
                       "merge the shards and extend the merged file, or name another output");
    }
    if (appended || file.shard() != shard_of(*job)) {
      throw InputError(fmt::format("{} is another part of the run", path_in_quotes(path.string())),
                       file.shard()
                           ? fmt::format("it is {} of {} replicates", file.shard()->describe(),
                                         file.shard()->whole.replicates)
                           : "it is the whole run",
                       "ask for the same shard and number of replicates, or name another output");
    }
    return {std::move(lock), std::move(file), std::move(set_up)};
  }
  if (layout.replicates < file.layout().replicates) {
    throw InputError(fmt::format("{} already has {} replicates", path_in_quotes(path.string()),
                                 file.layout().replicates),
                     fmt::format("the config asks for {}", layout.replicates),
                     "ask for at least as many, or name another output");
  }
  if (layout != file.layout() || appended) {
    ResultFile::extend(path, layout, set_up, identity, provenance_of(order, comm), access);
    file = ResultFile::open(path, access);
  }
  return {std::move(lock), std::move(file), std::move(set_up)};
}

}  // namespace

Desk::Desk(Order& order, const Communicator& comm, const std::string& hosts)
    : Desk([&] {
        Opened opened = open_or_create(order, comm);
        order.preparation.reset();  // what was read of the inputs has served
        Session session;
        session.start = std::time(nullptr);
        session.end = session.start;
        session.ranks = comm.size();
        session.threads = order.keys.threads;
        session.hosts = hosts;
        session.version = version_text();
        return Desk(std::move(opened.lock), std::move(opened.file), std::move(opened.set_up),
                    std::move(session), order);
      }()) {}

Desk::Desk(RunLock lock, ResultFile file, Bundle set_up, Session session, const Order& order)
    : lock_(std::move(lock)),
      file_(std::move(file)),
      set_up_(std::move(set_up)),
      session_(std::move(session)),
      kind_(order.kind),
      adaptive_(order.kind->make(set_up_, order.keys.seed)->is_adaptive()) {
  for (const auto& counts : file_.status_counts()) rows_left_ += counts[status_missing];
}

std::uint64_t Desk::rows_total() const {
  return file_.layout().points.size() * file_.layout().rows();
}

std::string Desk::part() const {
  return file_.shard() ? file_.shard()->describe() : std::string();
}

std::vector<Block> Desk::next_stage() {
  const std::size_t first_point = file_.shard() ? file_.shard()->first_point : 0;
  const std::uint64_t first_row = file_.shard() ? file_.shard()->first_row : 0;
  std::vector<Block> blocks;
  const auto missing = file_.missing();
  for (std::size_t point = 0; point < missing.size(); ++point) {
    if (missing[point].empty()) continue;
    std::uint64_t limit = layout().rows();
    if (adaptive_) {
      // Everything below `first` is complete. A checkpoint below it was judged when it was
      // reached; one that closed the point has left its mark just before `first`.
      const std::uint64_t first = missing[point].front().first;
      std::uint64_t checkpoint = (kind_->first_checkpoint - 1) / layout().segment + 1;
      while (checkpoint < first) checkpoint *= 2;
      const auto closed = [&] {
        const auto names = layout().statuses;
        return first > 0 && names[file_.read_status(point, {first - 1, 1})[0]] == "not_needed";
      };
      if (closed() || (checkpoint == first && kind_->enough(file_, point, first))) {
        close_point(point, first);
        continue;
      }
      limit = std::min(limit, checkpoint == first ? 2 * checkpoint : checkpoint);
    }
    for (const RowRange& range : missing[point]) {
      if (range.first >= limit) break;
      blocks.push_back({first_point + point, first_row + range.first,
                        std::min(range.count, limit - range.first)});
    }
  }
  return blocks;
}

void Desk::close_point(std::size_t point, std::uint64_t first) {
  const auto names = layout().statuses;
  const auto not_needed = std::find(names.begin(), names.end(), "not_needed") - names.begin();
  constexpr std::uint64_t rows_at_once = 4096;
  for (; first < layout().rows(); first += rows_at_once) {
    const std::size_t count = std::min(rows_at_once, layout().rows() - first);
    std::vector<std::byte> bytes(RowBlock::bytes(layout(), count));
    const RowBlock rows(layout(), point, first, count, bytes.data());
    rows.fill();
    std::fill(rows.status().begin(), rows.status().end(), static_cast<std::uint8_t>(not_needed));
    file_.commit({&rows, 1}, session_);
    rows_left_ -= count;
  }
}

void Desk::begin_session() {
  file_.begin_session(session_);
}

void Desk::commit(std::span<const RowBlock> rows, double seconds_so_far, double imbalance) {
  Session after = session_;
  for (const RowBlock& block : rows) {
    const auto status = block.status();
    const auto missing = std::count(status.begin(), status.end(), status_missing);
    after.rows_committed += block.count() - static_cast<std::uint64_t>(missing);
  }
  after.end = std::time(nullptr);
  after.rows_per_second =
      static_cast<double>(after.rows_committed) / std::max(seconds_so_far, 1e-9);
  after.imbalance = imbalance;
  file_.commit(rows, after);
  rows_left_ -= after.rows_committed - session_.rows_committed;
  session_ = after;
}

void Desk::end_session(const std::string& why) {
  session_.end = std::time(nullptr);
  session_.why_it_stopped = why;
  file_.update_session(session_);
}

}  // namespace banzuke
