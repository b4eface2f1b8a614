// Barrier for threads that synchronise many thousand times a second.
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <climits>
#include <cstdint>
#include <thread>

namespace kiln {

// Sleep and wake-up take longer than most waits, so a member spins first, for about as long as they take.
// Then it sleeps, as the member it waits for may need its core. Spinning that was in vain halves the time
// spent on it, down to nothing: on a busy machine members often share a core or wait for one. Now and then a
// wait spins in full nevertheless, and if it succeeds, so do the next. Nothing yields again and again: Linux
// makes a thread that did wait long for its next turn.
class Barrier {
 public:
  // `spins`: false with more members than cores, where spinning is always in vain.
  Barrier(int members, bool spins) : members_(members), spins_(spins) {}

  void arrive_and_wait() {
    const uint32_t phase = phase_.load(std::memory_order_relaxed);
    if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == members_) {
      arrived_.store(0, std::memory_order_relaxed);
      phase_.store(phase + 1, std::memory_order_seq_cst);
      // Sequentially consistent on both sides: either this sees the sleeper, or the kernel sees the new phase
      // there.
      if (sleepers_.load(std::memory_order_seq_cst) > 0) futex(FUTEX_WAKE_PRIVATE, INT_MAX);
    } else if (spins_ ? !passes_soon(phase) : !passes_by_turns(phase)) {
      sleepers_.fetch_add(1, std::memory_order_seq_cst);
      while (phase_.load(std::memory_order_seq_cst) == phase) futex(FUTEX_WAIT_PRIVATE, phase);
      sleepers_.fetch_sub(1, std::memory_order_relaxed);
    }
  }

 private:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::nanoseconds kLongest{50000};
  static constexpr uint32_t kFailuresPerProbe = 256;
  static constexpr int kSpinsPerLook = 64;  // at the clock

  bool passes_soon(uint32_t phase) {
    const int64_t usual = spinning_.load(std::memory_order_relaxed);
    const bool probe = failures_.load(std::memory_order_relaxed) % kFailuresPerProbe == 0;
    if (spin(phase, probe ? kLongest : std::chrono::nanoseconds(usual))) {
      if (usual != kLongest.count()) spinning_.store(kLongest.count(), std::memory_order_relaxed);
      return true;
    }
    failures_.fetch_add(1, std::memory_order_relaxed);
    spinning_.store(usual / 2, std::memory_order_relaxed);
    return false;
  }

  bool spin(uint32_t phase, std::chrono::nanoseconds longest) const {
    const Clock::time_point end = Clock::now() + longest;
    do {
      for (int spins = 0; spins < kSpinsPerLook; ++spins) {
        if (phase_.load(std::memory_order_acquire) != phase) return true;
#if defined(__x86_64__)
        __builtin_ia32_pause();  // leaves more of the core to its other hardware thread
#endif
      }
    } while (Clock::now() < end);
    return false;
  }

  // With more members than cores, those missing mostly wait for a core: a turn given up is cheaper than
  // sleep.
  bool passes_by_turns(uint32_t phase) const {
    std::this_thread::yield();
    return phase_.load(std::memory_order_acquire) != phase;
  }

  void futex(int operation, uint32_t value) {
    static_assert(sizeof(phase_) >= 4 && std::atomic<uint32_t>::is_always_lock_free);
    syscall(SYS_futex, &phase_, operation, value, nullptr, nullptr, 0);
  }

  const int members_;
  const bool spins_;
  alignas(64) std::atomic<int> arrived_{0};
  alignas(64) std::atomic<uint32_t> phase_{0};
  alignas(64) std::atomic<int> sleepers_{0};
  std::atomic<int64_t> spinning_{kLongest.count()};  // nanoseconds
  std::atomic<uint32_t> failures_{1};
};

}  // namespace kiln
