// The `tiles` schedule on a GPU (see engine/tiles.hpp). One kernel plays whole MCS: the grid is resident, its
// warps keep their attempts from pass to pass, and a barrier across the grid stands between two passes.
//
// Compiled at run time behind a prologue, made from the model, that defines in kiln::model: kDim, kSize,
// kPeriodic, kTypes, kSpacing, kPasses, kIdBits, kMaxAct, kActLogs, kHistory, kWarpsPerBlock,
// kBlocksPerMultiprocessor, the type Word, and physics().
#pragma once

#include "core/centroid.hpp"
#include "engine/cuda/tiles_data.hpp"
#include "engine/tiles.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln::device {

using cuda::Control;
using cuda::OpenAttempt;
using cuda::Span;
using cuda::Tables;
using model::Word;

constexpr int kDim = model::kDim;
constexpr int kNeighbours = Moore<kDim>::kCount;
constexpr Lattice kLattice{model::kSize, model::kPeriodic, kDim};
constexpr bool kWide = int64_t(model::kSize.x) * model::kSize.y * model::kSize.z >= int64_t(1) << 31;
template <bool>
struct OffsetOf {
  using Type = int32_t;
};
template <>
struct OffsetOf<true> {
  using Type = int64_t;
};
using Offset = OffsetOf<kWide>::Type;

constexpr Word kIdMask = model::kIdBits == 8 * sizeof(Word) ? ~Word(0) : (Word(1) << model::kIdBits) - 1;
constexpr int kStampBits = int(8 * sizeof(Word)) - model::kIdBits;
constexpr uint32_t kStampMask = kStampBits > 0 ? uint32_t((uint64_t(1) << kStampBits) - 1) : 0;

__device__ __forceinline__ CellId id_of(Word word) { return CellId(word & kIdMask); }

// Act of a site: how far its stamp lies ahead of the clock. A stamp that is not ahead is stale.
__device__ __forceinline__ uint32_t act_of(Word word, uint32_t clock) {
  if (model::kMaxAct == 0) return 0;
  const uint32_t ahead = (uint32_t(word >> (model::kMaxAct == 0 ? 0 : model::kIdBits)) - clock) & kStampMask;
  return ahead <= uint32_t(model::kMaxAct) ? ahead : 0;
}
__device__ __forceinline__ Word word_of(CellId id, uint32_t stamp) {
  if (model::kMaxAct == 0) return Word(id);
  return Word(id) | Word(stamp & kStampMask) << (model::kMaxAct == 0 ? 0 : model::kIdBits);
}

// Offsets of a place's row, and of the two beside it, along one axis.
template <int Axis>
struct Three {
  Offset at[3];
  bool inside[3];

  __device__ __forceinline__ explicit Three(int32_t p) {
    constexpr int32_t length = Axis == 0 ? model::kSize.x : Axis == 1 ? model::kSize.y : model::kSize.z;
    constexpr bool periodic = Axis == 0   ? model::kPeriodic.x
                              : Axis == 1 ? model::kPeriodic.y
                                          : model::kPeriodic.z;
    constexpr Offset stride = Axis == 0   ? 1
                              : Axis == 1 ? Offset(model::kSize.x)
                                          : Offset(model::kSize.x) * model::kSize.y;
    const int32_t low = p > 0 ? p - 1 : (periodic ? length - 1 : p);
    const int32_t high = p < length - 1 ? p + 1 : (periodic ? 0 : p);
    at[0] = low * stride;
    at[1] = p * stride;
    at[2] = high * stride;
    inside[0] = periodic || p > 0;
    inside[1] = true;
    inside[2] = periodic || p < length - 1;
  }
};

struct Around {
  Three<0> x;
  Three<1> y;
  Three<2> z;

  __device__ __forceinline__ explicit Around(const Vec3i& p) : x(p.x), y(p.y), z(p.z) {}
  __device__ __forceinline__ Offset centre() const { return x.at[1] + y.at[1] + z.at[1]; }
};

// The words of the Moore neighbours, in the lanes of a Patch.
struct Surroundings {
  Patch<kDim> patch;
  Word words[Patch<kDim>::kLanes];

