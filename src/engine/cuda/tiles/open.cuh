// What a warp keeps of its attempts in the `tiles` schedule until they are settled.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/tiles/data.hpp"
#include "engine/cuda/tiles/round.cuh"

namespace kiln::device {

constexpr bool kOnePass = model::kPasses == 1;
constexpr bool kAtOnce = cuda::is_at_once(model::kPasses, model::kMaxAct, model::kMoments);

// The sizes of the two cells of an attempt, and where the rest of their sums is.
struct TwoSizes {
  const StateTables& tables;
  CellId winner_id;
  cuda::Extent winner, loser;

  __device__ __forceinline__ int32_t volume(CellId cell) const {
    return cell == winner_id ? winner.volume : loser.volume;
  }
  __device__ __forceinline__ int32_t perimeter(CellId cell) const {
    return cell == winner_id ? winner.perimeter : loser.perimeter;
  }
  __device__ __forceinline__ Vec3i anchor(CellId cell) const { return tables.anchors[cell]; }
  __device__ __forceinline__ Vec3<int64_t> sum(CellId cell) const { return tables.sums[cell]; }
  __device__ __forceinline__ Moments moments(CellId cell) const { return tables.moments[cell]; }
  __device__ __forceinline__ cuda::CellTargets targets(CellId cell) const { return tables.targets[cell]; }
};

// What it takes to carry an attempt out.
struct Record {
  CellId winner, loser;
  uint32_t packed;  // see cuda::pack
  uint32_t tile;

  __device__ __forceinline__ bool accepted() const { return (packed & cuda::kAccepted) != 0; }
};

// Between the passes of a round nobody uses a warp's ring. Attempts gather there until there are 32 to carry
// out, of which up to 31 wait while kAtATime batches are looked at; behind them is room for open ones.
constexpr uint32_t kRecordsInRing = sizeof(Ring::words) / sizeof(Record);
constexpr uint32_t kAtATime = kRecordsInRing >= 31 + 4 * 32 ? 4 : 1;
constexpr uint32_t kMostReady = 31 + 32 * kAtATime;
static_assert(kMostReady <= kRecordsInRing);
constexpr uint32_t kOpenFields = uint32_t(cuda::open_fields(model::kPasses, model::kMaxAct, model::kMoments));
constexpr uint32_t kNear =
    kOnePass ? 0 : (kRecordsInRing - kMostReady) * uint32_t(sizeof(Record)) / 4 / kOpenFields / 32 * 32;

// The attempts of one warp that are not settled yet, a column per field. They lie in memory; from the second
// pass on, the first kNear lie in the ring.
class OpenList {
 public:
  using Field = cuda::OpenField;

  struct Entry {
    uint32_t* words;
    uint32_t pitch, at;

    __device__ __forceinline__ uint32_t& operator[](Field field) const {
      return words[uint32_t(field) * pitch + at];
    }
    __device__ __forceinline__ float number(Field field) const { return __uint_as_float((*this)[field]); }
    __device__ __forceinline__ Record record() const {
      return {(*this)[Field::winner], (*this)[Field::loser], (*this)[Field::packed], (*this)[Field::tile]};
    }
    __device__ __forceinline__ void put(const Record& record) const {
      (*this)[Field::winner] = record.winner;
      (*this)[Field::loser] = record.loser;
      (*this)[Field::packed] = record.packed;
      (*this)[Field::tile] = record.tile;
    }
  };

  __device__ OpenList(uint32_t* far, uint32_t capacity, uint32_t* near)
      : far_(far), capacity_(capacity), near_(near) {}

  __device__ __forceinline__ void begin() { near_end_ = 0; }
  __device__ __forceinline__ void come_near() { near_end_ = kNear; }
  __device__ __forceinline__ Entry operator[](uint32_t i) const { return at(i, near_end_); }
  // Where number i will be when the list has come near.
  __device__ __forceinline__ Entry nearby(uint32_t i) const { return at(i, kNear); }

 private:
  __device__ __forceinline__ Entry at(uint32_t i, uint32_t near_end) const {
    return kNear > 0 && i < near_end ? Entry{near_, kNear, i} : Entry{far_, capacity_, i};
  }

  uint32_t* far_;
  uint32_t capacity_;
  uint32_t* near_;
  uint32_t near_end_ = 0;
};

}  // namespace kiln::device
