#pragma once
#include <boost/math/distributions/chi_squared.hpp>
#include <cstddef>
#include <vector>

namespace banzuke {

/// Pearson's chi-square test of counts against expected counts; neighbouring cells are pooled until
/// each expects at least 10.
struct ChiSquare {
  double statistic = 0.0;
  std::size_t degrees_of_freedom = 0;
  double p_value = 1.0;

  ChiSquare(const std::vector<double>& observed, const std::vector<double>& expected) {
    std::vector<double> o;
    std::vector<double> e;
    bool open = false;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      if (!open) {
        o.push_back(0.0);
        e.push_back(0.0);
      }
      o.back() += observed[i];
      e.back() += expected[i];
      open = e.back() < 10.0;
    }
    if (open && e.size() > 1) {
      o[o.size() - 2] += o.back();
      e[e.size() - 2] += e.back();
      o.pop_back();
      e.pop_back();
    }
    for (std::size_t i = 0; i < e.size(); ++i) statistic += (o[i] - e[i]) * (o[i] - e[i]) / e[i];
    degrees_of_freedom = e.size() - 1;
    if (degrees_of_freedom > 0) {
      const boost::math::chi_squared law(static_cast<double>(degrees_of_freedom));
      p_value = boost::math::cdf(boost::math::complement(law, statistic));
    }
  }
};

}  // namespace banzuke
