// How kernels see the lattice and the cells, whatever the schedule. Compiled behind model_prologue.
#pragma once

#include "core/centroid.hpp"
#include "engine/cuda/instructions.cuh"
#include "engine/cuda/state/device_tables.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln::device {

using cuda::StateTables;
using model::Word;

constexpr int kDim = model::kDim;
// What is stored here, and the lattice that cells live in: the same, unless this is a brick of it.
constexpr Lattice kLattice{model::kSize, model::kPeriodic, kDim};
constexpr Lattice kWhole{model::kWholeSize, model::kWholePeriodic, kDim};
constexpr int64_t kWords = int64_t(model::kRowPitch) * model::kSize.y * model::kSize.z;
constexpr bool kWide = kWords >= int64_t(1) << 31;
template <bool>
struct OffsetOf {
  using Type = int32_t;
};
template <>
struct OffsetOf<true> {
  using Type = int64_t;
};
using Offset = OffsetOf<kWide>::Type;

constexpr Offset kRow = model::kRowPitch, kLayer = kRow * model::kSize.y;

__device__ __forceinline__ Offset index(const Vec3i& p) { return p.z * kLayer + p.y * kRow + p.x; }
__device__ __forceinline__ Vec3i place_of(Offset site) {
  const Offset row = site / kRow;
  return {int32_t(site - row * kRow), kDim == 2 ? int32_t(row) : int32_t(row % model::kSize.y),
          kDim == 2 ? 0 : int32_t(row / model::kSize.y)};
}
// Sites that nobody else counts, and whether one is among them.
__device__ __forceinline__ Box own_sites(const StateTables& t) {
  return model::kBrick ? t.own : Box{{0, 0, 0}, model::kSize};
}
__device__ __forceinline__ bool is_own(const Box& own, const Vec3i& place) {
  return !model::kBrick || own.contains(place);
}
// A cell's anchor as a place of the whole lattice.
__device__ __forceinline__ Vec3i anchor_of(const StateTables& t, CellId cell) {
  return model::kBrick ? t.anchors[cell] + t.origin : t.anchors[cell];
}
// Place number `block` of the 3x3(x3) block around a site, as a step from it; the middle one is the site.
constexpr int kBlock = kDim == 3 ? 27 : 9;
__device__ __forceinline__ constexpr Vec3i step_to(int block) {
  return {block % 3 - 1, block / 3 % 3 - 1, kDim == 3 ? block / 9 - 1 : 0};
}

constexpr Word kIdMask = model::kIdBits == 8 * sizeof(Word) ? ~Word(0) : (Word(1) << model::kIdBits) - 1;
constexpr int kStampBits = int(8 * sizeof(Word)) - model::kIdBits;
constexpr uint32_t kStampMask = kStampBits > 0 ? uint32_t((uint64_t(1) << kStampBits) - 1) : 0;
constexpr int kStampShift = model::kMaxAct == 0 ? 0 : model::kIdBits;

__device__ __forceinline__ CellId id_of(Word word) { return CellId(word & kIdMask); }
__device__ __forceinline__ bool is_of(Word word, CellId id) { return ((word ^ id) & kIdMask) == 0; }

// Words side by side, loaded at once: 16 bytes that are aligned so.
struct WordPiece {
  static constexpr int kCount = 16 / int(sizeof(Word));
  Word words[kCount];

  __device__ __forceinline__ explicit WordPiece(const Word* from) {
    const uint4 piece = __ldg(reinterpret_cast<const uint4*>(from));
    if constexpr (kCount == 4) {
      words[0] = Word(piece.x), words[1] = Word(piece.y), words[2] = Word(piece.z), words[3] = Word(piece.w);
    } else {
      words[0] = Word(uint64_t(piece.y) << 32 | piece.x);
      words[1] = Word(uint64_t(piece.w) << 32 | piece.z);
    }
  }
};

