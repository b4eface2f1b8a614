// The `tiles` schedule on a GPU (see engine/tiles.hpp). One kernel plays whole MCS: the grid is resident, its
// warps keep their attempts from pass to pass, and a barrier across the grid stands between two passes.
//
// Compiled behind model_prologue and what tiles_source adds to kiln::model: kSpacing, kPasses, kTrackSums,
// kUnit, kWarpsPerBlock.
#pragma once

#include "engine/cuda/between_mcs.cuh"
#include "engine/cuda/device_world.cuh"
#include "engine/cuda/tiles_data.hpp"
#include "engine/tiles.hpp"

namespace kiln::device {

using cuda::Control;
using cuda::OpenAttempt;
using cuda::Span;
using cuda::TilesTables;

constexpr int kNeighbours = Moore<kDim>::kCount;
constexpr Word kNoWord = ~Word(0);  // in no lattice: some id is always left over

constexpr Offset kRow = model::kSize.x, kLayer = Offset(model::kSize.x) * model::kSize.y;

__device__ __forceinline__ Offset index(const Vec3i& p) { return p.z * kLayer + p.y * kRow + p.x; }
__device__ __forceinline__ Vec3i place_of(Offset site) {
  const Offset row = site / kRow;
  return {int32_t(site - row * kRow), kDim == 2 ? int32_t(row) : int32_t(row % model::kSize.y),
          kDim == 2 ? 0 : int32_t(row / model::kSize.y)};
}
// True where all Moore neighbours lie inside the box.
__device__ __forceinline__ bool is_interior(const Vec3i& p) {
  return uint32_t(p.x - 1) < uint32_t(model::kSize.x - 2) &&
         uint32_t(p.y - 1) < uint32_t(model::kSize.y - 2) &&
         (kDim == 2 || uint32_t(p.z - 1) < uint32_t(model::kSize.z - 2));
}
// Brings a place at most one step outside back; false beyond a closed wall.
__device__ __forceinline__ bool wrap_axis(int32_t& at, int32_t length, bool periodic) {
  if (uint32_t(at) < uint32_t(length)) return true;
  at = at < 0 ? length - 1 : 0;
  return periodic;
}
__device__ __forceinline__ bool wrap_one(Vec3i& p) {
  return wrap_axis(p.x, model::kSize.x, model::kPeriodic.x) &&
         wrap_axis(p.y, model::kSize.y, model::kPeriodic.y) &&
         (kDim == 2 || wrap_axis(p.z, model::kSize.z, model::kPeriodic.z));
}

// A word of the lattice; the rest of its line is asked for, too: neighbours will be wanted.
__device__ __forceinline__ Word load_line(const uint32_t* at) {
  uint32_t word;
  asm volatile("ld.global.L2::128B.u32 %0, [%1];" : "=r"(word) : "l"(at));
  return word;
}
__device__ __forceinline__ Word load_line(const uint64_t* at) { return *at; }

constexpr int kLanes = Patch<kDim>::kLanes;

// The words of a site's Moore neighbours in one layer (of three; a 2-D lattice has only the middle one), lane
// by lane as in a Patch; `none` where there is no neighbour.
constexpr int kLayers = kDim == 3 ? 3 : 1, kLayerLanes = kLanes / kLayers;
__device__ __forceinline__ void load_layer(Word (&words)[kLayerLanes], int layer, const Word* sites,
                                           Offset site, bool interior, Word none) {
  const int z = kDim == 3 ? layer - 1 : 0;
  if (interior) {  // constant offsets: one instruction each
    const Word* middle = sites + (site + z * kLayer);
#pragma unroll
    for (int lane = 0; lane < kLayerLanes; ++lane)
      words[lane] = lane % 4 != 3 ? middle[(lane / 4 - 1) * kRow + (lane % 4 - 1)] : none;
  } else {
    const Vec3i place = place_of(site);
#pragma unroll
    for (int lane = 0; lane < kLayerLanes; ++lane) {
      Vec3i p = place + Vec3i{lane % 4 - 1, lane / 4 - 1, z};
      words[lane] = none;
      if (lane % 4 != 3 && wrap_one(p)) words[lane] = sites[index(p)];
    }
  }
  if (z == 0) words[kLayerLanes / 3 + 1] = none;  // the site itself
}

// act::geometric_mean of a site of `cell` whose own value is `own`. Most have a stale neighbour, so it goes
// layer by layer and stops there. Not inlined, and the layers not unrolled: the code of a kernel should fit
// the instruction cache.
__device__ __noinline__ float mean_act(const Word* sites, Offset site, bool interior, CellId cell,
                                       uint32_t own, uint32_t clock, const int32_t* logs) {
  int32_t sum = logs[own];
  int count = 1;
#pragma unroll 1
  for (int layer = 0; layer < kLayers; ++layer) {
    Word words[kLayerLanes];
    load_layer(words, layer, sites, site, interior, word_of(kMedium, 0));
    bool stale = false;
#pragma unroll
    for (int lane = 0; lane < kLayerLanes; ++lane) {
      const bool same = id_of(words[lane]) == cell;
      const uint32_t value = act_of(words[lane], clock);
      stale |= same && value == 0;
      count += same ? 1 : 0;
      sum += same ? logs[value] : 0;
    }
    if (stale) return 0.0f;
  }
  return act::mean_of_logs(sum, count);
}

struct Sizes {
  const cuda::Extent* extents;
  __device__ __forceinline__ int32_t volume(CellId cell) const { return extents[cell].volume; }
  __device__ __forceinline__ int32_t perimeter(CellId cell) const { return extents[cell].perimeter; }
};

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

// A round, as a block keeps it in shared memory.
struct SharedRound {
  tiles::Round round;
  Divisor steps_per_row, height;
  uint32_t steps;

