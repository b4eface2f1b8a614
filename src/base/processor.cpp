#include "base/processor.hpp"

namespace kiln {

std::string processor_level() {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(KILN_LEVELS)
  return __builtin_cpu_supports("x86-64-v3") ? "x86-64-v3 of v2, v3" : "x86-64-v2 of v2, v3";
#elif defined(KILN_NATIVE)
  return "the machine it was compiled on";
#elif defined(__x86_64__)
  return "x86-64-v2";
#elif defined(__aarch64__)
  return "armv8-a";
#else
  return "the compiler's default";
#endif
}

}  // namespace kiln
