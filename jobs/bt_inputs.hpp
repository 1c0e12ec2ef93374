#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/config/config.hpp"
#include "engine/config/input_file.hpp"
#include "engine/models/bradley_terry/component.hpp"
#include "engine/models/bradley_terry/pair_data.hpp"
#include "engine/records/pair_table.hpp"
#include "engine/records/ratings_table.hpp"

/// Keys and files that the Bradley–Terry jobs share. All readers throw InputError.
namespace banzuke::bt_inputs {

/// A CSV file of the config: where its name was written, and the columns wanted.
struct CsvKeys {
  std::string key, path, name;
  char separator = ',';
  Location where;
};
/// The columns alone, without a file.
CsvKeys csv_columns(const Section& table);
/// The file that the key names, with these columns.
CsvKeys csv_file(const Section& table, const Config& config, const Key& key, CsvKeys columns);
RatingsTable read_ratings(Inputs& inputs, const CsvKeys& keys,
                          const std::vector<NumericColumn>& columns);

/// Files of games or of a schedule.
struct GamesKeys {
  std::vector<std::string> files;
  std::string key;  ///< of the files
  Location where;
  PairTableOptions options;
};
/// How games are read, without the files.
PairTableOptions game_options(const Section& games);
/// The files of a table, read with these options.
GamesKeys game_files(const Section& table, const Config& config, const PairTableOptions& options);
/// Both from one table.
GamesKeys games_keys(const Section& games, const Config& config);
/// The games of each period, or all in one table without a label.
std::vector<PeriodTable> read_periods(Inputs& inputs, const GamesKeys& keys);
/// The games of keys without a period.
PairTable read_games(Inputs& inputs, const GamesKeys& keys);

/// A file of ratings to simulate from.
struct TruthKeys {
  CsvKeys csv;
  std::string rating;
  bool missing_drop = false;
};
/// The columns and options alone, without a file.
TruthKeys truth_columns(const Section& truth);
inline const Key truth_file{"ratings", "the CSV file of ratings", "", Role::operational};
TruthKeys truth_keys(const Section& truth, const Config& config);
RatingsTable read_truth(Inputs& inputs, const TruthKeys& keys);
/// Ratings of the named players in Elo, NaN where there is none and the keys allow it.
std::vector<double> truth_of(const RatingsTable& ratings, const TruthKeys& keys,
                             const std::vector<std::string>& names);
/// Says how many players with a rating are none of the names; nothing where there are none.
std::optional<std::string> note_on_absent(const RatingsTable& ratings,
                                          const std::vector<std::string>& names);

/// What ratings are relative to, and in which unit.
struct Scale {
  bool has_reference = false;  ///< else the mean of the rated players
  std::string reference;
  Location where;
  double anchor_value = 0;
  bool elo = true;

  double unit() const;        ///< of a natural-log unit of ability
  std::string units() const;  ///< "Elo" or "1"
};
Scale read_scale(const Section& root);
/// Place of the reference among the names, nothing under a mean. `among` says in a message where
/// it was looked for.
std::optional<std::uint32_t> find_reference(const Scale& scale,
                                            const std::vector<std::string>& names,
                                            const std::string& among);
/// The reference, or the player with the most games.
std::uint32_t anchor_among(std::optional<std::uint32_t> reference,
                           const bradley_terry::Schedule& schedule);

/// The players who count, among all that are listed in the input.
struct Rated {
  std::vector<std::uint8_t> keep;     ///< [listed]
  std::vector<std::uint32_t> listed;  ///< rated player -> listed player
  std::vector<std::string> standing;  ///< [listed] "rated", or why not
  std::uint32_t anchor = 0;           ///< rated index
  bradley_terry::Schedule schedule;   ///< among rated players
  std::vector<double> abilities;      ///< [rated], natural, relative to the anchor
  std::vector<double> given;          ///< [rated] given ratings in Elo, moved to the scale; or none
};
/// Standings and numbering after a component; schedule and abilities are left empty.
Rated rated_of(const bradley_terry::Component& component);
/// The anchor's place among values of the rated players: that of the reference, or the mean.
double anchor_of(const Scale& scale, std::span<const double> values, std::uint32_t anchor);
/// Moves abilities so that the anchor's is 0.
void recentre(const Scale& scale, Rated& rated);

/// Standing of a player whom [truth] gives no rating.
inline constexpr std::string_view no_given_rating = "no given rating";

/// Players with given ratings (Elo, NaN without) whom games connect to the anchor.
struct Given {
  Rated rated;
  double shift = 0;  ///< Elo added to the given ratings to meet the scale
  std::int64_t players_dropped = 0, games_dropped = 0;  ///< without a rating
};
Given rate_given(const bradley_terry::Schedule& schedule, const std::vector<double>& truth,
                 const Scale& scale, std::optional<std::uint32_t> reference, const Location& where);

bradley_terry::Schedule schedule_of(const PairTable& table);
/// Players or games as a set-up stores them, for a schedule.
std::vector<std::uint32_t> indices(std::span<const std::int64_t> stored);

}  // namespace banzuke::bt_inputs
