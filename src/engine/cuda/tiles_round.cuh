// A round of the `tiles` schedule on a GPU: where its targets lie, and how a warp brings their surroundings
// into shared memory and finds the attempts that are between different cells.
#pragma once

#include "engine/cuda/tiles_data.hpp"
#include "engine/cuda/tiles_sites.cuh"
#include "engine/tiles.hpp"

namespace kiln::device {

constexpr int kNeighbours = Moore<kDim>::kCount;

// Division by a number that stays the same for a while: exact for all 32-bit numbers.
struct Divisor {
  uint64_t magic;
  uint32_t by;

  __device__ __forceinline__ void set(uint32_t divisor) {
    by = divisor;
    magic = divisor > 1 ? ~uint64_t(0) / divisor + 1 : 0;
  }
  __device__ __forceinline__ uint32_t quotient(uint32_t n) const {
    return by > 1 ? uint32_t(__umul64hi(n, magic)) : n;
  }
};

// A round, as a block keeps it in shared memory. A step is 32 tiles of one row, a unit kUnit steps.
struct SharedRound {
  tiles::Round round;
  Divisor steps_per_row, height;
  uint32_t steps;

  __device__ void set(uint64_t seed, uint64_t number) {
    round = tiles::round_at(kLattice, model::kSettings, seed, number);
    steps_per_row.set(round.row_length() / tiles::kStride);
    height.set(uint32_t(round.count.y));
    steps = steps_per_row.by * round.rows();
  }
  __device__ __forceinline__ uint32_t units() const { return (steps + model::kUnit - 1) / model::kUnit; }
  __device__ __forceinline__ tiles::Row row_at(uint32_t row) const {
    const uint32_t k = kDim == 3 ? height.quotient(row) : 0;
    return round.row_at(kLattice, row - k * height.by, k);
  }
  __device__ __forceinline__ Vec3i target_of(uint32_t tile) const {
    const uint32_t row = steps_per_row.quotient(tile / tiles::kStride);
    const tiles::Row targets = row_at(row);
    const int32_t x = targets.x_of(int32_t(tile - row * steps_per_row.by * tiles::kStride));
    return {x, targets.first.y, targets.first.z};
  }
};

// An attempt between different cells.
struct Attempt {
  uint32_t tile, word;
  Offset site;         // of the target, coded
  const Word* target;  // in shared memory, its neighbours around it
  Word source;
};

// Where the targets of a step lie.
struct Step {
  Offset row;          // the first site of their row, coded
  int32_t x;           // of tile 0
  int32_t begin, end;  // of the 32 tiles, those with a target inside the lattice
  int32_t split;       // from this tile on, they lie kGap sites farther

  __device__ __forceinline__ int32_t x_of(int32_t tile) const {
    const int32_t x = this->x + model::kSettings.tile.x * tile;
    return kGap > 0 && tile >= split ? x + kGap : x;
  }
};

// The surroundings of the targets of some steps, and the attempts among them that wait to be judged. A slot
// holds 3 (in 2-D) or 9 rows of the lattice, from before the first target to behind the last.
struct Ring {
  static constexpr int kSlotWords = kBlock / 3 * kPitch;

  alignas(16) Word words[model::kSlots * kSlotWords];
  uint32_t random[model::kSlots][32];
  Step step[model::kSlots];
  uint32_t first_tile[model::kSlots];
  uint32_t queue[64];  // see Scout::entry_of
};

template <int Bytes>
__device__ __forceinline__ void copy_async(Word* to, const Word* from) {
#if __CUDA_ARCH__ >= 800
  const uint32_t address = uint32_t(__cvta_generic_to_shared(to));
  if constexpr (Bytes == 16)
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(address), "l"(from) : "memory");
  else
    asm volatile("cp.async.ca.shared.global [%0], [%1], %2;" ::"r"(address), "l"(from), "n"(Bytes)
                 : "memory");
#else
  if constexpr (Bytes == 16)
    *reinterpret_cast<uint4*>(to) = *reinterpret_cast<const uint4*>(from);
  else
    *to = *from;
#endif
}
__device__ __forceinline__ void end_group_of_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.commit_group;" ::: "memory");
#endif
}
// For all groups but the last.
__device__ __forceinline__ void wait_for_copies() {
#if __CUDA_ARCH__ >= 800
  asm volatile("cp.async.wait_group 1;" ::: "memory");
#endif
  __syncwarp();
}

