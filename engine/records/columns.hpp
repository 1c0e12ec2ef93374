#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/records/csv.hpp"
#include "engine/records/pair_table.hpp"

namespace banzuke {

/// Where the columns of a file of games are, by index in its header: either `games` (a schedule)
/// or `wins1` and `wins2`, with `draws` where the file has them.
struct GameColumns {
  std::size_t player1 = 0, player2 = 0;
  std::optional<std::size_t> games, wins1, wins2, draws, date;

  bool has_results() const { return wins1.has_value(); }
};

/// Finds the columns: those named in `map` by exact name, the other roles by the recognised
/// headers. The date is looked for if a period asks for it. Throws InputError when a role has no
/// column or more than one.
GameColumns find_columns(const CsvReader& file, const ColumnMap& map, Period period = Period::none);

/// The index of the one column called `name`. `setting` is the key of the config that asks
/// for it, for the message.
/// Throws InputError when there is none (with the nearest name) or more than one.
std::size_t find_column(const CsvReader& file, const std::string& name,
                        std::string_view setting = {});

/// The header for a message: its names in quotes, the first dozen.
std::string header_text(const std::vector<std::string>& header);

}  // namespace banzuke
