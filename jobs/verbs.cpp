#include "jobs/verbs.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <ostream>

#include "engine/base/text.hpp"
#include "engine/batch/forecast.hpp"
#include "engine/batch/memory.hpp"
#include "engine/batch/progress.hpp"
#include "engine/store/new_folders.hpp"
#include "engine/store/run_lock.hpp"
#include "jobs/catalogue.hpp"

namespace banzuke {
namespace {

std::uint64_t sum_of(const std::vector<std::vector<std::uint64_t>>& counts, std::size_t status) {
  std::uint64_t sum = 0;
  for (const auto& point : counts) sum += point[status];
  return sum;
}

std::uint64_t rows_of(const Layout& layout) {
  return layout.points.size() * layout.rows();
}

std::string date_text(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

void print_forecast(const Job& job, const Layout& layout, std::size_t ranks, const RunKeys& keys,
                    std::ostream& out) {
  Machine machine;
  machine.ranks = ranks;
  machine.threads = static_cast<std::size_t>(keys.threads);
  machine.round_seconds = keys.round_seconds;
  machine.seconds_per_cost = measure_cost(job, layout);
  WorkShape shape{job.lane_group(), layout.row_bytes(), {}};
  std::vector<Block> everything;
  for (std::size_t point = 0; point < layout.points.size(); ++point) {
    shape.cost.push_back(job.cost(point));
    everything.push_back({point, 0, layout.rows()});
  }
  const Missing missing(everything, shape);
  const Forecast f = forecast(missing, machine);
  out << fmt::format(
      "forecast for {} ranks × {} threads, from {:.3g} ms a {} measured here (predicted, "
      "not run):\n"
      "  time           {} (computing {}, rank 0 gathering and writing {})\n"
      "  rounds         {}, at most {} of rows each\n"
      "  balance        {:.3f} (mean over longest busy time of a round)\n"
      "  efficiency     {:.3f}\n",
      machine.ranks, machine.threads, 1e3 * machine.seconds_per_cost * missing.mean_cost(),
      layout.row_noun(), duration_text(f.wall_seconds()), duration_text(f.compute_seconds),
      duration_text(f.writer_seconds), f.rounds,
      bytes_text(static_cast<double>(f.largest_round_bytes)), f.balance, f.efficiency);
  const std::size_t workers = machine.ranks * machine.threads;
  if (f.most_blocks < workers) {
    out << fmt::format(
        "  at work        at most {} of {} threads at a time: {}\n", f.most_blocks, workers,
        f.largest_round_bytes >= round_bytes
            ? fmt::format("a round holds {} of rows; use shards, which have rounds of their own",
                          bytes_text(static_cast<double>(round_bytes)))
            : "there is no more to do");
  }
  out << fmt::format(
      "  single writer  saturates at about {:.3g} threads ({} a {}, {}/s assumed){}\n",
      f.saturation_threads, bytes_text(static_cast<double>(layout.row_bytes())), layout.row_noun(),
      bytes_text(machine.write_bytes_per_second),
      static_cast<double>(workers) > f.saturation_threads
          ? layout.segment == 1
                ? ": more threads than that only wait; keep moments only where the job can, or "
                  "use shards, each with a file of its own"
                : ": more threads than that only wait; use shards, each with a file of its own"
          : "");
}

/// Bytes free where a file would be made: in the nearest folder of its path that exists.
std::optional<std::uint64_t> free_bytes(const std::string& output) {
  std::error_code error;
  std::filesystem::path folder = std::filesystem::absolute(output, error).parent_path();
  while (!std::filesystem::exists(folder, error) && folder.has_relative_path()) {
    folder = folder.parent_path();
  }
  const std::filesystem::space_info space = std::filesystem::space(folder, error);
  return error ? std::nullopt : std::optional<std::uint64_t>(space.available);
}

}  // namespace

int check_verb(const RunOptions& options, std::optional<std::size_t> ranks, std::ostream& out) {
  Order order = read_order(catalogue(), options);
  Inputs inputs;
  order.preparation->load(inputs);
  const Bundle set_up = order.preparation->set_up();
  const std::unique_ptr<Job> job = order.kind->make(set_up, order.keys.seed);
  const Layout layout = job->layout(order.keys.replicates);
  layout.check();

  out << fmt::format("job         {}: {}\n", order.kind->name, order.kind->summary);
  for (const Input& input : inputs.files()) {
    out << fmt::format("input       {} ({}, sha256 {}…)\n", input.path,
                       bytes_text(static_cast<double>(input.bytes)), input.sha256.substr(0, 12));
  }
  out << fmt::format("points      {}\nreplicates  {} a point{}, {} rows in all\n",
                     layout.points.size(), layout.replicates, layout.segment_text(),
                     rows_of(layout));
  for (const Dimension& dimension : layout.dimensions) {
    out << fmt::format("{:<11} {}\n", dimension.name, dimension.size);
  }
  out << fmt::format("bytes       {} a row, {} in the file\n", layout.row_bytes(),
                     bytes_text(static_cast<double>(layout.total_bytes())));
  const MemoryNeed memory = memory_need(*job, layout, order.keys.threads, peak_memory());
  out << fmt::format("memory      about {} MiB on rank 0, {} MiB on another, with {} thread{}\n",
                     memory.root >> 20, memory.other >> 20, order.keys.threads,
                     order.keys.threads == 1 ? "" : "s");
  std::error_code unreachable;
  const bool exists = std::filesystem::exists(order.keys.output, unreachable);
  out << fmt::format("output      {}{}\n", order.keys.output,
                     exists ? " (exists; a run goes on with it if it is this config's)" : "");
  if (set_up.has("notes")) {
    for (const std::string& note : set_up.strings("notes")) out << "note: " << note << '\n';
  }
  if (order.kind->advice) {
    for (const std::string& line : order.kind->advice(set_up)) out << "advice: " << line << '\n';
  }
  if (const auto free = free_bytes(order.keys.output);
      !exists && free && *free < layout.total_bytes()) {
    out << fmt::format("WARNING: the disk of the output has {} free, too little for this run\n",
                       bytes_text(static_cast<double>(*free)));
  }
  if (ranks) print_forecast(*job, layout, *ranks, order.keys, out);
  out << "The config is good.\n";
  return exit_done;
}

int status_verb(const std::string& path, std::ostream& out) {
  const ResultFile file = ResultFile::open(path);
  const Layout& layout = file.layout();
  const auto counts = file.status_counts();
  const std::uint64_t total = rows_of(layout);
  const std::uint64_t missing = sum_of(counts, status_missing);
  if (file.shard()) out << file.shard()->describe() << '\n';
  out << fmt::format("{}: job {}, {} point{} × {} replicates{}, {} of {} done ({:.1f} %)\n", path,
                     file.identity().job, layout.points.size(),
                     layout.points.size() == 1 ? "" : "s", layout.replicates, layout.segment_text(),
                     total - missing, total,
                     100.0 * static_cast<double>(total - missing) / static_cast<double>(total));
  for (std::size_t status = 0; status < layout.statuses.size(); ++status) {
    const std::uint64_t count = sum_of(counts, status);
    if (count > 0) out << fmt::format("  {:<14} {}\n", layout.statuses[status], count);
  }
  for (const Session& session : file.sessions()) {
    out << fmt::format(
        "session {}, {}: {} rows on {} × {} (ranks × threads) at {}, {:.4g} rows/s, "
        "{}, version {}\n",
        date_text(session.start), duration_text(static_cast<double>(session.end - session.start)),
        session.rows_committed, session.ranks, session.threads, session.hosts,
        session.rows_per_second, session.why_it_stopped, session.version);
  }
  if (missing == 0) return exit_done;
  out << "unfinished: run the same config again to go on\n";
  return exit_stopped;
}

int table_verb(const std::string& path, const std::string& name, const TableRequest& asked,
               std::ostream& out) {
  const ResultFile file = ResultFile::open(path);
  if (file.shard()) {
    throw InputError("a shard alone has no summary", file.shard()->describe(),
                     "banzuke merge all.h5 SHARD…, then banzuke table all.h5", {path, 0});
  }
  const JobKind& kind = find_job(catalogue(), file.identity().job, {path, 0});
  TableRequest request = asked;
  if (asked.point) request.point = file.layout().points[point_called(file.layout(), *asked.point)];
  if (name.empty()) {
    kind.tabulate(file, request, out);
    return exit_done;
  }
  std::vector<std::string> names;
  for (const NamedTable& table : kind.tables) {
    if (table.name == name) {
      table.print(file, request, out);
      return exit_done;
    }
    names.push_back(fmt::format("{} ({})", table.name, table.summary));
  }
  throw InputError(fmt::format("there is no table {} of {}", in_quotes(name), kind.name),
                   names.empty() ? "this job has its summary only"
                                 : fmt::format("there are {}", join(names, ", ")),
                   "leave the name out for the summary", {path, 0});
}

int merge_verb(const std::string& output, const std::vector<std::string>& parts,
               std::ostream& out) {
  std::vector<ResultFile> files;
  for (const std::string& part : parts) {
    files.push_back(ResultFile::open(part));
    files.front().require_same_run(files.back());
  }
  // All contradictions are found before a row is taken from anybody.
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) files[j].require_equal_rows(files[i]);
  }
  // The lock comes first, and needs a folder to lie in.
  NewFolders folders(output);
  const RunLock lock(output);
  std::error_code unreachable;
  if (!std::filesystem::exists(output, unreachable)) {
    ResultFile::create(output, files.front().run_layout(), files.front().read_setup(),
                       files.front().identity(), files.front().provenance());
  }
  folders.keep();
  ResultFile whole = ResultFile::open(output);
  if (whole.shard()) {
    throw InputError("a shard cannot take other shards", whole.shard()->describe(),
                     "name a new file, or the file of the whole run", {output, 0});
  }
  whole.require_same_run(files.front());
  for (const ResultFile& file : files) whole.require_equal_rows(file);
  for (const ResultFile& file : files) {
    const std::uint64_t taken = whole.take_rows(file);
    out << fmt::format("{}: {} rows taken{}\n", file.path().string(), taken,
                       file.shard() ? ", " + file.shard()->describe() : "");
  }
  return status_verb(output, out);
}

int digest_verb(const std::string& path, std::optional<std::uint64_t> replicates,
                std::ostream& out) {
  const ResultFile file = ResultFile::open(path);
  if (replicates && *replicates > file.layout().replicates) {
    throw InputError(
        fmt::format("{} has {} replicates", path_in_quotes(path), file.layout().replicates),
        fmt::format("{} were asked for", *replicates), "ask for at most as many");
  }
  out << file.digest(replicates) << '\n';
  return exit_done;
}

}  // namespace banzuke