// Act of a site: how far its stamp lies ahead of the clock. A stamp that is not ahead is stale.
__device__ __forceinline__ uint32_t stamp_ahead(Word word, uint32_t clock) {
  return uint32_t((word - (Word(clock) << kStampShift)) >> kStampShift);  // stamps lie on top
}
__device__ __forceinline__ uint32_t act_of(Word word, uint32_t clock) {
  if (model::kMaxAct == 0) return 0;
  const uint32_t ahead = stamp_ahead(word, clock);
  return ahead <= uint32_t(model::kMaxAct) ? ahead : 0;
}
__device__ __forceinline__ Word word_of(CellId id, uint32_t stamp) {
  if (model::kMaxAct == 0) return Word(id);
  return Word(id) | Word(stamp & kStampMask) << kStampShift;
}
// Of a site that gets another cell between two MCS: its Act stays, unless that is the medium.
__device__ __forceinline__ Word with_other_cell(Word word, CellId id, uint32_t clock) {
  return id == kMedium ? word_of(kMedium, clock) : Word((word & ~kIdMask) | Word(id));
}

// Offsets of a place's row, and of the two beside it, along one axis.
template <int Axis>
struct Three {
  Offset at[3];
  bool inside[3];

  __device__ __forceinline__ explicit Three(int32_t p) {
    constexpr int32_t length = model::kSize[Axis];
    constexpr bool periodic = model::kPeriodic[Axis];
    constexpr Offset stride = Axis == 0 ? 1 : Axis == 1 ? kRow : kLayer;
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
  // Offset of the place a step away, each entry -1, 0 or 1.
  __device__ __forceinline__ Offset at(const Vec3i& step) const {
    return x.at[step.x + 1] + y.at[step.y + 1] + z.at[step.z + 1];
  }
  __device__ __forceinline__ bool inside(const Vec3i& step) const {
    return x.inside[step.x + 1] && y.inside[step.y + 1] && z.inside[step.z + 1];
  }
};

// The words of the Moore neighbours, in the lanes of a Patch. `read(step)` gives the word of the place that
// lies a step away.
struct Surroundings {
  Patch<kDim> patch;
  Word words[Patch<kDim>::kLanes];

  template <class Read>
  __device__ __forceinline__ Surroundings(const Around& around, const Read& read) {
#pragma unroll
    for (int lane = 0; lane < Patch<kDim>::kLanes; ++lane) {
      const int row = lane / 4, x = lane % 4 - 1, y = row % 3 - 1, z = kDim == 3 ? row / 3 - 1 : 0;
      words[lane] = 0;
      patch.ids[lane] = kNowhere;
      if (x == 2 || lane == Patch<kDim>::kCentre || !around.inside({x, y, z})) continue;
      words[lane] = read(Vec3i{x, y, z});
      patch.ids[lane] = id_of(words[lane]);
    }
  }
};

__device__ __forceinline__ TypeId type_of(const StateTables& t, CellId id) {
  int type = id != kMedium ? 1 : 0;
#pragma unroll
  for (int k = 2; k < model::kTypes; ++k) type += id >= t.first_of_type[k] ? 1 : 0;
  return TypeId(type);
}

// Act's geometric mean over a site of `cell` and its surroundings.
__device__ __forceinline__ float mean_act(const Surroundings& around, CellId cell, uint32_t own,
                                          uint32_t clock) {
  if (cell == kMedium || own == 0) return 0.0f;
  uint32_t values[Patch<kDim>::kLanes];
#pragma unroll
  for (int lane = 0; lane < Patch<kDim>::kLanes; ++lane) values[lane] = act_of(around.words[lane], clock);
  return act::geometric_mean(around.patch, values, cell, ActValue(own), model::kActLogs);
}

// What cells have of their own, as the terms see it.
struct OwnWorld {
  const StateTables& tables;

  __device__ __forceinline__ const OwnLambdas& own_lambdas(CellId cell) const {
    return tables.own_lambdas[cell];
  }
};

// One attempt as the terms see it, however its surroundings were read.
struct World : OwnWorld {
  Vec3i target;
  FarPatch far;

  __device__ __forceinline__ World(const StateTables& t, const Vec3i& place) : OwnWorld{t}, target(place) {}
  __device__ __forceinline__ const Vec3i& target_place() const { return target; }
  __device__ __forceinline__ TypeId type(CellId cell) const { return type_of(tables, cell); }
  __device__ __forceinline__ Vec3f direction(CellId cell) const {
    const float4 all = *reinterpret_cast<const float4*>(tables.directions + cell);
    return {all.x, all.y, all.z};
  }
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

// A World whose neighbours' ids are in registers.
struct PatchWorld : World {
  const Patch<kDim>& patch;
  Tally counts;

