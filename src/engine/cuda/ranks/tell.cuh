// How a brick puts records into the outboxes of its partners.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/ranks/brick_tables.hpp"
#include "engine/ranks/sent.hpp"

namespace kiln::device {

// With whom a cell is shared, as bits.
__device__ __forceinline__ uint64_t partners_of(const cuda::BrickTables& brick, CellId cell) {
  const uint32_t set = brick.sharers[cell];
  return set == 0 ? 0 : brick.sets[set];
}

// The next place in the outbox of a partner. Lanes of a warp that tell the same partner take their places at
// once: single additions to one number would queue up.
__device__ __forceinline__ uint32_t next_place(const cuda::BrickTables& brick, int partner) {
#if __CUDA_ARCH__ >= 700
  const uint32_t lane = threadIdx.x % 32, same = __match_any_sync(__activemask(), partner);
  const int first = __ffs(int(same)) - 1;
  uint32_t begin = 0;
  if (int(lane) == first) begin = atomicAdd(brick.sent + partner, uint32_t(__popc(same)));
  return __shfl_sync(same, begin, first) + uint32_t(__popc(same & ((1u << lane) - 1)));
#else
  return atomicAdd(brick.sent + partner, 1);
#endif
}

// What the device has no room for lies in the host's memory, until the outbox is made larger.
template <class Record>
__device__ __forceinline__ void tell_beyond(const cuda::BrickTables& brick, int partner, uint32_t at,
                                            const Record& record) {
  const cuda::Outbox outbox = brick.outboxes[partner];
  const uint64_t beyond = at - outbox.bytes / sizeof(Record), bytes = (at + uint64_t(1)) * sizeof(Record);
  atomicMax(reinterpret_cast<unsigned long long*>(brick.overflowed + partner),
            static_cast<unsigned long long>(bytes));
  if ((beyond + 1) * sizeof(Record) > outbox.overflow_bytes)
    atomicOr(brick.faults, uint32_t(cuda::kOutboxFull));
  else
    reinterpret_cast<Record*>(outbox.overflow)[beyond] = record;
}

// `partners` as bits. Records come in any order, which shapes nothing: what is done with them is adding,
// taking the least, and putting different sites.
template <class Record>
__device__ __forceinline__ void tell(const cuda::BrickTables& brick, uint64_t partners,
                                     const Record& record) {
  for (; partners != 0; partners &= partners - 1) {
    const int partner = __ffsll(int64_t(partners)) - 1;
    const uint32_t at = next_place(brick, partner);
    const uint64_t bytes = (at + uint64_t(1)) * sizeof(Record);
    const cuda::Outbox& outbox = brick.outboxes[partner];
    if (bytes <= outbox.bytes)
      reinterpret_cast<Record*>(outbox.records)[at] = record;
    else
      tell_beyond(brick, partner, at, record);
  }
}

}  // namespace kiln::device
