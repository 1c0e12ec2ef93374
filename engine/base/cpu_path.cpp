#include "engine/base/cpu_path.hpp"

namespace banzuke {

bool is_available(CpuPath path) {
#if defined(__x86_64__)
  switch (path) {
    case CpuPath::portable:
      return true;
    case CpuPath::avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case CpuPath::avx512:
      return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512vl") != 0;
  }
#endif
  return path == CpuPath::portable;
}

CpuPath best_cpu_path() {
  if (is_available(CpuPath::avx512)) return CpuPath::avx512;
  if (is_available(CpuPath::avx2)) return CpuPath::avx2;
  return CpuPath::portable;
}

const char* name_of(CpuPath path) {
  switch (path) {
    case CpuPath::avx2:
      return "avx2";
    case CpuPath::avx512:
      return "avx512";
    case CpuPath::portable:
      break;
  }
  return "portable";
}

}  // namespace banzuke
