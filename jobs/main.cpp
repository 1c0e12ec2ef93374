#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <map>
#include <string_view>

#include "engine/base/text.hpp"
#include "engine/batch/build_info.hpp"
#include "engine/batch/comm.hpp"
#include "engine/batch/driver.hpp"
#include "engine/batch/progress.hpp"
#include "engine/batch/round.hpp"
#include "jobs/catalogue.hpp"
#include "jobs/verbs.hpp"

namespace {

using namespace banzuke;

/// "2/4".
ShardNumber parse_shard(const std::string& text) {
  const auto slash = text.find('/');
  const auto part = [&](std::size_t from, std::size_t count) {
    return slash == std::string::npos ? std::nullopt : parse_integer(text.substr(from, count));
  };
  const auto index = part(0, slash);
  const auto count = part(slash + 1, std::string::npos);
  if (!index || !count || *index < 1 || *count < *index || *count > 1'000'000) {
    throw InputError(fmt::format("{} is no shard", in_quotes(text)), "shards count from 1",
                     "write --shard 1/4 to --shard 4/4");
  }
  return {static_cast<std::uint32_t>(*index), static_cast<std::uint32_t>(*count)};
}

/// Results that did not reach their reader (a full disk, a closed pipe) are no success.
int written(int exit_code) {
  if (std::cout.flush()) return exit_code;
  throw SystemError("standard output cannot be written", "a full disk, or a reader that has gone",
                    "free space or write elsewhere");
}

/// Whether this process is the one of its run that tells what is wrong with the command line:
/// before MPI has begun, the launcher's environment knows the rank.
bool is_speaker() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK"}) {
    if (const char* rank = std::getenv(name)) return std::string_view(rank) == "0";
  }
  return true;
}

std::string check_seconds(const std::string& text) {
  const auto seconds = parse_double(text);
  return seconds && std::isfinite(*seconds) && *seconds >= 0
             ? ""
             : fmt::format("{} is no number of seconds from 0", in_quotes(text));
}

int run_verb(const RunOptions& options) {
  catch_stop_signals();
  std::signal(SIGPIPE, SIG_IGN);  // whoever reads the messages may leave before the run has ended
  const std::unique_ptr<Communicator> comm =
      started_under_mpi() ? make_mpi_communicator() : make_self_communicator();
  const SteadyClock clock;
  try {
    return run(catalogue(), options, *comm, clock);
  } catch (const std::exception& error) {
    say(fmt::format("banzuke: {}", error.what()));
    if (comm->size() > 1) comm->abort(exit_bug);
    return exit_bug;
  }
}

/// What is wrong with a command line, with the nearest name where a verb or option is misspelt.
std::string advice(const CLI::App& app, const CLI::ParseError& error, int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const auto message = [](const std::string& problem, const std::string& name,
                          const std::vector<std::string>& known) {
    const auto near = nearest_name(name, known);
    return fmt::format("{} (there are {}): {}", problem, join(known, ", "),
                       near ? fmt::format("did you mean {}?", *near) : "see banzuke --help");
  };
  std::vector<std::string> verbs;
  for (const CLI::App* verb : app.get_subcommands({})) verbs.push_back(verb->get_name());
  const CLI::App* verb = nullptr;
  for (const std::string& word : words) {
    if (word.starts_with("-")) continue;
    if (std::find(verbs.begin(), verbs.end(), word) == verbs.end()) {
      return message(fmt::format("there is no verb {}", in_quotes(word)), word, verbs);
    }
    verb = app.get_subcommand(word);
    break;
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : (verb ? verb : &app)->get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || name == "--" || name == "--help") continue;
    if (std::find(options.begin(), options.end(), name) != options.end()) continue;
    const std::string where = verb ? " of " + verb->get_name() : "";
    return message(fmt::format("there is no option {}{}", in_quotes(name), where), name, options);
  }
  return fmt::format("{}: see banzuke {}{}--help", error.what(), verb ? verb->get_name() : "",
                     verb ? " " : "");
}

void add_config(CLI::App& verb, RunOptions& options) {
  verb.add_option("config", options.config, "TOML file")->required();
  verb.add_option("-o,--output", options.output, "result file, instead of the config's");
  verb.add_option("--set", options.overrides, "key=value over the config's, dotted; repeatable")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
}

}  // namespace

