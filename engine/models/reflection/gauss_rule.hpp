#pragma once
#include <vector>

namespace banzuke::reflection {

/// Nodes in ascending order and weights of an n-point Gauss rule on (0, 1); the weights sum to 1.
struct GaussRule {
  std::vector<double> nodes;
  std::vector<double> weights;
};

/// Exact for the mean of polynomials of degree < 2n under Beta(a, b), by Golub and Welsch (1969):
/// eigenvalues of the Jacobi matrix by implicit QL. Only + - * / and square roots.
GaussRule gauss_beta(double a, double b, int n);

/// Gauss–Legendre on (0, 1).
inline GaussRule gauss_uniform(int n) {
  return gauss_beta(1.0, 1.0, n);
}

}  // namespace banzuke::reflection
