#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <vector>

#include "engine/models/bradley_terry/anderson_kernel.hpp"
#include "engine/models/bradley_terry/elimination.hpp"
#include "engine/models/bradley_terry/incomplete_factor.hpp"
#include "engine/random/binomial.hpp"

namespace banzuke::bradley_terry {

/// The fast path's model at a truth; what every replicate shares. Immutable.
class Anderson {
 public:
  /// laws[pair]: games, and p and q of its first player. `elimination` must stay alive. Where it
  /// has no factor, players are corrected one by one and in groups, which are runs of its order.
  Anderson(const Elimination& elimination, std::span<const BinomialLaw> laws);
  Anderson(const Anderson&) = delete;
  Anderson& operator=(const Anderson&) = delete;

  /// Most replicates need `passes` evaluations, and none is given more than `most`.
  void set_schedule(std::int32_t passes, std::int32_t most);

  const anderson_kernel::Model& model() const { return model_; }
  /// [players] by position: sum of n p over pairs as first player minus that as second.
  std::span<const double> expected() const { return expected_; }

 private:
  void use_factor(const Elimination& elimination, std::span<const std::uint32_t> earlier,
                  std::span<const double> conductances);
  void use_groups(const Elimination& elimination, std::span<const double> information,
                  std::span<const double> conductances);

  std::vector<anderson_kernel::Conductor> conductors_;
  std::vector<anderson_kernel::FloatConductor> float_conductors_;
  std::vector<double> expected_, own_p_, own_q_, lowest_, highest_, run_p_, run_q_, run_games_;
  std::optional<IncompleteFactor> factor_;
  std::vector<float> inverse_, group_inverse_;
  std::vector<std::uint32_t> group_, run_earlier_, run_later_, run_begin_;
  anderson_kernel::Model model_;
};

/// The arrays of `lanes` replicates side by side.
class AndersonWorkspace {
 public:
  AndersonWorkspace(const anderson_kernel::Model& model, std::size_t lanes);
  const anderson_kernel::Lanes& lanes() const { return lanes_; }

  /// Forgets who is left out.
  void include_everybody();
  /// Leaves out a player, or a slot with such a player, in lanes by bits.
  void leave_out_player(std::uint32_t player, std::uint64_t bits);
  void leave_out_slot(std::uint32_t slot, std::uint32_t earlier, std::uint64_t bits);

 private:
  struct Release {
    void operator()(std::byte* block) const { ::operator delete[](block, std::align_val_t{64}); }
  };
  void view();

  std::size_t width_;
  std::unique_ptr<std::byte[], Release> block_;
  std::vector<std::uint32_t> out_player_, out_slot_, out_slot_earlier_;
  std::vector<std::int32_t> out_player_mask_, out_slot_mask_, iterations_;
  std::vector<anderson_kernel::LaneStatus> status_;
  anderson_kernel::Lanes lanes_;
};

}  // namespace banzuke::bradley_terry
