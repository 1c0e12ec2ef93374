#pragma once

namespace banzuke {

/// The instruction sets our kernels are compiled for, weakest first. All give equal bits.
enum class CpuPath { portable, avx2, avx512 };

/// Whether this machine can run the path.
bool is_available(CpuPath path);

/// The strongest path this machine can run.
CpuPath best_cpu_path();

/// "portable", "avx2" or "avx512".
const char* name_of(CpuPath path);

}  // namespace banzuke
