#pragma once
#include <vector>

#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

/// A smooth map from the unit cube to the skill simplex along the kink f(x) = 0: the first k - 2
/// coordinates give the log-odds of the shares within the groups above and below the centre and of
/// the mass at the centre, the last one the log-odds of the mass above, on one side of the kink
/// each half. Proposals are logistic, with heavier tails than the betas', so that weights are
/// bounded (docs/methods/reflection.md, "Monte Carlo").
class KinkMapping {
 public:
  explicit KinkMapping(const Game& game);

  std::size_t dimensions() const { return steps_.size() + 1; }

  /// x of the point u[dimensions()], and its weight: the Dirichlet density over the proposal's, up
  /// to a factor common to all points; its sign is that of f(x).
  double map(const double* u, double* x) const;

 private:
  /// Log-odds of Beta(above, below), proposed as logistic(mode, scale).
  struct LogOdds {
    double above = 0.0;
    double below = 0.0;
    double mode = 0.0;
    double peak = 0.0;
    double scale = 0.0;
  };
  static LogOdds log_odds(double above, double below);
  static double log_density(const LogOdds& law, double value);
  static double share(double log_odds);

  Game game_;
  std::size_t above_ = 0;
  std::size_t below_ = 0;
  std::vector<LogOdds> steps_;
  LogOdds kink_;
};

}  // namespace banzuke::reflection
