// The `checkerboard` schedule on a GPU (see engine/schedule/checkerboard.hpp), as in the paper: a thread
// plays a block. A launch plays the steps of one active region. Thread blocks keep the ids of their active
// regions in shared memory, where that pays; copies go there and to the lattice at once. Between two steps
// the threads of a thread block wait for each other; all threads do at the end of the launch. Cells' sizes
// change by atomics and are read live, so the result depends on the order of the atomics.
//
// Where attempts may see each other's targets, a copy is carried out only if its target is still what it was
// judged on: so volumes and centroids stay right. What a copy changes of perimeters may be wrong by then, and
// they are counted anew after every MCS.
//
// Compiled behind model_prologue and, in kiln::model: kRegion, kPerThread, kSwitchEvery, kThreads, kCached,
// kMutex, kDrawsSource, kWaits (after every attempt), kOneRegion (per launch), kMayMeet, kReplays.
#pragma once

#include "engine/cuda/between/kernels.cuh"
#include "engine/cuda/checkerboard/data.hpp"
#include "engine/schedule/checkerboard.hpp"

namespace kiln::device {

using cuda::BoardSpan;

// Side of what is cached: the active region and what touches its targets.
constexpr int kRim = model::kDrawsSource ? 2 : 1, kHalo = model::kRegion + 2 * kRim;
constexpr int kCachedPlaces = kHalo * kHalo * (kDim == 3 ? kHalo : 1);
constexpr int kThreads = model::kThreads;

// Shared memory of a thread block.
struct BlockShared {
  Word words[model::kCached ? kCachedPlaces * kThreads : 1];  // the thread's number fastest
  int32_t corner[kDim][kThreads];                             // of each thread's active region
  uint32_t attempts, live, accepted;
};

// Volume and perimeter of a copy's two cells, each pair read at once.
struct LiveSizes {
  const StateTables& tables;
  CellId first;
  uint64_t pair_of_first, pair_of_other;

  __device__ __forceinline__ LiveSizes(const StateTables& t, const Copy& copy)
      : tables(t),
        first(copy.winner),
        pair_of_first(read(t.extents, copy.winner)),
        pair_of_other(read(t.extents, copy.loser)) {}
  __device__ __forceinline__ int32_t volume(CellId cell) const { return int32_t(uint32_t(pair(cell))); }
  __device__ __forceinline__ int32_t perimeter(CellId cell) const { return int32_t(pair(cell) >> 32); }
  // Read word by word: other copies may come in between, as for all that is read live here.
  __device__ __forceinline__ Vec3i anchor(CellId cell) const { return tables.anchors[cell]; }
  __device__ __forceinline__ Vec3<int64_t> sum(CellId cell) const {
    Vec3<int64_t> result;
    for (int axis = 0; axis < kDim; ++axis) result[axis] = __ldcg(&tables.sums[cell][axis]);
    return result;
  }
  __device__ __forceinline__ Moments moments(CellId cell) const {
    Moments result;
    for (int k = 0; k < Moments::count(kDim); ++k) result.of[k] = __ldcg(&tables.moments[cell].of[k]);
    return result;
  }
  __device__ __forceinline__ CellTargets targets(CellId cell) const { return targets_of(tables, cell); }

 private:
  __device__ __forceinline__ uint64_t pair(CellId cell) const {
    return cell == first ? pair_of_first : pair_of_other;
  }
  // Bypasses L1, which is not coherent with other multiprocessors' atomics.
  __device__ __forceinline__ static uint64_t read(const cuda::Extent* extents, CellId cell) {
    return __ldcg(reinterpret_cast<const unsigned long long*>(extents + cell));
  }
};

// One thread, which plays one block.
class Player {
 public:
  __device__ Player(const StateTables& tables, const BoardSpan& span, BlockShared& shared)
      : tables_(tables),
        span_(span),
        shared_(shared),
        sites_(static_cast<Word*>(tables.sites)),
        block_(blockIdx.x * kThreads + threadIdx.x) {
    const uint32_t row = block_ / uint32_t(span.blocks.x);
    const Vec3i block{int32_t(block_ - row * uint32_t(span.blocks.x)), int32_t(row % uint32_t(span.blocks.y)),
                      int32_t(row / uint32_t(span.blocks.y))};
    block_corner_ = block * model::kPerThread;
    corner_ = block_corner_ + span.region;
    for (int axis = 0; axis < kDim; ++axis) shared_.corner[axis][threadIdx.x] = corner_[axis];
    if (threadIdx.x == 0) shared_.attempts = shared_.live = shared_.accepted = 0;
    __syncthreads();
    if (model::kCached) load();
  }

