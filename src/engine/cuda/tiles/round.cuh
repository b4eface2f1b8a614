// A round of the `tiles` schedule on a GPU: its targets, the prefetch of their surroundings into shared
// memory, and the compaction of the attempts that are between different cells.
#pragma once

#include "engine/cuda/tiles/crew.cuh"
#include "engine/cuda/tiles/data.hpp"
#include "engine/cuda/tiles/live.cuh"
#include "engine/cuda/tiles/sites.cuh"
#include "engine/cuda/tiles/work_split.hpp"
#include "engine/schedule/tiles.hpp"

namespace kiln::device {

constexpr int kNeighbours = Moore<kDim>::kCount;

// A batch is 32 tiles of one row, a step kBatches of them, or what is left of the row.
constexpr Vec3i kTiles = tiles::tile_counts(kWhole, model::kSettings);
constexpr uint32_t kBatchesPerRow = (uint32_t(kTiles.x) + tiles::kStride - 1) / tiles::kStride;
constexpr cuda::RoundShape kShape =
    cuda::round_shape(kWhole, model::kOwnSize, model::kBrick, model::kSettings, int(model::kBatches));
constexpr uint32_t kStepsPerRow = kShape.steps_per_row, kSteps = kShape.steps();
constexpr uint32_t kStepTiles = tiles::kStride * model::kBatches;

// Where the targets of a step lie.
struct StepTargets {
  Offset row;           // the first site of their row, coded
  uint32_t first_tile;  // its number
  int32_t x;            // of the first tile
  int32_t begin, end;   // of the tiles, those that are tried here
  int32_t split;        // from this tile on, they lie kGap sites farther

  __device__ __forceinline__ int32_t x_of(int32_t tile) const {
    const int32_t x = this->x + model::kSettings.tile.x * tile;
    return kGap > 0 && tile >= split ? x + kGap : x;
  }
  __device__ __forceinline__ void set_columns(const tiles::Row& targets, int32_t column) {
    x = targets.x_of(column);
    split = column >= targets.split ? int32_t(kStepTiles) : targets.split - column;
    row = index({0, targets.first.y, targets.first.z});
  }
};
// Tiles of a brick have numbers of their own, and those of the lattice.
template <bool kBrick>
struct StepOf : StepTargets {
  __device__ __forceinline__ uint32_t number() const { return first_tile; }
};
template <>
struct StepOf<true> : StepTargets {
  uint64_t first_number;

  __device__ __forceinline__ uint64_t number() const { return first_number; }
};
using Step = StepOf<model::kBrick>;

// A round, as a block keeps it in shared memory.
struct DrawnRound {
  tiles::Round drawn;

  // Rebuilt from constants so that the compiler can fold them.
  __device__ __forceinline__ tiles::Row row_at(uint32_t j, uint32_t k) const {
    const tiles::Round round{model::kSettings.tile, model::kSettings.apart, drawn.shift, kTiles,
                             drawn.priority_key,    drawn.row_key};
    return round.row_at(kWhole, j, k);
  }
};

template <bool kBrick>
struct RoundOf : DrawnRound {
  __device__ void set(const cuda::TilesTables& tables, uint64_t number) {
    drawn = tiles::round_at(kWhole, model::kSettings, tables.seed, number);
  }
  __device__ __forceinline__ uint32_t priority_of(uint32_t tile) const {
    return tiles::priority_of(tile, drawn.priority_key);
  }
  __device__ __forceinline__ Vec3i target_of(uint32_t tile) const {
    constexpr uint32_t length = kBatchesPerRow * tiles::kStride;
    const tiles::Row targets = row_of(tile / length);
    return {targets.x_of(int32_t(tile % length)), targets.first.y, targets.first.z};
  }
  // One without targets where begin == end. `place` is that of its row.
  __device__ __forceinline__ StepOf<false> step_at(uint32_t number, Vec3i& place) const {
    StepOf<false> step{};
    const uint32_t row = number / kStepsPerRow;
    const int32_t column = int32_t(number % kStepsPerRow * kStepTiles);
    const tiles::Row targets = row_of(row);
    place = targets.first;
    const bool inside = (model::kPeriodic.y || kLattice.contains(1, place.y)) &&
                        (kDim == 2 || model::kPeriodic.z || kLattice.contains(2, place.z));
    if (!inside) return step;
    step.first_tile = row * kBatchesPerRow * tiles::kStride + uint32_t(column);
    step.set_columns(targets, column);
    step.end = min(int32_t(kStepTiles), kTiles.x - column);
    if (!model::kPeriodic.x) {
      constexpr int32_t width = model::kSettings.tile.x;
      step.begin = step.x < 0 ? 1 : 0;
      step.end = min(step.end, (model::kSize.x - step.x + width - 1) / width);
    }
    return step;
  }