int main(int argc, char** argv) {
  // A limit on the size of files is a failed write with a message, not the end of the process.
  std::signal(SIGXFSZ, SIG_IGN);
  CLI::App app{
      "Banzuke: ratings, priors and luck with the uncertainty of every number.\n"
      "A config says what to compute; a run keeps all results in one HDF5 file, may be killed at\n"
      "any time and goes on with the same command; ranks and threads never change a number."};
  app.set_version_flag("--version", "banzuke " + version_text());
  app.require_subcommand(1);
  const std::string exit_codes =
      "Exit codes: 0 done, 1 a bug, a failed machine or a replicate that differs, 2 wrong input,\n"
      "3 stopped early and resumable.";
  app.footer(exit_codes);  // of every verb, and below the list of jobs

  RunOptions options;
  CLI::App* run = app.add_subcommand("run", "compute what a config asks for, or go on with it");
  add_config(*run, options);
  run->add_option("--threads", options.threads, "OpenMP threads a rank")
      ->check(CLI::Range(1, most_threads));
  run->add_option("--time-limit", options.time_limit, "stop in time before so many seconds")
      ->check(check_seconds, "SECONDS");
  std::string shard;
  run->add_option("--shard", shard,
                  "compute part I of N only, into OUTPUT.shard-I-of-N.h5; see merge")
      ->type_name("I/N");
  run->add_flag("--quiet", options.quiet, "say nothing unless something is wrong");

  CLI::App* check = app.add_subcommand("check", "validate a config and its input; run nothing");
  add_config(*check, options);
  std::optional<std::size_t> ranks;
  check->add_option("--ranks", ranks, "forecast the run on so many ranks")
      ->check(CLI::Range(1, 1'000'000));
  check->add_option("--threads", options.threads, "OpenMP threads a rank, for memory and forecast")
      ->check(CLI::Range(1, most_threads));

  std::string file;
  CLI::App* status = app.add_subcommand(
      "status", "what a result file holds and lacks; exit code 3 while it is unfinished");
  status->add_option("file", file, "result file")->required();

  TableRequest request;
  const std::map<std::string, TableFormat> formats{{"text", TableFormat::text},
                                                   {"csv", TableFormat::csv},
                                                   {"markdown", TableFormat::markdown},
                                                   {"json", TableFormat::json},
                                                   {"latex", TableFormat::latex}};
  std::string format = "text";
  const auto add_format = [&](CLI::App& verb, const std::vector<std::string>& words) {
    verb.add_option("--format", format, join(words, ", "))
        ->check(CLI::IsMember(words))
        ->capture_default_str();
  };
  CLI::App* table = app.add_subcommand("table", "print the summary of a result file");
  table->add_option("file", file, "result file")->required();
  std::string table_name;
  std::vector<std::string> further;
  for (const JobKind& kind : catalogue()) {
    for (const auto& more : kind.tables) further.push_back(more.name + " of " + kind.name);
  }
  table->add_option("table", table_name,
                    "instead of the summary a further table: " + join(further, ", "));
  add_format(*table, {"text", "csv", "markdown", "json", "latex"});
  table->add_option("--point", request.point, "this point only, by label or number from 0");
  table->add_option("--sort", request.sort, "column to sort by; - in front: largest first")
      ->type_name("[-]COLUMN");
  table->add_option("--columns", request.columns, "these columns, in this order")
      ->type_name("COLUMN,…")
      ->delimiter(',');
  table->add_option("--decimals", request.decimals, "of every number that is not whole")
      ->check(CLI::Range(0, 17));
  table->add_option("--top", request.top, "only the first so many rows of each table")
      ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000'000}));

  std::string job;
  CLI::App* describe = app.add_subcommand("describe", "list the jobs, or the keys of one");
  describe->add_option("job", job, "whose keys to list, with default, range and meaning");
  add_format(*describe, {"text", "markdown", "json"});

  std::string point, replicate;
  CLI::App* replay = app.add_subcommand(
      "replay", "compute one replicate again and compare it with the stored row");
  replay->add_option("file", file, "result file")->required();
  replay->add_option("point", point, "label, or number from 0")->required();
  replay->add_option("replicate", replicate, "number from 0")->required();
  add_format(*replay, {"text", "json"});

  std::vector<std::string> parts;
  CLI::App* merge = app.add_subcommand(
      "merge", "unite the shards of a run in one file; exit code 3 while rows are missing");
  merge->add_option("output", file, "file of the whole run; made where it does not exist")
      ->required();
  merge->add_option("shards", parts, "files to take rows from")->required();

  std::optional<std::uint64_t> limit;
  CLI::App* digest = app.add_subcommand("digest", "hash identity, records and statuses");
  digest->add_option("file", file, "result file")->required();
  digest->add_option("--replicates", limit, "only the first so many replicates of each point")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{4294967295}));

  std::string jobs = "Jobs (key `job` of a config):\n";
  for (const JobKind& kind : catalogue()) {
    jobs += fmt::format("  {:<18} {}\n", kind.name, kind.summary);
  }
  app.footer(jobs + exit_codes);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return app.exit(error);  // help and version
    if (is_speaker()) say(fmt::format("banzuke: {}", advice(app, error, argc, argv)));
    return exit_input;
  }
  try {
    if (!shard.empty()) options.shard = parse_shard(shard);
    if (*run) return run_verb(options);
    if (*merge) return written(merge_verb(file, parts, std::cout));
    if (*check) return written(check_verb(options, ranks, std::cout));
    if (*status) return written(status_verb(file, std::cout));
    request.format = formats.at(format);
    if (*table) return written(table_verb(file, table_name, request, std::cout));
    if (*describe) return written(describe_verb(job, request, std::cout));
    if (*replay) return written(replay_verb(file, point, replicate, request, std::cout));
    return written(digest_verb(file, limit, std::cout));
  } catch (const InputError& error) {
    if (*run && !is_speaker()) return exit_input;
    say(fmt::format("banzuke: {}", error.what()));
    return exit_input;
  } catch (const std::exception& error) {
    say(fmt::format("banzuke: {}", error.what()));
    return exit_bug;
  }
}