  __device__ void set(uint64_t seed, uint64_t number) {
    round = tiles::round_at(kLattice, model::kSpacing, seed, number);
    steps_per_row.set(round.row_length() / tiles::kStride);
    height.set(uint32_t(round.count.y));
    steps = steps_per_row.by * round.rows();
  }
  // The place of the tile in a row of tiles.
  __device__ __forceinline__ Vec3i place(uint32_t row, int32_t column) const {
    const uint32_t z = kDim == 3 ? height.quotient(row) : 0;
    return {round.place(kLattice, 0, column), round.place(kLattice, 1, int32_t(row - z * height.by)),
            kDim == 3 ? round.place(kLattice, 2, int32_t(z)) : 0};
  }
  __device__ __forceinline__ Offset site_of(uint32_t tile) const {
    const uint32_t row = steps_per_row.quotient(tile / tiles::kStride);
    return index(place(row, int32_t(tile - row * steps_per_row.by * tiles::kStride)));
  }
};

// An attempt between different cells that waits to be judged.
struct Waiting {
  uint32_t tile, word;
  Offset site;  // of the target; ~site where that is not interior
  Word target, source;
};

// Where the table of logarithms is short, every block has a copy.
constexpr int kSharedLogs = model::kMaxAct < 1024 ? model::kMaxAct + 1 : 1;

struct Shared {
  SharedRound round;
  Waiting queue[model::kWarpsPerBlock][64];
  int32_t logs[kSharedLogs];
  Offset step[kNeighbours];  // from a target to its source, inside the box
  uint32_t open;             // whether this block has open attempts
  uint32_t any_open;         // whether any block had some at the last barrier
};

// One thread's part of the game.
class Player {
 public:
  __device__ Player(const TilesTables& t, Shared& shared)
      : tables_(t),
        shared_(shared),
        sites_(static_cast<Word*>(t.state.sites)),
        lane_(threadIdx.x % 32),
        warp_(blockIdx.x * model::kWarpsPerBlock + threadIdx.x / 32),
        warps_(gridDim.x * model::kWarpsPerBlock),
        open_(t.open + int64_t(warp_) * t.open_per_warp) {
    stamp_ = t.control->claim_stamp;
  }

