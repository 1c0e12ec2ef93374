#include "engine/models/bradley_terry/anderson.hpp"

#include <algorithm>
#include <numeric>

namespace banzuke::bradley_terry {

using anderson_kernel::Lanes;
using anderson_kernel::LaneStatus;

Factor factorise(const Elimination& elimination, std::span<const double> weights) {
  const std::uint32_t n = elimination.players;
  Factor out{std::vector<double>(elimination.row.size()), std::vector<double>(n)};
  std::vector<double> column(n), lost(n, 0.0);
  std::vector<std::uint32_t> has_row(n, n);
  for (std::uint32_t j = 0; j < n; ++j) {
    const std::uint64_t begin = elimination.column_begin[j], end = elimination.column_begin[j + 1];
    for (std::uint64_t e = begin; e < end; ++e) {
      column[elimination.row[e]] = 0;
      has_row[elimination.row[e]] = j;
    }
    for (std::uint64_t s = elimination.pair_begin[j]; s < elimination.pair_begin[j + 1]; ++s)
      column[elimination.pair_row[s]] = weights[elimination.pair[s]];
    for (std::uint64_t u = elimination.update_begin[j]; u < elimination.update_begin[j + 1]; ++u) {
      const std::uint32_t k = elimination.update_column[u];
      const double factor = out.entries[elimination.update_entry[u]] * out.inverse[k];
      for (std::uint64_t e = elimination.update_entry[u] + 1; e < elimination.column_begin[k + 1];
           ++e) {
        const std::uint32_t i = elimination.row[e];
        const double value = out.entries[e] * factor;
        if (has_row[i] == j) {
          column[i] += value;
        } else {
          lost[j] += value;
          lost[i] += value;
        }
      }
    }
    double pivot = lost[j];
    for (std::uint64_t e = begin; e < end; ++e) {
      out.entries[e] = column[elimination.row[e]];
      pivot += out.entries[e];
    }
    out.inverse[j] = 1.0 / (pivot > 0 ? pivot : 1.0);
  }
  return out;
}

Anderson::Anderson(const Elimination& elimination, std::span<const BinomialLaw> laws,
                   const Factor& factor, Fill fill) {
  const std::uint32_t n = elimination.players;
  const std::size_t pairs = elimination.pair.size();
  std::vector<double> information(n, 0.0);
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
      earlier_.push_back(i);
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
    const double total = information[i] > 0 ? information[i] : 1.0;
    own_p_[i] = own_p_[i] / total;
    own_q_[i] = own_q_[i] / total;
  }
  entries_.assign(factor.entries.begin(), factor.entries.end());
  inverse_.assign(factor.inverse.begin(), factor.inverse.end());

  run_slot_.resize(pairs);
  std::iota(run_slot_.begin(), run_slot_.end(), 0U);
  const auto games_of = [&](std::uint32_t slot) { return laws[elimination.pair[slot]].n; };
  std::stable_sort(run_slot_.begin(), run_slot_.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return games_of(a) < games_of(b); });
  for (std::uint32_t r = 0; r < pairs; ++r) {
    run_earlier_.push_back(earlier_[run_slot_[r]]);
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
  model_.column_begin = elimination.column_begin.data();
  model_.row = elimination.row.data();
  model_.entries = entries_.data();
  model_.inverse = inverse_.data();
  model_.stretch = fill == Fill::complete ? 2 : 8;
  model_.depth = fill == Fill::complete ? 3 : 5;
  model_.run_slot = run_slot_.data();
  model_.run_earlier = run_earlier_.data();
  model_.run_begin = run_begin_.data();
  model_.run_games = run_games_.data();
  model_.runs = run_games_.size();
}

AndersonWorkspace::AndersonWorkspace(const anderson_kernel::Model& model, std::size_t lanes)
    : width_(lanes), iterations_(lanes), status_(lanes, LaneStatus::given_up) {
  const std::size_t line = (std::size_t{model.players} * lanes + 15) / 16 * 16;
  struct Doubles {
    double* Lanes::*pointer;
    std::size_t size;
  };
  struct Floats {
    float* Lanes::*pointer;
    std::size_t size;
  };
  const std::size_t one = (lanes + 15) / 16 * 16;
  const std::size_t remembered = model.depth * model.players * lanes + 16;
  const Doubles doubles[] = {{&Lanes::score, line},    {&Lanes::position, line},
                             {&Lanes::excess, line},   {&Lanes::residual, line},
                             {&Lanes::last_step, one}, {&Lanes::logs, one}};
  const Floats floats[] = {{&Lanes::float_excess, line}, {&Lanes::direction, line},
                           {&Lanes::before, line},       {&Lanes::step, line},
                           {&Lanes::difference, remembered / 16 * 16},
                           {&Lanes::secant, remembered / 16 * 16}};
  std::size_t total = 0;
  for (const Doubles& array : doubles) total += array.size * sizeof(double);
  for (const Floats& array : floats) total += array.size * sizeof(float);
  block_.reset(static_cast<std::byte*>(::operator new[](total, std::align_val_t{64})));
  std::fill_n(block_.get(), total, std::byte{0});
  std::byte* next = block_.get();
  for (const Doubles& array : doubles) {
    lanes_.*array.pointer = reinterpret_cast<double*>(next);
    next += array.size * sizeof(double);
  }
  for (const Floats& array : floats) {
    lanes_.*array.pointer = reinterpret_cast<float*>(next);
    next += array.size * sizeof(float);
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
