#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "engine/models/bradley_terry/replicate_kernel.hpp"
#include "engine/store/layout.hpp"

/// Statuses of the records of the Bradley–Terry jobs.
namespace banzuke::bt_status {

inline constexpr std::uint8_t unsolvable = 2;
inline constexpr std::uint8_t not_converged = 3;
inline constexpr std::uint8_t not_needed = 4;  ///< after the uncertainties were known well enough

inline std::vector<std::string> names() {
  return {"missing", "ok", "unsolvable", "not_converged", "not_needed"};
}

inline std::uint8_t code_of(bradley_terry::ReplicateStatus status) {
  switch (status) {
    case bradley_terry::ReplicateStatus::ok:
      return status_ok;
    case bradley_terry::ReplicateStatus::unsolvable:
      return unsolvable;
    default:
      return not_converged;
  }
}

}  // namespace banzuke::bt_status