  __device__ void play(const Span& span) {
    for (int m = 0; m < span.mcs; ++m) {
      clock_ = uint32_t(span.first_mcs + m);
      for (uint64_t number = span.rounds[m]; number < span.rounds[m + 1]; ++number) {
        if (threadIdx.x == 0) shared_.round.set(tables_.seed, number);
        __syncthreads();
        play_round(number);
      }
    }
    leave();
  }

 private:
  static constexpr uint32_t kNoStep = ~0u;

  __device__ void play_round(uint64_t number) {
    if (warp_ == 0 && lane_ == 0) attempts_ += uint64_t(shared_.round.round.tiles());
    judge_all(number);
    grid_barrier();
    for (int pass = 1;; ++pass) {
      const bool last = pass == model::kPasses;
      if (last)
        carry_out_all();
      else
        carry_out_owned();
      const bool any_open = grid_barrier();
      stamp_ -= 1;
      if (last || !any_open) return;
      judge_again();
      grid_barrier();
    }
  }

  // Picks out the attempts that are between different cells, and judges them 32 at a time. The loads for the
  // next step are under way while one is worked on. Every other round runs backwards: what the last one left
  // in the cache comes first.
  __device__ void judge_all(uint64_t number) {
    const uint32_t units = (shared_.round.steps + model::kUnit - 1) / model::kUnit;
    const bool backwards = number % 2 == 1;
    const auto unit_at = [&](uint32_t n) { return n / model::kUnit * warps_ + warp_; };
    const auto step_at = [&](uint32_t n) {
      const uint32_t unit = unit_at(n);
      return unit < units ? (backwards ? units - 1 - unit : unit) * model::kUnit + n % model::kUnit : kNoStep;
    };
    Waiting* queue = shared_.queue[threadIdx.x / 32];
    count_ = 0;
    uint32_t queued = 0;
    Draw bits{};
    Waiting next = look_at(number, step_at(0), bits, true);
    for (uint32_t n = 0; queued > 0 || unit_at(n) < units; ++n) {
      const Waiting now = next;
      next = look_at(number, step_at(n + 1), bits, (n + 1) % model::kUnit == 0);
      const bool chosen = id_of(now.target) != id_of(now.source);
      const uint32_t all = __ballot_sync(~0u, chosen);
      if (chosen) queue[queued + __popc(all & ((1u << lane_) - 1))] = now;
      queued += __popc(all);
      if (queued < 32 && unit_at(n + 1) < units) continue;
      __syncwarp();
      const uint32_t batch = queued < 32 ? queued : 32;
      queued -= batch;
      if (batch > 0) judge(queue[queued + (lane_ < batch ? lane_ : 0)], lane_ < batch);
      __syncwarp();
    }
  }

  // Starts loading what one attempt per lane looks at: 32 tiles of one row. Where there is none, target and
  // source are alike.
  __device__ __forceinline__ Waiting look_at(uint64_t number, uint32_t step, Draw& bits, bool fresh) const {
    const SharedRound& shared = shared_.round;
    const uint32_t tile = step * tiles::kStride + lane_;
    Waiting w{tile, 0, 0, 0, 0};
    if (step >= shared.steps) return w;
    if (fresh || model::kUnit == 1) bits = tiles::draw_for(tables_.seed, number, tile);
    const uint32_t row = shared.steps_per_row.quotient(step);
    const int32_t column = int32_t((step - row * shared.steps_per_row.by) * tiles::kStride + lane_);
    if (column >= shared.round.count.x) return w;
    const uint32_t k = step % 4;
    w.word = k == 0 ? bits.a : k == 1 ? bits.b : k == 2 ? bits.c : bits.d;
    const int direction = tiles::direction_of(w.word, kNeighbours);
    const Vec3i target = shared.place(row, column);
    w.site = index(target);
    Offset source = w.site + shared_.step[direction];
    if (!is_interior(target)) {
      Vec3i p = target + Moore<kDim>::offset(direction);
      if (!wrap_one(p)) return w;  // beyond a wall
      source = index(p);
    }
    w.target = load_line(sites_ + w.site);
    w.source = load_line(sites_ + source);
    if (!is_interior(target)) w.site = ~w.site;
    return w;
  }

