#include "jobs/rank_data.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/text.hpp"

namespace banzuke {

RankFile rank_file_keys(const Section& table, const Config& config) {
  RankFile file;
  file.key = table.path("file");
  file.path = config.resolve(table.text(
      {"file", "rank counts, .json or .csv, relative to the config", "", Role::operational}));
  file.where = table.where("file");
  file.options.ranks = static_cast<int>(
      table.integer({"k", "the number of ranks; 0: what the file has", "1"}, 0, {0, 64}));
  if (file.options.ranks == 1) {
    throw InputError(fmt::format("{} is 1", in_quotes(table.path("k"))), "a game has 2 to 64 ranks",
                     "give the number of players at a table, or leave it out", table.where("k"));
  }
  if (table.has("columns")) {
    file.options.columns = table.texts({"columns", "CSV: the columns of the ranks, best first"});
  }
  const std::string separator =
      table.choice({"separator", "CSV: what divides the columns"}, {",", ";", "|", "tab"}, ",");
  file.options.separator = separator == "tab" ? '\t' : separator[0];
  return file;
}

RankTable load_rank_file(Inputs& inputs, const RankFile& file) {
  const Input& input = inputs.load(file.key, file.path, file.where);
  return read_rank_table({input.path, input.content}, file.options);
}

std::vector<std::int64_t> as_integers(std::span<const std::uint32_t> values) {
  return {values.begin(), values.end()};
}

std::vector<std::uint32_t> stored_counts(const Bundle& set_up, std::string_view name) {
  std::vector<std::uint32_t> counts;
  for (const std::int64_t value : set_up.integers(name)) {
    counts.push_back(static_cast<std::uint32_t>(value));
  }
  return counts;
}

void require_distinct(const std::vector<std::string>& labels, const std::vector<Location>& where,
                      std::string_view what) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    if (std::find(labels.begin(), labels.begin() + static_cast<long>(i), labels[i]) !=
        labels.begin() + static_cast<long>(i)) {
      throw InputError(fmt::format("{} {} appears twice", what, in_quotes(labels[i])),
                       "results are told apart by it", "rename one of them", where[i]);
    }
  }
}

double confidence_key(const Section& root) {
  return root.number({"confidence", "coverage the intervals aim at", "1"}, 0.95, {0.01, 0.9999});
}

std::string percent_text(double share) {
  return fmt::format("{} %", shortest(100 * share));
}

}  // namespace banzuke
