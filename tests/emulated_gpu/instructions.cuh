// In place of src/engine/cuda/instructions.cuh.
#pragma once

#include "core/types.hpp"

namespace kiln::device {

inline void add(void* to, int64_t by) { __atomic_fetch_add(static_cast<int64_t*>(to), by, __ATOMIC_RELAXED); }
inline void lower(uint64_t* what, uint64_t to) {
  uint64_t seen = __atomic_load_n(what, __ATOMIC_RELAXED);
  while (to < seen &&
         !__atomic_compare_exchange_n(what, &seen, to, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
}

inline void add_release(uint32_t* to, uint32_t by) { __atomic_fetch_add(to, by, __ATOMIC_ACQ_REL); }
// Who loads in a loop waits for somebody else.
inline uint32_t load_acquire(const uint32_t* from) {
  emulated_calls->give_way();
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}
inline uint64_t load_acquire(const uint64_t* from) {
  emulated_calls->give_way();
  return __atomic_load_n(from, __ATOMIC_ACQUIRE);
}

template <int Bytes>
void copy_async(void* to, const void* from) {
  static_assert(Bytes == 4 || Bytes == 8 || Bytes == 16);
  __builtin_memcpy(to, from, Bytes);
}
inline void commit_copies() {}
inline void wait_for_copies() {}

}  // namespace kiln::device
