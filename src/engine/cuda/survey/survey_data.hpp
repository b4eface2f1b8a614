// Results and launch shapes of a survey's kernels. Read by both compilers.
#pragma once

#include "core/types.hpp"

namespace kiln::cuda {

struct ListedSite {
  int64_t site, number;
};

// Threads per block of count_contacts: 32 KB of shared memory at most.
KILN_HD constexpr int contact_threads(int types) { return types <= 8 ? 256 : 64; }

}  // namespace kiln::cuda
