#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/models/bradley_terry/control_variate.hpp"
#include "engine/models/bradley_terry/replicate_kernel.hpp"
#include "engine/store/bundle.hpp"
#include "engine/store/rows.hpp"
#include "jobs/bt_uncertainty_points.hpp"

// What a row holds of its replicates: all of one replicate, or the moments of a segment.
namespace banzuke::bt_uncertainty {

/// What a run keeps.
struct Storage {
  std::uint64_t segment = 1;  ///< replicates a row; more than 1: their moments only
  bool control = false;       ///< what the control variate needs
  bool deviance = false;      ///< of the replicates, beside that of the fit

  bool moments_only() const { return segment > 1; }
};

/// Of a set-up of any version.
Storage storage_of(const Bundle& set_up);
void store_storage(const Storage& storage, Bundle& set_up);

/// The fields of a row; `units` are those of the ratings.
std::vector<Field> fields_of(const Storage& storage, const std::string& units);

/// A sum of the control variate and the field that holds it in a row of moments.
struct CrossField {
  const char* name;
  int power;  ///< of the unit
  double bradley_terry::CrossMoments::*sum;
};
const std::array<CrossField, 12>& cross_fields();

/// The unit and place of stored ratings.
struct RatingScale {
  double offset = 0;  ///< rating of the anchor
  double unit = 1;    ///< of a natural-log unit of ability
};

/// Computes the rows of one point.
class Recorder {
 public:
  Recorder(const PointView& view, const Storage& storage, const RatingScale& scale);

  void compute(std::uint64_t seed, const RowBlock& rows) const;
  /// About proportional to the time a row takes.
  double cost() const;
  /// Bytes a thread needs beside its rows.
  std::size_t workspace_bytes() const;

 private:
  void compute_replicates(std::uint64_t seed, const RowBlock& rows) const;
  void compute_segment(std::uint64_t seed, const RowBlock& rows, std::size_t row) const;
  double rating_of(double ability) const { return scale_.offset + ability * scale_.unit; }
  void spread(std::size_t count, std::span<double> values) const;

  bradley_terry::ReplicateKernel kernel_;
  std::vector<std::size_t> player_;  ///< [rated] place in a row
  std::vector<double> truth_;        ///< [rated] rating
  std::size_t pairs_ = 0;
  double fit_deviance_ = 0;
  Storage storage_;
  RatingScale scale_;
};

}  // namespace banzuke::bt_uncertainty
