// For tests that compile for a device, or run on one.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "engine/cuda/driver/nvrtc.hpp"

namespace kiln {

inline bool in_ci() {
  const char* ci = std::getenv("CI");
  return ci != nullptr && std::string(ci) == "true";
}

}  // namespace kiln

// Skips the test where NVRTC is missing. Where CI says that it is CI, that is a failure: kernels that were
// not compiled are kernels that do not compile.
#define KILN_NEEDS_NVRTC()                                                           \
  do {                                                                               \
    const std::string kiln_missing = kiln::cuda::nvrtc_missing_reason();             \
    if (!kiln_missing.empty() && kiln::in_ci()) FAIL() << kiln_missing;              \
    if (!kiln_missing.empty()) GTEST_SKIP() << "nothing compiled: " << kiln_missing; \
  } while (false)

// Skips the test where no GPU can be used. With KILN_REQUIRE_GPU=1 (`./kiln check --gpu`) that is a failure.
#define KILN_NEEDS_GPU()                                                                  \
  do {                                                                                    \
    const std::string& kiln_missing = kiln::cuda::availability().why_not;                 \
    if (!kiln_missing.empty() && std::getenv("KILN_REQUIRE_GPU")) FAIL() << kiln_missing; \
    if (!kiln_missing.empty()) GTEST_SKIP() << "not run on a GPU: " << kiln_missing;      \
  } while (false)
