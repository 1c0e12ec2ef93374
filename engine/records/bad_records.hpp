#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/records/pair_table.hpp"

namespace banzuke {

/// The bad records of a run's files: the first one is an error, or all are left out and listed.
class BadRecordList {
 public:
  explicit BadRecordList(BadRecords policy) : policy_(policy) {}

  /// Throws InputError unless bad records are skipped.
  void take(const std::string& problem, const std::string& why, const std::string& remedy,
            const Location& where);

  std::int64_t size() const { return count_; }
  /// The number of records left out, and the first twenty of them; nothing if there are none.
  std::vector<std::string> notes() const;

 private:
  BadRecords policy_;
  std::int64_t count_ = 0;
  std::vector<std::string> listed_;
};

}  // namespace banzuke
