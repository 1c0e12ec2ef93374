#include "engine/records/bad_records.hpp"

#include <fmt/format.h>

namespace banzuke {

void BadRecordList::take(const std::string& problem, const std::string& why,
                         const std::string& remedy, const Location& where) {
  constexpr std::size_t shown = 20;
  if (policy_ == BadRecords::error) {
    throw InputError(
        problem, why,
        remedy + "; or set bad_records = \"skip\" under [games] to leave out such records", where);
  }
  ++count_;
  if (listed_.size() < shown) listed_.emplace_back(InputError(problem, why, "", where).what());
}

std::vector<std::string> BadRecordList::notes() const {
  std::vector<std::string> notes;
  if (count_ == 0) return notes;
  notes.push_back(fmt::format("{} {} skipped, as bad_records = \"skip\" asks for", count_,
                              count_ == 1 ? "bad record is" : "bad records are"));
  for (const std::string& entry : listed_) notes.push_back("skipped: " + entry);
  const auto more = count_ - static_cast<std::int64_t>(listed_.size());
  if (more > 0) notes.push_back(fmt::format("skipped: and {} more", more));
  return notes;
}

}  // namespace banzuke