  __device__ __forceinline__ Surroundings(const Word* sites, const Around& around) {
#pragma unroll
    for (int lane = 0; lane < Patch<kDim>::kLanes; ++lane) {
      const int row = lane / 4, x = lane % 4, y = row % 3, z = kDim == 3 ? row / 3 : 1;
      if (x == 3 || lane == Patch<kDim>::kCentre) {
        words[lane] = 0;
        patch.ids[lane] = kNowhere;
        continue;
      }
      words[lane] = sites[around.x.at[x] + around.y.at[y] + around.z.at[z]];
      const bool inside = around.x.inside[x] && around.y.inside[y] && around.z.inside[z];
      patch.ids[lane] = inside ? id_of(words[lane]) : kNowhere;
    }
  }
};

__device__ __forceinline__ TypeId type_of(const Tables& t, CellId id) {
  int type = id != kMedium ? 1 : 0;
#pragma unroll
  for (int k = 2; k < model::kTypes; ++k) type += id >= t.first_of_type[k] ? 1 : 0;
  return TypeId(type);
}

struct Sizes {
  const cuda::Extent* extents;
  __device__ __forceinline__ int32_t volume(CellId cell) const { return extents[cell].volume; }
  __device__ __forceinline__ int32_t perimeter(CellId cell) const { return extents[cell].perimeter; }
};

// What the terms see of one attempt.
struct World {
  const Tables& tables;
  const Vec3i& target;
  const Surroundings& around;
  Tally counts;
  FarPatch far;

  __device__ __forceinline__ World(const Tables& t, const Vec3i& p, const Surroundings& s, const Copy& copy)
      : tables(t), target(p), around(s), counts(kiln::tally(s.patch, copy.winner, copy.loser)) {}
  __device__ __forceinline__ TypeId type(CellId cell) const { return type_of(tables, cell); }
  __device__ __forceinline__ Vec3f direction(CellId cell) const { return tables.directions[cell]; }
  __device__ __forceinline__ const Patch<kDim>& around_target() const { return around.patch; }
  __device__ __forceinline__ const Tally& tally() const { return counts; }
  __device__ const FarPatch& far_around_target(const Neighbourhood& n) {
    const Word* sites = static_cast<const Word*>(tables.sites);
    far.count = n.count;
    for (int k = 0; k < n.count; ++k) {
      Vec3i p = target + Vec3i{n.offset[k].x, n.offset[k].y, n.offset[k].z};
      far.ids[k] = kLattice.wrap(p) ? id_of(sites[kLattice.index(p)]) : kNowhere;
    }
    return far;
  }
};

// One thread's part of the game.
class Player {
 public:
  __device__ Player(const Tables& t, uint32_t* queue, const int32_t* logs)
      : tables_(t),
        sites_(static_cast<Word*>(t.sites)),
        lane_(threadIdx.x % 32),
        warp_(blockIdx.x * model::kWarpsPerBlock + threadIdx.x / 32),
        warps_(gridDim.x * model::kWarpsPerBlock),
        queue_(queue + threadIdx.x / 32 * 128),
        logs_(logs),
        open_(t.open + int64_t(warp_) * t.open_per_warp) {
    stamp_ = t.control->claim_stamp;
  }

  __device__ void play(const Span& span) {
    for (int m = 0; m < span.mcs; ++m) {
      clock_ = uint32_t(span.first_mcs + m);
      for (uint64_t number = span.rounds[m]; number < span.rounds[m + 1]; ++number) {
        round_ = tiles::round_at(kLattice, model::kSpacing, tables_.seed, number);
        play_round(number);
      }
    }
    leave();
  }

 private:
  __device__ void play_round(uint64_t number) {
    judge_all(number);
    grid_barrier();
    for (int pass = 1;; ++pass) {
      const bool last = pass == model::kPasses;
      if (last)
        carry_out_all();
      else
        carry_out_owned();
      grid_barrier();
      const bool done = last || *static_cast<volatile uint32_t*>(&tables_.control->open_at) != stamp_;
      stamp_ -= 1;
      if (done) return;
      judge_again();
      grid_barrier();
    }
  }

