// Work shared out among threads, one index at a time.
#pragma once

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

namespace kiln {

// Calls work(i) for every i below `count`, each once, in no fixed order. `threads` 0: as many as the machine
// has. `work` must not throw.
template <class Work>
void parallel_for(int count, int threads, const Work& work) {
  if (threads <= 0) threads = std::max(1, int(std::thread::hardware_concurrency()));
  threads = std::min(threads, count);
  std::atomic<int> next{0};
  const auto run = [&] {
    for (int i = next++; i < count; i = next++) work(i);
  };
  std::vector<std::jthread> others;
  for (int i = 1; i < threads; ++i) others.emplace_back(run);
  run();
}

}  // namespace kiln