 private:
  __device__ __forceinline__ tiles::Row row_of(uint32_t number) const {
    return row_at(number % uint32_t(kTiles.y), number / uint32_t(kTiles.y));
  }
};

// On a brick only rows that are near have numbers, each of kRowTiles.
template <>
struct RoundOf<true> : DrawnRound {
  tiles::RowsNear near;
  Vec3i origin;
  Box own;

  __device__ void set(const cuda::TilesTables& tables, uint64_t number) {
    drawn = tiles::round_at(kWhole, model::kSettings, tables.seed, number);
    origin = tables.state.origin;
    own = tables.state.own;
    near = {drawn, kWhole, own.shifted(origin)};
  }
  __device__ __forceinline__ uint32_t priority_of(uint32_t tile) const {
    const BrickRow row = row_of(tile / kRowTiles);
    return tiles::priority_of(uint32_t(row.number) + tile % kRowTiles, drawn.priority_key);
  }
  __device__ __forceinline__ Vec3i target_of(uint32_t tile) const {
    const BrickRow row = row_of(tile / kRowTiles);
    return {row.targets.x_of(row.column + int32_t(tile % kRowTiles)), row.targets.first.y,
            row.targets.first.z};
  }
  __device__ __forceinline__ StepOf<true> step_at(uint32_t number, Vec3i& place) const {
    StepOf<true> step{};
    const int32_t in_row = int32_t(number % kStepsPerRow * kStepTiles);
    const BrickRow row = row_of(number / kStepsPerRow);
    const int32_t column = row.column + in_row;
    place = row.targets.first;
    if (column >= row.end) return step;
    step.first_tile = number * kStepTiles;
    step.first_number = row.number + uint32_t(in_row);
    step.set_columns(row.targets, column);
    step.begin = max(row.begin - column, 0);
    step.end = min(int32_t(kStepTiles), row.end - column);
    return step;
  }

 private:
  static constexpr uint32_t kRowTiles = kStepsPerRow * kStepTiles;
  struct BrickRow {
    tiles::Row targets;  // as stored
    int32_t begin, end;  // columns with targets of the brick
    int32_t column;      // that the brick's numbers begin with
    uint64_t number;     // of that one, in the lattice
  };
  // Without columns where begin == end.
  __device__ __forceinline__ BrickRow row_of(uint32_t number) const {
    BrickRow row{};
    const uint32_t y = number % kShape.rows_y, z = number / kShape.rows_y;
    if (!near.has(y, z)) return row;
    const uint32_t j = near.j_at(y), k = near.k_at(z);
    row.targets = row_at(j, k);
    row.targets.first = row.targets.first - origin;
    const Vec3i& first = row.targets.first;
    if (first.y < own.low.y || first.y >= own.high.y) return row;
    if (kDim == 3 && (first.z < own.low.z || first.z >= own.high.z)) return row;
    row.begin = tiles::column_from(row.targets, kTiles.x, own.low.x);
    row.end = tiles::column_from(row.targets, kTiles.x, own.high.x);
    row.column = row.begin / int32_t(kStepTiles) * int32_t(kStepTiles);
    row.number =
        (uint64_t(k) * uint32_t(kTiles.y) + j) * (kBatchesPerRow * tiles::kStride) + uint32_t(row.column);
    return row;
  }
};
using SharedRound = RoundOf<model::kBrick>;

// An attempt between different cells.
struct Attempt {
  uint32_t tile, word;
  Offset site;  // of the target, coded
  uint32_t at;  // of the target, in the ring, its neighbours around it
  Word target, source;
};

// Ring buffer of a warp: the surroundings of the targets of some steps, and the queue of attempts among them
// that wait to be judged. A slot holds 3 (in 2-D) or 9 rows of the lattice, from before the first target to
// behind the last.
struct Ring {
  struct alignas(8) Queued {
    uint32_t entry;  // see TargetLoader::entry_of
    uint32_t word;   // random
  };

