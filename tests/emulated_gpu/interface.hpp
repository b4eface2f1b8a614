// What compiled kernels and the host know of each other. Both read it; no header of the system may be
// included here (language.hpp).
#pragma once

namespace kiln::emulated {

struct Place {
  unsigned x, y, z;
};
struct Places {
  Place thread, block, threads, blocks;
};

// What kernels call.
struct Calls {
  // Waits for all lanes of `mask`, and gives back what each of them brought.
  const unsigned long long* (*exchange)(unsigned mask, unsigned long long brought, int what);
  // Waits for all threads of the block, and gives back whether any brought true.
  bool (*block_barrier)(bool brought);
  // Lets others go first.
  void (*give_way)();
};

struct Kernel {
  void (*call)(void** arguments);  // by one thread
  const unsigned long* parameter_bytes;
  unsigned long parameters;
};

}  // namespace kiln::emulated
