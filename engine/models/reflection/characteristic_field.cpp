#include "engine/models/reflection/characteristic_field.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "engine/base/elementary_trig.hpp"

namespace banzuke::reflection {
namespace {

constexpr double pi = 0x1.921fb54442d18p+1;
constexpr std::size_t lanes_at_once = 8;
constexpr std::int64_t tabulated_phases = 128;
constexpr int empty_neighbours = 2;  ///< so many empty rows in succession end a search

/// The most factors of modulus at least 1 whose product has modulus <= e^(2 cutoff / alpha / 2)
/// and keeps its argument clear of pi: i atan(sqrt(e^(2 cutoff / (alpha i)) - 1)) <= 3.
std::size_t largest_factor(double alpha, double cutoff) {
  std::size_t size = 2;
  for (std::size_t i = 3; i <= 18; ++i) {
    const auto count = static_cast<double>(i);
    const double modulus2 = det_exp(std::min(2.0 * cutoff / (alpha * count), 600.0));
    if (count * det_atan2(std::sqrt(modulus2 - 1.0), 1.0) > 3.0) break;
    size = i;
  }
  return size;
}

}  // namespace

SweepRow sweep_row_of(CpuPath path) {
  if (!is_available(path)) {
    throw std::invalid_argument(std::string("this machine cannot run the CPU path ") +
                                name_of(path));
  }
  switch (path) {
    case CpuPath::avx2:
      return sweep_row_avx2();
    case CpuPath::avx512:
      return sweep_row_avx512();
    case CpuPath::portable:
      break;
  }
  return sweep_row_portable();
}

CharacteristicField::CharacteristicField(const Game& game, std::int64_t games, const Grid& grid,
                                         CpuPath path)
    : sweep_(sweep_row_of(path)),
      grid_(grid),
      games_(static_cast<double>(games)),
      lambda_(games_ / game.concentration),
      concentration_(game.concentration) {
  std::vector<std::size_t> order(game.outcomes());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&game](std::size_t a, std::size_t b) { return game.alpha[a] < game.alpha[b]; });
  for (const std::size_t j : order) {
    alpha_.push_back(game.alpha[j]);
    coefficient_.push_back(game.coefficient[j]);
    spread_ += game.alpha[j] * std::abs(game.coefficient[j] - game.mean);
    skill_weight_ += game.alpha[j] * game.coefficient[j];
    skill_weight2_ += game.alpha[j] * game.coefficient[j] * game.coefficient[j];
  }
  least_alpha_ = alpha_.front();
  // sum_j alpha_j log(1 + v_j) >= least_alpha log(1 + sum_j alpha_j v_j / least_alpha).
  largest_decay_ = least_alpha_ * (det_exp(std::min(grid_.cutoff / least_alpha_, 600.0)) - 1.0);
  for (auto* values : {&v_, &u_, &shifted_, &half_sin_, &half_cos_}) values->resize(alpha_.size());
  set_factors();
  largest_modulus_ = factor_end_.size() > 1
                         ? std::numeric_limits<double>::infinity()
                         : det_exp(std::min(2.0 * grid_.cutoff / least_alpha_, 600.0)) - 1.0;
  for (std::int64_t m = -tabulated_phases; m <= tabulated_phases; ++m) {
    phases_.push_back(phase(m));
  }
  set_lanes(64);
}

void CharacteristicField::set_factors() {
  std::size_t begin = 0;
  while (begin < alpha_.size()) {
    const std::size_t most = largest_factor(alpha_[begin], grid_.cutoff);
    std::size_t end = begin + 1;
    while (end < alpha_.size() && end - begin < most && alpha_[end] == alpha_[begin]) ++end;
    factor_end_.push_back(end);
    factor_alpha_.push_back(alpha_[begin]);
    begin = end;
  }
}

void CharacteristicField::set_lanes(std::size_t lanes) {
  s_.resize(lanes);
  sign_weights_.resize(lanes);
  for (std::size_t lane = 1; lane < lanes; ++lane) {
    const auto odd = static_cast<double>(2 * lane - 1);
    s_[lane] = odd * (0.5 * grid_.skill_step);
    sign_weights_[lane] = 4.0 / (pi * odd);
  }
  real_.assign(lanes, 0.0);
  imaginary_.assign(lanes, 0.0);
  touched_begin_ = 0;
  touched_end_ = 0;
}

