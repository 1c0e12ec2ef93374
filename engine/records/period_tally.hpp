#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/records/pair_table.hpp"
#include "engine/records/pair_tally.hpp"
#include "engine/records/period.hpp"

namespace banzuke {

/// One tally a period, each with its own players, and the notes on the files as a whole.
class PeriodTally {
 public:
  PeriodTally(Period period, Draws draws) : period_(period), draws_(draws) {}

  /// The tally of the period with this number (period_of), made when first asked for.
  PairTally& in(int number) {
    if (last_ == nullptr || number != last_number_) find(number);
    return *last_;
  }

  void note(std::string text) { notes_.push_back(std::move(text)); }

  std::int64_t games_total() const;

  /// The tables of the periods with games, ascending in time. Notes on one period begin with its
  /// label; those on the files, and the number of games in each period, stand with the first.
  /// Throws InputError when dropping the draws left no game at all.
  std::vector<PeriodTable> tables(bool has_results) const;

 private:
  void find(int number);
  std::string games_of(const std::vector<PeriodTable>& tables) const;

  Period period_;
  Draws draws_;
  std::map<int, PairTally> tallies_;
  PairTally* last_ = nullptr;
  int last_number_ = 0;
  std::vector<std::string> notes_;
};

}  // namespace banzuke
