#include "engine/models/bradley_terry/conjugate_gradients.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/elementary.hpp"

namespace banzuke::bradley_terry {
namespace {

constexpr double longest_step = 4.0;  // natural-log units, of a player's ability
constexpr double slope_ratio = 0.25;  // how far past the maximum a step may end
constexpr double shortest_tested_step = 1e-6;
constexpr double farthest_strength = 300.0;  // beyond it e^theta may overflow
constexpr double longest_group_reuse = 0.1;  // after a step by more, groups are inverted anew
constexpr int most_inner = 400;

/// Everything that belongs to one data set.
class Search {
 public:
  Search(std::span<const std::uint64_t> begin, std::span<const std::uint32_t> other,
         std::span<const std::uint32_t> pair, std::span<const double> degree,
         std::span<const double> wins_first, std::span<const double> wins_second,
         std::span<const double> start)
      : n_(static_cast<std::uint32_t>(start.size())),
        begin_(begin),
        other_(other),
        degree_(degree),
        games_(other.size()),
        conductance_(other.size()),
        won_(n_, 0.0),
        theta_(start.begin(), start.end()),
        strength_(n_),
        expected_(n_),
        information_(n_),
        gradient_(n_),
        rounding_(n_),
        diagonal_(n_),
        direction_(n_),
        residual_(n_),
        preconditioned_(n_),
        search_(n_),
        image_(n_),
        group_(n_) {
    for (std::uint32_t i = 0; i < n_; ++i)
      for (std::uint64_t e = begin_[i]; e < begin_[i + 1]; ++e) {
        games_[e] = wins_first[pair[e]] + wins_second[pair[e]];
        won_[i] += wins_first[pair[e]];
        won_[other_[e]] += wins_second[pair[e]];
      }
    group_players();
  }

  ConjugateGradients::Estimate run();

 private:
  void group_players();
  void differentiate();
  void factor_groups();
  void precondition();
  void multiply();
  bool solve(double tolerance);
  double slope() const;
  bool within_rounding(double allowed) const;

  std::uint32_t n_;
  std::span<const std::uint64_t> begin_;
  std::span<const std::uint32_t> other_;
  std::span<const double> degree_;
  std::vector<double> games_;
  std::vector<float> conductance_;  ///< n p q
  std::vector<double> won_, theta_, strength_, expected_, information_, gradient_, rounding_;
  std::vector<float> diagonal_, direction_, residual_, preconditioned_, search_, image_;
  std::uint32_t groups_ = 1, playing_ = 0;
  std::vector<std::uint32_t> group_;
  Eigen::MatrixXd group_inverse_;
};

/// Runs of neighbours in the start's order.
void Search::group_players() {
  std::vector<std::uint32_t> order(n_);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return theta_[a] < theta_[b]; });
  groups_ = std::min<std::uint32_t>(64, 1 + n_ / 32);
  for (std::uint32_t at = 0; at < n_; ++at)
    group_[order[at]] = static_cast<std::uint32_t>(std::uint64_t{at} * groups_ / n_);
}

/// Gradient, information and the bound of the gradient's rounding error, in games.
void Search::differentiate() {
  for (std::uint32_t i = 0; i < n_; ++i) strength_[i] = det_exp(theta_[i]);
  std::fill(expected_.begin(), expected_.end(), 0.0);
  std::fill(information_.begin(), information_.end(), 0.0);
  for (std::uint32_t i = 0; i < n_; ++i) {
    const double mine = strength_[i];
    double expected = 0, information = 0;
    const auto add = [&](std::uint64_t e, std::uint64_t count) {
      double other[2], wins[2], losses[2], weight[2];
      for (std::uint64_t c = 0; c < count; ++c) other[c] = strength_[other_[e + c]];
      for (std::uint64_t c = 0; c < count; ++c) {
        const double inverse = 1.0 / (mine + other[c]);
        const double p = mine * inverse, q = other[c] * inverse;
        wins[c] = games_[e + c] * p;
        losses[c] = games_[e + c] * q;
        weight[c] = wins[c] * q;
      }
      for (std::uint64_t c = 0; c < count; ++c) {
        conductance_[e + c] = static_cast<float>(weight[c]);
        expected += wins[c];
        information += weight[c];
        expected_[other_[e + c]] += losses[c];
        information_[other_[e + c]] += weight[c];
      }
    };
    std::uint64_t e = begin_[i];
    for (; e + 2 <= begin_[i + 1]; e += 2) add(e, 2);  // two at once, for vectors
    if (e < begin_[i + 1]) add(e, 1);
    expected_[i] += expected;
    information_[i] += information;
  }
  playing_ = 0;
  for (std::uint32_t i = 0; i < n_; ++i) {
    gradient_[i] = won_[i] - expected_[i];
    rounding_[i] = 0x1p-53 * ((degree_[i] + 8) * (won_[i] + expected_[i]) +
                              2 * information_[i] * std::abs(theta_[i]));
    diagonal_[i] = static_cast<float>(information_[i]);
    playing_ += information_[i] > 0;
  }
}

