#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/batch/table_request.hpp"
#include "engine/store/result_file.hpp"
#include "jobs/bt_uncertainty.hpp"
#include "jobs/bt_uncertainty_points.hpp"

namespace banzuke::bt_uncertainty {

/// Everything the ranking sheet of a point shows; its view is of a bundle that must outlive it.
struct Sheet {
  PointView view;
  PointSummary summary;
  std::vector<std::size_t> order;  ///< rated players by rating, best first
  std::uint64_t most = 0;          ///< replicates asked for
  std::uint64_t total = 0;         ///< of these, needed
  std::uint64_t done = 0;

  /// Whether some player could not be rated in some replicate.
  bool has_few_valid() const;
  /// Unrated listed players, with the reason, in the order of the input.
  std::vector<std::pair<std::size_t, std::string>> outsiders() const;
};

/// The sheets of all points, or of the one the request names, which is there.
std::vector<Sheet> read_sheets(const ResultFile& file, const Bundle& set_up,
                               const TableRequest& request);

bool is_elo(const Bundle& set_up);
/// "Elo" or "natural-log units".
std::string units_of(const Bundle& set_up);
/// What all ratings are relative to, in words.
std::string relative_to(const Bundle& set_up);

}  // namespace banzuke::bt_uncertainty
