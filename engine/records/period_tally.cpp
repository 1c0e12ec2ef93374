#include "engine/records/period_tally.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/base/text.hpp"

namespace banzuke {

void PeriodTally::find(int number) {
  last_ = &tallies_.try_emplace(number, draws_).first->second;
  last_number_ = number;
}

std::int64_t PeriodTally::games_total() const {
  std::int64_t total = 0;
  for (const auto& [number, tally] : tallies_) total += tally.games_total();
  return total;
}

std::vector<PeriodTable> PeriodTally::tables(bool has_results) const {
  std::vector<PeriodTable> tables;
  std::vector<std::string> only_draws;
  for (const auto& [number, tally] : tallies_) {
    if (tally.games_total() == 0) continue;
    std::string label = period_label(period_, number);
    if (!tally.has_pairs()) {
      only_draws.push_back(std::move(label));
      continue;
    }
    tables.push_back({std::move(label), tally.table(has_results)});
  }
  if (tables.empty()) {
    throw InputError("no game is left", "all games are draws, and draws = \"drop\"",
                     "set draws = \"half\" under [games]");
  }
  std::vector<std::string> notes = notes_;
  if (period_ != Period::none) {
    notes.push_back(games_of(tables));
    for (const std::string& label : only_draws) {
      notes.push_back(label + ": left out: all games are draws, and draws = \"drop\"");
    }
    for (PeriodTable& period : tables) {
      for (std::string& note : period.table.notes) note = period.label + ": " + note;
    }
  }
  std::vector<std::string>& first = tables[0].table.notes;
  first.insert(first.begin(), notes.begin(), notes.end());
  return tables;
}

std::string PeriodTally::games_of(const std::vector<PeriodTable>& tables) const {
  constexpr std::size_t shown = 24;
  std::vector<std::string> counts;
  for (std::size_t i = 0; i < std::min(shown, tables.size()); ++i) {
    counts.push_back(fmt::format("{} {}", tables[i].label, tables[i].table.games_total));
  }
  std::string text = fmt::format("games in each {}: {}",
                                 period_ == Period::half_year ? "half-year" : period_word(period_),
                                 join(counts, ", "));
  if (tables.size() > shown) {
    text += fmt::format(" and {} more, to {} {}", tables.size() - shown, tables.back().label,
                        tables.back().table.games_total);
  }
  return text;
}

}  // namespace banzuke