void Search::factor_groups() {
  Eigen::MatrixXd half = Eigen::MatrixXd::Zero(groups_, groups_);
  double total = 0;
  for (std::uint32_t i = 0; i < n_; ++i) {
    double* const row = half.data() + std::size_t{group_[i]} * groups_;
    for (std::uint64_t e = begin_[i]; e < begin_[i + 1]; ++e)
      row[group_[other_[e]]] -= static_cast<double>(conductance_[e]);
    total += static_cast<double>(diagonal_[i]);
  }
  Eigen::MatrixXd between = half + half.transpose();
  for (std::uint32_t i = 0; i < n_; ++i)
    between(group_[i], group_[i]) += static_cast<double>(diagonal_[i]);
  // A group without games keeps still; the shift of all gets a weight of its own.
  for (std::uint32_t a = 0; a < groups_; ++a)
    if (!(between(a, a) > 0)) between(a, a) += total;
  between.array() += total / groups_ / groups_;
  group_inverse_ = between.inverse();
}

/// preconditioned = (1 / diagonal + correction by groups) residual, of sum 0.
void Search::precondition() {
  Eigen::VectorXd sums = Eigen::VectorXd::Zero(groups_);
  for (std::uint32_t i = 0; i < n_; ++i) sums[group_[i]] += static_cast<double>(residual_[i]);
  const Eigen::VectorXf shift = (group_inverse_ * sums).cast<float>();
  for (std::uint32_t i = 0; i < n_; ++i)
    preconditioned_[i] = diagonal_[i] > 0 ? residual_[i] / diagonal_[i] + shift[group_[i]] : 0.0F;
}

/// image = information search.
void Search::multiply() {
  std::fill(image_.begin(), image_.end(), 0.0F);
  for (std::uint32_t i = 0; i < n_; ++i) {
    const float mine = search_[i];
    float sums[4] = {};
    const auto add = [&](std::uint64_t e, float& sum) {
      const float weight = conductance_[e];
      const std::uint32_t j = other_[e];
      sum += weight * search_[j];
      image_[j] += weight * mine;
    };
    std::uint64_t e = begin_[i];
    for (; e + 4 <= begin_[i + 1]; e += 4)
      for (std::uint64_t part = 0; part < 4; ++part) add(e + part, sums[part]);
    for (; e < begin_[i + 1]; ++e) add(e, sums[0]);
    image_[i] += (sums[0] + sums[1]) + (sums[2] + sums[3]);
  }
  for (std::uint32_t i = 0; i < n_; ++i) image_[i] = diagonal_[i] * search_[i] - image_[i];
}