// Goes through the steps of one warp in a round.
class Scout {
 public:
  __device__ Scout(const SharedRound& round, Ring& ring, const int* toward, const cuda::TilesTables& tables,
                   const Word* sites, uint32_t warp, uint32_t warps, uint64_t number)
      : round_(round),
        ring_(ring),
        toward_(toward),
        tables_(tables),
        sites_(sites),
        number_(number),
        lane_(threadIdx.x % 32),
        warps_(warps),
        units_(round.units()),
        dealt_(max(1u, units_ / 4 * 3 / warps) * warps),
        next_unit_(warp) {}

  __device__ uint32_t attempts() const { return attempts_; }
  __device__ __forceinline__ bool has_sent() const { return sent_ != gathered_; }
  __device__ __forceinline__ uint32_t waiting() const { return queued_; }
  // How many attempts may go on waiting: fewer than fill a batch, and none whose surroundings lie in the slot
  // that is filled next, or when there is nothing left to wait for.
  __device__ __forceinline__ uint32_t most_to_keep() const {
    if (!has_sent()) return 0;
    const bool full = queued_ > 0 && slot_of(ring_.queue[head_ % 64]) == sent_ % model::kSlots;
    return full ? (queued_ > 32 ? queued_ - 32 : 0) : 31;
  }

  // Starts loading the surroundings of the next step. Most units are dealt out; where a round has one pass,
  // the last quarter is for those who get on fastest and have room left. (In several passes warps with more
  // attempts than others would keep everybody waiting.)
  __device__ __forceinline__ void send(bool has_room) {
    const uint32_t unit = __shfl_sync(~0u, next_unit_, 0);
    if (in_unit_ != 0 || unit < units_) {
      if (in_unit_ == 0) {
        // Every other round runs backwards: what the last one left in the cache comes first.
        first_step_ = (number_ % 2 == 1 ? units_ - 1 - unit : unit) * model::kUnit;
        mine_ = step_at(first_step_ + lane_ % model::kUnit);
        if (model::kPasses != 1 || unit + warps_ < dealt_)
          next_unit_ = unit + warps_;
        else if (lane_ == 0)  // nobody waits for it now
          next_unit_ = has_room ? dealt_ + atomicAdd(tables_.control->taken + number_ % 2, 1) : ~0u;
      }
      const uint32_t slot = sent_ % model::kSlots;
      if (lane_ == in_unit_) {
        ring_.step[slot] = mine_;
        ring_.first_tile[slot] = (first_step_ + in_unit_) * tiles::kStride;
      }
      __syncwarp();
      const Step step = ring_.step[slot];
      if (step.end > step.begin) load(slot, step);
      in_unit_ = (in_unit_ + 1) % model::kUnit;
      sent_ += 1;
    }
    end_group_of_copies();
  }

