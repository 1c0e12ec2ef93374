#include "engine/models/bradley_terry/laplacian.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "engine/base/elementary.hpp"

namespace banzuke::bradley_terry {
namespace {

constexpr std::size_t w = Laplacian::lanes;
constexpr int most_iterations = 2000;
/// Pivots below this part of their diagonal count as 0: the shift of all is one.
constexpr double smallest_pivot = 1e-10;

/// Lower Cholesky factor of a [rank][rank] matrix in place, columns of vanishing pivots empty.
void cholesky(std::vector<double>& a, std::size_t rank) {
  for (std::size_t j = 0; j < rank; ++j) {
    const double whole = a[j * rank + j];
    double pivot = whole;
    for (std::size_t k = 0; k < j; ++k) pivot -= a[j * rank + k] * a[j * rank + k];
    const double root = pivot > smallest_pivot * whole ? std::sqrt(pivot) : 0.0;
    a[j * rank + j] = root;
    for (std::size_t i = j + 1; i < rank; ++i) {
      double entry = a[i * rank + j];
      for (std::size_t k = 0; k < j; ++k) entry -= a[i * rank + k] * a[j * rank + k];
      a[i * rank + j] = root > 0 ? entry / root : 0.0;
    }
  }
}

/// sums[lane] = sum over entities of a * b.
void products(std::span<const double> a, std::span<const double> b, double* sums) {
  std::fill_n(sums, w, 0.0);
  for (std::size_t i = 0; i < a.size(); i += w)
    for (std::size_t l = 0; l < w; ++l) sums[l] += a[i + l] * b[i + l];
}

}  // namespace

Laplacian::Laplacian(const Schedule& schedule, std::span<const double> abilities)
    : begin_(schedule.players + std::size_t{1}, 0),
      other_(2 * schedule.size()),
      weight_(2 * schedule.size()),
      diagonal_(schedule.players, 0.0) {
  if (abilities.size() != schedule.players)
    throw std::invalid_argument("one ability a player is needed");
  for (std::size_t k = 0; k < schedule.size(); ++k) {
    ++begin_[schedule.first[k] + std::size_t{1}];
    ++begin_[schedule.second[k] + std::size_t{1}];
  }
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<std::uint64_t> next(begin_.begin(), begin_.end() - 1);
  for (std::size_t k = 0; k < schedule.size(); ++k) {
    const std::uint32_t i = schedule.first[k], j = schedule.second[k];
    const double d = abilities[i] - abilities[j];
    const double weak = det_exp(d < 0 ? d : -d);
    const double high = 1.0 / (1.0 + weak);
    const double weight = schedule.games[k] * (high * (weak * high));
    other_[next[i]] = j;
    weight_[next[i]++] = weight;
    other_[next[j]] = i;
    weight_[next[j]++] = weight;
    diagonal_[i] += weight;
    diagonal_[j] += weight;
  }
  for (double& value : diagonal_)
    if (!(value > 0)) value = 1;
  set_slow_part(abilities);
}

void Laplacian::multiply_weights(std::span<const double> x, std::span<double> y) const {
  for (std::uint32_t i = 0; i < players(); ++i) {
    double sum[w] = {};
    for (std::uint64_t e = begin_[i]; e < begin_[i + 1]; ++e) {
      const double* const value = x.data() + other_[e] * w;
      for (std::size_t l = 0; l < w; ++l) sum[l] += weight_[e] * value[l];
    }
    std::copy_n(sum, w, y.data() + i * w);
  }
}

double Laplacian::returning_weight(std::uint32_t player) const {
  double sum = 0;
  for (std::uint64_t e = begin_[player]; e < begin_[player + 1]; ++e)
    sum += weight_[e] * weight_[e] / diagonal_[other_[e]];
  return sum;
}

/// sum[rank] = row of W times `rows` [players][rank].
void Laplacian::multiply_rows(const std::vector<double>& rows, std::uint32_t player,
                              double* sum) const {
  std::fill_n(sum, rank_, 0.0);
  for (std::uint64_t e = begin_[player]; e < begin_[player + 1]; ++e) {
    const double* const row = rows.data() + other_[e] * rank_;
    const double weight = weight_[e];
    for (std::size_t g = 0; g < rank_; ++g) sum[g] += weight * row[g];
  }
}

/// Piecewise linear functions of the rank by ability, averaged once over each player's opponents,
/// span the slow directions (smoothed prolongation, Vaněk, Mandel and Brezina 1996).
void Laplacian::set_slow_part(std::span<const double> abilities) {
  const std::uint32_t n = players();
  rank_ = std::min<std::size_t>(64, 2 + n / 16);
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return abilities[a] < abilities[b]; });
  std::vector<std::size_t> knot(n);  // before the player's rank, and how far behind it is
  std::vector<double> part(n);
  for (std::uint32_t at = 0; at < n; ++at) {
    const double place = static_cast<double>(at) / n * static_cast<double>(rank_ - 1);
    knot[order[at]] = static_cast<std::size_t>(place);
    part[order[at]] = place - static_cast<double>(knot[order[at]]);
  }

  slow_.assign(n * rank_, 0.0);
  std::vector<double> mean(rank_, 0.0);
  for (std::uint32_t i = 0; i < n; ++i) {
    double* const row = slow_.data() + i * rank_;
    for (std::uint64_t e = begin_[i]; e < begin_[i + 1]; ++e) {
      const std::uint32_t j = other_[e];
      const double share = weight_[e] / diagonal_[i];
      row[knot[j]] += share * (1 - part[j]);
      row[knot[j] + 1] += share * part[j];
    }
    for (std::size_t g = 0; g < rank_; ++g) mean[g] += row[g];
  }
  std::vector<double> information(rank_ * rank_, 0.0), image(rank_);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::size_t g = 0; g < rank_; ++g) slow_[i * rank_ + g] -= mean[g] / n;
  for (std::uint32_t i = 0; i < n; ++i) {
    const double* const row = slow_.data() + i * rank_;
    multiply_rows(slow_, i, image.data());
    for (std::size_t g = 0; g < rank_; ++g) image[g] = diagonal_[i] * row[g] - image[g];
    for (std::size_t g = 0; g < rank_; ++g)
      for (std::size_t h = 0; h <= g; ++h) information[g * rank_ + h] += row[g] * image[h];
  }
  cholesky(information, rank_);
  for (std::uint32_t i = 0; i < n; ++i) {
    double* const row = slow_.data() + i * rank_;
    for (std::size_t g = 0; g < rank_; ++g) {
      const double root = information[g * rank_ + g];
      double value = row[g];
      for (std::size_t h = 0; h < g; ++h) value -= information[g * rank_ + h] * row[h];
      row[g] = root > 0 ? value / root : 0.0;
    }
  }
}

