#pragma once
#include <cstdint>
#include <vector>

#include "engine/base/cpu_path.hpp"
#include "engine/models/reflection/characteristic_kernel.hpp"
#include "engine/models/reflection/rule.hpp"

namespace banzuke::reflection {

/// Sums over the total-games phase phi (and, for exact Dirichlet skill, over the scale y) of
///   exp(-sum_j alpha_j log(1 + lambda (1 - e^{i x_j}) - i (s c_j - y)) - i N phi + i A y),
/// x_j = phi + theta c_j, for one theta and all s that matter. Up to a factor that is the same for
/// all theta and s this is E[e^{i s F + i theta S}] for N games, F = sum_j c_j g_j, or, with the
/// sum over y, E[e^{i s A f(x) + i theta S}].
class CharacteristicField {
 public:
  struct Grid {
    double skill_step = 0.0;  ///< s = step/2, 3 step/2, …; lane 0 is s = 0
    std::int64_t totals = 0;  ///< M, number of nodes phi = 2 pi m / M
    double scale_step = 0.0;  ///< spacing of y; 0: y = 0 alone
    double cutoff = 0.0;      ///< nodes below e^-cutoff are left out
  };
  /// One theta: sums[lane] = real[lane] + i imaginary[lane], 0 outside [begin, end).
  struct Row {
    const double* real;
    const double* imaginary;
    std::size_t begin;
    std::size_t end;
  };

  CharacteristicField(const Game& game, std::int64_t games, const Grid& grid, CpuPath path);

  /// The row of theta, every node turned by e^{i turn}. Valid until the next call.
  Row row(double theta, double turn);

  /// False if no node at +-theta can reach the cutoff, whatever s; then `gap` is the distance to
  /// the next theta at which one might.
  bool reaches(double theta, double& gap) const;

  /// 4 / (pi (2j + 1)), the weight of lane j + 1 in the sign kernel; 0 for lane 0.
  const std::vector<double>& sign_weights() const { return sign_weights_; }

  std::int64_t nodes() const { return nodes_; }

 private:
  struct Phase {
    double half_sin;
    double half_cos;
    double phi;
  };

  void set_factors();
  void set_lanes(std::size_t lanes);
  Phase phase(std::int64_t m) const;
  bool try_row(double theta, double turn);
  bool sweep_phase(const Phase& phase, double turn, bool& clipped);
  bool sweep_lanes(double y, double turn, bool& clipped);
  double centre_phase(double theta) const;
  void clear();

  SweepRow sweep_;
  Grid grid_;
  double games_;
  double lambda_;
  double concentration_ = 0.0;
  double least_alpha_ = 0.0;
  double spread_ = 0.0;  ///< sum_j alpha_j |c_j - mean|
  double largest_modulus_ = 0.0;
  double largest_decay_ = 0.0;  ///< v sums above it cannot reach the cutoff
  double skill_weight_ = 0.0;   ///< sum_j alpha_j c_j
  double skill_weight2_ = 0.0;  ///< sum_j alpha_j c_j^2
  std::vector<double> alpha_;   ///< outcomes ordered by alpha
  std::vector<double> coefficient_;
  std::vector<double> v_;
  std::vector<double> u_;
  std::vector<double> shifted_;
  std::vector<double> half_sin_;  ///< of theta c_j / 2
  std::vector<double> half_cos_;
  std::vector<std::size_t> factor_end_;
  std::vector<double> factor_alpha_;
  std::vector<Phase> phases_;  ///< around phi = 0
  std::vector<double> s_;
  std::vector<double> real_;
  std::vector<double> imaginary_;
  std::vector<double> sign_weights_;
  std::size_t touched_begin_ = 0;
  std::size_t touched_end_ = 0;
  std::int64_t nodes_ = 0;
};

/// The kernel of a path; throws std::invalid_argument if this machine lacks it.
SweepRow sweep_row_of(CpuPath path);

}  // namespace banzuke::reflection