  __device__ void play() {
    if (model::kReplays && block_ < span_.block_count) taken_ = span_.taken[block_];
    for (uint32_t i = 0; i < span_.steps; ++i) {
      if (!model::kOneRegion)
        corner_ = block_corner_ + span_.turns.active_region((span_.first_drawn + i) / model::kSwitchEvery);
      if (block_ < span_.block_count) attempt(span_.first_drawn + i);
      if (model::kWaits) __syncthreads();
    }
    if (model::kReplays && block_ < span_.block_count) span_.taken[block_] = taken_;
    if (attempts_ > 0) atomicAdd(&shared_.attempts, attempts_);
    if (live_ > 0) atomicAdd(&shared_.live, live_);
    if (accepted_ > 0) atomicAdd(&shared_.accepted, accepted_);
    __syncthreads();
    if (threadIdx.x != 0) return;
    cuda::BoardCounter& counter = span_.counters[blockIdx.x % cuda::kCounters];
    add(&counter.attempts, shared_.attempts);
    add(&counter.live, shared_.live);
    add(&counter.accepted, shared_.accepted);
  }

 private:
  // Threads next to each other read sites next to each other.
  __device__ void load() {
    for (int i = int(threadIdx.x); i < kCachedPlaces * kThreads; i += kThreads) {
      const int x = i % kHalo, thread = i / kHalo % kThreads, row = i / (kHalo * kThreads);
      Vec3i p{shared_.corner[0][thread] + x - kRim, shared_.corner[1][thread] + row % kHalo - kRim, 0};
      if (kDim == 3) p.z = shared_.corner[kDim - 1][thread] + row / kHalo - kRim;
      if (kLattice.wrap(p)) shared_.words[(row * kHalo + x) * kThreads + thread] = sites_[kLattice.index(p)];
    }
    __syncthreads();
  }

  __device__ __forceinline__ void attempt(uint64_t drawn) {
    const uint64_t bits =
        model::kReplays ? next_number() : checkerboard::bits_for(span_.turns.seed, drawn, block_);
    const auto a = checkerboard::attempt_of<kDim>(bits, model::kRegion);
    Vec3i target = corner_ + a.drawn;
    if (target.x >= model::kSize.x || target.y >= model::kSize.y || target.z >= model::kSize.z) return;
    attempts_ += 1;
    const Vec3i offset = Moore<kDim>::offset(a.direction);
    const Vec3i from_corner = model::kDrawsSource ? a.drawn - offset : a.drawn;  // of the target
    if (!checkerboard::move_to_target<kDim>(kLattice, a, model::kDrawsSource, target)) return;
    Vec3i source = target + offset;
    if (!kLattice.wrap(source)) return;
    const Word target_word = word_at(target, from_corner),
               source_word = word_at(source, from_corner + offset);
    const CellId target_id = id_of(target_word), source_id = id_of(source_word);
    if (target_id == source_id) return;
    Copy copy{source_id, target_id,  type_of(tables_, source_id), type_of(tables_, target_id),
              source,    offset * -1};
    const Physics physics = model::physics();
    if (physics.uses.frozen && !thaw(tables_, copy)) return;
    live_ += 1;
    const Around around(target);
    const Surroundings surroundings(around, [&](const Vec3i& away) {
      return model::kCached ? *cached(from_corner + away) : site(around.at(away));
    });
    PatchWorld world(tables_, target, surroundings.patch, copy);
    float dh;
    if (!local_delta<kDim>(physics, world, copy, dh)) return;
    const CopyChange change = change_of(physics, world, copy);
    dh += cells_delta(physics, LiveSizes(tables_, copy), copy, change);
    dh += act_delta(physics, copy, surroundings, target_word, source_word);
    if (!accepts(physics, dh, a)) return;
    if (model::kMutex && !lock(copy)) return;
    const Word word = taken_by(physics, copy.winner, copy.winner_type, span_.clock);
    if (!put(around.centre(), target_word, word)) return;
    carry_out(copy, target, change);
    if (model::kCached) *cached(from_corner) = word;
  }

  __device__ __forceinline__ bool accepts(const Physics& physics, float dh, const checkerboard::Attempt& a) {
    if (model::kReplays && dh <= 0) return true;
    const uint32_t number = model::kReplays ? uint32_t(next_number()) : a.threshold_bits;
    return dh <= acceptance_threshold(physics.temperature, number);
  }
  __device__ __forceinline__ uint64_t next_number() {
    return checkerboard::replayed_bits(span_.turns.seed, span_.call, block_, taken_++);
  }

  __device__ __forceinline__ Word site(Offset at) const {
    // L1 is not coherent with other multiprocessors' writes.
    return model::kMayMeet ? __ldcg(sites_ + at) : sites_[at];
  }
  // False where another attempt has changed the site.
  __device__ __forceinline__ bool put(Offset at, Word old, Word word) {
    if (model::kMayMeet) return exchange_if(sites_ + at, old, word) == old;
    sites_[at] = word;
    return true;
  }
  __device__ __forceinline__ static uint32_t exchange_if(uint32_t* what, uint32_t old, uint32_t with) {
    return atomicCAS(what, old, with);
  }
  __device__ __forceinline__ static uint64_t exchange_if(uint64_t* what, uint64_t old, uint64_t with) {
    return atomicCAS(reinterpret_cast<unsigned long long*>(what), static_cast<unsigned long long>(old),
                     static_cast<unsigned long long>(with));
  }

