#include "jobs/bt_uncertainty_keys.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "engine/base/text.hpp"

namespace banzuke::bt_uncertainty {
namespace {

using namespace bt_inputs;

const Key compare_file{"file", "the CSV file of published uncertainties", "", Role::operational};
const Key own_ratings{"ratings", "the CSV file of ratings of this data set", "", Role::operational};
const Key own_published{"published", "the CSV file of published uncertainties of this data set", "",
                        Role::operational};

bool any_has(const std::vector<Section>& tables, std::string_view name) {
  return std::any_of(tables.begin(), tables.end(),
                     [&](const Section& table) { return table.has(name); });
}

Period period_of(const Section& games) {
  using enum Period;
  const std::vector<Period> all{none, year, half_year, quarter, month};
  std::vector<std::string> words;
  for (const Period period : all) words.emplace_back(period_word(period));
  const std::string word = games.choice(
      {"period", "what the games are cut into by their dates, each a point of its own"}, words,
      words[0]);
  return all[static_cast<std::size_t>(std::find(words.begin(), words.end(), word) - words.begin())];
}

void read_games_of(const Section& root, const Config& config, const std::vector<Section>& tables,
                   Keys& keys) {
  const Key key{"games", "the games or the schedule, or how those of all data sets are read"};
  const Section games = tables.empty() ? root.table(key) : root.optional_table(key);
  PairTableOptions options = game_options(games);
  options.period = period_of(games);
  if (tables.empty()) {
    DataKeys& data = keys.data.emplace_back();
    data.games = game_files(games, config, options);
    data.where = data.games.where;
    return;
  }
  if (games.has("files")) {
    throw InputError("games are named under [games] and under [[data]]",
                     "with [[data]], [games] says how files are read, not which",
                     "keep the files in one of them", games.where("files"));
  }
  for (const Section& table : tables) {
    DataKeys& data = keys.data.emplace_back();
    data.label = table.text({"label", "what the data set is called"});
    data.where = table.where("label");
    data.games = game_files(table, config, options);
  }
}

void read_truth_of(const Section& root, const Config& config, const std::vector<Section>& tables,
                   Keys& keys) {
  const bool owned = any_has(tables, own_ratings.name);
  const Section truth =
      root.optional_table({"truth", "ratings to simulate from, instead of the fit"});
  if (!root.has("truth") && !owned) return;
  TruthKeys shared = truth_columns(truth);
  const bool has_file = truth.has(truth_file.name) || !owned;
  if (has_file) shared.csv = csv_file(truth, config, truth_file, shared.csv);
  for (std::size_t i = 0; i < keys.data.size(); ++i) {
    keys.data[i].truth = shared;
    if (!tables.empty() && tables[i].has(own_ratings.name)) {
      keys.data[i].truth->csv = csv_file(tables[i], config, own_ratings, shared.csv);
    } else if (!has_file) {
      throw InputError(fmt::format("the data set {} has no ratings", in_quotes(keys.data[i].label)),
                       "others have: games are simulated from given ratings everywhere or nowhere",
                       "give it `ratings`, or a file for all under [truth]", keys.data[i].where);
    }
  }
}

void read_compare_of(const Section& root, const Config& config, const std::vector<Section>& tables,
                     Keys& keys) {
  const Section compare =
      root.optional_table({"compare", "published uncertainties to print beside ours"});
  // With data sets the columns are always read: one appended later may be the first to need them.
  if (!root.has("compare") && tables.empty()) return;
  CompareKeys shared;
  shared.csv = csv_columns(compare);
  shared.uncertainty = compare.text({"standard_uncertainty", "the column of uncertainties", "Elo"},
                                    "standard_uncertainty");
  shared.replicates =
      compare.text({"replicates", "the column of valid replicates; \"\" for none"}, "");
  const bool has_file = compare.has(compare_file.name) ||
                        (root.has("compare") && !any_has(tables, own_published.name));
  if (has_file) shared.csv = csv_file(compare, config, compare_file, shared.csv);
  for (std::size_t i = 0; i < keys.data.size(); ++i) {
    const bool owned = !tables.empty() && tables[i].has(own_published.name);
    if (!owned && !has_file) continue;
    keys.data[i].compare = shared;
    if (owned) keys.data[i].compare->csv = csv_file(tables[i], config, own_published, shared.csv);
  }
}

void read_storage(const Section& root, Keys& keys) {
  const Section storage =
      root.optional_table({"storage", "what the result file keeps of the replicates"});
  const bool moments =
      storage.choice({"keep",
                      "every replicate, or only the moments of segments of replicates: "
                      "small files, without quantiles"},
                     {"replicates", "moments"}, "replicates") == "moments";
  constexpr double longest = 1 << 20;
  const std::int64_t segment = storage.integer(
      {"segment", "replicates a segment sums up, a multiple of 8", "1"}, 256, {8, longest});
  if (segment % 8 != 0) {
    throw InputError(fmt::format("storage.segment is {}", segment),
                     "eight replicates share their random numbers", "choose a multiple of 8",
                     storage.where("segment"));
  }
  if (moments) {
    keys.segment = static_cast<std::uint64_t>(segment);
  } else if (storage.has("segment")) {
    throw InputError("storage.segment has no effect", "every replicate is kept",
                     "set keep = \"moments\", or remove it", storage.where("segment"));
  }
  keys.control_variate =
      root.choice({"variance_reduction",
                   "a control variate of known variance makes the uncertainties of well-played "
                   "players far more exact for the same number of replicates"},
                  {"none", "control_variate"}, "none") == "control_variate";
  keys.control_where = root.where("variance_reduction");
}

}  // namespace

Keys read_keys(const Section& root, const Config& config) {
  Keys keys;
  const std::vector<Section> tables =
      root.tables({"data", "data sets, each of which is rated by itself"});
  read_games_of(root, config, tables, keys);
  read_truth_of(root, config, tables, keys);
  keys.scale = read_scale(root);
  read_compare_of(root, config, tables, keys);
  const Section stop = root.optional_table({"stop", "when fewer replicates are enough"});
  if (root.has("stop")) {
    keys.stop_relative_error =
        stop.number({"relative_error",
                     "Monte Carlo standard error of every uncertainty, as a part of it, that is "
                     "enough; asked after 1000, 2000, 4000, … replicates"},
                    {1e-4, 1.0});
  }
  read_storage(root, keys);
  std::set<std::string> labels;
  for (const DataKeys& data : keys.data) {
    if (labels.insert(data.label).second) continue;
    throw InputError(fmt::format("two data sets are called {}", in_quotes(data.label)),
                     "tables tell them apart by their label", "give each a label of its own",
                     data.where);
  }
  return keys;
}

}  // namespace banzuke::bt_uncertainty