  static constexpr int kSlotWords = kBlock / 3 * kPitch;

  alignas(16) Word words[cuda::kSlots * kSlotWords];
  Step step[cuda::kSlots];
  Queued queue[64];
};

// Prefetches the targets of one warp, step by step: those of its own share, then those that it takes of the
// rest where that is shared.
class TargetLoader {
 public:
  __device__ TargetLoader(Ring& ring, const int* toward, const cuda::TilesTables& tables, const Word* sites)
      : ring_(ring), toward_(toward), tables_(tables), sites_(sites), lane_(threadIdx.x % 32) {}

  // Plans the first steps of a round. It does not read the lattice.
  __device__ __forceinline__ void begin(const SharedRound& round, uint64_t number) {
    round_ = &round;
    number_ = number;
    turn_ = 0;
    ended_ = false;
    group_ = ~0u;
    look_ahead(true);
  }

  __device__ uint32_t attempts() const { return attempts_; }
  __device__ __forceinline__ bool has_steps_in_flight() const { return in_flight_ != 0; }
  __device__ __forceinline__ uint32_t waiting() const { return queued_; }
  // Attempts that may stay in the queue: fewer than fill a batch; none whose surroundings lie in the slot
  // that is filled next; none after the last step.
  __device__ __forceinline__ uint32_t most_to_keep() const {
    if (batch_ != 0) return 31;
    if (!has_steps_in_flight()) return 0;
    const bool full = queued_ > 0 && slot_of(ring_.queue[head_ % 64].entry) == fill_slot_;
    return full ? (queued_ > 32 ? queued_ - 32 : 0) : 31;
  }

  // Starts loading the surroundings of the next step. `has_room`: this warp may take steps beyond its own
  // share.
  __device__ __forceinline__ void prefetch(bool has_room) {
    if constexpr (!kSeesAll)
      while (left_ == 0 && !ended_) look_ahead(has_room);
    if (left_ != 0) {
      const uint32_t slot = fill_slot_;
      if (lane_ == uint32_t(__ffs(int(left_)) - 1)) ring_.step[slot] = mine_;
      left_ &= left_ - 1;
      in_flight_ += 1;
      fill_slot_ = after(fill_slot_);
      __syncwarp();
      load(slot, ring_.step[slot]);
    }
    commit_copies();
  }
  // Whether the next batch is the first of its step: then another step may be prefetched.
  __device__ __forceinline__ bool at_step() const { return batch_ == 0; }

  // Compacts the live attempts of the next batch, of the oldest step in flight, into the queue.
  __device__ __forceinline__ void gather() {
    const uint32_t slot = read_slot_;
    if (batch_ == 0) {
      wait_for_copies();
      __syncwarp();
    }
    const Step step = ring_.step[slot];
    const uint32_t first = batch_ * tiles::kStride, in_step = first + lane_;
    batch_ = int32_t(first + tiles::kStride) < step.end && model::kBatches > 1 ? batch_ + 1 : 0;
    if (batch_ == 0) {
      in_flight_ -= 1;
      read_slot_ = after(read_slot_);
    }
    const auto tile = step.number() + first;
    if (uint32_t(tile / tiles::kGroup) != group_) {
      group_ = uint32_t(tile / tiles::kGroup);
      bits_ = tiles::draw_for(tables_.seed, number_, tile + lane_);
    }
    const uint32_t k = uint32_t(tile) / tiles::kStride % 4;
    const uint32_t word = k == 0 ? bits_.a : k == 1 ? bits_.b : k == 2 ? bits_.c : bits_.d;
    const uint32_t at =
        slot * Ring::kSlotWords + uint32_t(kBlock / 6 * kPitch + step.x_of(int32_t(in_step)) - slot_x(step));
    const int direction = tiles::direction_of(word, kNeighbours);
    const Word target = ring_.words[at], source = ring_.words[int(at) + toward_[direction]];
    const bool here = int32_t(in_step) >= step.begin && int32_t(in_step) < step.end;
    const bool chosen = here && !is_of(target, id_of(source)) && source != kNoWord &&
                        !is_of_frozen(tables_.state, id_of(target));
    queued_ += compact(chosen, lane_, [&](uint32_t place) {
      ring_.queue[(head_ + queued_ + place) % 64] = {entry_of(at, slot, in_step), word};
    });
    __syncwarp();
  }

