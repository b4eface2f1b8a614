// Pieces of work dealt to devices, whatever those are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <future>
#include <vector>

#include "base/parallel.hpp"

namespace kiln {

// Calls play(prepare(piece, device)) once for every piece below `pieces`: a worker per device, which takes
// the next piece when it is free, and has it prepared while it plays the one before. Ends early where
// `stopped` becomes true; an exception sets it, and comes out here.
template <class Prepare, class Play>
void deal(std::size_t pieces, const std::vector<int>& devices, std::atomic<bool>& stopped,
          const Prepare& prepare, const Play& play) {
  const std::size_t workers = std::min(pieces, devices.size());
  if (workers == 0) return;
  std::atomic<std::size_t> next = workers;  // so that no worker takes its second before all have one
  run_parts(int(workers), [&](int worker) {
    const auto begin = [&prepare, device = devices[std::size_t(worker)]](std::size_t piece) {
      return std::async(std::launch::async, [&prepare, piece, device] { return prepare(piece, device); });
    };
    try {
      auto coming = begin(std::size_t(worker));
      while (coming.valid() && !stopped) {
        auto ready = coming.get();
        if (const std::size_t piece = next++; piece < pieces) coming = begin(piece);
        play(ready);
      }
    } catch (...) {
      stopped = true;
      throw;
    }
  });
}

}  // namespace kiln
