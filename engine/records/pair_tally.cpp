#include "engine/records/pair_tally.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

namespace banzuke {
namespace {

/// `name` without outer blanks (Unicode's common ones too) and with ASCII letters in lower case.
std::string folded(std::string_view name) {
  constexpr std::array<std::string_view, 8> blanks{
      " ",        "\t",           "\n",           "\r",
      "\xC2\xA0", "\xE3\x80\x80", "\xE2\x80\x8B", "\xEF\xBB\xBF"};  // U+00A0, 3000, 200B, FEFF
  for (bool again = true; again;) {
    again = false;
    for (const std::string_view blank : blanks) {
      if (name.starts_with(blank)) {
        name.remove_prefix(blank.size());
        again = true;
      }
      if (name.ends_with(blank)) {
        name.remove_suffix(blank.size());
        again = true;
      }
    }
  }
  std::string out(name);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

constexpr std::size_t names_shown = 5;

/// The first few of `items`, and how many more there are.
std::string few(const std::vector<std::string>& items, std::string_view separator) {
  const std::size_t shown = std::min(items.size(), names_shown);
  std::string text = join(std::span(items).first(shown), separator);
  if (shown < items.size()) text += fmt::format("{}and {} more", separator, items.size() - shown);
  return text;
}

std::size_t mixed(std::uint64_t x) {
  x ^= x >> 32;
  x *= 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(x ^ (x >> 29));
}

}  // namespace

void PairTally::grow() {
  slots_.assign(std::max<std::size_t>(1024, 2 * slots_.size()), 0);
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    std::size_t slot = mixed(pairs_[i].pair) & mask;
    while (slots_[slot] != 0) slot = (slot + 1) & mask;
    slots_[slot] = static_cast<std::uint32_t>(i + 1);
  }
}

PairTally::Totals& PairTally::totals(std::uint32_t player1, std::uint32_t player2) {
  const std::uint64_t lower = std::min(player1, player2);
  const std::uint64_t pair = lower << 32 | std::max(player1, player2);
  if (4 * (pairs_.size() + 1) > slots_.size()) grow();
  const std::size_t mask = slots_.size() - 1;
  std::size_t slot = mixed(pair) & mask;
  while (slots_[slot] != 0) {
    Totals& here = pairs_[slots_[slot] - 1];
    if (here.pair == pair) return here;
    slot = (slot + 1) & mask;
  }
  pairs_.push_back({.pair = pair});
  slots_[slot] = static_cast<std::uint32_t>(pairs_.size());
  return pairs_.back();
}

void PairTally::add(std::uint32_t player1, std::uint32_t player2, const PairCount& count,
                    const std::string& file, long line) {
  if (player1 == player2) {
    throw InputError(fmt::format("{} plays against itself", in_quotes(players_.names()[player1])),
                     "", "correct the name or delete the row", {file, line});
  }
  const std::int64_t decisive = (count.half_wins1 + count.half_wins2) / 2 + count.scheduled;
  const std::int64_t draws = draws_ == Draws::half ? count.draws : 0;
  games_total_ += decisive + count.draws;
  draws_total_ += count.draws;
  if (count.half_wins1 % 2 != 0) {
    ++half_rows_;
    ++draws_total_;
  }
  if (decisive + count.draws == 0) ++empty_rows_;
  if (decisive + draws == 0) return;
  kept_total_ += decisive + draws;

  Totals& pair = totals(player1, player2);
  const std::int64_t games = pair.games + decisive + draws;
  if (games > max_games) fail_too_many(player1, player2, file, line);
  pair.games = static_cast<std::uint32_t>(games);
  const bool in_order = player1 < player2;
  pair.half_wins_first +=
      static_cast<std::uint32_t>(draws + (in_order ? count.half_wins1 : count.half_wins2));
  pair.half_wins_second +=
      static_cast<std::uint32_t>(draws + (in_order ? count.half_wins2 : count.half_wins1));
}

bool PairTally::add_game(std::uint32_t player1, std::uint32_t player2, GameResult result, bool mark,
                         const std::string& file, long line) {
  // No branches on who won or comes first: no processor foresees them.
  constexpr std::array<std::uint32_t, 3> halves{2, 0, 1};
  const auto which = static_cast<std::uint32_t>(result);
  const std::uint32_t draw = result == GameResult::draw ? 1 : 0;
  const std::uint32_t kept = draws_ == Draws::half ? 1 : 1 - draw;
  const std::uint32_t half_wins1 = kept * halves[which];
  const std::uint32_t half_wins2 = kept * 2 - half_wins1;
  const std::uint32_t in_order = player1 < player2 ? 1 : 0;
  ++games_total_;
  draws_total_ += draw;
  kept_total_ += kept;

  Totals& pair = totals(player1, player2);
  if (pair.games + kept > max_games) fail_too_many(player1, player2, file, line);
  pair.games += kept;
  pair.half_wins_first += in_order * half_wins1 + (1 - in_order) * half_wins2;
  pair.half_wins_second += in_order * half_wins2 + (1 - in_order) * half_wins1;
  const std::uint32_t bit = (mark ? 1u : 0u) << (2 * which + in_order);
  const bool marked = (pair.marks & bit) != 0;
  pair.marks |= bit;
  return marked;
}

void PairTally::fail_too_many(std::uint32_t player1, std::uint32_t player2, const std::string& file,
                              long line) const {
  const std::vector<std::string>& names = players_.names();
  throw InputError(fmt::format("{} and {} have more than {} games", in_quotes(names[player1]),
                               in_quotes(names[player2]), max_games),
                   "the limit of a pair", "correct the counts", {file, line});
}

PairTable PairTally::table(bool has_results) const {
  PairTable table;
  table.names = players_.names();

  std::vector<std::pair<std::uint64_t, std::uint32_t>> order;
  order.reserve(pairs_.size());
  for (std::size_t i = 0; i < pairs_.size(); ++i) {
    if (pairs_[i].games > 0) order.emplace_back(pairs_[i].pair, static_cast<std::uint32_t>(i));
  }
  std::sort(order.begin(), order.end());
  table.first.reserve(order.size());
  table.second.reserve(order.size());
  table.games.reserve(order.size());
  if (has_results) {
    table.wins_first.reserve(order.size());
    table.wins_second.reserve(order.size());
  }
  for (const auto& [pair, at] : order) {
    const Totals& from = pairs_[at];
    table.first.push_back(static_cast<std::uint32_t>(pair >> 32));
    table.second.push_back(static_cast<std::uint32_t>(pair & 0xFFFFFFFFu));
    table.games.push_back(from.games);
    if (has_results) {
      table.wins_first.push_back(static_cast<double>(from.half_wins_first) / 2);
      table.wins_second.push_back(static_cast<double>(from.half_wins_second) / 2);
    }
  }
  table.draws_total = draws_total_;
  table.half_rows = half_rows_;
  table.games_total = games_total_;
  table.has_results = has_results;
  table.notes = final_notes(table);
  return table;
}

std::vector<std::string> PairTally::final_notes(const PairTable& table) const {
  std::vector<std::string> notes;
  const auto count = [](std::int64_t n, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", n, n == 1 ? one : many);
  };
  if (half_rows_ > 0) {
    notes.push_back(fmt::format(
        "{} half wins: draws entered as halves, whose number is known only to be at least {}",
        count(half_rows_, "row holds", "rows hold"), half_rows_));
  }
  if (empty_rows_ > 0) {
    notes.push_back(fmt::format("{} no game: the players are listed, the pair is not",
                                count(empty_rows_, "row holds", "rows hold")));
  }

  std::vector<bool> plays(table.names.size());
  for (std::size_t i = 0; i < table.first.size(); ++i) {
    plays[table.first[i]] = plays[table.second[i]] = true;
  }
  std::vector<std::string> idle;
  std::unordered_map<std::string, std::uint32_t> first_alike;
  first_alike.reserve(table.names.size());
  std::map<std::uint32_t, std::vector<std::uint32_t>> groups;
  for (std::uint32_t i = 0; i < table.names.size(); ++i) {
    if (!plays[i]) idle.push_back(in_quotes(table.names[i]));
    const auto [entry, added] = first_alike.emplace(folded(table.names[i]), i);
    if (!added) groups[entry->second].push_back(i);
  }
  if (!idle.empty()) {
    notes.push_back(
        fmt::format("{} no game that counts: {}",
                    count(static_cast<std::int64_t>(idle.size()), "player has", "players have"),
                    few(idle, ", ")));
  }
  std::vector<std::string> shown;
  for (const auto& [first, group] : groups) {
    std::vector<std::string> same{in_quotes(table.names[first])};
    for (const std::uint32_t i : group) same.push_back(in_quotes(table.names[i]));
    shown.push_back(join(same, " and "));
  }
  if (!shown.empty()) {
    notes.push_back(
        fmt::format("names that differ only in case or outer blanks are different players: {}",
                    few(shown, "; ")));
  }
  return notes;
}

}  // namespace banzuke