void Laplacian::add_slow_part(std::span<const double> x, std::span<double> y) const {
  std::vector<double> parts(rank_ * w, 0.0);
  for (std::uint32_t i = 0; i < players(); ++i)
    for (std::size_t g = 0; g < rank_; ++g)
      for (std::size_t l = 0; l < w; ++l) parts[g * w + l] += slow_[i * rank_ + g] * x[i * w + l];
  for (std::uint32_t i = 0; i < players(); ++i) {
    double sum[w] = {};
    for (std::size_t g = 0; g < rank_; ++g)
      for (std::size_t l = 0; l < w; ++l) sum[l] += slow_[i * rank_ + g] * parts[g * w + l];
    for (std::size_t l = 0; l < w; ++l) y[i * w + l] += sum[l];
  }
}

double Laplacian::slow_weight(std::uint32_t player) const {
  std::vector<double> sum(rank_);
  multiply_rows(slow_, player, sum.data());
  double square = 0;
  for (const double part : sum) square += part * part;
  return square;
}

void Laplacian::centre(std::span<double> x) const {
  double mean[w] = {};
  for (std::size_t i = 0; i < x.size(); i += w)
    for (std::size_t l = 0; l < w; ++l) mean[l] += x[i + l];
  for (double& value : mean) value = value / players();
  for (std::size_t i = 0; i < x.size(); i += w)
    for (std::size_t l = 0; l < w; ++l) x[i + l] -= mean[l];
}

bool Laplacian::solve(std::span<const double> b, std::span<double> x, double tolerance) const {
  const std::size_t size = std::size_t{players()} * w;
  std::vector<double> residual(b.begin(), b.end()), preconditioned(size), direction(size, 0.0),
      image(size);
  std::fill(x.begin(), x.end(), 0.0);
  double norm[w] = {}, enough[w] = {}, curvature[w], next[w], length[w], ratio[w] = {};
  for (int pass = 0; pass < most_iterations; ++pass) {
    // The shift of all, which rounding brings in, would make the iteration stall.
    centre(residual);
    for (std::size_t i = 0; i < size; ++i) preconditioned[i] = residual[i] / diagonal_[i / w];
    add_slow_part(residual, preconditioned);
    products(residual, preconditioned, next);
    bool done = true;
    for (std::size_t l = 0; l < w; ++l) {
      if (pass == 0) enough[l] = tolerance * tolerance * next[l];
      ratio[l] = pass == 0 || !(norm[l] > 0) ? 0.0 : next[l] / norm[l];
      norm[l] = next[l];
      done = done && norm[l] <= enough[l];
    }
    if (done) {
      centre(x);
      return true;
    }
    for (std::size_t i = 0; i < size; i += w)
      for (std::size_t l = 0; l < w; ++l)
        direction[i + l] = preconditioned[i + l] + ratio[l] * direction[i + l];
    multiply_weights(direction, image);
    for (std::size_t i = 0; i < size; ++i) image[i] = diagonal_[i / w] * direction[i] - image[i];
    products(direction, image, curvature);
    // A lane at its end takes no more steps.
    for (std::size_t l = 0; l < w; ++l)
      length[l] = norm[l] > enough[l] && curvature[l] > 0 ? norm[l] / curvature[l] : 0.0;
    for (std::size_t i = 0; i < size; i += w)
      for (std::size_t l = 0; l < w; ++l) {
        x[i + l] += length[l] * direction[i + l];
        residual[i + l] -= length[l] * image[i + l];
      }
  }
  return false;
}

}  // namespace banzuke::bradley_terry
