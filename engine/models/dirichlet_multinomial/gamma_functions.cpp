#include "engine/models/dirichlet_multinomial/gamma_functions.hpp"

#include <array>

#include "engine/base/elementary.hpp"

namespace banzuke::dirichlet_multinomial {
namespace {

constexpr double series_from = 12.0;

/// B_2j for j = 1 … 8.
constexpr std::array<double, 8> bernoulli{1.0 / 6,  -1.0 / 30,     1.0 / 42, -1.0 / 30,
                                          5.0 / 66, -691.0 / 2730, 7.0 / 6,  -3617.0 / 510};

/// Σ_j B_2j c_j z^(j-1) by Horner's rule, c_j = coefficient(2j).
template <class Coefficient>
double bernoulli_series(double z, Coefficient coefficient) {
  double sum = 0;
  for (int j = 8; j >= 1; --j) {
    sum = sum * z + bernoulli[static_cast<std::size_t>(j - 1)] * coefficient(2.0 * j);
  }
  return sum;
}

/// log Γ(x) - ((x - 1/2) log x - x + log(2π)/2).
double stirling(double x) {
  return bernoulli_series(1 / (x * x), [](double m) { return 1 / (m * (m - 1)); }) / x;
}

}  // namespace

double log_gamma(double x) {
  double product = 1;
  for (; x < series_from; x += 1) product *= x;
  constexpr double half_log_two_pi = 0.91893853320467274178;
  return ((x - 0.5) * det_log(x) - x) + half_log_two_pi + stirling(x) - det_log(product);
}

double log_gamma_step(double x, double f) {
  double product = 1;
  for (; x < series_from; x += 1) product *= x / (x + f);
  return (x - 0.5) * det_log1p(f / x) + f * (det_log(x + f) - 1) + (stirling(x + f) - stirling(x)) +
         det_log(product);
}

double digamma(double x) {
  double shift = 0;
  for (; x < series_from; x += 1) shift += 1 / x;
  const double z = 1 / (x * x);
  return det_log(x) - 0.5 / x - z * bernoulli_series(z, [](double m) { return 1 / m; }) - shift;
}

double trigamma(double x) {
  double shift = 0;
  for (; x < series_from; x += 1) shift += 1 / (x * x);
  const double z = 1 / (x * x);
  return shift + (1 + 0.5 / x + z * bernoulli_series(z, [](double) { return 1.0; })) / x;
}

double tetragamma(double x) {
  double shift = 0;
  for (; x < series_from; x += 1) shift += 2 / (x * x * x);
  const double z = 1 / (x * x);
  return -shift - z * (1 + 1 / x + z * bernoulli_series(z, [](double m) { return m + 1; }));
}

}  // namespace banzuke::dirichlet_multinomial
