// How the kernels of the `tiles` schedule read the lattice: places and indices, the surroundings of a target,
// means of Act.
//
// A site is "inner" if nothing that an attempt on it reads lies beyond a wall. Where that matters, an Offset
// is coded: the index of an inner site, ~index of another.
#pragma once

#include "engine/cuda/device_world.cuh"
#include "engine/cuda/tiles/data.hpp"

namespace kiln::device {

__device__ __forceinline__ Offset offset_of(const Vec3i& step) {
  return step.z * kLayer + step.y * kRow + step.x;
}
__device__ __forceinline__ Offset decoded(Offset coded) { return coded >= 0 ? coded : ~coded; }

// How far attempts look: Act takes the neighbours of the source in.
constexpr int kSight = model::kMaxAct > 0 ? 2 : 1;
template <int Axis, int Margin>
__device__ __forceinline__ bool is_inner(int32_t at) {
  constexpr int32_t length = model::kSize[Axis];
  return length > 2 * Margin && uint32_t(at - Margin) < uint32_t(length - 2 * Margin);
}
template <int Margin>
__device__ __forceinline__ bool is_inner(const Vec3i& p) {
  return is_inner<0, Margin>(p.x) && is_inner<1, Margin>(p.y) && (kDim == 2 || is_inner<2, Margin>(p.z));
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

// Where a neighbour of a target lies in shared memory, rows of the lattice being kPitch words apart.
constexpr int kGap = kWhole.periodic.x ? kWhole.size.x % model::kSettings.tile.x : 0;
constexpr int kPitch = cuda::slot_pitch(model::kBatches, kWhole, model::kSettings.tile.x, sizeof(Word));
constexpr int kSlotReach = cuda::slot_reach(model::kBatches, kWhole, model::kSettings.tile.x);
__device__ __forceinline__ constexpr int in_slot(const Vec3i& step) {
  return (step.z * 3 + step.y) * kPitch + step.x;
}
constexpr Word kNoWord = ~Word(0);  // beyond a wall; never a site's word, as at least one id is unused

// Whether adhesion tells a type from the one before it.
__device__ constexpr bool is_told_apart(int type) { return model::kToldApart >> type & 1; }
__device__ constexpr int types_told_apart() {
  int count = 0;
  for (int type = 1; type < model::kTypes; ++type) count += is_told_apart(type) ? 1 : 0;
  return count;
}

// The types of a target's Moore neighbours, as far as adhesion tells them apart. Cells are numbered by type:
// counting is all it takes.
struct TypeCounts {
  int32_t from[model::kTypes] = {};  // neighbours of this type or a later one, and places beyond walls

  // For the lanes with `wanted`; `at` is where their targets lie among `words`. Where these are few, the
  // whole warp works for one at a time: lane k reads place k of the block.
  __device__ __forceinline__ TypeCounts(const StateTables& t, bool wanted, const Word* words, uint32_t at) {
    constexpr int kInstructionsForAll = (kBlock - 1) * (1 + 2 * types_told_apart());
    constexpr int kInstructionsForOne = 8 + 4 * types_told_apart();
    const uint32_t all = __ballot_sync(~0u, wanted);
    if (model::kTypes == 2 || all == 0) return;
    if (kDim == 2 || __popc(all) * kInstructionsForOne > kInstructionsForAll) {
#pragma unroll
      for (int block = 0; block < kBlock; ++block)
        if (block != kBlock / 2) add(t, words[int(at) + in_slot(step_to(block))]);
    } else {
      const int lane = int(threadIdx.x % 32);
      const bool looks = lane < kBlock && lane != kBlock / 2;
      const int step = in_slot(step_to(looks ? lane : kBlock / 2));
      for (uint32_t left = all; left != 0; left &= left - 1) {
        const int owner = __ffs(int(left)) - 1;
        const Word word = words[int(__shfl_sync(~0u, at, owner)) + step];
        TypeCounts mine{};
        if (looks) mine.add(t, word);
#pragma unroll
        for (int k = 1; k < model::kTypes; ++k) {
          if (!is_told_apart(k)) continue;
          const int32_t count = __popc(__ballot_sync(~0u, mine.from[k] != 0));
          if (lane == owner) from[k] = count;
        }
      }
    }
  }

 private:
  __device__ TypeCounts() = default;
  // kNoWord passes for a cell of the last type.
  __device__ __forceinline__ void add(const StateTables& t, Word word) {
#pragma unroll
    for (int k = 1; k < model::kTypes; ++k)
      if (is_told_apart(k)) from[k] += id_of(word) >= t.first_of_type[k] ? 1 : 0;
  }
};

// The World (terms/hamiltonian.hpp) of one attempt of a tile.
struct TileWorld : World {
  const Word* words;  // the target in shared memory
  const TypeCounts& types;
  Tally counts{kBlock - 1, 0, 0};
  Patch<kDim> patch;

  // Attempts at walls have coded indices below 0.
  __device__ __forceinline__ TileWorld(const StateTables& t, const Word* target, Offset coded,
                                       const Copy& copy, const TypeCounts& around)
      : World(t, place_of(decoded(coded))), words(target), types(around) {
#pragma unroll
    for (int block = 0; block < kBlock; ++block) {
      if (block == kBlock / 2) continue;
      const Word word = target[in_slot(step_to(block))];
      counts.winners += is_of(word, copy.winner) ? 1 : 0;
      counts.losers += is_of(word, copy.loser) ? 1 : 0;
    }
    constexpr bool walls = !model::kPeriodic.x || !model::kPeriodic.y || (kDim == 3 && !model::kPeriodic.z);
    if (walls && coded < 0)
#pragma unroll
      for (int block = 0; block < kBlock; ++block)
        if (target[in_slot(step_to(block))] == kNoWord) counts.present -= 1;
  }
  __device__ __forceinline__ const Tally& tally() const { return counts; }
  __device__ __forceinline__ const Patch<kDim>& around_target() {
#pragma unroll
    for (int lane = 0; lane < Patch<kDim>::kLanes; ++lane) {
      const int block = lane / 4 * 3 + lane % 4;
      const bool pads = lane % 4 == 3 || lane == Patch<kDim>::kCentre;
      const Word word = pads ? kNoWord : words[in_slot(step_to(block))];
      patch.ids[lane] = word == kNoWord ? kNowhere : id_of(word);
    }
    return patch;
  }
};

__device__ __forceinline__ int32_t sum_over_moore_types(TileWorld& world, const int32_t* gained,
                                                        const int32_t* lost) {
  const int32_t beyond_walls = kBlock - 1 - world.counts.present;
  int32_t sum = world.counts.present * (gained[0] - lost[0]);
#pragma unroll
  for (int k = 1; k < model::kTypes; ++k)
    if (is_told_apart(k))
      sum += (world.types.from[k] - beyond_walls) * (gained[k] - lost[k] - gained[k - 1] + lost[k - 1]);
  return sum;
}

// Logarithms of Act values, each with a 1 in a field above that counts them; kStale for the value 0. Where a
// stamp is short, every distance of one from the clock has an entry.
class ActLogs {
 public:
  static constexpr bool kForEveryStamp = model::kMaxAct > 0 && kStampBits <= 8;
  static constexpr bool kShared = kForEveryStamp || model::kMaxAct < 1024;
  static constexpr int kEntries = !kShared ? 1 : kForEveryStamp ? 1 << kStampBits : model::kMaxAct + 1;
  static constexpr int kLogBits = 27;
  static constexpr bool kCounts = kBlock * int64_t(model::kActLogs[model::kMaxAct]) < int64_t(1) << kLogBits;
  static constexpr uint32_t kStale = ~0u;  // 31 in the field that counts, more than a block has
  struct Table {
    uint32_t of[kEntries];

    __device__ __forceinline__ void fill() {
      if (!kShared) return;
      for (int i = int(threadIdx.x); i < kEntries; i += int(blockDim.x)) of[i] = entry(i);
    }
  };

  __device__ explicit ActLogs(const Table& table) : table_(table) {}
  __device__ __forceinline__ uint32_t of(Word word, uint32_t clock) const {
    if (kForEveryStamp) return table_.of[stamp_ahead(word, clock)];
    const uint32_t value = act_of(word, clock);
    return kShared ? table_.of[value] : entry(int(value));
  }

 private:
  __device__ __forceinline__ static uint32_t entry(int value) {
    if (value == 0 || value > model::kMaxAct) return kStale;
    return uint32_t(model::kActLogs[value]) + (kCounts ? 1u << kLogBits : 0);
  }

  const Table& table_;
};

// act::geometric_mean of a site of `cell`, for the lanes with `wanted`; 0 for the rest. In 3-D these are few,
// so they list their requests in shared memory, and the warp serves one at a time (a few, to overlap their
// loads): lane k reads place k of the block.
class ActMeans {
 public:
#pragma pack(push, 4)
  struct alignas(kWide ? 4 : 8) Wanted {
    Offset key;
    CellId cell;
  };
#pragma pack(pop)
  static constexpr int kMostWanted = kDim == 3 && model::kMaxAct > 0 ? 32 : 1;

  __device__ ActMeans(const Word* sites, const ActLogs::Table& logs, Wanted* wanted)
      : sites_(sites),
        logs_(logs),
        wanted_(wanted),
        lane_(int(threadIdx.x % 32)),
        step_(offset_of(step_to(lane_ < kBlock ? lane_ : kBlock / 2))),
        slot_step_(in_slot(step_to(lane_ < kBlock ? lane_ : kBlock / 2))) {}

  // The mean at a site, given by its coded index.
  __device__ __forceinline__ float of(bool wanted, Offset coded, CellId cell, uint32_t clock) const {
    const auto at_wall = [this](Offset site, int block) -> Word {
      Vec3i p = place_of(decoded(site)) + step_to(block);
      return wrap_one(p) ? sites_[index(p)] : word_of(kMedium, 0);
    };
    if (kDim == 2)
      return by_lanes(
          wanted,
          [&](int block) {
            return coded >= 0 ? sites_[coded + offset_of(step_to(block))] : at_wall(coded, block);
          },
          cell, clock);
    return by_warps<8, false>(
        wanted, coded >= 0, coded,
        [&](Offset site, bool inner) {
          if (inner || site >= 0) return sites_[site + step_];
          return at_wall(site, lane_ < kBlock ? lane_ : 0);
        },
        cell, clock);
  }
  // The mean at a target; `at` is where it lies among `words`, with its neighbours around it.
  __device__ __forceinline__ float around(bool wanted, const Word* words, uint32_t at, CellId cell,
                                          uint32_t clock) const {
    if (kDim == 2)
      return by_lanes(
          wanted, [&](int block) { return words[int(at) + in_slot(step_to(block))]; }, cell, clock);
    return by_warps<4, true>(
        wanted, true, Offset(at), [&](Offset target, bool) { return words[int(target) + slot_step_]; }, cell,
        clock);
  }

 private:
  struct Sum {
    uint32_t logs;  // kStale: some value is 0, and so is the mean
    int32_t count;  // where the logs do not count

    __device__ __forceinline__ float mean() const {
      constexpr uint32_t mask = (1u << ActLogs::kLogBits) - 1;
      if (logs == ActLogs::kStale) return 0.0f;
      return ActLogs::kCounts ? act::mean_of_logs(int32_t(logs & mask), int32_t(logs >> ActLogs::kLogBits))
                              : act::mean_of_logs(int32_t(logs), count);
    }
  };

  // `fetch(key, inner)` gives this lane's word of the block that `key` stands for. Inner sites are listed
  // first, so that only groups with a site at a wall check each site.
  template <int kTogether, bool kAllInner, class Fetch>
  __device__ __forceinline__ float by_warps(bool wanted, bool inner, Offset key, const Fetch& fetch,
                                            CellId cell, uint32_t clock) const {
    const uint32_t all = __ballot_sync(~0u, wanted);
    if (all == 0) return 0.0f;
    const uint32_t inners = kAllInner ? all : __ballot_sync(~0u, wanted && inner), before = (1u << lane_) - 1;
    const int count = __popc(all), inner_count = inners == all ? 64 : __popc(inners);
    const int mine = inner ? __popc(inners & before) : __popc(inners) + __popc(all & ~inners & before);
    if (wanted) wanted_[mine] = {key, cell};
    __syncwarp();
    Sum sum{ActLogs::kStale, 1};  // of number lane_
    for (int first = 0; first < count; first += kTogether) {
      Word words[kTogether];
      CellId cells[kTogether];
      const auto fetch_all = [&](bool all_inner) {
#pragma unroll
        for (int k = 0; k < kTogether; ++k) {
          const Wanted next = wanted_[min(first + k, count - 1)];
          words[k] = fetch(next.key, all_inner);
          cells[k] = next.cell;
        }
      };
      if (first + kTogether <= inner_count)
        fetch_all(true);
      else
        fetch_all(false);
#pragma unroll
      for (int k = 0; k < kTogether; ++k) {
        const Sum found = add_up(words[k], cells[k], clock);
        if (lane_ == first + k) sum = found;
      }
    }
    __syncwarp();
    const float mean = __shfl_sync(~0u, sum.mean(), mine);
    return wanted ? mean : 0.0f;
  }
  __device__ __forceinline__ Sum add_up(Word word, CellId cell, uint32_t clock) const {
    const bool same = lane_ < kBlock && is_of(word, cell);
    const uint32_t log = logs_.of(word, clock);
    const bool stale = __any_sync(~0u, same && log == ActLogs::kStale);
    const uint32_t logs = sum_of_warp(same ? log : 0);
    return {stale ? ActLogs::kStale : logs, ActLogs::kCounts ? 0 : __popc(__ballot_sync(~0u, same))};
  }

  template <class Fetch>
  __device__ __forceinline__ float by_lanes(bool wanted, const Fetch& fetch, CellId cell,
                                            uint32_t clock) const {
    if (!wanted) return 0.0f;
    Sum mine{0, 0};
#pragma unroll
    for (int block = 0; block < kBlock; ++block) {
      const Word word = fetch(block);
      if (!is_of(word, cell)) continue;
      const uint32_t log = logs_.of(word, clock);
      if (log == ActLogs::kStale) return 0.0f;
      mine.logs += log;
      mine.count += 1;
    }
    return mine.mean();
  }

  const Word* sites_;
  const ActLogs logs_;
  Wanted* wanted_;
  int lane_;
  Offset step_;
  int slot_step_;
};

}  // namespace kiln::device