  // Judges one attempt per lane; `here` is false for lanes that have none.
  __device__ __forceinline__ void judge(const Waiting& w, bool here) {
    OpenAttempt a;
    const bool stays = here && judge_one(w, a);
    const uint32_t all = __ballot_sync(~0u, stays);
    if (stays) {
      open_[count_ + __popc(all & ((1u << lane_) - 1))] = a;
      if (model::kPasses != 1 && (a.packed & cuda::kAccepted)) claim(a);
    }
    count_ += __popc(all);
  }

  // False where it is settled already.
  __device__ __forceinline__ bool judge_one(const Waiting& w, OpenAttempt& a) {
    const Physics physics = model::physics();
    const bool interior = w.site >= 0;
    const Offset site = interior ? w.site : ~w.site;
    const int direction = tiles::direction_of(w.word, kNeighbours);
    const Vec3i target = place_of(site);
    const CellId target_id = id_of(w.target), source_id = id_of(w.source);
    const Vec3i step = Moore<kDim>::offset(direction);
    Copy copy{source_id,     target_id, type_of(tables_.state, source_id), type_of(tables_.state, target_id),
              target + step, step * -1};
    if (!interior) wrap_one(copy.source);
    if (physics.uses.frozen) {
      const bool source_frozen = physics.types[copy.winner_type].frozen;
      if (!frozen::is_live(target_id, physics.types[copy.loser_type].frozen, source_id, source_frozen))
        return false;
      copy.winner = frozen::effective_source(source_id, source_frozen);
      copy.winner_type = type_of(tables_.state, copy.winner);
    }
    live_ += 1;
    Patch<kDim> patch;
#pragma unroll
    for (int layer = 0; layer < kLayers; ++layer) {
      Word words[kLayerLanes];
      load_layer(words, layer, sites_, site, interior, kNoWord);
#pragma unroll
      for (int lane = 0; lane < kLayerLanes; ++lane)
        patch.ids[layer * kLayerLanes + lane] = words[lane] == kNoWord ? kNowhere : id_of(words[lane]);
    }
    World world(tables_.state, target, patch, copy);
    if (!surroundings_delta<kDim>(physics, world, copy, a.surroundings)) return false;
    const PerimeterChange change = perimeter_change(physics, world, copy);
    const float dh = a.surroundings + sizes_delta(physics, Sizes{tables_.state.extents}, copy, change);
    a.threshold = acceptance_threshold(physics.temperature, tiles::threshold_bits_of(w.word, kNeighbours));
    a.act = 0;
    uint32_t flags = 0;
    const act::Params& act = physics.types[copy.steering_type()].act;
    if (physics.uses.act && act.lambda != 0) {
      const uint32_t own = act_of(w.source, clock_);
      if (copy.winner != kMedium && own != 0)
        a.act =
            mean_act(sites_, index(copy.source), is_interior(copy.source), copy.winner, own, clock_, logs());
      if (copy.loser == kMedium || act_of(w.target, clock_) == 0)
        a.act = act::delta(act, a.act, 0.0f);
      else
        flags = cuda::kActAtSourceOnly;
    }
    a.tile = w.tile;
    a.site = uint32_t(site);
    a.winner = copy.winner;
    a.loser = copy.loser;
    a.packed = cuda::pack(change.winner, change.loser, flags);
    decide(act, dh, site, a);
    return model::kPasses != 1 || (a.packed & cuda::kAccepted);
  }

