#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/records/name_index.hpp"
#include "engine/records/pair_table.hpp"

namespace banzuke {

/// What one row, or one game, adds to a pair. Wins are counted in halves, so that sums are exact.
struct PairCount {
  std::int64_t half_wins1 = 0;  ///< twice the wins of the first player named, without `draws`
  std::int64_t half_wins2 = 0;
  std::int64_t draws = 0;
  std::int64_t scheduled = 0;  ///< games without a result
};

/// The result of one game.
enum class GameResult : std::uint8_t { first_wins, second_wins, draw };

/// Adds up games, in any order and orientation, into a PairTable. Every reader of game records
/// feeds one of these, so that all formats share its checks and notes.
class PairTally {
 public:
  static constexpr std::int64_t max_games = 2147483647;  ///< a pair

  explicit PairTally(Draws draws) : draws_(draws) {}

  /// The index of the player, who is new if the name is. Names are compared byte by byte.
  std::uint32_t player(std::string_view name) { return players_.find_or_add(name); }
  /// The index of a player who is known already.
  std::optional<std::uint32_t> known_player(std::string_view name) const {
    return players_.find(name);
  }

  /// Adds to the pair {player1, player2}. `file` and `line` are for messages.
  /// Throws InputError: a player against itself, more than `max_games` of one pair.
  void add(std::uint32_t player1, std::uint32_t player2, const PairCount& count,
           const std::string& file, long line);
  /// Adds one game of two different players. Where `mark` is set, returns whether such a game with
  /// `mark`, of the same result and the players in this order, was added before.
  /// Throws InputError: more than `max_games` of one pair.
  bool add_game(std::uint32_t player1, std::uint32_t player2, GameResult result, bool mark,
                const std::string& file, long line);

  std::int64_t games_total() const { return games_total_; }

  /// Whether a pair has a game that counts.
  bool has_pairs() const { return kept_total_ > 0; }

  /// The sorted table, with notes on its players and rows.
  PairTable table(bool has_results) const;

 private:
  struct Totals {
    std::uint64_t pair = 0;             ///< lower index << 32 | higher index
    std::uint32_t half_wins_first = 0;  ///< at most twice `max_games`
    std::uint32_t half_wins_second = 0;
    std::uint32_t games = 0;  ///< 0 if all were draws that are dropped
    std::uint32_t marks = 0;  ///< a bit a result and order of the players
  };

  Totals& totals(std::uint32_t player1, std::uint32_t player2);
  [[noreturn]] void fail_too_many(std::uint32_t player1, std::uint32_t player2,
                                  const std::string& file, long line) const;
  void grow();
  std::vector<std::string> final_notes(const PairTable& table) const;

  Draws draws_;
  NameIndex players_;
  std::vector<Totals> pairs_;
  /// Open addressing by pair: index in `pairs_` + 1, 0 = free; size a power of two.
  std::vector<std::uint32_t> slots_;
  std::int64_t draws_total_ = 0;
  std::int64_t half_rows_ = 0;
  std::int64_t games_total_ = 0;
  std::int64_t kept_total_ = 0;
  std::int64_t empty_rows_ = 0;
};

}  // namespace banzuke
