#include "engine/models/bradley_terry/linearised.hpp"

#include <algorithm>

namespace banzuke::bradley_terry {

void Linearised::solve(std::vector<double>& column) const {
  const std::uint32_t ground = elimination_.players - 1;
  const std::uint64_t* const begin = elimination_.column_begin.data();
  const std::uint32_t* const row = elimination_.row.data();
  const double* const entry = factor_.entries.data();
  double* const x = column.data();
  for (std::uint32_t j = 0; j < ground; ++j) {
    double value[lanes];
    for (std::size_t l = 0; l < lanes; ++l) value[l] = x[j * lanes + l] * factor_.inverse[j];
    for (std::uint64_t e = begin[j]; e < begin[j + 1]; ++e) {
      double* const target = x + row[e] * lanes;
      for (std::size_t l = 0; l < lanes; ++l) target[l] += entry[e] * value[l];
    }
  }
  std::fill_n(x + ground * lanes, lanes, 0.0);
  for (std::uint32_t j = ground; j-- > 0;) {
    double value[lanes];
    std::copy_n(x + j * lanes, lanes, value);
    for (std::uint64_t e = begin[j]; e < begin[j + 1]; ++e) {
      const double* const known = x + row[e] * lanes;
      for (std::size_t l = 0; l < lanes; ++l) value[l] += entry[e] * known[l];
    }
    for (std::size_t l = 0; l < lanes; ++l) x[j * lanes + l] = value[l] * factor_.inverse[j];
  }
}

}  // namespace banzuke::bradley_terry
