#include "engine/models/reflection/kink_mapping.hpp"

#include <algorithm>
#include <cmath>

#include "engine/base/elementary.hpp"

namespace banzuke::reflection {

KinkMapping::LogOdds KinkMapping::log_odds(double above, double below) {
  LogOdds law;
  law.above = above;
  law.below = below;
  law.mode = det_log(above / below);
  law.peak = log_density(law, law.mode);
  // The logistic of the same spread, and never lighter in the tails than e^(-alpha |x|).
  law.scale = 0.55 * std::sqrt(1.0 / above + 1.0 / below) + 1.0 / std::min(above, below);
  return law;
}

double KinkMapping::log_density(const LogOdds& law, double value) {
  const double sum = law.above + law.below;
  return value > 0 ? -law.below * value - sum * det_log1p(det_exp(-value)) - law.peak
                   : law.above * value - sum * det_log1p(det_exp(value)) - law.peak;
}

double KinkMapping::share(double log_odds) {
  return 1.0 / (1.0 + det_exp(-log_odds));
}

KinkMapping::KinkMapping(const Game& game) : game_(game) {
  const std::size_t k = game.outcomes();
  double alpha_above = 0.0;
  double alpha_below = 0.0;
  for (std::size_t j = 0; j < k; ++j) {
    if (game.coefficient[j] > 0) {
      ++above_;
      alpha_above += game.alpha[j];
    } else if (game.coefficient[j] < 0) {
      ++below_;
      alpha_below += game.alpha[j];
    }
  }
  const auto break_off = [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j + 1 < end; ++j) {
      double later = 0.0;
      for (std::size_t i = j + 1; i < end; ++i) later += game.alpha[i];
      steps_.push_back(log_odds(game.alpha[j], later));
    }
  };
  break_off(0, above_);
  break_off(k - below_, k);
  if (above_ + below_ < k)
    steps_.push_back(log_odds(alpha_above + alpha_below, game.alpha[above_]));
  kink_ = log_odds(alpha_above, alpha_below);
}

double KinkMapping::map(const double* u, double* x) const {
  double log_weight = 0.0;
  std::size_t step = 0;
  const auto next = [&] {
    const LogOdds& law = steps_[step];
    const double v = u[step++];
    const double z = det_log(v / (1.0 - v));
    const double value = law.mode + law.scale * z;
    // The logistic density is v (1 - v) / scale.
    log_weight += log_density(law, value) - det_log(v * (1.0 - v));
    return value;
  };
  const auto break_off = [&](std::size_t begin, std::size_t end) {
    double rest = 1.0;
    for (std::size_t j = begin; j + 1 < end; ++j) {
      const double value = next();
      x[j] = rest * share(value);
      rest *= share(-value);
    }
    x[end - 1] = rest;
  };
  const std::size_t k = game_.outcomes();
  break_off(0, above_);
  break_off(k - below_, k);
  double gain = 0.0;
  double loss = 0.0;
  for (std::size_t j = 0; j < above_; ++j) gain += x[j] * game_.coefficient[j];
  for (std::size_t j = k - below_; j < k; ++j) loss -= x[j] * game_.coefficient[j];
  double decided = 1.0;
  if (above_ + below_ < k) {
    const double value = next();
    decided = share(value);
    x[above_] = share(-value);
  }
  // One half of the last coordinate for each side: |log-odds - kink| is half-logistic.
  const double last = u[step];
  const bool positive = last >= 0.5;
  const double v = positive ? last : 1.0 - last;
  const double distance = kink_.scale * det_log(v / (1.0 - v));
  const double value = det_log(loss / gain) + (positive ? distance : -distance);
  log_weight += log_density(kink_, value) - det_log(v * (1.0 - v));
  const double mass_above = decided * share(value);
  const double mass_below = decided * share(-value);
  for (std::size_t j = 0; j < above_; ++j) x[j] *= mass_above;
  for (std::size_t j = k - below_; j < k; ++j) x[j] *= mass_below;
  return positive ? det_exp(log_weight) : -det_exp(log_weight);
}

}  // namespace banzuke::reflection