  // Picks out the attempts that are between different cells, and judges them 32 at a time.
  __device__ void judge_all(uint64_t number) {
    const uint32_t tiles = round_.tiles(), groups = (tiles + tiles::kGroup - 1) / tiles::kGroup;
    if (warp_ == 0 && lane_ == 0) attempts_ += tiles;
    count_ = 0;
    uint32_t queued = 0;
    for (uint32_t group = warp_; group < groups; group += warps_) {
      const uint32_t first = group * tiles::kGroup + lane_;
      const Draw bits = tiles::draw_for(tables_.seed, number, first);
#pragma unroll
      for (int k = 0; k < 4; ++k) {
        const uint32_t tile = first + k * tiles::kStride;
        const uint32_t word = k == 0 ? bits.a : k == 1 ? bits.b : k == 2 ? bits.c : bits.d;
        const bool chosen = tile < tiles && between_cells(tile, word);
        const uint32_t all = __ballot_sync(~0u, chosen);
        if (chosen) {
          const uint32_t slot = queued + __popc(all & ((1u << lane_) - 1));
          queue_[slot] = tile;
          queue_[64 + slot] = word;
        }
        queued += __popc(all);
        __syncwarp();
        if (queued < 32) continue;
        queued -= 32;
        judge(queue_[queued + lane_], queue_[64 + queued + lane_], true);
        __syncwarp();
      }
    }
    if (queued > 0) judge(queue_[lane_ % queued], queue_[64 + lane_ % queued], lane_ < queued);
    __syncwarp();
  }

  __device__ __forceinline__ Vec3i place_of(uint32_t tile) const {
    const uint32_t row = tile / uint32_t(round_.count.x);
    const uint32_t x = tile - row * uint32_t(round_.count.x);
    uint32_t y = row, z = 0;
    if (kDim == 3) {
      z = row / uint32_t(round_.count.y);
      y = row - z * uint32_t(round_.count.y);
    }
    return {round_.place(kLattice, 0, int32_t(x)), round_.place(kLattice, 1, int32_t(y)),
            kDim == 3 ? round_.place(kLattice, 2, int32_t(z)) : 0};
  }

  // Whether target and source hold different ids; false where the source lies beyond a wall.
  __device__ __forceinline__ bool between_cells(uint32_t tile, uint32_t word) const {
    const Vec3i target = place_of(tile);
    Vec3i source = target + Moore<kDim>::offset(tiles::direction_of(word, kNeighbours));
    if (!wrap_one(source)) return false;
    return id_of(sites_[index(target)]) != id_of(sites_[index(source)]);
  }

  __device__ __forceinline__ static Offset index(const Vec3i& p) {
    return (Offset(p.z) * model::kSize.y + p.y) * model::kSize.x + p.x;
  }
  // For a place at most one step outside.
  __device__ __forceinline__ static bool wrap_one(Vec3i& p) {
    return wrap_axis(p.x, model::kSize.x, model::kPeriodic.x) &&
           wrap_axis(p.y, model::kSize.y, model::kPeriodic.y) &&
           (kDim == 2 || wrap_axis(p.z, model::kSize.z, model::kPeriodic.z));
  }
  __device__ __forceinline__ static bool wrap_axis(int32_t& at, int32_t length, bool periodic) {
    if (uint32_t(at) < uint32_t(length)) return true;
    at = at < 0 ? length - 1 : 0;
    return periodic;
  }

  // Judges one attempt per lane; `here` is false for lanes that have none.
  __device__ void judge(uint32_t tile, uint32_t word, bool here) {
    OpenAttempt a;
    const bool stays = here && judge_one(tile, word, a);
    const uint32_t all = __ballot_sync(~0u, stays);
    if (stays) {
      open_[count_ + __popc(all & ((1u << lane_) - 1))] = a;
      if (a.accepted) claim(a);
    }
    count_ += __popc(all);
  }

