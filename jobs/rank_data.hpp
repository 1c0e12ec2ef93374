#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/config/input_file.hpp"
#include "engine/records/rank_table.hpp"
#include "engine/store/bundle.hpp"

namespace banzuke {

/// A file of rank counts as a config names it.
struct RankFile {
  std::string key;   ///< dotted
  std::string path;  ///< resolved
  Location where;
  RankTableOptions options;
};

/// Reads the keys `file`, `k`, `columns` and `separator` of a table.
RankFile rank_file_keys(const Section& table, const Config& config);
RankTable load_rank_file(Inputs& inputs, const RankFile& file);

std::vector<std::int64_t> as_integers(std::span<const std::uint32_t> values);
/// An array of a set-up as counts.
std::vector<std::uint32_t> stored_counts(const Bundle& set_up, std::string_view name);

/// Throws InputError when a label of `[[array]]` occurs twice.
void require_distinct(const std::vector<std::string>& labels, const std::vector<Location>& where,
                      std::string_view what);

/// The key `confidence` of a job.
double confidence_key(const Section& root);

/// "95 %"
std::string percent_text(double share);

}  // namespace banzuke