  // Word of a site; `from_corner` is its offset from the active region's corner.
  __device__ __forceinline__ Word word_at(const Vec3i& site, const Vec3i& from_corner) const {
    return model::kCached ? *cached(from_corner) : this->site(index(site));
  }
  // The cached word at an offset from the active region's corner.
  __device__ __forceinline__ Word* cached(const Vec3i& p) const {
    const int z = kDim == 3 ? p.z + kRim : 0;
    return shared_.words + ((z * kHalo + p.y + kRim) * kHalo + p.x + kRim) * kThreads + threadIdx.x;
  }

  __device__ __forceinline__ float act_delta(const Physics& physics, const Copy& copy,
                                             const Surroundings& at_target, Word target_word,
                                             Word source_word) const {
    if (!physics.uses.act) return 0.0f;
    const act::Params p =
        params_of<act::Term>(physics, OwnWorld{tables_}, copy.steering_type(), copy.steering_cell());
    if (p.lambda == 0) return 0.0f;
    float at_source = 0;
    const uint32_t own = act_of(source_word, span_.clock);
    if (copy.winner != kMedium && own != 0) {
      const Around around(copy.source);  // two sites from the target: beyond the cache
      const Surroundings at(around, [&](const Vec3i& away) { return site(around.at(away)); });
      at_source = mean_act(at, copy.winner, own, span_.clock);
    }
    return act::delta(p, at_source,
                      mean_act(at_target, copy.loser, act_of(target_word, span_.clock), span_.clock));
  }

  // One accepted copy per cell and launch: a copy that does not get both locks is dropped. The medium is
  // never locked.
  __device__ bool lock(const Copy& copy) const {
    if (!lock(copy.winner)) return false;
    if (lock(copy.loser)) return true;
    if (copy.winner != kMedium) exchange(copy.winner, ~uint64_t(0));
    return false;
  }
  __device__ bool lock(CellId cell) const {
    return cell == kMedium || exchange(cell, span_.first_step) != span_.first_step;
  }
  __device__ uint64_t exchange(CellId cell, uint64_t value) const {
    return atomicExch(reinterpret_cast<unsigned long long*>(span_.locks + cell),
                      static_cast<unsigned long long>(value));
  }

  __device__ void carry_out(const Copy& copy, const Vec3i& place, const CopyChange& change) {
    accepted_ += 1;
    if (copy.loser != kMedium) move_site(copy.loser, place, -1, change.loser_perimeter);
    if (copy.winner != kMedium) move_site(copy.winner, place, +1, change.winner_perimeter);
  }
  // Centroid sums are read only after the launch.
  __device__ __forceinline__ void move_site(CellId cell, const Vec3i& place, int sign, int perimeter) {
    move_size(tables_.extents + cell, sign, perimeter);
    move_centroid(tables_, cell, place, sign);
  }

  const StateTables& tables_;
  const BoardSpan& span_;
  BlockShared& shared_;
  Word* sites_;
  uint32_t block_;
  Vec3i block_corner_, corner_;  // of the block, and of its active region
  uint32_t attempts_ = 0, live_ = 0, accepted_ = 0;
  uint32_t taken_ = 0;  // random numbers, where they are replayed
};

// Adds up the perimeters of all tracked cells, site by site.
__device__ void count_perimeters(const ThreadRange& threads, const StateTables& tables) {
  const Word* sites = static_cast<const Word*>(tables.sites);
  const Physics physics = model::physics();
  const Neighbourhood& neighbours = *physics.perimeter_neighbours;
  for (int64_t at = threads.rank; at < kLattice.sites(); at += threads.count) {
    const CellId cell = id_of(sites[at]);
    if (cell == kMedium || is_of_frozen(tables, cell)) continue;
    int others = 0;
    for (int k = 0; k < neighbours.count; ++k) {
      Vec3i p = place_of(Offset(at)) +
                Vec3i{neighbours.offset[k].x, neighbours.offset[k].y, neighbours.offset[k].z};
      if (kLattice.wrap(p) && !is_of(sites[index(p)], cell)) others += 1;
    }
    if (others > 0) move_size(tables.extents + cell, 0, others);
  }
}

}  // namespace kiln::device

extern "C" __global__ void __launch_bounds__(kiln::model::kThreads)
    play_region(const __grid_constant__ kiln::cuda::StateTables tables,
                const __grid_constant__ kiln::cuda::BoardSpan span) {
  __shared__ kiln::device::BlockShared shared;
  kiln::device::Player(tables, span, shared).play();
}

extern "C" __global__ void forget_perimeters(const __grid_constant__ kiln::cuda::StateTables tables) {
  const auto threads = kiln::device::whole_grid();
  for (int64_t cell = threads.rank; cell < tables.cells; cell += threads.count)
    tables.extents[cell].perimeter = 0;
}

extern "C" __global__ void count_perimeters(const __grid_constant__ kiln::cuda::StateTables tables) {
  kiln::device::count_perimeters(kiln::device::whole_grid(), tables);
}