  // Takes in the step that was sent for first.
  __device__ __forceinline__ void gather() {
    wait_for_copies();
    const uint32_t slot = gathered_ % model::kSlots;
    gathered_ += 1;
    const Step step = ring_.step[slot];
    if (step.end <= step.begin) return;
    const uint32_t first_tile = ring_.first_tile[slot];
    if (first_tile / tiles::kGroup != group_) {
      group_ = first_tile / tiles::kGroup;
      bits_ = tiles::draw_for(tables_.seed, number_, first_tile + lane_);
    }
    const uint32_t k = first_tile / tiles::kStride % 4;
    const uint32_t word = k == 0 ? bits_.a : k == 1 ? bits_.b : k == 2 ? bits_.c : bits_.d;
    ring_.random[slot][lane_] = word;
    const uint32_t at = slot * Ring::kSlotWords + centre_of(step);
    const int direction = tiles::direction_of(word, kNeighbours);
    const Word target = ring_.words[at], source = ring_.words[int(at) + toward_[direction]];
    const bool here = int32_t(lane_) >= step.begin && int32_t(lane_) < step.end;
    const bool chosen = here && !is_of(target, id_of(source)) && source != kNoWord;
    const uint32_t all = __ballot_sync(~0u, chosen);
    if (chosen)
      ring_.queue[(head_ + queued_ + __popc(all & ((1u << lane_) - 1))) % 64] = entry_of(at, slot, lane_);
    queued_ += __popc(all);
    __syncwarp();
  }

  // Up to 32 of the attempts that wait, those that came first, one per lane; `here` is false for lanes that
  // get none.
  __device__ __forceinline__ Attempt next(bool& here) {
    const uint32_t batch = queued_ < 32 ? queued_ : 32;
    here = lane_ < batch;
    const uint32_t entry = ring_.queue[(head_ + (here ? lane_ : 0)) % 64];
    head_ += batch;
    queued_ -= batch;
    const uint32_t slot = slot_of(entry), lane = entry >> 16 & 31, at = entry & 0xFFFF;
    const Step step = ring_.step[slot];
    Attempt result;
    result.tile = ring_.first_tile[slot] + lane;
    result.word = ring_.random[slot][lane];
    result.target = ring_.words + at;
    result.source = result.target[toward_[tiles::direction_of(result.word, kNeighbours)]];
    const int32_t x = step.x_of(int32_t(lane));
    result.site = decoded(step.row) + x;
    if (step.row < 0 || !is_inner<0, kSight>(x)) result.site = ~result.site;
    return result;
  }

 private:
  static constexpr int kPiece = 16 / int(sizeof(Word)), kSector = 32 / int(sizeof(Word));  // words
  static constexpr bool kRowsAligned = model::kSize.x % kPiece == 0;

  // A queue's entry: where in the ring the target lies, which slot, which of its lanes.
  __device__ __forceinline__ static uint32_t entry_of(uint32_t at, uint32_t slot, uint32_t lane) {
    return slot << 21 | lane << 16 | at;
  }
  __device__ __forceinline__ static uint32_t slot_of(uint32_t entry) { return entry >> 21; }

  // The x of the first word of a slot's rows; at a sector's start where that can be had.
  __device__ __forceinline__ static int32_t slot_x(const Step& step) {
    return kRowsAligned ? (step.x - 1) & -kSector : step.x - 1;
  }
  __device__ __forceinline__ uint32_t centre_of(const Step& step) const {
    return uint32_t(kBlock / 6 * kPitch + step.x_of(int32_t(lane_)) - slot_x(step));
  }

  __device__ __forceinline__ Step step_at(uint32_t number) {
    Step step{0, 0, 0, 0, 0};
    if (number >= round_.steps) return step;
    const uint32_t row = round_.steps_per_row.quotient(number);
    const int32_t column = int32_t((number - row * round_.steps_per_row.by) * tiles::kStride);
    const tiles::Row targets = round_.row_at(row);
    const Vec3i& place = targets.first;
    const bool inside = (model::kPeriodic.y || kLattice.contains(1, place.y)) &&
                        (kDim == 2 || model::kPeriodic.z || kLattice.contains(2, place.z));
    if (!inside) return step;
    step.x = targets.x_of(column);
    step.split = column >= targets.split ? 32 : targets.split - column;
    step.row = index({0, place.y, place.z});
    step.end = min(int32_t(tiles::kStride), round_.round.count.x - column);
    if (!model::kPeriodic.x) {
      constexpr int32_t width = model::kSettings.tile.x;
      step.begin = step.x < 0 ? 1 : 0;
      step.end = min(step.end, (model::kSize.x - step.x + width - 1) / width);
    }
    if (lane_ < model::kUnit && step.end > step.begin) attempts_ += uint32_t(step.end - step.begin);
    if (tables_.spans != nullptr && is_dead(step)) step.end = step.begin;
    if (!is_inner<1, kSight>(place.y) || (kDim == 3 && !is_inner<2, kSight>(place.z))) step.row = ~step.row;
    return step;
  }
  // Whether all targets of a step are frozen.
  __device__ __forceinline__ bool is_dead(const Step& step) const {
    const cuda::RowSpan span = tables_.spans[step.row / kRow];
    return step.x >= span.end || step.x_of(int32_t(tiles::kStride) - 1) < span.begin;
  }

