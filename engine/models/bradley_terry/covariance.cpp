#include "engine/models/bradley_terry/covariance.hpp"

#include <cmath>
#include <cstdint>
#include <stdexcept>

#include "engine/base/elementary.hpp"
#include "engine/models/bradley_terry/elimination.hpp"
#include "engine/models/bradley_terry/lane_workspace.hpp"

namespace banzuke::bradley_terry {
namespace {

/// The factored information, grounded at the anchor player: with unit columns
/// L(i, j) = entries / pivot the inverse Z follows backwards from
/// Z(i, j) = [i = j] / pivot_j + sum_k L(k, j) Z(k, i), sums of positive numbers alone.
class Factor {
 public:
  Factor(const Schedule& schedule, std::span<const double> abilities, const Anchor& anchor)
      : elimination_(checked(schedule, abilities, anchor), schedule.first, schedule.second,
                     anchor.player),
        workspace_(elimination_, 1) {
    const std::vector<double> games(schedule.games.begin(), schedule.games.end());
    for (std::size_t k = 0; k < schedule.size(); ++k) {
      const double d = abilities[schedule.first[k]] - abilities[schedule.second[k]];
      const double weak = det_exp(d < 0 ? d : -d);
      const double high = 1.0 / (1.0 + weak);
      workspace_.lanes().information[k] = games[k] * (high * (weak * high));
    }
    std::vector<std::uint32_t> degree;
    lane_kernel::functions_of(CpuPath::portable, 1)
        .factorise(shared_view(elimination_, games, degree), workspace_.lanes());
  }

  const Elimination& elimination() const { return elimination_; }
  std::uint32_t ground() const { return elimination_.players - 1; }
  double pivot_inverse(std::uint32_t j) const { return workspace_.lanes().inverse[j]; }
  double column(std::uint64_t entry, std::uint32_t j) const {
    return workspace_.lanes().entries[entry] * pivot_inverse(j);
  }

  /// Inverse information times the vector of ones, by position.
  std::vector<double> row_sums() const {
    const std::uint32_t n = elimination_.players;
    std::vector<double> x(n, 1.0);
    for (std::uint32_t j = 0; j < ground(); ++j)
      for (std::uint64_t e = begin(j); e < begin(j + 1); ++e)
        x[elimination_.row[e]] += column(e, j) * x[j];
    x[ground()] = 0;
    for (std::uint32_t j = ground(); j-- > 0;) {
      x[j] *= pivot_inverse(j);
      for (std::uint64_t e = begin(j); e < begin(j + 1); ++e)
        x[j] += column(e, j) * x[elimination_.row[e]];
    }
    return x;
  }

  std::uint64_t begin(std::uint32_t j) const { return elimination_.column_begin[j]; }

 private:
  static std::uint32_t checked(const Schedule& schedule, std::span<const double> abilities,
                               const Anchor& anchor) {
    if (abilities.size() != schedule.players || anchor.player >= schedule.players)
      throw std::invalid_argument("a covariance needs one ability a player and an anchor");
    return schedule.players;
  }

  Elimination elimination_;
  LaneWorkspace workspace_;
};

}  // namespace

Eigen::MatrixXd covariance(const Schedule& schedule, std::span<const double> abilities,
                           const Anchor& anchor) {
  const Factor factor(schedule, abilities, anchor);
  const Elimination& elimination = factor.elimination();
  const auto n = static_cast<Eigen::Index>(schedule.players);
  Eigen::MatrixXd z = Eigen::MatrixXd::Zero(n, n);
  for (std::uint32_t j = factor.ground(); j-- > 0;) {
    // Column j of the inverse below the diagonal, then the diagonal, which needs it.
    for (std::uint32_t i = factor.ground(); i-- > j;) {
      double sum = i == j ? factor.pivot_inverse(j) : 0.0;
      for (std::uint64_t e = factor.begin(j); e < factor.begin(j + 1); ++e)
        sum += factor.column(e, j) * z(elimination.row[e], i);
      z(i, j) = sum;
      z(j, i) = sum;
    }
  }
  Eigen::MatrixXd out(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j < n; ++j)
      out(i, j) = z(elimination.position[static_cast<std::size_t>(i)],
                    elimination.position[static_cast<std::size_t>(j)]);
  if (!anchor.mean) return out;
  std::vector<double> mean(schedule.players, 0.0);
  double all = 0;
  for (Eigen::Index i = 0; i < n; ++i) {
    for (Eigen::Index j = 0; j < n; ++j) mean[static_cast<std::size_t>(i)] += out(i, j);
    mean[static_cast<std::size_t>(i)] /= static_cast<double>(n);
    all += mean[static_cast<std::size_t>(i)];
  }
  all /= static_cast<double>(n);
  for (Eigen::Index j = 0; j < n; ++j)
    for (Eigen::Index i = 0; i < n; ++i)
      out(i, j) += all - (mean[static_cast<std::size_t>(i)] + mean[static_cast<std::size_t>(j)]);
  return out;
}

std::vector<double> standard_errors(const Schedule& schedule, std::span<const double> abilities,
                                    const Anchor& anchor) {
  const Factor factor(schedule, abilities, anchor);
  const Elimination& elimination = factor.elimination();
  const std::uint32_t n = schedule.players;
  std::vector<double> diagonal(n, 0.0), entry(elimination.row.size(), 0.0), sum(n, 0.0);
  std::vector<double> weight(n, 0.0);  // column j of the factor, spread out; 0 outside its pattern
  std::vector<std::uint8_t> in_column(n, 0);
  for (std::uint32_t j = factor.ground(); j-- > 0;) {
    const std::uint64_t begin = factor.begin(j), end = factor.begin(j + 1);
    for (std::uint64_t e = begin; e < end; ++e) {
      const std::uint32_t k = elimination.row[e];
      in_column[k] = 1;
      weight[k] = factor.column(e, j);
      sum[k] = 0;
    }
    // Any two rows of a column make an entry of the pattern: the elimination filled it in.
    for (std::uint64_t e = begin; e < end; ++e) {
      const std::uint32_t k = elimination.row[e];
      sum[k] += weight[k] * diagonal[k];
      for (std::uint64_t f = factor.begin(k); f < factor.begin(k + 1); ++f) {
        const std::uint32_t r = elimination.row[f];
        if (!in_column[r]) continue;
        sum[r] += weight[k] * entry[f];
        sum[k] += weight[r] * entry[f];
      }
    }
    diagonal[j] = factor.pivot_inverse(j);
    for (std::uint64_t e = begin; e < end; ++e) {
      const std::uint32_t k = elimination.row[e];
      entry[e] = sum[k];
      diagonal[j] += weight[k] * sum[k];
      in_column[k] = 0;
    }
  }
  std::vector<double> out(n);
  if (!anchor.mean) {
    for (std::uint32_t i = 0; i < n; ++i) out[i] = std::sqrt(diagonal[elimination.position[i]]);
    return out;
  }
  const std::vector<double> rows = factor.row_sums();
  double all = 0;
  for (const double row : rows) all += row;
  const auto count = static_cast<double>(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    const std::uint32_t p = elimination.position[i];
    const double variance = diagonal[p] + (all / count - 2 * rows[p]) / count;
    out[i] = std::sqrt(variance > 0 ? variance : 0.0);
  }
  return out;
}

}  // namespace banzuke::bradley_terry