  // Sets kAccepted. The target's mean is taken only where it matters: it can but raise dH.
  __device__ __forceinline__ void decide(const act::Params& act, float dh, Offset site, OpenAttempt& a) {
    a.packed &= ~cuda::kAccepted;
    if (model::kMaxAct > 0 && (a.packed & cuda::kActAtSourceOnly)) {
      if (dh + act::delta(act, a.act, 0.0f) > a.threshold) return;
      const uint32_t own = act_of(sites_[site], clock_);
      a.act = act::delta(act, a.act,
                         mean_act(sites_, site, is_interior(place_of(site)), a.loser, own, clock_, logs()));
      a.packed &= ~cuda::kActAtSourceOnly;
    }
    if (dh + a.act <= a.threshold) a.packed |= cuda::kAccepted;
  }
  __device__ __forceinline__ const int32_t* logs() const {
    return kSharedLogs > model::kMaxAct ? shared_.logs : model::kActLogs;
  }
  __device__ __forceinline__ Offset site_of(const OpenAttempt& a) const {
    return kWide ? shared_.round.site_of(a.tile) : Offset(a.site);
  }

  __device__ __forceinline__ uint64_t claim_of(const OpenAttempt& a) const {
    return tiles::claim_of(stamp_, tiles::priority_of(a.tile, shared_.round.round.key));
  }
  __device__ __forceinline__ void claim(const OpenAttempt& a) {
    const uint64_t mine = claim_of(a);
    if (a.winner != kMedium) atomicMin(tables_.claims + a.winner, mine);
    if (a.loser != kMedium) atomicMin(tables_.claims + a.loser, mine);
  }

  // In the next two, the next attempt is loaded while one is worked on.
  __device__ void judge_again() {
    const Physics physics = model::physics();
    OpenAttempt next;
    if (lane_ < count_) next = open_[lane_];
    for (uint32_t i = lane_; i < count_; i += 32) {
      OpenAttempt a = next;
      if (i + 32 < count_) next = open_[i + 32];
      const Copy copy{a.winner, a.loser, type_of(tables_.state, a.winner), type_of(tables_.state, a.loser),
                      {},       {}};
      const float dh =
          a.surroundings + sizes_delta(physics, Sizes{tables_.state.extents}, copy,
                                       PerimeterChange{cuda::winner_perimeter(a), cuda::loser_perimeter(a)});
      decide(physics.types[copy.steering_type()].act, dh, site_of(a), a);
      if (model::kMaxAct > 0) open_[i].act = a.act;
      open_[i].packed = a.packed;
      if (a.packed & cuda::kAccepted) claim(a);
    }
    __syncwarp();
  }

  __device__ void carry_out_owned() {
    uint32_t kept = 0;
    OpenAttempt next;
    if (lane_ < count_) next = open_[lane_];
    for (uint32_t base = 0; base < count_; base += 32) {
      const OpenAttempt a = next;
      if (base + 32 + lane_ < count_) next = open_[base + 32 + lane_];
      bool stays = false;
      if (base + lane_ < count_) {
        const uint64_t mine = claim_of(a);
        const uint64_t on_winner = a.winner != kMedium ? tables_.claims[a.winner] : cuda::kNoClaim;
        const uint64_t on_loser = a.loser != kMedium ? tables_.claims[a.loser] : cuda::kNoClaim;
        stays = on_winner < mine || on_loser < mine;
        if (!stays && (a.packed & cuda::kAccepted)) carry_out(a);
      }
      const uint32_t all = __ballot_sync(~0u, stays);
      if (stays) open_[kept + __popc(all & ((1u << lane_) - 1))] = a;
      kept += __popc(all);
    }
    count_ = kept;
    if (kept > 0 && lane_ == 0) shared_.open = 1;
    __syncwarp();
  }
  __device__ void carry_out_all() {
    for (uint32_t i = lane_; i < count_; i += 32)
      if (model::kPasses == 1 || (open_[i].packed & cuda::kAccepted)) carry_out(open_[i]);
    __syncwarp();
  }

