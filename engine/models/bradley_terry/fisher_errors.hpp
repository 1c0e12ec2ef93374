#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/anchor.hpp"
#include "engine/models/bradley_terry/laplacian.hpp"
#include "engine/models/bradley_terry/pair_data.hpp"

namespace banzuke::bradley_terry {

/// Standard errors from the inverse Fisher information, natural-log scale, one a player.
struct StandardErrors {
  std::vector<double> value;
  bool is_estimate = false;   ///< by random probes, where an elimination would cost too much
  double relative_error = 0;  ///< standard error of the values as a part of them, root mean square
  double largest_error = 0;   ///< of all players
};

/// Standard errors for data of any size. Where the elimination is cheap, as standard_errors();
/// else the diagonal of the pseudo-inverse from its first terms and from a fixed set of random
/// probes (docs/methods/bradley_terry.md), which depends on the data alone: to 0.1 % or 0.2 %, with
/// its error stated. NaN where the equations are beyond conjugate gradients, in data of that size
/// that are nearly separable. Refers to the schedule and the abilities.
class FisherErrors {
 public:
  /// `most_work`: multiplications and additions that an elimination may take; a few seconds by
  /// default. Throws std::invalid_argument unless there is one ability a player.
  FisherErrors(const Schedule& schedule, std::span<const double> abilities, double most_work = 1e9);

  bool is_estimate() const { return laplacian_.has_value(); }
  /// Throws std::invalid_argument when the anchor is no player.
  StandardErrors relative_to(const Anchor& anchor) const;

 private:
  void probe();

  const Schedule& schedule_;
  std::span<const double> abilities_;
  std::optional<Laplacian> laplacian_;
  std::vector<double> variance_, variance_error_;  ///< relative to the mean
};

}  // namespace banzuke::bradley_terry