CharacteristicField::Phase CharacteristicField::phase(std::int64_t m) const {
  const double half = static_cast<double>(m) * (pi / static_cast<double>(grid_.totals));
  const SinCos values = det_sincos(half);
  return {values.sin, values.cos, 2.0 * half};
}

void CharacteristicField::clear() {
  std::fill(real_.begin() + static_cast<std::ptrdiff_t>(touched_begin_),
            real_.begin() + static_cast<std::ptrdiff_t>(touched_end_), 0.0);
  std::fill(imaginary_.begin() + static_cast<std::ptrdiff_t>(touched_begin_),
            imaginary_.begin() + static_cast<std::ptrdiff_t>(touched_end_), 0.0);
  touched_begin_ = 0;
  touched_end_ = 0;
}

bool CharacteristicField::reaches(double theta, double& gap) const {
  double real = 0.0;
  double imaginary = 0.0;
  for (std::size_t j = 0; j < alpha_.size(); ++j) {
    const SinCos x = det_sincos(theta * coefficient_[j]);
    real += alpha_[j] * x.cos;
    imaginary += alpha_[j] * x.sin;
  }
  // The least of sum_j alpha_j v_j over phi; its derivative in theta is at most lambda spread.
  const double decay = lambda_ * (concentration_ - std::sqrt(real * real + imaginary * imaginary));
  gap = decay > largest_decay_ ? (decay - largest_decay_) / (lambda_ * spread_) : 0.0;
  return !(decay > largest_decay_);
}

/// Where the nodes of theta are largest: phi* minimises sum_j alpha_j v_j; around it the decay is
/// nearly quadratic in (phi - phi*, s, y), and the minimum of that form is taken.
double CharacteristicField::centre_phase(double theta) const {
  double real = 0.0;
  double imaginary = 0.0;
  for (std::size_t j = 0; j < alpha_.size(); ++j) {
    const SinCos x = det_sincos(theta * coefficient_[j]);
    real += alpha_[j] * x.cos;
    imaginary += alpha_[j] * x.sin;
  }
  const double phi = -det_atan2(imaginary, real);
  if (grid_.scale_step > 0) return phi;
  double x_sum = 0.0;
  double xc_sum = 0.0;
  for (std::size_t j = 0; j < alpha_.size(); ++j) {
    const SinCos x = det_sincos(phi + theta * coefficient_[j]);
    const double wrapped = det_atan2(x.sin, x.cos);
    x_sum += alpha_[j] * wrapped;
    xc_sum += alpha_[j] * wrapped * coefficient_[j];
  }
  // Minimise (x_j + d)^2 (lambda + lambda^2) + 2 lambda (x_j + d) c_j s + c_j^2 s^2 over d and s.
  const double dd =
      (1.0 + lambda_) * concentration_ - lambda_ * skill_weight_ * skill_weight_ / skill_weight2_;
  const double d =
      (lambda_ * skill_weight_ * xc_sum / skill_weight2_ - (1.0 + lambda_) * x_sum) / dd;
  return phi + d;
}

bool CharacteristicField::sweep_lanes(double y, double turn, bool& clipped) {
  const std::size_t k = alpha_.size();
  double weighted = 0.0;
  for (std::size_t j = 0; j < k; ++j) {
    shifted_[j] = u_[j] - y;
    weighted += alpha_[j] * coefficient_[j] * shifted_[j];
  }
  const double best = -weighted / skill_weight2_;
  const double lane = best / grid_.skill_step + 0.5;
  const std::size_t last = s_.size() / lanes_at_once - 1;
  const std::size_t block =
      lane > 0.0 ? static_cast<std::size_t>(std::min(lane, 1e9)) / lanes_at_once : 0;
  if (block > last) {
    clipped = true;
    return true;
  }
  const NodeRow row{coefficient_.data(),  v_.data(),          shifted_.data(),  factor_end_.data(),
                    factor_alpha_.data(), factor_end_.size(), largest_modulus_, turn,
                    grid_.cutoff};
  const LaneWindow window =
      sweep_(row, s_.data(), s_.size(), block * lanes_at_once, real_.data(), imaginary_.data());
  clipped = clipped || window.clipped;
  if (window.begin == window.end) return false;
  nodes_ += static_cast<std::int64_t>(window.end - window.begin);
  if (touched_begin_ == touched_end_) {
    touched_begin_ = window.begin;
    touched_end_ = window.end;
  } else {
    touched_begin_ = std::min(touched_begin_, window.begin);
    touched_end_ = std::max(touched_end_, window.end);
  }
  return true;
}

