#include "engine/models/dirichlet_multinomial/discrete_prior.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "engine/base/elementary.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

void check_kind(std::span<const double> kind, std::size_t ranks) {
  if (kind.size() != ranks) throw std::invalid_argument("a kind and counts of different ranks");
  double sum = 0;
  for (const double p : kind) {
    if (!(p >= 0)) throw std::invalid_argument("a kind with a negative probability");
    sum += p;
  }
  if (!(std::abs(sum - 1) < 1e-9)) {
    throw std::invalid_argument("a kind whose probabilities do not sum to 1");
  }
}

}  // namespace

std::vector<double> discrete_posterior(std::span<const double> weights,
                                       std::span<const double> likelihoods) {
  if (weights.size() != likelihoods.size()) {
    throw std::invalid_argument("weights and likelihoods of different numbers of kinds");
  }
  std::vector<double> out;
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (!(weights[i] >= 0 && likelihoods[i] >= 0)) {
      throw std::invalid_argument("a negative weight or likelihood");
    }
    out.push_back(weights[i] * likelihoods[i]);
    sum += out.back();
  }
  if (!(sum > 0 && std::isfinite(sum))) {
    throw std::invalid_argument("no kind of player can show these counts");
  }
  for (double& p : out) p /= sum;
  return out;
}

std::vector<double> DiscretePrior::posterior(std::span<const std::uint32_t> counts) const {
  if (weights.size() != kinds.size()) {
    throw std::invalid_argument("weights and kinds of different numbers");
  }
  std::vector<double> log_likelihood;
  constexpr double impossible = -std::numeric_limits<double>::infinity();
  double best = impossible;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    check_kind(kinds[i], counts.size());
    double sum = 0;
    for (std::size_t j = 0; j < counts.size(); ++j) {
      if (counts[j] == 0) continue;
      sum += kinds[i][j] > 0 ? counts[j] * det_log(kinds[i][j]) : impossible;
    }
    log_likelihood.push_back(sum);
    if (weights[i] > 0) best = std::max(best, sum);
  }
  if (!std::isfinite(best)) {
    throw std::invalid_argument("no kind of player can show these counts");
  }
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    log_likelihood[i] =
        weights[i] > 0 && log_likelihood[i] > impossible ? det_exp(log_likelihood[i] - best) : 0.0;
  }
  return discrete_posterior(weights, log_likelihood);
}

std::vector<double> DiscretePrior::mean(std::span<const std::uint32_t> counts) const {
  const std::vector<double> probability = posterior(counts);
  std::vector<double> out(counts.size(), 0.0);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    for (std::size_t j = 0; j < out.size(); ++j) out[j] += probability[i] * kinds[i][j];
  }
  return out;
}

double DiscretePrior::mean_payoff(std::span<const std::uint32_t> counts,
                                  const Payoff& payoff) const {
  check(payoff, counts.size());
  const std::vector<double> probability = posterior(counts);
  double sum = 0;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    if (probability[i] > 0) sum += probability[i] * payoff.of(kinds[i]);
  }
  return sum;
}

}  // namespace banzuke::dirichlet_multinomial