  // False where it is settled already.
  __device__ __forceinline__ bool judge_one(uint32_t tile, uint32_t word, OpenAttempt& a) {
    const Physics physics = model::physics();
    const Vec3i target = place_of(tile);
    const Vec3i step = Moore<kDim>::offset(tiles::direction_of(word, kNeighbours));
    Vec3i source = target + step;
    wrap_one(source);
    const Word target_word = sites_[index(target)], source_word = sites_[index(source)];
    const CellId target_id = id_of(target_word), source_id = id_of(source_word);
    Copy copy{source_id, target_id, type_of(tables_, source_id), type_of(tables_, target_id),
              source,    step * -1};
    if (physics.uses.frozen) {
      const bool source_frozen = physics.types[copy.winner_type].frozen;
      if (!frozen::is_live(target_id, physics.types[copy.loser_type].frozen, source_id, source_frozen))
        return false;
      copy.winner = frozen::effective_source(source_id, source_frozen);
      copy.winner_type = type_of(tables_, copy.winner);
    }
    live_ += 1;
    const Surroundings around(sites_, Around(target));
    World world(tables_, target, around, copy);
    if (!surroundings_delta<kDim>(physics, world, copy, a.surroundings)) return false;
    const PerimeterChange change = perimeter_change(physics, world, copy);
    a.threshold = acceptance_threshold(physics.temperature, tiles::threshold_bits_of(word, kNeighbours));
    a.act = act_delta(physics, copy, around, target_word, source_word);
    const float dh = a.surroundings + sizes_delta(physics, Sizes{tables_.extents}, copy, change);
    a.accepted = dh + a.act <= a.threshold;
    a.tile = tile;
    a.winner = copy.winner;
    a.loser = copy.loser;
    a.winner_perimeter = int16_t(change.winner);
    a.loser_perimeter = int16_t(change.loser);
    return model::kPasses != 1 || a.accepted;
  }

  __device__ __forceinline__ float act_delta(const Physics& physics, const Copy& copy,
                                             const Surroundings& around, Word target_word,
                                             Word source_word) const {
    const act::Params& p = physics.types[copy.steering_type()].act;
    if (!physics.uses.act || p.lambda == 0) return 0.0f;
    float at_source = 0;
    const uint32_t own = act_of(source_word, clock_);
    if (copy.winner != kMedium && own != 0)
      at_source = mean_act(Surroundings(sites_, Around(copy.source)), copy.winner, own);
    return act::delta(p, at_source, mean_act(around, copy.loser, act_of(target_word, clock_)));
  }
  __device__ __forceinline__ float mean_act(const Surroundings& around, CellId cell, uint32_t own) const {
    if (cell == kMedium || own == 0) return 0.0f;
    uint32_t values[Patch<kDim>::kLanes];
#pragma unroll
    for (int lane = 0; lane < Patch<kDim>::kLanes; ++lane) values[lane] = act_of(around.words[lane], clock_);
    return act::geometric_mean(around.patch, values, cell, ActValue(own), logs_);
  }

  __device__ __forceinline__ uint64_t claim_of(const OpenAttempt& a) const {
    return tiles::claim_of(stamp_, tiles::priority_of(a.tile, round_.key));
  }
  __device__ __forceinline__ void claim(const OpenAttempt& a) {
    const uint64_t mine = claim_of(a);
    if (a.winner != kMedium) atomicMin(tables_.claims + a.winner, mine);
    if (a.loser != kMedium) atomicMin(tables_.claims + a.loser, mine);
  }

  __device__ void judge_again() {
    const Physics physics = model::physics();
    for (uint32_t i = lane_; i < count_; i += 32) {
      OpenAttempt a = open_[i];
      const Copy copy{a.winner, a.loser, type_of(tables_, a.winner), type_of(tables_, a.loser), {}, {}};
      const float dh = a.surroundings + sizes_delta(physics, Sizes{tables_.extents}, copy,
                                                    PerimeterChange{a.winner_perimeter, a.loser_perimeter});
      a.accepted = dh + a.act <= a.threshold;
      open_[i].accepted = a.accepted;
      if (a.accepted) claim(a);
    }
    __syncwarp();
  }

