#pragma once
#include <cmath>
#include <cstddef>
#include <vector>

#include "engine/base/elementary.hpp"
#include "engine/models/reflection/conditional_score.hpp"
#include "engine/models/reflection/gauss_rule.hpp"
#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

/// Means over x ~ Dirichlet(alpha), split by the sign of the skill f(x).
struct SkillMeans {
  double skill = 0.0;       ///< P(f(x) > 0)
  double both = 0.0;        ///< E[P(S > 0 | x); f(x) > 0]
  double tie = 0.0;         ///< E[P(S = 0 | x); f(x) > 0]
  double score = 0.0;       ///< E P(S > 0 | x)
  double score_zero = 0.0;  ///< E P(S = 0 | x)
};

/// Quadrature over the simplex along the kink f(x) = 0. Outcomes above the centre share the mass
/// w b, those below w (1 - b), one at the centre has 1 - w; within the groups the shares are
/// broken off one by one. All but b run over Gauss–Jacobi nodes of their beta distributions; the
/// log-odds of b is cut where f changes sign and integrated by panels of Gauss–Legendre rules whose
/// length follows the width of the beta and of the score's transition
/// (docs/methods/reflection.md, "Conditional quadrature").
class SkillQuadrature {
 public:
  /// `smooth_nodes` a dimension; a panel has `panel_nodes`. `games` sets the transition width.
  SkillQuadrature(const Game& game, double games, int smooth_nodes, int panel_nodes);

  /// Dimensions besides b.
  static std::size_t smooth_dimensions(const Game& game) { return game.outcomes() - 2; }

  /// `score(x)` gives ScoreProbabilities.
  template <class Score>
  SkillMeans mean(Score&& score) const {
    SkillMeans sums;
    double total = 0.0;
    std::vector<std::size_t> index(rules_.size(), 0);
    std::vector<double> x(game_.outcomes());
    for (;;) {
      add_line(index, score, x, sums, total);
      std::size_t d = 0;
      while (d < index.size() && ++index[d] == rules_[d].nodes.size()) index[d++] = 0;
      if (d == index.size()) break;
    }
    for (double* value : {&sums.skill, &sums.both, &sums.tie, &sums.score, &sums.score_zero}) {
      *value /= total;
    }
    return sums;
  }

 private:
  /// A line of constant shares: x = w (b, 1 - b) times the shares, and what is needed along it.
  struct Line {
    double weight;
    double kink;  ///< log-odds of b where f = 0
    double step;  ///< width of the score's transition in log-odds
  };

  Line set_line(const std::vector<std::size_t>& index, std::vector<double>& shares) const;
  double log_density(double log_odds) const;

  template <class Score>
  void add_line(const std::vector<std::size_t>& index, Score&& score, std::vector<double>& x,
                SkillMeans& sums, double& total) const {
    std::vector<double> shares(game_.outcomes());
    const Line line = set_line(index, shares);
    for (const double side : {1.0, -1.0}) {
      double begin = line.kink;
      double done = 0.0;
      // From the kink outwards, past the mode, until the density has gone.
      for (;;) {
        const double length =
            done < 12.0 * line.step && 3.0 * line.step < panel_ ? 3.0 * line.step : panel_;
        for (std::size_t i = 0; i < legendre_.nodes.size(); ++i) {
          const double log_odds = begin + side * length * legendre_.nodes[i];
          const double density =
              line.weight * length * legendre_.weights[i] * det_exp(log_density(log_odds));
          const double small = det_exp(log_odds < 0 ? log_odds : -log_odds);
          const double minor = small / (1.0 + small);
          const double above = log_odds < 0 ? minor : 1.0 / (1.0 + small);
          const double below = log_odds < 0 ? 1.0 / (1.0 + small) : minor;
          for (std::size_t j = 0; j < x.size(); ++j) {
            const double c = game_.coefficient[j];
            x[j] = shares[j] * (c > 0 ? above : c < 0 ? below : 1.0);
          }
          const ScoreProbabilities p = score(x.data());
          total += density;
          if (side > 0) {
            sums.skill += density;
            sums.both += density * p.positive;
            sums.tie += density * p.zero;
          }
          sums.score += density * p.positive;
          sums.score_zero += density * p.zero;
        }
        begin += side * length;
        done += length;
        const bool past_mode = side > 0 ? begin > mode_ : begin < mode_;
        if (past_mode && log_density(begin) < -44.0) break;
      }
    }
  }

  Game game_;
  double games_;
  std::size_t above_;  ///< outcomes with c > 0: the first ones
  std::size_t below_;  ///< outcomes with c < 0: the last ones
  double alpha_above_ = 0.0;
  double alpha_below_ = 0.0;
  double mode_ = 0.0;
  double peak_ = 0.0;
  double panel_ = 0.0;
  std::vector<GaussRule> rules_;
  GaussRule legendre_;
};

}  // namespace banzuke::reflection
