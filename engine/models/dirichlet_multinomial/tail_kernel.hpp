#pragma once
#include <cstddef>

#include "engine/base/cpu_path.hpp"

// Sums over tails. The code of tail_kernel_source.hpp is compiled once a CPU path; all paths add in
// the same order and give the same bits.
namespace banzuke::dirichlet_multinomial::tail_kernel {

struct Sums {
  double first = 0;   ///< Σ W r
  double second = 0;  ///< Σ W r (1-r)
  double third = 0;   ///< Σ W r (1-r) (1-2r)
};

struct Kernel {
  /// r = m/(scale+m), m = 0 … size-1; size a multiple of 8.
  Sums (*score)(const double* tail, std::size_t size, double scale);
  /// Σ W log(1 + m/scale).
  double (*log_sum)(const double* tail, std::size_t size, double scale);
};

/// The kernel of a path; throws std::invalid_argument if this machine or build does not have it.
const Kernel& kernel_of(CpuPath path);

/// That of the strongest path.
const Kernel& best_kernel();

const Kernel* portable();
const Kernel* avx2();    ///< null when the build has no such code
const Kernel* avx512();  ///< null when the build has no such code

}  // namespace banzuke::dirichlet_multinomial::tail_kernel