  // Takes up to 32 attempts from the head of the queue, one per lane; `here` is false for lanes that get
  // none.
  __device__ __forceinline__ Attempt next(bool& here) {
    const uint32_t count = queued_ < 32 ? queued_ : 32;
    here = lane_ < count;
    const auto [entry, word] = ring_.queue[(head_ + (here ? lane_ : 0)) % 64];
    head_ += count;
    queued_ -= count;
    const uint32_t slot = slot_of(entry), in_step = entry >> 16 & (kStepTiles - 1), at = entry & 0xFFFF;
    const Step step = ring_.step[slot];
    Attempt result;
    result.tile = step.first_tile + in_step;
    result.word = word;
    result.at = at;
    result.target = ring_.words[at];
    result.source = ring_.words[int(at) + toward_[tiles::direction_of(result.word, kNeighbours)]];
    const int32_t x = step.x_of(int32_t(in_step));
    result.site = decoded(step.row) + x;
    if (step.row < 0 || !is_inner<0, kSight>(x)) result.site = ~result.site;
    return result;
  }

 private:
  static constexpr cuda::WorkSplit kWorkSplit{kSteps, model::kUnit, model::kCrew,
                                              uint32_t(model::kWarpsPerBlock), model::kShareRest};
  static constexpr uint32_t kEnd = kWorkSplit.end(), kStepsPerWarp = kWorkSplit.steps_per_warp();
  static constexpr bool kSeesAll =
      !model::kShareRest && kStepsPerWarp <= 32;  // all steps of a round, as it begins
  static constexpr int kPiece = 16 / int(sizeof(Word)), kSector = 32 / int(sizeof(Word));  // words
  static constexpr bool kRowsAligned = kRow % kPiece == 0;

  __device__ __forceinline__ static uint32_t after(uint32_t slot) {
    return slot + 1 < cuda::kSlots ? slot + 1 : 0;
  }
  // A queue's entry: where in the ring the target lies, which slot, which tile of its step.
  __device__ __forceinline__ static uint32_t entry_of(uint32_t at, uint32_t slot, uint32_t in_step) {
    return slot << 24 | in_step << 16 | at;
  }
  __device__ __forceinline__ static uint32_t slot_of(uint32_t entry) { return entry >> 24; }
  static_assert(cuda::kSlots * Ring::kSlotWords <= 1 << 16 && kStepTiles <= 256);

  // The x of the first word of a slot's rows; at a sector's start where that can be had.
  __device__ __forceinline__ static int32_t slot_x(const Step& step) {
    return kRowsAligned ? (step.x - 1) & -kSector : step.x - 1;
  }

  // Plans up to 32 steps to come, one per lane. Every other round runs backwards, to begin with what the last
  // one left in the cache.
  __device__ __forceinline__ void look_ahead(bool has_room) {
    uint32_t number = ~0u;
    if (turn_ < kStepsPerWarp) {
      const uint32_t turn = turn_ + lane_;
      if (turn < kStepsPerWarp) number = kWorkSplit.step(turn, crew::block_rank(), threadIdx.x / 32);
      turn_ += 32;
      ended_ = !model::kShareRest && turn_ >= kStepsPerWarp;
    } else {
      if (lane_ == 0) number = next_;
      ended_ = __shfl_sync(~0u, next_, 0) >= kEnd;
    }
    if (model::kShareRest && turn_ >= kStepsPerWarp && !ended_ && lane_ == 0)  // its latency is hidden
      next_ = has_room ? kWorkSplit.first_single() + atomicAdd(tables_.control->taken + number_ % 3, 1) : ~0u;
    if (number_ % 2 == 1) number = number < kEnd ? kEnd - 1 - number : ~0u;
    mine_ = number < kSteps ? step_at(number) : Step{};
    left_ = __ballot_sync(~0u, mine_.end > mine_.begin);
  }

