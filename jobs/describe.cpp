#include <fmt/format.h>

#include <ostream>

#include "engine/base/text.hpp"
#include "engine/config/description.hpp"
#include "jobs/catalogue.hpp"
#include "jobs/report.hpp"
#include "jobs/verbs.hpp"

namespace banzuke {
namespace {

std::vector<KeyDescription> keys_of(const JobKind& kind) {
  return describe_keys([&](const Config& config) {
    const Section root = config.root();
    read_run_keys(root, kind, "<config>");
    kind.configure(root, config);
  });
}

std::string allowed_text(const KeyDescription& key) {
  if (key.words.empty()) return range_text(key.range);
  std::vector<std::string> words;
  for (const std::string& word : key.words) words.push_back(in_quotes(word));
  return join(words, ", ");
}

std::string presence_text(const KeyDescription& key) {
  return !key.required ? "optional" : key.always ? "required" : "required where it is read";
}

Report jobs_report() {
  using enum Table::Align;
  Report report;
  report.counted = "jobs";
  report.table = Table({{"job", "job", "name, for the key `job` of a config", "1", left},
                        {"summary", "summary", "what it does", "1", left},
                        {"random", "random", "whether it draws random numbers", "1", left}});
  report.table.show({"job", "summary"});
  for (const JobKind& kind : catalogue()) {
    const char* random = kind.randomness == Randomness::always      ? "always"
                         : kind.randomness == Randomness::sometimes ? "sometimes"
                                                                    : "never";
    report.table.add({Cell::text(kind.name), Cell::text(kind.summary), Cell::text(random)});
    ++report.total;
  }
  report.done = report.total;
  report.notes = {"banzuke describe JOB tells the keys of its config."};
  return report;
}

Report keys_report(const JobKind& kind) {
  using enum Table::Align;
  Report report;
  report.counted = "keys";
  report.title = {fmt::format("{}: {}", kind.name, kind.summary)};
  report.table =
      Table({{"key", "key", "dotted name, [] for an array of tables", "1", left},
             {"type", "type", "what it holds", "1", left},
             {"default", "default", "TOML; or required, or optional", "1", left},
             {"units", "units", "of the number", "1", left},
             {"allowed", "allowed", "range or words", "1", left},
             {"role", "role", "what another value means for a file that exists", "1", left},
             {"when", "read with", "what must be set for the key to be read", "1", left},
             {"meaning", "meaning", "what it says", "1", left}});
  for (const KeyDescription& key : keys_of(kind)) {
    const bool is_table = key.type == "table" || key.type == "tables";
    const bool has_number = !key.key.units.empty() && key.key.units != "1";
    report.table.add({Cell::text(key.path), Cell::text(key.type),
                      Cell::text(key.default_value ? *key.default_value : presence_text(key)),
                      Cell::text(has_number ? key.key.units : ""), Cell::text(allowed_text(key)),
                      Cell::text(is_table ? "" : role_text(key.key.role)), Cell::text(key.when),
                      Cell::text(key.key.meaning)});
    ++report.total;
  }
  report.done = report.total;
  report.notes = {
      "required: wherever its table is written. A key that "
      "decides the numbers cannot be changed for a result file that exists."};
  return report;
}

/// Each key in lines of its own: a table of its columns would be wider than any terminal.
void print_keys(const JobKind& kind, std::ostream& out) {
  out << fmt::format("{}: {}\n", kind.name, kind.summary);
  for (const KeyDescription& key : keys_of(kind)) {
    const bool is_table = key.type == "table" || key.type == "tables";
    const std::string name = key.type == "table"    ? fmt::format("[{}]", key.path)
                             : key.type == "tables" ? fmt::format("[[{}]]", key.path)
                                                    : key.path;
    out << fmt::format("\n{}: {}\n", name, key.key.meaning);
    std::vector<std::string> facts;
    if (!is_table) facts.push_back(key.type);
    facts.push_back(key.default_value ? fmt::format("default {}", *key.default_value)
                                      : presence_text(key));
    if (const std::string allowed = allowed_text(key); !allowed.empty()) facts.push_back(allowed);
    if (!key.key.units.empty() && key.key.units != "1") facts.push_back(key.key.units);
    if (!is_table) facts.push_back(role_text(key.key.role));
    out << fmt::format("    {}\n", join(facts, "; "));
    if (!key.when.empty()) out << fmt::format("    read with {}\n", key.when);
  }
}

}  // namespace

int describe_verb(const std::string& job, const TableRequest& request, std::ostream& out) {
  if (job.empty()) {
    print(jobs_report(), request, out);
    return exit_done;
  }
  const JobKind& kind = find_job(catalogue(), job);
  if (request.format == TableFormat::text) {
    print_keys(kind, out);
  } else {
    print(keys_report(kind), request, out);
  }
  return exit_done;
}

}  // namespace banzuke