  __device__ __forceinline__ void carry_out(const OpenAttempt& a) {
    const Physics physics = model::physics();
    const Offset site = site_of(a);
    accepted_ += 1;
    if (a.loser != kMedium) move_site(a.loser, site, -1, cuda::loser_perimeter(a));
    if (a.winner != kMedium) move_site(a.winner, site, +1, cuda::winner_perimeter(a));
    uint32_t stamp = clock_;
    if (model::kMaxAct > 0 && a.winner != kMedium)
      stamp += uint32_t(physics.types[type_of(tables_.state, a.winner)].act.max);
    sites_[site] = word_of(a.winner, stamp);
  }

  // Always by atomics: where others change the same cell at the same time they are needed, and elsewhere they
  // are faster, since nobody waits for the old value.
  __device__ __forceinline__ void move_site(CellId cell, Offset site, int sign, int perimeter) {
    // Volume and perimeter as one number, volume in the low half: it never falls below 0, so nothing carries.
    add(&tables_.state.extents[cell], int64_t(perimeter) * (int64_t(1) << 32) + sign);
    if (!model::kTrackSums) return;
    const Vec3i anchor = tables_.state.anchors[cell], place = place_of(site);
#pragma unroll
    for (int axis = 0; axis < kDim; ++axis)
      add(&tables_.state.sums[cell][axis],
          int64_t(sign * offset_from_anchor(kLattice, axis, anchor[axis], place[axis])));
  }
  __device__ __forceinline__ static void add(void* to, int64_t by) {
    atomicAdd(static_cast<unsigned long long*>(to), static_cast<unsigned long long>(by));
  }

  // Waits for the whole grid; what was written before is seen after. The counter's top bit flips when the
  // last block has come, whatever it was before, so nobody has to reset it. One thread per block speaks for
  // it: many more at one address would queue up. Returns whether any block said that it has open attempts.
  __device__ bool grid_barrier() {
    __syncthreads();
    if (threadIdx.x == 0) {
      Control& control = *tables_.control;
      if (shared_.open != 0) *static_cast<volatile uint32_t*>(&control.open_at) = stamp_;
      shared_.open = 0;
      __threadfence();
      const uint32_t mine = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u;
      const uint32_t before = atomicAdd(&control.barrier, mine);
      while (((*static_cast<volatile uint32_t*>(&control.barrier) ^ before) & 0x80000000u) == 0) {
      }
      __threadfence();
      shared_.any_open = *static_cast<volatile uint32_t*>(&control.open_at) == stamp_;
    }
    __syncthreads();
    return shared_.any_open != 0;
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

  const TilesTables& tables_;
  Shared& shared_;
  Word* sites_;
  uint32_t lane_, warp_, warps_;
  OpenAttempt* open_;   // of this warp
  uint32_t count_ = 0;  // of them
  uint32_t stamp_ = 0, clock_ = 0;
  uint64_t attempts_ = 0;
  uint32_t live_ = 0, accepted_ = 0;  // of one launch
};

}  // namespace kiln::device

extern "C" __global__ void __launch_bounds__(32 * kiln::model::kWarpsPerBlock, 1)
    play(const __grid_constant__ kiln::cuda::TilesTables tables,
         const __grid_constant__ kiln::cuda::Span span) {
  using namespace kiln;
  __shared__ device::Shared shared;
  for (int i = int(threadIdx.x); i < device::kSharedLogs; i += int(blockDim.x))
    shared.logs[i] = model::kActLogs[i];
  if (threadIdx.x < device::kNeighbours) {
    const Vec3i o = Moore<device::kDim>::offset(int(threadIdx.x));
    shared.step[threadIdx.x] = o.z * device::kLayer + o.y * device::kRow + o.x;
  }
  if (threadIdx.x == 0) shared.open = 0;
  __syncthreads();
  device::Player(tables, shared).play(span);
}
