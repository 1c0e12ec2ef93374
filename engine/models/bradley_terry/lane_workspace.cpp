#include "engine/models/bradley_terry/lane_workspace.hpp"

#include <algorithm>

namespace banzuke::bradley_terry {
namespace {

/// A new factor saves an evaluation or two. Where the elimination fills in so much that it costs
/// more than these, an older one serves longer.
double longest_reuse(const Elimination& elimination) {
  constexpr double pair_cost = 20;  // of an evaluation, in multiplications and additions
  double factor = 0;
  for (std::uint32_t j = 0; j < elimination.players; ++j) {
    const auto rows =
        static_cast<double>(elimination.column_begin[j + 1] - elimination.column_begin[j]);
    factor += rows * (rows + 1) / 2;
  }
  const double evaluation = pair_cost * static_cast<double>(elimination.first.size()) +
                            2 * static_cast<double>(elimination.row.size());
  return factor <= 8 * evaluation ? 0.01 : 0.2;
}

}  // namespace

LaneWorkspace::LaneWorkspace(const Elimination& elimination, std::size_t lanes)
    : status_(lanes), iterations_(lanes) {
  using lane_kernel::Lanes;
  struct Array {
    double* Lanes::*pointer;
    std::size_t rows;
  };
  const std::size_t players = elimination.players, pairs = elimination.first.size();
  const Array arrays[] = {
      {&Lanes::wins_first, pairs},  {&Lanes::wins_second, pairs},
      {&Lanes::abilities, players}, {&Lanes::base, players},
      {&Lanes::direction, players}, {&Lanes::gradient, players},
      {&Lanes::column, players},    {&Lanes::scratch, players},
      {&Lanes::information, pairs}, {&Lanes::entries, elimination.row.size()},
      {&Lanes::inverse, players},   {&Lanes::last_step, 1},
      {&Lanes::last_gradient, 1},   {&Lanes::log_likelihood, 1},
  };
  const auto padded = [&](std::size_t rows) { return (rows * lanes + 7) / 8 * 8; };
  std::size_t total = 0;
  for (const Array& array : arrays) total += padded(array.rows);
  block_.reset(
      static_cast<double*>(::operator new[](total * sizeof(double), std::align_val_t{64})));
  std::fill_n(block_.get(), total, 0.0);
  double* next = block_.get();
  for (const Array& array : arrays) {
    lanes_.*array.pointer = next;
    next += padded(array.rows);
  }
  lanes_.status = status_.data();
  lanes_.iterations = iterations_.data();
}

lane_kernel::Shared shared_view(const Elimination& elimination, std::span<const double> games,
                                std::vector<std::uint32_t>& degree) {
  degree.assign(elimination.players, 0);
  for (std::size_t k = 0; k < elimination.first.size(); ++k) {
    ++degree[elimination.first[k]];
    ++degree[elimination.second[k]];
  }
  lane_kernel::Shared out;
  out.players = elimination.players;
  out.pairs = elimination.first.size();
  out.first = elimination.first.data();
  out.second = elimination.second.data();
  out.games = games.data();
  out.degree = degree.data();
  out.longest_reuse = longest_reuse(elimination);
  out.column_begin = elimination.column_begin.data();
  out.row = elimination.row.data();
  out.pair_begin = elimination.pair_begin.data();
  out.pair = elimination.pair.data();
  out.pair_row = elimination.pair_row.data();
  out.update_begin = elimination.update_begin.data();
  out.update_column = elimination.update_column.data();
  out.update_entry = elimination.update_entry.data();
  return out;
}

SharedFactor factorise(const Elimination& elimination, std::span<const double> weights) {
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

}  // namespace banzuke::bradley_terry