  __device__ void carry_out_owned() {
    uint32_t kept = 0;
    for (uint32_t base = 0; base < count_; base += 32) {
      const bool here = base + lane_ < count_;
      OpenAttempt a;
      bool stays = false;
      if (here) {
        a = open_[base + lane_];
        const uint64_t mine = claim_of(a);
        stays = (a.winner != kMedium && tables_.claims[a.winner] < mine) ||
                (a.loser != kMedium && tables_.claims[a.loser] < mine);
        if (!stays && a.accepted) carry_out<false>(a);
      }
      const uint32_t all = __ballot_sync(~0u, stays);
      if (stays) open_[kept + __popc(all & ((1u << lane_) - 1))] = a;
      kept += __popc(all);
    }
    count_ = kept;
    if (kept > 0 && lane_ == 0) *static_cast<volatile uint32_t*>(&tables_.control->open_at) = stamp_;
    __syncwarp();
  }
  __device__ void carry_out_all() {
    for (uint32_t i = lane_; i < count_; i += 32)
      if (open_[i].accepted) carry_out<true>(open_[i]);
    __syncwarp();
  }

  template <bool Together>
  __device__ __forceinline__ void carry_out(const OpenAttempt& a) {
    const Physics physics = model::physics();
    const Vec3i place = place_of(a.tile);
    accepted_ += 1;
    if (a.loser != kMedium) move_site<Together>(a.loser, place, -1, a.loser_perimeter);
    if (a.winner != kMedium) move_site<Together>(a.winner, place, +1, a.winner_perimeter);
    uint32_t stamp = clock_;
    if (model::kMaxAct > 0 && a.winner != kMedium)
      stamp += uint32_t(physics.types[type_of(tables_, a.winner)].act.max);
    sites_[index(place)] = word_of(a.winner, stamp);
  }

  template <bool Together>
  __device__ __forceinline__ void move_site(CellId cell, const Vec3i& place, int sign, int perimeter) {
    add<Together>(tables_.extents[cell].volume, sign);
    add<Together>(tables_.extents[cell].perimeter, perimeter);
    const Vec3i anchor = tables_.anchors[cell];
#pragma unroll
    for (int axis = 0; axis < kDim; ++axis)
      add<Together>(tables_.sums[cell][axis],
                    int64_t(sign * offset_from_anchor(kLattice, axis, anchor[axis], place[axis])));
  }
  template <bool Together>
  __device__ __forceinline__ static void add(int32_t& to, int32_t by) {
    if (Together)
      atomicAdd(&to, by);
    else
      to += by;
  }
  template <bool Together>
  __device__ __forceinline__ static void add(int64_t& to, int64_t by) {
    if (Together)
      atomicAdd(reinterpret_cast<unsigned long long*>(&to), static_cast<unsigned long long>(by));
    else
      to += by;
  }

  // Waits for the whole grid; what was written before is seen after. The counter's top bit flips when the
  // last block has come, whatever it was before, so nobody has to reset it.
  __device__ void grid_barrier() {
    __syncthreads();
    if (threadIdx.x == 0) {
      __threadfence();
      uint32_t* counter = &tables_.control->barrier;
      const uint32_t mine = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u;
      const uint32_t before = atomicAdd(counter, mine);
      while (((*static_cast<volatile uint32_t*>(counter) ^ before) & 0x80000000u) == 0) {
      }
      __threadfence();
    }
    __syncthreads();
  }

  __device__ void leave() {
    add_up(tables_.control->attempts, attempts_);
    add_up(tables_.control->live, live_);
    add_up(tables_.control->accepted, accepted_);
    grid_barrier();
    if (warp_ == 0 && lane_ == 0) tables_.control->claim_stamp = stamp_;
  }
  __device__ static void add_up(uint64_t& to, uint64_t mine) {
    for (int step = 16; step > 0; step /= 2) mine += __shfl_xor_sync(~0u, mine, step);
    if (threadIdx.x % 32 == 0 && mine != 0) atomicAdd(reinterpret_cast<unsigned long long*>(&to), mine);
  }

