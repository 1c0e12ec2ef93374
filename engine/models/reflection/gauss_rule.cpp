#include "engine/models/reflection/gauss_rule.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace banzuke::reflection {
namespace {

/// Eigenvalues of the symmetric tridiagonal matrix into `diagonal`; `first` is turned from the
/// first unit vector into the first components of the eigenvectors. `off` holds n entries, the
/// last one free. Implicit QL with Wilkinson's shift (Golub and Van Loan, section 8.3).
void tridiagonal_eigen(std::vector<double>& diagonal, std::vector<double>& off,
                       std::vector<double>& first) {
  const std::size_t n = diagonal.size();
  for (std::size_t l = 0; l < n; ++l) {
    for (int sweep = 0;; ++sweep) {
      std::size_t m = l;
      for (; m + 1 < n; ++m) {
        const double scale = std::abs(diagonal[m]) + std::abs(diagonal[m + 1]);
        if (std::abs(off[m]) <= 0x1p-53 * scale) break;
      }
      if (m == l) break;
      if (sweep == 60) throw std::runtime_error("Gauss rule: the QL iteration did not converge");
      double g = (diagonal[l + 1] - diagonal[l]) / (2.0 * off[l]);
      double r = std::sqrt(g * g + 1.0);
      g = diagonal[m] - diagonal[l] + off[l] / (g + (g >= 0.0 ? r : -r));
      double s = 1.0;
      double c = 1.0;
      double p = 0.0;
      bool split = false;
      for (std::size_t i = m; i-- > l;) {
        const double f = s * off[i];
        const double b = c * off[i];
        r = std::sqrt(f * f + g * g);
        off[i + 1] = r;
        if (r == 0.0) {
          diagonal[i + 1] -= p;
          off[m] = 0.0;
          split = true;
          break;
        }
        s = f / r;
        c = g / r;
        g = diagonal[i + 1] - p;
        r = (diagonal[i] - g) * s + 2.0 * c * b;
        p = s * r;
        diagonal[i + 1] = g + p;
        g = c * r - b;
        const double turned = first[i + 1];
        first[i + 1] = s * first[i] + c * turned;
        first[i] = c * first[i] - s * turned;
      }
      if (split) continue;
      diagonal[l] -= p;
      off[l] = g;
      off[m] = 0.0;
    }
  }
}

}  // namespace

GaussRule gauss_beta(double a, double b, int n) {
  // Jacobi weight (1 - x)^alpha (1 + x)^beta on (-1, 1), x = 2t - 1.
  const double alpha = b - 1.0;
  const double beta = a - 1.0;
  const auto size = static_cast<std::size_t>(n);
  std::vector<double> diagonal(size);
  std::vector<double> off(size, 0.0);
  diagonal[0] = (beta - alpha) / (alpha + beta + 2.0);
  for (std::size_t i = 1; i < size; ++i) {
    const auto m = static_cast<double>(i);
    const double sum = 2.0 * m + alpha + beta;
    diagonal[i] = (beta - alpha) * (beta + alpha) / (sum * (sum + 2.0));
    const double square = i == 1 ? 4.0 * (1.0 + alpha) * (1.0 + beta) / (sum * sum * (sum + 1.0))
                                 : 4.0 * m * (m + alpha) * (m + beta) * (m + alpha + beta) /
                                       (sum * sum * (sum + 1.0) * (sum - 1.0));
    off[i - 1] = std::sqrt(square);
  }
  std::vector<double> first(size, 0.0);
  first[0] = 1.0;
  tridiagonal_eigen(diagonal, off, first);
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&diagonal](std::size_t x, std::size_t y) { return diagonal[x] < diagonal[y]; });
  GaussRule rule;
  for (const std::size_t i : order) {
    rule.nodes.push_back(0.5 * (1.0 + diagonal[i]));
    rule.weights.push_back(first[i] * first[i]);
  }
  return rule;
}

}  // namespace banzuke::reflection
