#pragma once
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "engine/batch/driver.hpp"

namespace banzuke {

/// The verbs of the command line beside `run`. Each prints to `out` and returns an exit code;
/// mistakes of the user are thrown as InputError.
/// With `ranks`, also forecasts the run on so many ranks of the config's threads.
int check_verb(const RunOptions& options, std::optional<std::size_t> ranks, std::ostream& out);
int status_verb(const std::string& file, std::ostream& out);
/// The job's summary, or one of its further tables by name.
int table_verb(const std::string& file, const std::string& name, const TableRequest& request,
               std::ostream& out);
/// The jobs, or every key of one job's config.
int describe_verb(const std::string& job, const TableRequest& request, std::ostream& out);
/// One replicate computed again from the stored set-up, beside the stored row: exit_done where they
/// are equal bit for bit, exit_bug where not, exit_stopped where the row is missing. Point (label
/// or number) and replicate count in the whole run, also for a shard.
int replay_verb(const std::string& file, const std::string& point, const std::string& replicate,
                const TableRequest& request, std::ostream& out);
/// The point of that label, or of that number. Throws InputError with the nearest label.
std::size_t point_called(const Layout& layout, const std::string& name);
/// Unites files or shards of one run in `output`, which is made where it does not exist.
int merge_verb(const std::string& output, const std::vector<std::string>& parts, std::ostream& out);
int digest_verb(const std::string& file, std::optional<std::uint64_t> replicates,
                std::ostream& out);

}  // namespace banzuke
