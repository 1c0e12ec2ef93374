#pragma once

namespace banzuke {

/// Quantile of the standard normal law, p in (0, 1), relative error about 1e-16: algorithm AS 241,
/// PPND16 (Wichura 1988), with det_log in the tails. -∞ at 0, +∞ at 1.
double normal_quantile(double p);

}  // namespace banzuke
