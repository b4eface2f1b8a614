// A range of independent pieces of work on several threads. No result may depend on how many: add integers,
// or write to places of one's own.
#pragma once

#include <algorithm>
#include <cstdint>
#include <future>
#include <thread>
#include <vector>

namespace kiln {

// As many as the machine has.
inline int all_threads() { return std::max(1, int(std::thread::hardware_concurrency())); }

// Cuts [0, count) into at most `threads` stretches of about equal length and calls work(part, begin, end) for
// each; what one of them throws comes out here.
template <class Work>
void in_parallel(int64_t count, int threads, const Work& work) {
  const int parts = int(std::clamp<int64_t>(count, 1, std::max(threads, 1)));
  std::vector<std::future<void>> others;
  for (int part = 1; part < parts; ++part)
    others.push_back(std::async(std::launch::async, [&work, count, parts, part] {
      work(part, count * part / parts, count * (part + 1) / parts);
    }));
  work(0, int64_t(0), count / parts);
  for (auto& other : others) other.get();
}

}  // namespace kiln
