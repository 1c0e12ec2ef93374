#include "engine/models/reflection/skill_quadrature.hpp"

#include <algorithm>

namespace banzuke::reflection {

SkillQuadrature::SkillQuadrature(const Game& game, double games, int smooth_nodes, int panel_nodes)
    : game_(game), games_(games), legendre_(gauss_uniform(panel_nodes)) {
  const auto& c = game.coefficient;
  above_ = static_cast<std::size_t>(
      std::count_if(c.begin(), c.end(), [](double value) { return value > 0; }));
  below_ = static_cast<std::size_t>(
      std::count_if(c.begin(), c.end(), [](double value) { return value < 0; }));
  for (std::size_t j = 0; j < c.size(); ++j) {
    if (c[j] > 0) alpha_above_ += game.alpha[j];
    if (c[j] < 0) alpha_below_ += game.alpha[j];
  }
  // Shares within a group: outcome j takes Beta(alpha_j, rest) of what the ones before it left.
  const auto break_off = [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j + 1 < end; ++j) {
      double later = 0.0;
      for (std::size_t i = j + 1; i < end; ++i) later += game.alpha[i];
      rules_.push_back(gauss_beta(game.alpha[j], later, smooth_nodes));
    }
  };
  break_off(0, above_);
  break_off(c.size() - below_, c.size());
  if (above_ + below_ < c.size()) {
    rules_.push_back(gauss_beta(alpha_above_ + alpha_below_, game.alpha[above_], smooth_nodes));
  }
  mode_ = det_log(alpha_above_ / alpha_below_);
  peak_ = 0.0;
  peak_ = log_density(mode_);
  panel_ = std::min(2.0, 2.0 * std::sqrt(1.0 / alpha_above_ + 1.0 / alpha_below_));
}

/// Of the log-odds of b ~ Beta(alpha_above, alpha_below), 0 at the mode.
double SkillQuadrature::log_density(double log_odds) const {
  const double sum = alpha_above_ + alpha_below_;
  return log_odds > 0 ? -alpha_below_ * log_odds - sum * det_log1p(det_exp(-log_odds)) - peak_
                      : alpha_above_ * log_odds - sum * det_log1p(det_exp(log_odds)) - peak_;
}

SkillQuadrature::Line SkillQuadrature::set_line(const std::vector<std::size_t>& index,
                                                std::vector<double>& shares) const {
  Line line{1.0, 0.0, 0.0};
  std::size_t rule = 0;
  const auto next = [&] {
    const GaussRule& gauss = rules_[rule];
    const std::size_t i = index[rule++];
    line.weight *= gauss.weights[i];
    return gauss.nodes[i];
  };
  const auto break_off = [&](std::size_t begin, std::size_t end) {
    double rest = 1.0;
    for (std::size_t j = begin; j + 1 < end; ++j) {
      const double t = next();
      shares[j] = rest * t;
      rest *= 1.0 - t;
    }
    shares[end - 1] = rest;
  };
  const std::size_t k = shares.size();
  break_off(0, above_);
  break_off(k - below_, k);
  double gain = 0.0;
  double gain2 = 0.0;
  double loss = 0.0;
  double loss2 = 0.0;
  for (std::size_t j = 0; j < k; ++j) {
    const double c = game_.coefficient[j];
    if (c > 0) {
      gain += shares[j] * c;
      gain2 += shares[j] * c * c;
    } else if (c < 0) {
      loss -= shares[j] * c;
      loss2 += shares[j] * c * c;
    }
  }
  double decided = 1.0;
  if (above_ + below_ < k) {
    decided = next();
    for (std::size_t j = 0; j < k; ++j) shares[j] *= decided;
    shares[above_] = 1.0 - decided;
  }
  const double at_kink = loss / (gain + loss);  // b with f = 0
  line.kink = det_log(loss / gain);
  const double variance = at_kink * gain2 + (1.0 - at_kink) * loss2;
  line.step =
      std::sqrt(variance / (games_ * decided)) / ((gain + loss) * at_kink * (1.0 - at_kink));
  return line;
}

}  // namespace banzuke::reflection
