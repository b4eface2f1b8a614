// Plays kernels on a processor: every thread of a block is a fiber, and they take turns wherever they wait
// for each other. What a block does is so one of the orders that a GPU may choose, and always the same.
#pragma once

#include <cstddef>

#include "interface.hpp"

namespace kiln::emulated {

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