  __device__ __forceinline__ PatchWorld(const StateTables& t, const Vec3i& place, const Patch<kDim>& around,
                                        const Copy& copy)
      : World(t, place), patch(around), counts(kiln::tally(around, copy.winner, copy.loser)) {}
  __device__ __forceinline__ const Patch<kDim>& around_target() const { return patch; }
  __device__ __forceinline__ const Tally& tally() const { return counts; }
};

__device__ __forceinline__ bool is_frozen(TypeId type) { return model::kFrozenTypes >> type & 1; }
__device__ __forceinline__ bool is_of_frozen(const StateTables& t, CellId id) {
  bool frozen = false;
#pragma unroll
  for (int k = 1; k < model::kTypes; ++k)
    if (is_frozen(TypeId(k))) frozen |= id >= t.first_of_type[k] && id < t.first_of_type[k + 1];
  return frozen;
}

// Puts the medium for a frozen source; false where the attempt is then null.
__device__ __forceinline__ bool thaw(const StateTables& t, Copy& copy) {
  const bool source_frozen = is_frozen(copy.winner_type);
  if (!frozen::is_live(copy.loser, is_frozen(copy.loser_type), copy.winner, source_frozen)) return false;
  copy.winner = frozen::effective_source(copy.winner, source_frozen);
  copy.winner_type = type_of(t, copy.winner);
  return true;
}

struct CellTargets {
  float volume, perimeter;
};
// Those that no term reads cost nothing.
__device__ __forceinline__ CellTargets targets_of(const StateTables& t, CellId cell) {
  return {t.target_volumes[cell], t.target_perimeters[cell]};
}

// A cell gains (sign +1) or loses (-1) a site. Volume and perimeter are the halves of one 64-bit number,
// changed by one addition, so that no thread sees one without the other. (The volume never falls below 0, so
// nothing is carried between the halves.)
__device__ __forceinline__ void move_size(cuda::Extent* cell, int sign, int perimeter) {
  add(cell, int64_t(perimeter) * (int64_t(1) << 32) + sign);
}
__device__ __forceinline__ void move_centroid(const StateTables& t, CellId cell, const Vec3i& place,
                                              int sign) {
  const Vec3i anchor = t.anchors[cell];
#pragma unroll
  for (int axis = 0; axis < kDim; ++axis)
    add(&t.sums[cell][axis], int64_t(sign * offset_from_anchor(kWhole, axis, anchor[axis], place[axis])));
  if constexpr (model::kMoments) {
    const Vec3i offset = offset_from_anchor(kWhole, anchor, place);
#pragma unroll
    for (int k = 0; k < Moments::count(kDim); ++k)
      add(&t.moments[cell].of[k], sign * Moments::part(k, offset));
  }
}

// The word of a site that a cell, or the medium, takes now.
__device__ __forceinline__ Word taken_by(const Physics& physics, CellId winner, TypeId type, uint32_t clock) {
  const bool remembers = model::kMaxAct > 0 && winner != kMedium;
  return word_of(winner, clock + (remembers ? uint32_t(physics.types[type].act.max) : 0));
}

// Warp compaction: calls put(rank) for each lane with `mine`, with its rank among those lanes. Returns their
// number.
template <class Put>
__device__ __forceinline__ uint32_t compact(bool mine, uint32_t lane, const Put& put) {
  const uint32_t all = __ballot_sync(~0u, mine);
  if (mine) put(__popc(all & ((1u << lane) - 1)));
  return __popc(all);
}

__device__ __forceinline__ uint32_t sum_of_warp(uint32_t mine) {
#if __CUDA_ARCH__ >= 800
  return __reduce_add_sync(~0u, mine);
#else
  for (int step = 16; step > 0; step /= 2) mine += __shfl_xor_sync(~0u, mine, step);
  return mine;
#endif
}

// Threads that share a strided loop: this one's rank among them, and how many there are.
struct ThreadRange {
  int64_t rank, count;
};

__device__ __forceinline__ int64_t thread_number() { return int64_t(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ __forceinline__ int64_t thread_count() { return int64_t(gridDim.x) * blockDim.x; }
__device__ __forceinline__ ThreadRange whole_grid() { return {thread_number(), thread_count()}; }
__device__ __forceinline__ ThreadRange whole_block() { return {int64_t(threadIdx.x), int64_t(blockDim.x)}; }

}  // namespace kiln::device
