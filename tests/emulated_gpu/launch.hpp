// Plays kernels on a processor: every thread of a block is a fiber, and they take turns wherever they wait
// for each other. What a block does is so one of the orders that a GPU may choose, and always the same.
#pragma once

#include <cstddef>

namespace kiln::emulated {

// The same as in language.hpp.
struct Place {
  unsigned x, y, z;
};
struct Places {
  Place thread, block, threads, blocks;
};
struct Calls {
  const unsigned long long* (*exchange)(unsigned, unsigned long long, int);
  bool (*block_barrier)(bool);
  void (*give_way)();
};
struct Kernel {
  void (*call)(void** arguments);
  const unsigned long* parameter_bytes;
  unsigned long parameters;
};

// A kernel of a loaded module.
struct Function {
  const Kernel* kernel;
  Places* (*places)();                // of the thread of the host that plays a block
  unsigned char* (*shared_memory)();  // the same; nullptr where no kernel of the module has any
  const char* name;
};

// What modules call.
const Calls& calls();

// Plays all blocks: one after the other, or, if they are to be there together, each in a thread of the host.
void launch(const Function& function, const Place& blocks, const Place& threads, std::size_t shared_bytes,
            bool together, void** arguments);

}  // namespace kiln::emulated
