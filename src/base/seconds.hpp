// Time that has passed, for records and limits; results never depend on it.
#pragma once

#include <chrono>

namespace kiln {

inline double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace kiln
