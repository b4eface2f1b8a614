// The attempts of a warp in the `tiles` schedule that are not settled yet.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/tiles/data.hpp"
#include "engine/cuda/tiles/round.cuh"

namespace kiln::device {

constexpr bool kOnePass = model::kPasses == 1;
constexpr bool kAtOnce = cuda::is_at_once(model::kPasses, model::kMaxAct, model::kMoments, model::kBrick);

// Its targets are set where the model has some of cells.
struct CellSize {
  cuda::Extent extent;
  CellTargets targets;
};

// The sizes of the two cells of an attempt, and where the rest of their sums is.
struct TwoSizes {
  const StateTables& tables;
  CellId winner_id;
  CellSize winner, loser;

  __device__ __forceinline__ const CellSize& of(CellId cell) const {
    return cell == winner_id ? winner : loser;
  }
  __device__ __forceinline__ int32_t volume(CellId cell) const { return of(cell).extent.volume; }
  __device__ __forceinline__ int32_t perimeter(CellId cell) const { return of(cell).extent.perimeter; }
  __device__ __forceinline__ CellTargets targets(CellId cell) const { return of(cell).targets; }
  __device__ __forceinline__ Vec3i anchor(CellId cell) const { return tables.anchors[cell]; }
  __device__ __forceinline__ Vec3<int64_t> sum(CellId cell) const { return tables.sums[cell]; }
  __device__ __forceinline__ Moments moments(CellId cell) const { return tables.moments[cell]; }
};

// An attempt, as far as carrying it out needs it.
struct Record {
  CellId winner, loser;
  uint32_t packed;  // see cuda::pack
  uint32_t tile;

  __device__ __forceinline__ bool accepted() const { return (packed & cuda::kAccepted) != 0; }
};

// Between the passes of a round a warp's ring is free, and its shared memory holds attempts: first those that
// are ready to be carried out, compacted until there are 32 of them (up to 31 wait while kAtATime batches are
// looked at), behind them open ones.
constexpr uint32_t kRecordsInRing = sizeof(Ring::words) / sizeof(Record);
constexpr uint32_t kAtATime = kRecordsInRing >= 31 + 4 * 32 ? 4 : 1;
constexpr uint32_t kMostReady = 31 + 32 * kAtATime;
static_assert(kMostReady <= kRecordsInRing);
constexpr uint32_t kOpenFields =
    uint32_t(cuda::open_fields(model::kPasses, model::kMaxAct, model::kMoments, model::kBrick));
// On a brick nothing stays in shared memory from one launch to the next.
constexpr uint32_t kInShared =
    kOnePass || model::kBrick
        ? 0
        : (kRecordsInRing - kMostReady) * uint32_t(sizeof(Record)) / 4 / kOpenFields / 32 * 32;

// The open attempts of one warp, a column per field. They lie in global memory; from the second pass on, the
// first kInShared lie in shared memory, in the ring.
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

  __device__ OpenList(uint32_t* global, uint32_t capacity, uint32_t* shared)
      : global_(global), capacity_(capacity), shared_(shared) {}

  __device__ __forceinline__ void begin() { shared_end_ = 0; }
  __device__ __forceinline__ void move_to_shared() { shared_end_ = kInShared; }
  __device__ __forceinline__ Entry operator[](uint32_t i) const { return at(i, shared_end_); }
  // Where number i will be once the list has moved to shared memory.
  __device__ __forceinline__ Entry once_moved(uint32_t i) const { return at(i, kInShared); }

 private:
  __device__ __forceinline__ Entry at(uint32_t i, uint32_t shared_end) const {
    return kInShared > 0 && i < shared_end ? Entry{shared_, kInShared, i} : Entry{global_, capacity_, i};
  }

  uint32_t* global_;
  uint32_t capacity_;
  uint32_t* shared_;
  uint32_t shared_end_ = 0;
};

}  // namespace kiln::device