  __device__ __forceinline__ Step step_at(uint32_t number) {
    Vec3i place;
    Step step = round_->step_at(number, place);
    if (step.end <= step.begin) return step;
    attempts_ += uint32_t(step.end - step.begin);
    if (model::kSkipsDead &&
        !LiveMap(tables_.live).is_live({step.x, place.y, place.z}, step.x_of(int32_t(kStepTiles) - 1)))
      step.end = step.begin;
    if (!is_inner<1, kSight>(place.y) || (kDim == 3 && !is_inner<2, kSight>(place.z))) step.row = ~step.row;
    return step;
  }

  // Rows are copied in pieces of 16 bytes, inside the lattice all at the same offsets; columns behind its
  // walls word by word.
  __device__ __forceinline__ void load(uint32_t slot, const Step& step) {
    Word* const to = ring_.words + slot * Ring::kSlotWords;
    if (!kRowsAligned || step.row < 0) return load_at_walls(to, sites_, step);
    const int32_t x = slot_x(step);
#pragma unroll
    for (int first = 0; first < kPitch / kPiece; first += 32) {
      const int32_t word = (first + int32_t(lane_)) * kPiece;
      if (word >= step.x + kSlotReach - x || uint32_t(x + word) >= uint32_t(model::kSize.x)) continue;
      const Word* const from = sites_ + (step.row + x + word);
      Word* const there = to + word;
#pragma unroll
      for (int row = 0; row < kBlock / 3; ++row)
        copy_async<16>(there + row * kPitch, from + int64_t(offset_of(step_to(3 * row + 1))));
    }
    if (x < 0) copy_column(to + (-1 - x), sites_ + (step.row + model::kSize.x - 1));
    if (step.x + kSlotReach > model::kSize.x) copy_column(to + (model::kSize.x - x), sites_ + step.row);
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
    constexpr int kWords = kRowsAligned ? kPiece : 1;  // at a time: all inside the lattice, or all outside
    constexpr int kBytes = kWords * int(sizeof(Word));
    const Vec3i place = place_of(decoded(step.row));
    for (int row = 0; row < kBlock / 3; ++row, to += kPitch) {
      Vec3i p = place + step_to(3 * row + 1);
      const bool inside = wrap_one(p);
      const Word* const from = sites + index({0, p.y, p.z});
      for (int i = kWords * int(threadIdx.x % 32); i < kPitch; i += 32 * kWords) {
        int32_t x = slot_x(step) + i;
        if (model::kPeriodic.x) x += x < 0 ? model::kSize.x : x >= model::kSize.x ? -model::kSize.x : 0;
        if (inside && kLattice.contains(0, x)) {
          copy_async<kBytes>(to + i, from + x);
        } else {
#pragma unroll
          for (int k = 0; k < kWords; ++k) to[i + k] = kNoWord;
        }
      }
    }
  }

  const SharedRound* round_ = nullptr;
  Ring& ring_;
  const int* toward_;
  const cuda::TilesTables& tables_;
  const Word* sites_;
  uint64_t number_ = 0;
  uint32_t lane_;
  uint32_t turn_ = 0;       // the first step of this warp's share that is not planned
  uint32_t next_ = 0;       // a step taken from the shared rest; lane 0 only
  bool ended_ = false;      // no further steps
  Step mine_{};             // this lane's planned step
  uint32_t left_ = 0;       // lanes whose step is not prefetched yet
  uint32_t in_flight_ = 0;  // steps prefetched and not gathered
  uint32_t fill_slot_ = 0, read_slot_ = 0;
  uint32_t batch_ = 0;  // of the step that is being gathered
  uint32_t head_ = 0, queued_ = 0;
  uint32_t group_ = ~0u, attempts_ = 0;
  Draw bits_{};
};

}  // namespace kiln::device