  // Rows inside the lattice come in pieces of 16 bytes, all at the same offsets; what lies behind the walls
  // of a row comes word by word.
  __device__ __forceinline__ void load(uint32_t slot, const Step& step) {
    Word* const to = ring_.words + slot * Ring::kSlotWords;
    if (!kRowsAligned || step.row < 0) return load_at_walls(to, sites_, step);
    const int32_t x = slot_x(step);
#pragma unroll
    for (int first = 0; first < kPitch / kPiece; first += 32) {
      const int32_t word = (first + int32_t(lane_)) * kPiece;
      if (word >= kPitch || uint32_t(x + word) >= uint32_t(model::kSize.x)) continue;
      const Word* const from = sites_ + (step.row + x + word);
      Word* const there = to + word;
#pragma unroll
      for (int row = 0; row < kBlock / 3; ++row)
        copy_async<16>(there + row * kPitch, from + int64_t(offset_of(step_to(3 * row + 1))));
    }
    if (x < 0) copy_column(to + (-1 - x), sites_ + (step.row + model::kSize.x - 1));
    if (x + kPitch > model::kSize.x) copy_column(to + (model::kSize.x - x), sites_ + step.row);
  }
  // The words behind a wall: those before the opposite one, or none.
  __device__ __forceinline__ void copy_column(Word* to, const Word* from) const {
    if (lane_ >= kBlock / 3) return;
    if (model::kPeriodic.x)
      copy_async<int(sizeof(Word))>(to + int(lane_) * kPitch, from + offset_of(step_to(3 * int(lane_) + 1)));
    else
      to[int(lane_) * kPitch] = kNoWord;
  }
  __device__ __noinline__ static void load_at_walls(Word* to, const Word* sites, Step step) {
    const Vec3i place = place_of(decoded(step.row));
    for (int row = 0; row < kBlock / 3; ++row, to += kPitch) {
      Vec3i p = place + step_to(3 * row + 1);
      const bool inside = wrap_one(p);
      const Word* const from = sites + index({0, p.y, p.z});
      for (int i = int(threadIdx.x % 32); i < kPitch; i += 32) {
        int32_t x = slot_x(step) + i;
        if (model::kPeriodic.x) x += x < 0 ? model::kSize.x : x >= model::kSize.x ? -model::kSize.x : 0;
        if (inside && kLattice.contains(0, x))
          copy_async<int(sizeof(Word))>(to + i, from + x);
        else
          to[i] = kNoWord;
      }
    }
  }

  const SharedRound& round_;
  Ring& ring_;
  const int* toward_;
  const cuda::TilesTables& tables_;
  const Word* sites_;
  uint64_t number_;
  uint32_t lane_, warps_, units_;
  uint32_t dealt_, next_unit_;  // of the latter, lane 0 knows
  uint32_t in_unit_ = 0, first_step_ = 0;
  uint32_t sent_ = 0, gathered_ = 0;  // steps
  uint32_t head_ = 0, queued_ = 0;
  uint32_t group_ = ~0u, attempts_ = 0;
  Draw bits_{};
  Step mine_{};  // step number lane % kUnit of the unit
};

}  // namespace kiln::device