double product(const std::vector<float>& a, const std::vector<float>& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

/// direction = information^-1 gradient, to `tolerance` of the gradient in the preconditioner's
/// norm; false where that is out of reach.
bool Search::solve(double tolerance) {
  // In units of the largest gradient: its last ones are too small for squares of floats.
  double scale = 0;
  for (std::uint32_t i = 0; i < n_; ++i) scale = std::max(scale, std::abs(gradient_[i]));
  if (!(scale > 0)) scale = 1;
  std::fill(direction_.begin(), direction_.end(), 0.0F);
  for (std::uint32_t i = 0; i < n_; ++i) residual_[i] = static_cast<float>(gradient_[i] / scale);
  const auto centre = [&] {
    // A part along the shift of all, which rounding brings in, would make the iteration stall.
    double sum = 0;
    for (const float value : residual_) sum += static_cast<double>(value);
    const auto mean = static_cast<float>(sum / playing_);
    for (std::uint32_t i = 0; i < n_; ++i)
      if (diagonal_[i] > 0) residual_[i] -= mean;
  };
  centre();
  precondition();
  search_ = preconditioned_;
  double size = product(residual_, preconditioned_);
  const double enough = tolerance * tolerance * size;
  for (int pass = 0; pass < most_inner && size > enough; ++pass) {
    multiply();
    const double curvature = product(search_, image_);
    if (!(curvature > 0)) break;
    const auto length = static_cast<float>(size / curvature);
    for (std::uint32_t i = 0; i < n_; ++i) {
      direction_[i] += length * search_[i];
      residual_[i] -= length * image_[i];
    }
    centre();
    precondition();
    const double next = product(residual_, preconditioned_);
    const auto ratio = static_cast<float>(next / size);
    size = next;
    for (std::uint32_t i = 0; i < n_; ++i) search_[i] = preconditioned_[i] + ratio * search_[i];
  }
  double sum = 0;
  for (const float value : direction_) sum += static_cast<double>(value);
  const double mean = sum / playing_;
  for (std::uint32_t i = 0; i < n_; ++i)
    direction_[i] = diagonal_[i] > 0
                        ? static_cast<float>(scale * (static_cast<double>(direction_[i]) - mean))
                        : 0.0F;
  return size <= enough;
}

double Search::slope() const {
  double sum = 0;
  for (std::uint32_t i = 0; i < n_; ++i) sum += gradient_[i] * static_cast<double>(direction_[i]);
  return sum;
}

bool Search::within_rounding(double allowed) const {
  for (std::uint32_t i = 0; i < n_; ++i)
    if (!(std::abs(gradient_[i]) <= std::max(allowed, rounding_[i]))) return false;
  return true;
}

ConjugateGradients::Estimate Search::run() {
  ConjugateGradients::Estimate out;
  std::vector<double> base = theta_;
  double length = 0, size = 0, start_slope = 0;
  while (out.iterations < Tolerance::max_passes) {
    differentiate();
    ++out.iterations;
    double steepest = 0, farthest = 0;
    for (std::uint32_t i = 0; i < n_; ++i) {
      steepest = std::max(steepest, std::abs(gradient_[i]));
      farthest = std::max(farthest, std::abs(theta_[i]));
    }
    if (!(farthest <= farthest_strength) || !(steepest < 1e300)) break;
    // A step that ended far beyond the maximum is shortened to where a linear slope would vanish.
    const double end_slope = out.iterations > 1 ? slope() : 0.0;
    if (end_slope < -slope_ratio * start_slope && length * size > shortest_tested_step) {
      length *= std::clamp(start_slope / (start_slope - end_slope), 0.1, 0.5);
    } else {
      if (out.iterations == 1 || length * size > longest_group_reuse) factor_groups();
      // Where the gradient is small enough, the step is asked for its length only, and not for more
      // than will be small enough.
      const double tolerance =
          steepest <= Tolerance::max_gradient
              ? 0.1
              : std::min(0.1, std::max({3e-5, 1e-2 * std::sqrt(steepest),
                                        0.02 * Tolerance::max_gradient / steepest}));
      if (!solve(tolerance)) break;
      base = theta_;
      start_slope = slope();
      size = 0;
      for (const float value : direction_) size = std::max(size, std::abs(double{value}));
      length = size > longest_step ? longest_step / size : 1.0;
      out.max_gradient = steepest;
      out.max_step = size;
      if (size <= Tolerance::max_step) {
        out.status = steepest <= Tolerance::max_gradient        ? FitStatus::ok
                     : within_rounding(Tolerance::max_gradient) ? FitStatus::rounding_floor
                                                                : FitStatus::not_converged;
      }
    }
    for (std::uint32_t i = 0; i < n_; ++i)
      theta_[i] = base[i] + length * static_cast<double>(direction_[i]);
    if (out.status != FitStatus::not_converged) break;
  }
  out.abilities = std::move(theta_);
  return out;
}

}  // namespace

ConjugateGradients::ConjugateGradients(std::uint32_t players, std::span<const std::uint32_t> first,
                                       std::span<const std::uint32_t> second)
    : begin_(players + std::size_t{1}, 0),
      other_(first.size()),
      pair_(first.size()),
      degree_(players, 0.0) {
  for (std::size_t k = 0; k < first.size(); ++k) {
    ++begin_[first[k] + std::size_t{1}];
    ++degree_[first[k]];
    ++degree_[second[k]];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t k = 0; k < first.size(); ++k) {
    const std::uint64_t e = next[first[k]]++;
    other_[e] = second[k];
    pair_[e] = static_cast<std::uint32_t>(k);
  }
}

ConjugateGradients::Estimate ConjugateGradients::fit(std::span<const double> wins_first,
                                                     std::span<const double> wins_second,
                                                     std::span<const double> start) const {
  return Search(begin_, other_, pair_, degree_, wins_first, wins_second, start).run();
}

}  // namespace banzuke::bradley_terry
