#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::bradley_terry {

/// Whether a player can be rated relative to an anchor player, and if not, why.
///
/// The win graph has an edge i -> j when i won at least half a game against j (a draw as two halves
/// makes edges both ways). The maximum-likelihood abilities of a set of players exist and are
/// unique exactly when the win graph among them is strongly connected (Ford 1957, assumption A);
/// so the players rated are the strongly connected component C that holds the anchor. For a player
/// outside C the first line that applies counts:
enum class Standing : std::uint8_t {
  rated,            ///< in C
  not_connected,    ///< no chain of games, whatever their results, leads to C
  never_won,        ///< lost every game (against anybody)
  never_lost,       ///< won every game (against anybody)
  group_only_won,   ///< a chain of wins leads to C, none leads back: the player belongs to a group
                    ///< that only won against the rest on its side of C
  group_only_lost,  ///< a chain of wins leads from C to the player, none leads to C
  not_comparable,   ///< no chain of wins leads either way, though games connect the player to C
};

/// Words for a table, for example "never won a game".
std::string_view describe(Standing standing);

struct Component {
  std::uint32_t anchor = 0;
  std::uint32_t rated = 0;         ///< number of players in C, the anchor included
  std::vector<Standing> standing;  ///< one a player

  /// One a player: 1 when rated. The form `restricted` takes.
  std::vector<std::uint8_t> keep() const;
};

/// The strongly connected component of the win graph that holds `anchor`, in O(players + pairs)
/// without recursion. Throws std::out_of_range when there is no such player.
Component rated_component(const PairData& pairs, std::uint32_t anchor);

/// The connected component of the undirected schedule graph that holds `anchor`; everybody else is
/// not_connected.
Component scheduled_component(const Schedule& schedule, std::uint32_t anchor);

}  // namespace banzuke::bradley_terry
