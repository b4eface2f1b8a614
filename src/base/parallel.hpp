// A range of independent pieces of work on several threads. No result may depend on how many: add integers,
// or write to places of one's own.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <functional>
#include <vector>

namespace kiln {

// As many as there are cores for this process (base/cores.hpp).
int all_threads();

// Calls work(part) for every part, each on a thread of its own, part 0 on the calling one. What one of them throws
// comes out here.
void run_parts(int parts, const std::function<void(int part)>& work);

// Cuts [0, count) into at most `threads` stretches of about equal length and calls work(part, begin, end) for
// each; what one of them throws comes out here.
template <class Work>
void in_parallel(int64_t count, int threads, const Work& work) {
  const int parts = int(std::clamp<int64_t>(count, 1, std::max(threads, 1)));
  run_parts(parts, [&](int part) { work(part, count * part / parts, count * (part + 1) / parts); });
}

// Calls work(i) for every i below `count`, each once, in no fixed order: for pieces that take unlike times.
// `threads` 0: all.
template <class Work>
void parallel_for(int64_t count, int threads, const Work& work) {
  const int64_t workers = std::min<int64_t>(threads > 0 ? threads : all_threads(), count);
  std::atomic<int64_t> next = 0;
  in_parallel(workers, int(workers), [&](int, int64_t, int64_t) {
    for (int64_t i = next++; i < count; i = next++) work(i);
  });
}

// Makes `count` items, many at a time on all cores, and calls take(index, item) with each, in order, on
// the calling thread. Memory is needed for a few items per processor.
template <class Make, class Take>
void make_in_order(int64_t count, const Make& make, const Take& take) {
  const int64_t workers = std::min(all_threads(), 64), batch = workers * 4;
  std::vector<decltype(make(int64_t(0)))> made(std::size_t(std::min(batch, count)));
  for (int64_t first = 0; first < count; first += batch) {
    const int64_t items = std::min(batch, count - first);
    parallel_for(items, int(workers), [&](int64_t i) { made[std::size_t(i)] = make(first + i); });
    for (int64_t i = 0; i < items; ++i) take(first + i, made[std::size_t(i)]);
  }
}

}  // namespace kiln