/// All nodes of one phi; false if there are none above the cutoff.
bool CharacteristicField::sweep_phase(const Phase& phase, double turn, bool& clipped) {
  const std::size_t k = alpha_.size();
  double u_sum = 0.0;
  double uc_sum = 0.0;
  for (std::size_t j = 0; j < k; ++j) {
    const double sine = phase.half_sin * half_cos_[j] + phase.half_cos * half_sin_[j];
    const double cosine = phase.half_cos * half_cos_[j] - phase.half_sin * half_sin_[j];
    v_[j] = 2.0 * lambda_ * sine * sine;
    u_[j] = 2.0 * lambda_ * sine * cosine;
    u_sum += alpha_[j] * u_[j];
    uc_sum += alpha_[j] * u_[j] * coefficient_[j];
  }
  const double phi_turn = turn - games_ * phase.phi;
  if (!(grid_.scale_step > 0)) return sweep_lanes(0.0, phi_turn, clipped);

  // The best y of the form sum_j alpha_j (u_j - y + c_j s)^2, s free but not negative.
  const double mean_c = skill_weight_ / concentration_;
  const double variance = skill_weight2_ / concentration_ - mean_c * mean_c;
  const double slope = (uc_sum - mean_c * u_sum) / (concentration_ * variance);
  const double best = u_sum / concentration_ - (slope < 0.0 ? slope : 0.0) * mean_c;
  const double step = grid_.scale_step / concentration_;
  const double first = std::nearbyint(best / step);
  bool any = false;
  for (const double direction : {1.0, -1.0}) {
    int empty = 0;
    for (double m = first + (direction > 0 ? 0.0 : -1.0); empty < empty_neighbours;
         m += direction) {
      const double y = m * step;
      const bool alive = sweep_lanes(y, phi_turn + concentration_ * y, clipped);
      if (clipped) return true;
      empty = alive ? 0 : empty + 1;
      any = any || alive;
    }
  }
  return any;
}

bool CharacteristicField::try_row(double theta, double turn) {
  clear();
  for (std::size_t j = 0; j < alpha_.size(); ++j) {
    const SinCos half = det_sincos(0.5 * theta * coefficient_[j]);
    half_sin_[j] = half.sin;
    half_cos_[j] = half.cos;
  }
  const double spacing = 2.0 * pi / static_cast<double>(grid_.totals);
  const auto first = static_cast<std::int64_t>(std::nearbyint(centre_phase(theta) / spacing));
  // Phases first - (M - 1)/2 … first + M/2, outwards.
  bool clipped = false;
  for (const int direction : {1, -1}) {
    const std::int64_t count = direction > 0 ? grid_.totals / 2 + 1 : (grid_.totals - 1) / 2;
    int empty = 0;
    for (std::int64_t i = 0; i < count && empty < empty_neighbours; ++i) {
      const std::int64_t m = direction > 0 ? first + i : first - 1 - i;
      const bool tabulated = m >= -tabulated_phases && m <= tabulated_phases;
      const bool alive = sweep_phase(
          tabulated ? phases_[static_cast<std::size_t>(m + tabulated_phases)] : phase(m), turn,
          clipped);
      if (clipped) return false;
      empty = alive ? 0 : empty + 1;
    }
  }
  return true;
}

CharacteristicField::Row CharacteristicField::row(double theta, double turn) {
  while (!try_row(theta, turn)) set_lanes(2 * s_.size());
  return {real_.data(), imaginary_.data(), touched_begin_, touched_end_};
}

}  // namespace banzuke::reflection
