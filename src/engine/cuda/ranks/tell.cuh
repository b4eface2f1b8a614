// How a brick puts records into the outboxes of its partners.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/ranks/brick_tables.hpp"
#include "engine/ranks/sent.hpp"

namespace kiln::device {

// `partners` as bits. Records come in any order, which shapes nothing: what is done with them is adding,
// taking the least, and putting different sites.
template <class Record>
__device__ __forceinline__ void tell(const cuda::BrickTables& brick, uint64_t partners, const Record& record) {
  for (; partners != 0; partners &= partners - 1) {
    const int partner = __ffsll(int64_t(partners)) - 1;
    const uint32_t at = atomicAdd(brick.sent + partner, 1);
    const cuda::Outbox outbox = brick.outboxes[partner];
    if ((at + 1) * uint64_t(sizeof(Record)) > outbox.bytes)
      atomicOr(brick.faults, uint32_t(cuda::kOutboxFull));
    else
      reinterpret_cast<Record*>(outbox.records)[at] = record;
  }
}

}  // namespace kiln::device
