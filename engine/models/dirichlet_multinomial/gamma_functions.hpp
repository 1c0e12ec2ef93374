#pragma once

namespace banzuke::dirichlet_multinomial {

/// log Gamma and its derivatives for x > 0, of + - * / and det_log alone, so that their bits are
/// the same everywhere. Upward recurrence to x >= 12, then Stirling's series (NIST DLMF 5.11.1 and
/// 5.15.8). Relative error below 1e-14 away from the zeros of log Gamma (1 and 2) and of digamma
/// (1.46), absolute there.
double log_gamma(double x);
/// log Γ(x + f) - log Γ(x) for 0 ≤ f ≤ 1, without the cancellation of the difference at large x.
double log_gamma_step(double x, double f);
double digamma(double x);
double trigamma(double x);
/// The second derivative of digamma.
double tetragamma(double x);

}  // namespace banzuke::dirichlet_multinomial
