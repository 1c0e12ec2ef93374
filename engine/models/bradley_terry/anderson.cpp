#include "engine/models/bradley_terry/anderson.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>

#include "engine/models/bradley_terry/lane_workspace.hpp"

namespace banzuke::bradley_terry {

using anderson_kernel::Lanes;
using anderson_kernel::LaneStatus;

// z stays within this part of the interval in which u is above -1 and finite.
constexpr double farthest = 0.98;

Factor factorise(const Elimination& elimination, std::span<const double> weights) {
  if (elimination.row.empty()) return {};
  const LaneWorkspace workspace(elimination, 1);
  const lane_kernel::Lanes& lane = workspace.lanes();
  std::vector<std::uint32_t> degree;
  std::copy(weights.begin(), weights.end(), lane.information);
  lane_kernel::functions_of(CpuPath::portable, 1)
      .factorise(shared_view(elimination, weights, degree), lane);
  return {{lane.entries, lane.entries + elimination.row.size()},
          {lane.inverse, lane.inverse + elimination.players}};
}

Anderson::Anderson(const Elimination& elimination, std::span<const BinomialLaw> laws,
                   const Factor& factor) {
  const std::uint32_t n = elimination.players;
  const std::size_t pairs = elimination.pair.size();
  std::vector<double> information(n, 0.0);
  std::vector<std::uint32_t> earlier(pairs);
  expected_.assign(n, 0.0);
  own_p_.assign(n, 0.0);
  own_q_.assign(n, 0.0);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint64_t s = elimination.pair_begin[i]; s < elimination.pair_begin[i + 1]; ++s) {
      const std::uint32_t k = elimination.pair[s], j = elimination.pair_row[s];
      const BinomialLaw& law = laws[k];
      const bool is_first = elimination.first[k] == i;
      const double games = static_cast<double>(law.n);
      const double p = is_first ? law.p : law.q, q = is_first ? law.q : law.p;
      const double conductance = games * (p * q);
      conductors_.push_back({conductance, p, q});
      float_conductors_.push_back(
          {static_cast<float>(conductance), static_cast<float>(p), static_cast<float>(q)});
      earlier[s] = i;
      own_p_[i] += conductance * p;
      own_q_[i] += conductance * q;
      own_p_[j] += conductance * q;
      own_q_[j] += conductance * p;
      information[i] += conductance;
      information[j] += conductance;
      expected_[elimination.first[k]] += games * law.p;
      expected_[elimination.second[k]] -= games * law.p;
    }
  for (std::uint32_t i = 0; i < n; ++i) {
    information[i] = information[i] > 0 ? information[i] : 1.0;
    own_p_[i] = own_p_[i] / information[i];
    own_q_[i] = own_q_[i] / information[i];
    lowest_.push_back(-farthest / own_q_[i]);
    highest_.push_back(farthest / own_p_[i]);
  }

  run_slot_.resize(pairs);
  std::iota(run_slot_.begin(), run_slot_.end(), 0U);
  const auto games_of = [&](std::uint32_t slot) { return laws[elimination.pair[slot]].n; };
  std::stable_sort(run_slot_.begin(), run_slot_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return games_of(a) < games_of(b); });
  for (std::uint32_t r = 0; r < pairs; ++r) {
    run_earlier_.push_back(earlier[run_slot_[r]]);
    if (r == 0 || games_of(run_slot_[r]) != games_of(run_slot_[r - 1])) {
      run_begin_.push_back(r);
      run_games_.push_back(static_cast<double>(games_of(run_slot_[r])));
    }
  }
  run_begin_.push_back(static_cast<std::uint32_t>(pairs));

  model_.players = n;
  model_.slot_begin = elimination.pair_begin.data();
  model_.slot_other = elimination.pair_row.data();
  model_.conductors = conductors_.data();
  model_.float_conductors = float_conductors_.data();
  model_.own_p = own_p_.data();
  model_.own_q = own_q_.data();
  model_.lowest = lowest_.data();
  model_.highest = highest_.data();
  model_.run_slot = run_slot_.data();
  model_.run_earlier = run_earlier_.data();
  model_.run_begin = run_begin_.data();
  model_.run_games = run_games_.data();
  model_.runs = run_games_.size();
  if (factor.entries.empty())
    use_groups(elimination, information);
  else
    use_factor(elimination, factor);
}

void Anderson::use_factor(const Elimination& elimination, const Factor& factor) {
  entries_.assign(factor.entries.begin(), factor.entries.end());
  inverse_.assign(factor.inverse.begin(), factor.inverse.end());
  const std::uint32_t ground = elimination.players - 1;
  const auto rows = [&](std::uint32_t c) {
    return elimination.column_begin[c + 1] - elimination.column_begin[c];
  };
  // Neighbours whose first row is the next one, and that have no other row it lacks.
  const auto continues = [&](std::uint32_t c) {
    return elimination.row[elimination.column_begin[c]] == c + 1 && rows(c) == rows(c + 1) + 1;
  };
  constexpr auto wide = static_cast<std::uint32_t>(anderson_kernel::block_columns);
  for (std::uint32_t c = 0; c < ground;) {
    std::uint32_t size = 1;
    while (size < wide && c + size < ground && continues(c + size - 1)) ++size;
    block_begin_.push_back(c);
    c += size == wide ? wide : 1;
  }
  block_begin_.push_back(ground);
  model_.column_begin = elimination.column_begin.data();
  model_.row = elimination.row.data();
  model_.entries = entries_.data();
  model_.inverse = inverse_.data();
  model_.block_begin = block_begin_.data();
  model_.blocks = block_begin_.size() - 1;
  model_.stretch = 2;
  model_.depth = 4;
}