  const Tables& tables_;
  Word* sites_;
  uint32_t lane_, warp_, warps_;
  uint32_t* queue_;  // of this warp: 64 tiles, then their 64 words
  const int32_t* logs_;
  OpenAttempt* open_;   // of this warp
  uint32_t count_ = 0;  // of them
  uint32_t stamp_ = 0, clock_ = 0;
  tiles::Round round_;
  uint64_t attempts_ = 0, live_ = 0, accepted_ = 0;
};

}  // namespace kiln::device

extern "C" __global__ void __launch_bounds__(32 * kiln::model::kWarpsPerBlock,
                                             kiln::model::kBlocksPerMultiprocessor)
    play(const __grid_constant__ kiln::cuda::Tables tables, const __grid_constant__ kiln::cuda::Span span) {
  __shared__ uint32_t queue[128 * kiln::model::kWarpsPerBlock];
  __shared__ int32_t logs[kiln::model::kMaxAct + 1];
  for (int i = int(threadIdx.x); i <= kiln::model::kMaxAct; i += int(blockDim.x))
    logs[i] = kiln::model::kActLogs[i];
  __syncthreads();
  kiln::device::Player(tables, queue, logs).play(span);
}

namespace kiln::device {

__device__ __forceinline__ int64_t thread_number() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ __forceinline__ int64_t thread_count() { return int64_t(gridDim.x) * blockDim.x; }

}  // namespace kiln::device

// Turns persistent cells at the end of MCS number `mcs`.
extern "C" __global__ void turn(const __grid_constant__ kiln::cuda::Tables tables, int64_t mcs) {
  using namespace kiln;
  const Physics physics = model::physics();
  for (int64_t cell = device::thread_number() + 1; cell < tables.cells; cell += device::thread_count()) {
    const int32_t volume = tables.extents[cell].volume;
    if (volume == 0) continue;
    persistence::turn(physics.types[device::type_of(tables, CellId(cell))].persistence, mcs,
                      centroid_of(tables.anchors[cell], tables.sums[cell], volume), tables.directions[cell],
                      tables.history + cell * model::kHistory);
  }
}

// Gives far cells new anchors and marks them in the table of claims, with a value that never stands in the
// way.
extern "C" __global__ void move_anchors(const __grid_constant__ kiln::cuda::Tables tables) {
  using namespace kiln;
  for (int64_t cell = device::thread_number() + 1; cell < tables.cells; cell += device::thread_count()) {
    const bool moved =
        move_anchor(device::kLattice, tables.extents[cell].volume, tables.anchors[cell], tables.sums[cell]);
    tables.claims[cell] = moved ? cuda::kMovedMark : cuda::kNoClaim;
    if (moved) tables.control->anchors_moved = 1;
  }
}

// Counts the sums of the marked cells.
extern "C" __global__ void recount_moved(const __grid_constant__ kiln::cuda::Tables tables) {
  using namespace kiln;
  const device::Word* sites = static_cast<const device::Word*>(tables.sites);
  const Lattice lattice = device::kLattice;
  for (int64_t site = device::thread_number(); site < lattice.sites(); site += device::thread_count()) {
    const CellId cell = device::id_of(sites[site]);
    if (cell == kMedium || tables.claims[cell] != cuda::kMovedMark) continue;
    const Vec3i d = offset_from_anchor(lattice, tables.anchors[cell], lattice.position(site));
    for (int axis = 0; axis < lattice.dimension; ++axis)
      atomicAdd(reinterpret_cast<unsigned long long*>(&tables.sums[cell][axis]),
                static_cast<unsigned long long>(int64_t(d[axis])));
  }
}

// Sets stale stamps of Act back to the clock, before they come round.
extern "C" __global__ void refresh_stamps(const __grid_constant__ kiln::cuda::Tables tables, uint32_t clock) {
  using namespace kiln;
  device::Word* sites = static_cast<device::Word*>(tables.sites);
  for (int64_t site = device::thread_number(); site < device::kLattice.sites();
       site += device::thread_count()) {
    const device::Word word = sites[site];
    if (device::act_of(word, clock) == 0) sites[site] = device::word_of(device::id_of(word), clock);
  }
}
