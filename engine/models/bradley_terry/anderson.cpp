#include "engine/models/bradley_terry/anderson.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <numeric>

namespace banzuke::bradley_terry {

using anderson_kernel::Lanes;
using anderson_kernel::LaneStatus;

// z stays within this part of the interval in which u is above -1 and finite.
constexpr double farthest = 0.98;
// Entries of the factor below this part of both players' information are not worth their time.
constexpr double dropped = 0.01;

Anderson::Anderson(const Elimination& elimination, std::span<const BinomialLaw> laws) {
  const std::uint32_t n = elimination.players;
  const std::size_t pairs = elimination.pair.size();
  std::vector<double> information(n, 0.0);
  std::vector<double> conductances;
  std::vector<std::uint32_t> earlier(pairs), run_slot(pairs);
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
      conductances.push_back(conductance);
      conductors_.push_back({games * q, q / p});
      const double ratio = std::min(1e15, q / p);
      float_conductors_.push_back({static_cast<float>(games * q),
                                   static_cast<float>(games * q * (1.0 + ratio)),
                                   static_cast<float>(ratio)});
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

  std::iota(run_slot.begin(), run_slot.end(), 0U);
  const auto law_of = [&](std::uint32_t slot) { return laws[elimination.pair[slot]]; };
  std::stable_sort(run_slot.begin(), run_slot.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return law_of(a).n < law_of(b).n; });
  for (std::uint32_t r = 0; r < pairs; ++r) {
    const std::uint32_t s = run_slot[r];
    const BinomialLaw law = law_of(s);
    const bool is_first = elimination.first[elimination.pair[s]] == earlier[s];
    run_earlier_.push_back(earlier[s]);
    run_later_.push_back(elimination.pair_row[s]);
    run_p_.push_back(is_first ? law.p : law.q);
    run_q_.push_back(is_first ? law.q : law.p);
    if (r == 0 || law.n != law_of(run_slot[r - 1]).n) {
      run_begin_.push_back(r);
      run_games_.push_back(static_cast<double>(law.n));
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
  model_.run_earlier = run_earlier_.data();
  model_.run_later = run_later_.data();
  model_.run_p = run_p_.data();
  model_.run_q = run_q_.data();
  model_.run_begin = run_begin_.data();
  model_.run_games = run_games_.data();
  model_.runs = run_games_.size();
  model_.widest = *std::max_element(information.begin(), information.end());
  if (elimination.row.empty())
    use_groups(elimination, information, conductances);
  else
    use_factor(elimination, earlier, conductances);
}

void Anderson::use_factor(const Elimination& elimination, std::span<const std::uint32_t> earlier,
                          std::span<const double> conductances) {
  factor_.emplace(elimination.players, earlier, elimination.pair_row, conductances, dropped);
  model_.columns = elimination.players - 1;
  model_.column_player = factor_->player.data();
  model_.pivot_inverse = factor_->inverse.data();
  const auto view = [](const IncompleteFactor::Entries& entries) {
    return anderson_kernel::Triangle{entries.begin.data(), entries.other.data(),
                                     entries.value.data()};
  };
  model_.rows = view(factor_->of_row);
  model_.below = view(factor_->of_column);
  model_.stretch = 2;
  model_.depth = 4;
}

void Anderson::use_groups(const Elimination& elimination, std::span<const double> information,
                          std::span<const double> conductances) {
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
      const double conductance = conductances[s];
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
  // Float has six of the eleven digits to give.
  model_.first_exact = (passes + 1) / 2;
  model_.last_exact = passes;
  model_.first_end = std::max(model_.first_exact, passes - 4);
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
  const Doubles doubles[] = {{&Lanes::score, line},    {&Lanes::base, line},
                             {&Lanes::excess, line},   {&Lanes::strength, line},
                             {&Lanes::residual, line}, {&Lanes::last_step, lanes},
                             {&Lanes::logs, lanes}};
  const Floats floats[] = {{&Lanes::base_position, line},
                           {&Lanes::base_strength, line},
                           {&Lanes::base_scale, line},
                           {&Lanes::base_residual, line},
                           {&Lanes::moved, line},
                           {&Lanes::float_excess, line},
                           {&Lanes::float_strength, line},
                           {&Lanes::direction, line},
                           {&Lanes::before, line},
                           {&Lanes::step, line},
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