void Anderson::use_groups(const Elimination& elimination, std::span<const double> information) {
  const std::uint32_t n = elimination.players;
  const std::uint32_t groups = std::min<std::uint32_t>(64, 1 + n / 32);
  // Equal shares of the information.
  double total = 0, before = 0;
  for (const double of_player : information) total += of_player;
  for (std::uint32_t i = 0; i < n; ++i) {
    inverse_.push_back(static_cast<float>(1.0 / information[i]));
    group_.push_back(std::min(groups - 1, static_cast<std::uint32_t>(groups * (before / total))));
    before += information[i];
  }
  // The information between groups; the shift of all, which it leaves open, gets a weight of its
  // own.
  Eigen::MatrixXd between = Eigen::MatrixXd::Constant(groups, groups, total / groups / groups);
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::uint64_t s = elimination.pair_begin[i]; s < elimination.pair_begin[i + 1]; ++s) {
      const std::uint32_t a = group_[i], b = group_[elimination.pair_row[s]];
      if (a == b) continue;
      const double conductance = conductors_[s].conductance;
      between(a, a) += conductance;
      between(b, b) += conductance;
      between(a, b) -= conductance;
      between(b, a) -= conductance;
    }
  const Eigen::MatrixXd inverse = between.inverse();
  for (std::uint32_t a = 0; a < groups; ++a)
    for (std::uint32_t b = 0; b < groups; ++b)
      group_inverse_.push_back(static_cast<float>(inverse(a, b)));
  model_.inverse = inverse_.data();
  model_.groups = groups;
  model_.group = group_.data();
  model_.group_inverse = group_inverse_.data();
  model_.stretch = 4;
  model_.depth = 5;
}

void Anderson::set_schedule(std::int32_t passes, std::int32_t most) {
  model_.last_exact = std::max(1, passes - 1);
  // Float has six of the eleven digits to give.
  model_.first_exact = std::max(1, passes / 2);
  model_.max_passes = most;
}

AndersonWorkspace::AndersonWorkspace(const anderson_kernel::Model& model, std::size_t lanes)
    : width_(lanes), iterations_(lanes), status_(lanes, LaneStatus::given_up) {
  const auto padded = [](std::size_t size) { return (size + 15) / 16 * 16; };
  const std::size_t line = std::size_t{model.players} * lanes;
  struct Doubles {
    double* Lanes::*pointer;
    std::size_t size;
  };
  struct Floats {
    float* Lanes::*pointer;
    std::size_t size;
  };
  const std::size_t remembered = model.depth * line;
  const Doubles doubles[] = {{&Lanes::score, line},  {&Lanes::position, line},
                             {&Lanes::excess, line}, {&Lanes::residual, line},
                             {&Lanes::base, line},   {&Lanes::last_step, lanes},
                             {&Lanes::logs, lanes}};
  const Floats floats[] = {{&Lanes::float_excess, line},
                           {&Lanes::direction, line},
                           {&Lanes::before, line},
                           {&Lanes::step, line},
                           {&Lanes::base_residual, line},
                           {&Lanes::float_base, line},
                           {&Lanes::base_scale, line},
                           {&Lanes::group_residual, model.groups * lanes},
                           {&Lanes::group_shift, model.groups * lanes},
                           {&Lanes::difference, remembered},
                           {&Lanes::secant, remembered}};
  std::size_t total = 0;
  for (const Doubles& array : doubles) total += padded(array.size) * sizeof(double);
  for (const Floats& array : floats) total += padded(array.size) * sizeof(float);
  block_.reset(static_cast<std::byte*>(::operator new[](total, std::align_val_t{64})));
  std::fill_n(block_.get(), total, std::byte{0});
  std::byte* next = block_.get();
  for (const Doubles& array : doubles) {
    lanes_.*array.pointer = reinterpret_cast<double*>(next);
    next += padded(array.size) * sizeof(double);
  }
  for (const Floats& array : floats) {
    lanes_.*array.pointer = reinterpret_cast<float*>(next);
    next += padded(array.size) * sizeof(float);
  }
  lanes_.iterations = iterations_.data();
  lanes_.status = status_.data();
}

void AndersonWorkspace::view() {
  lanes_.out_player = out_player_.data();
  lanes_.out_player_mask = out_player_mask_.data();
  lanes_.out_players = out_player_.size();
  lanes_.out_slot = out_slot_.data();
  lanes_.out_slot_earlier = out_slot_earlier_.data();
  lanes_.out_slot_mask = out_slot_mask_.data();
  lanes_.out_slots = out_slot_.size();
}

void AndersonWorkspace::include_everybody() {
  out_player_.clear();
  out_player_mask_.clear();
  out_slot_.clear();
  out_slot_earlier_.clear();
  out_slot_mask_.clear();
  view();
}

void AndersonWorkspace::leave_out_player(std::uint32_t player, std::uint64_t bits) {
  out_player_.push_back(player);
  for (std::size_t l = 0; l < width_; ++l)
    out_player_mask_.push_back(static_cast<std::int32_t>(bits >> l & 1));
  view();
}

void AndersonWorkspace::leave_out_slot(std::uint32_t slot, std::uint32_t earlier,
                                       std::uint64_t bits) {
  out_slot_.push_back(slot);
  out_slot_earlier_.push_back(earlier);
  for (std::size_t l = 0; l < width_; ++l)
    out_slot_mask_.push_back(static_cast<std::int32_t>(bits >> l & 1));
  view();
}

}  // namespace banzuke::bradley_terry
