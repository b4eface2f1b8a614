// The `tiles` schedule on a GPU (see engine/schedule/tiles.hpp). One kernel plays whole MCS: its blocks are
// resident, their warps keep their attempts from pass to pass, and there is a barrier between two passes. A
// simulation is played by a crew: all blocks (play.cuh), or, where many are played at once, some of
// them (members.cuh). A brick of a lattice is played with a launch for every part of a round (brick.cuh).
//
// Attempts of a pass are judged on the sizes that cells had before it, and copies change sizes. So a pass has
// two parts, with a barrier behind each: all are judged, then copies are carried out. A single pass without
// Act needs one barrier only: no other attempt sees the site that a copy changes, and sizes are
// double-buffered (sizes.cuh).
//
// Compiled behind model_prologue and what tiles_source adds to kiln::model: kSettings, kPasses, kTrackSums,
// kShareRest, kBatches, kUnit, kWarpsPerBlock, kCrew, kMembers, kSkipsDead.
#pragma once

#include "engine/cuda/between/between_mcs.cuh"
#include "engine/cuda/tiles/crew.cuh"
#include "engine/cuda/tiles/data.hpp"
#include "engine/cuda/tiles/open.cuh"
#include "engine/cuda/tiles/part.cuh"
#include "engine/cuda/tiles/round.cuh"
#include "engine/cuda/tiles/sites.cuh"
#include "engine/cuda/tiles/sizes.cuh"

namespace kiln::device {

using cuda::Control;
using cuda::Span;
using cuda::TilesTables;

struct Shared {
  SharedRound rounds[3];  // this one and the next two
  Ring ring[model::kWarpsPerBlock];
  ActMeans::Wanted means[model::kWarpsPerBlock][ActMeans::kMostWanted];
  ActLogs::Table logs;
  int toward[kNeighbours];     // from a target to its source, in a slot
  Offset offset[kNeighbours];  // the same in the lattice
  crew::CrewBarrier::BlockFlags flags;
};

static_assert(sizeof(Shared) <= cuda::shared_bytes(model::kWarpsPerBlock, model::kBatches, kWhole,
                                                   model::kSettings.tile.x, sizeof(Word), model::kMaxAct));

// One thread of the kernel, with its share of the attempts.
class Player {
 public:
  using Field = cuda::OpenField;

  __device__ Player(const TilesTables& t, Shared& shared, const Part& part)
      : tables_(t),
        part_(part),
        shared_(shared),
        sites_(static_cast<Word*>(t.state.sites)),
        means_(sites_, shared.logs, shared.means[threadIdx.x / 32]),
        lane_(threadIdx.x % 32),
        warp_(crew::block_rank() * model::kWarpsPerBlock + threadIdx.x / 32),
        loader_(shared.ring[threadIdx.x / 32], shared.toward, t, sites_),
        words_(shared.ring[threadIdx.x / 32].words),
        ready_(reinterpret_cast<Record*>(shared.ring[threadIdx.x / 32].words)),
        open_(t.open + int64_t(warp_) * t.open_per_warp * kOpenFields, uint32_t(t.open_per_warp),
              reinterpret_cast<uint32_t*>(ready_ + kMostReady)),
        sizes_(t),
        barrier_(t, shared.flags),
        stamp_(t.control->stamp) {}

  // `between(mcs)` is called at the end of every MCS, with its number, behind a barrier of the crew.
  template <class Between>
  __device__ void play(const Span& span, const Between& between) {
    const uint64_t first = span.rounds[0];
    end_ = span.rounds[span.mcs];
    if (threadIdx.x < 2) round_at(first + threadIdx.x).set(tables_, first + threadIdx.x);
    if (kAtOnce) {
      sizes_.copy();
      sync_crew();
    }
    __syncthreads();
    if (kBeginsEarly && first < end_) loader_.begin(round_at(first), first);
    for (int m = 0; m < span.mcs; ++m) {
      clock_ = uint32_t(span.first_mcs + m);
      for (uint64_t number = span.rounds[m]; number < span.rounds[m + 1]; ++number) {
        round_ = &round_at(number);
        play_round(number);
        if (kAtOnce) sizes_.swap();
      }
      between(span.first_mcs + m + 1);
    }
    finish();
  }
  // The sizes of all cells, as they are between two MCS.
  __device__ cuda::Extent* sizes() const { return sizes_.table(); }
  __device__ void wait() { sync_crew(); }

 protected:
  // The first steps of a round are planned while the crew waits at the end of the one before; unless they
  // depend on the lattice, or registers are scarce.
  static constexpr bool kBeginsEarly = kOnePass && !model::kSkipsDead;

  __device__ __forceinline__ SharedRound& round_at(uint64_t number) const {
    return shared_.rounds[number % 3];
  }

  __device__ void play_round(uint64_t number) {
    if (crew::block_rank() == 0 && threadIdx.x == 0)
      tables_.control->taken[(number + 2) % 3] = 0;  // last used in the round before
    if (!kBeginsEarly) loader_.begin(*round_, number);
    judge_all();
    const auto set_next = [&] { round_at(number + 2).set(tables_, number + 2); };
    const auto begin_next = [&] {
      if (kBeginsEarly && number + 1 < end_) loader_.begin(round_at(number + 1), number + 1);
    };
    if constexpr (kAtOnce) {
      sync_crew(set_next, begin_next);
    } else if constexpr (kOnePass) {
      sync_crew(set_next, [] {});
      carry_out_all();
      sync_crew([] {}, begin_next);
    } else {
      sync_crew(set_next, [] {});
      settle();
    }
  }

  // Pass by pass: carries out the attempts that hold their claims, and judges the other open ones again.
  __device__ __forceinline__ void settle() {
    for (int pass = 1;; ++pass) {
      const bool last = pass == model::kPasses;
      if (last)
        carry_out_all();
      else
        carry_out_owned();
      const bool any_open = sync_crew();
      stamp_ -= 1;
      if (last || !any_open) return;
      judge_again();
      sync_crew();
    }
  }

  // Compacts the attempts between different cells and judges them 32 at a time, while the surroundings of the
  // next step are prefetched.
  __device__ void judge_all() {
    // Room for the steps in flight, one that has been taken, and one more.
    const auto has_room = [&] {
      return kAtOnce || count_ + 4 * kStepTiles <= uint32_t(tables_.open_per_warp);
    };
    loader_.prefetch(true);
    count_ = 0;
    open_.begin();
    while (loader_.has_steps_in_flight()) {
      if (loader_.at_step()) loader_.prefetch(has_room());
      loader_.gather();
      for (uint32_t enough = loader_.most_to_keep(); loader_.waiting() > enough;) {
        bool here;
        const Attempt attempt = loader_.next(here);
        judge(attempt, here);
      }
    }
  }

  // Judges one attempt per lane; `here` is false for lanes that have none.
  __device__ __forceinline__ void judge(const Attempt& attempt, bool here) {
    const auto physics = part_.placed(model::physics());
    const int direction = tiles::direction_of(attempt.word, kNeighbours);
    const float threshold =
        acceptance_threshold(physics.temperature, tiles::threshold_bits_of(attempt.word, kNeighbours));
    Copy copy = copy_of(physics, attempt, direction);
    CopyChange change{};
    float surroundings = 0, dh = 0;
    if (here && physics.uses.frozen) here = thaw(tables_.state, copy);
    // Between cells of one type, adhesion does not depend on the types around.
    const TypeCounts types(tables_.state, here && copy.winner_type != copy.loser_type, words_, attempt.at);
    if (here) {
      live_ += 1;
      const TwoSizes sizes{tables_.state, copy.winner, sizes_[copy.winner], sizes_[copy.loser]};
      TileWorld world(tables_.state, words_ + attempt.at, attempt.site, copy, types);
      here = local_delta<kDim>(physics, world, copy, surroundings);
      change = change_of(physics, world, copy);
      dh = surroundings + cells_delta(physics, sizes, copy, change);
      if (!kOnePass) here = here && lowest_delta(physics, world, copy, dh) - threshold <= model::hopeless();
    }
    float act = 0;
    uint32_t flags = 0;
    if (model::kMaxAct > 0) flags = judge_act(physics, attempt, direction, copy, here, dh, threshold, act);
    if ((flags & cuda::kActAtSourceOnly) == 0 && dh + act <= threshold) flags |= cuda::kAccepted;
    const bool accepted = here && (flags & cuda::kAccepted);
    const Record record{copy.winner, copy.loser,
                        cuda::pack(change.winner_perimeter, change.loser_perimeter, flags), attempt.tile};
    if (kAtOnce) {
      sizes_.wait_for_copies();
      if (accepted) carry_out(record, place_of(decoded(attempt.site)), decoded(attempt.site));
      return;
    }
    const bool stays = kOnePass ? accepted : here;
    count_ += compact(stays, lane_, [&](uint32_t place) {
      const OpenList::Entry entry = open_[count_ + place];
      entry.put(record);
      if (!kOnePass) {
        entry[Field::surroundings] = __float_as_uint(surroundings);
        entry[Field::threshold] = __float_as_uint(threshold);
        if (model::kMaxAct > 0) entry[Field::act] = __float_as_uint(act);
        if (accepted) claim(record);
      }
    });
  }

  // Places are worked out only for terms that ask for them.
  __device__ __forceinline__ Copy copy_of(const Physics& physics, const Attempt& attempt,
                                          int direction) const {
    const CellId winner = id_of(attempt.source), loser = id_of(attempt.target);
    Copy copy{winner, loser, type_of(tables_.state, winner), type_of(tables_.state, loser), {}, {}};
    if (!physics.uses.chemotaxis && !physics.uses.persistence) return copy;
    copy.step = Moore<kDim>::offset(direction) * -1;
    if (!physics.uses.chemotaxis) return copy;
    copy.source = place_of(decoded(attempt.site)) - copy.step;
    if (attempt.site < 0) wrap_one(copy.source);
    return copy;
  }

  __device__ __forceinline__ act::Params act_params(const Physics& physics, const Copy& copy) const {
    return params_of<act::Term>(physics, OwnWorld{tables_.state}, copy.steering_type(), copy.steering_cell());
  }

  // Act's part of dH, or the mean at the source alone where that already decides: the target's mean can only
  // raise dH. Returns flags.
  __device__ __forceinline__ uint32_t judge_act(const Physics& physics, const Attempt& attempt, int direction,
                                                const Copy& copy, bool here, float dh, float threshold,
                                                float& result) const {
    const act::Params act = act_params(physics, copy);
    const bool acts = here && act.lambda != 0;
    bool wanted = acts && copy.winner != kMedium && act_of(attempt.source, clock_) != 0;
    if (model::kPasses == 1) wanted = wanted && act::may_accept(act, dh, threshold);
    const float at_source = means_.of(wanted, source_of(attempt, direction), copy.winner, clock_);
    const bool has_mean = acts && copy.loser != kMedium && act_of(attempt.target, clock_) != 0;
    wanted = has_mean && act::may_accept(act, dh, at_source, threshold);
    const float at_target = means_.around(wanted, words_, attempt.at, copy.loser, clock_);
    if (has_mean && !wanted) {
      result = at_source;
      return cuda::kActAtSourceOnly;
    }
    if (acts) result = act::delta(act, at_source, at_target);
    return 0;
  }
  // Coded index of an attempt's source.
  __device__ __forceinline__ Offset source_of(const Attempt& attempt, int direction) const {
    if (attempt.site >= 0) return attempt.site + shared_.offset[direction];
    Vec3i place = place_of(~attempt.site) + Moore<kDim>::offset(direction);
    wrap_one(place);
    return is_inner<1>(place) ? index(place) : ~index(place);
  }

  __device__ __forceinline__ uint64_t claim_of(const Record& r) const {
    return tiles::claim_of(stamp_, round_->priority_of(r.tile));
  }
  __device__ __forceinline__ void claim(const Record& r) {
    const uint64_t mine = claim_of(r);
    if (r.winner != kMedium) lower(tables_.claims + r.winner, mine);
    if (r.loser != kMedium) lower(tables_.claims + r.loser, mine);
  }

  // Several batches at a time where there are so many, to overlap their loads; with Act one at a time,
  // because its means take the whole warp.
  __device__ void judge_again() {
    uint32_t first = 0;
    if (model::kMaxAct == 0) {
      constexpr uint32_t kTogether = 4;
      for (; first + 32 < count_; first += 32 * kTogether) judge_again<kTogether>(first);
    }
    for (; first < count_; first += 32) judge_again<1>(first);
  }
  template <uint32_t kTogether>
  __device__ __forceinline__ void judge_again(uint32_t first) {
    const Physics physics = model::physics();
    Record records[kTogether];
    float surroundings[kTogether], threshold[kTogether];
    CellSize of_winner[kTogether], of_loser[kTogether];
#pragma unroll
    for (uint32_t k = 0; k < kTogether; ++k) {
      const uint32_t i = first + 32 * k + lane_;
      const OpenList::Entry entry = open_[i < count_ ? i : 0];
      records[k] = entry.record();
      surroundings[k] = entry.number(Field::surroundings);
      threshold[k] = entry.number(Field::threshold);
    }
    __syncwarp();  // lanes without an attempt have read another lane's
#pragma unroll
    for (uint32_t k = 0; k < kTogether; ++k) {
      of_winner[k] = sizes_[records[k].winner];
      of_loser[k] = sizes_[records[k].loser];
    }
#pragma unroll
    for (uint32_t k = 0; k < kTogether; ++k) {
      const uint32_t i = first + 32 * k + lane_;
      const bool here = i < count_;
      Record& r = records[k];
      const Copy copy{r.winner, r.loser, type_of(tables_.state, r.winner), type_of(tables_.state, r.loser),
                      {},       {}};
      CopyChange change{cuda::winner_perimeter(r.packed), cuda::loser_perimeter(r.packed), {}};
      if (model::kNeedsPlace) change.place = round_->target_of(r.tile);
      const float dh =
          surroundings[k] +
          cells_delta(physics, TwoSizes{tables_.state, r.winner, of_winner[k], of_loser[k]}, copy, change);
      float act = 0;
      if (model::kMaxAct > 0)
        act = act_again(physics, copy, dh, threshold[k], here, open_[here ? i : 0], r.packed);
      if (!here) continue;
      const bool accepted = (r.packed & cuda::kActAtSourceOnly) == 0 && dh + act <= threshold[k];
      open_[i][Field::packed] = (r.packed & ~cuda::kAccepted) | (accepted ? cuda::kAccepted : 0);
      if (accepted) claim(r);
    }
    __syncwarp();
  }
  __device__ __forceinline__ float act_again(const Physics& physics, const Copy& copy, float dh,
                                             float threshold, bool here, const OpenList::Entry& entry,
                                             uint32_t& packed) const {
    const act::Params act = act_params(physics, copy);
    const float before = entry.number(Field::act);
    const bool at_source_only = here && (packed & cuda::kActAtSourceOnly);
    const bool wanted = at_source_only && act::may_accept(act, dh, before, threshold);
    const Vec3i place = round_->target_of(entry[Field::tile]);
    const Offset site = index(place);
    const float at_target = means_.of(wanted, is_inner<1>(place) ? site : ~site, copy.loser, clock_);
    if (!wanted) return before;
    const float result = act::delta(act, before, at_target);
    packed &= ~cuda::kActAtSourceOnly;
    entry[Field::act] = __float_as_uint(result);
    return result;
  }

  __device__ void carry_out_owned() {
    uint32_t first = 0, kept = 0, ready = 0;
    for (; first + 32 < count_; first += 32 * kAtATime) carry_out_owned<kAtATime>(first, kept, ready);
    for (; first < count_; first += 32) carry_out_owned<1>(first, kept, ready);
    carry_out_ready(0, ready);
    count_ = kept;
    open_.move_to_shared();
    if (kept > 0 && lane_ == 0) part_.flag_open(barrier_, stamp_);
    __syncwarp();
  }
  // Compacts attempts that stay open to place `kept` of the list. Few of 32 are carried out: these are
  // compacted in shared memory until there are 32.
  template <uint32_t kTogether>
  __device__ __forceinline__ void carry_out_owned(uint32_t first, uint32_t& kept, uint32_t& ready) {
    Record records[kTogether];
#pragma unroll
    for (uint32_t k = 0; k < kTogether; ++k) {
      const uint32_t i = first + 32 * k + lane_;
      records[k] = open_[i < count_ ? i : 0].record();
    }
    uint64_t best[kTogether];
#pragma unroll
    for (uint32_t k = 0; k < kTogether; ++k) {
      const CellId winner = records[k].winner, loser = records[k].loser;
      const uint64_t on_winner = winner != kMedium ? tables_.claims[winner] : cuda::kNoClaim;
      const uint64_t on_loser = loser != kMedium ? tables_.claims[loser] : cuda::kNoClaim;
      best[k] = on_winner < on_loser ? on_winner : on_loser;
    }
    bool stays[kTogether];
    uint32_t surroundings[kTogether], threshold[kTogether], act[kTogether];
#pragma unroll
    for (uint32_t k = 0; k < kTogether; ++k) {
      const uint32_t i = first + 32 * k + lane_;
      stays[k] = i < count_ && best[k] < claim_of(records[k]);
      if (stays[k]) {
        const OpenList::Entry entry = open_[i];
        surroundings[k] = entry[Field::surroundings];
        threshold[k] = entry[Field::threshold];
        if (model::kMaxAct > 0) act[k] = entry[Field::act];
      }
      const bool done = i < count_ && !stays[k] && records[k].accepted();
      ready += compact(done, lane_, [&](uint32_t place) { ready_[ready + place] = records[k]; });
    }
    __syncwarp();  // all lanes have read before any overwrites
#pragma unroll
    for (uint32_t k = 0; k < kTogether; ++k)
      kept += compact(stays[k], lane_, [&](uint32_t place) {
        const OpenList::Entry entry = open_.once_moved(kept + place);
        entry.put(records[k]);
        entry[Field::surroundings] = surroundings[k];
        entry[Field::threshold] = threshold[k];
        if (model::kMaxAct > 0) entry[Field::act] = act[k];
      });
    __syncwarp();
    for (; ready >= 32; ready -= 32) carry_out_ready(ready - 32, ready);
  }
  __device__ __forceinline__ void carry_out_ready(uint32_t first, uint32_t end) {
    __syncwarp();
    if (first + lane_ < end) carry_out(ready_[first + lane_]);
    __syncwarp();
  }
  __device__ void carry_out_all() {
    constexpr uint32_t kTogether = kOnePass ? 6 : 2;  // several passes leave few
    for (uint32_t first = 0; first < count_; first += 32 * kTogether) {
      Record records[kTogether];
#pragma unroll
      for (uint32_t k = 0; k < kTogether; ++k) {
        const uint32_t i = first + 32 * k + lane_;
        records[k] = open_[i < count_ ? i : 0].record();
      }
#pragma unroll
      for (uint32_t k = 0; k < kTogether; ++k)
        if (first + 32 * k + lane_ < count_ && records[k].accepted() && holds_loser(records[k]))
          carry_out(records[k]);
    }
    __syncwarp();
  }
  __device__ __forceinline__ bool holds_loser(const Record& r) const {
    return kOnePass || r.loser == kMedium || tables_.claims[r.loser] >= claim_of(r);
  }
  __device__ __forceinline__ void carry_out(const Record& r) {
    const Vec3i target = round_->target_of(r.tile);
    carry_out(r, target, index(target));
  }
  __device__ __forceinline__ void carry_out(const Record& r, const Vec3i& place, Offset target) {
    accepted_ += 1;
    sizes_.change(r);
    if (model::kSkipsDead) LiveMap(tables_.live).mark_around(place);
    if (model::kTrackSums) {
      if (r.loser != kMedium) move_centroid(tables_.state, r.loser, place, -1);
      if (r.winner != kMedium) move_centroid(tables_.state, r.winner, place, +1);
    }
    part_.tell(tables_.state, r, place);
    sites_[target] = taken_by(model::physics(), r.winner, type_of(tables_.state, r.winner), clock_);
  }
  // Barrier of the crew. Returns whether any warp has open attempts.
  template <class ForBlock, class ForWarp>
  __device__ __forceinline__ bool sync_crew(const ForBlock& for_block, const ForWarp& for_warp) {
    return barrier_.arrive_and_wait(stamp_, count_ > 0, for_block, for_warp);
  }
  __device__ bool sync_crew() {
    return sync_crew([] {}, [] {});
  }

  // Both tables of sizes are equal at this point.
  __device__ void finish() {
    add_up(tables_.control->attempts, loader_.attempts());
    add_up(tables_.control->live, live_);
    add_up(tables_.control->accepted, accepted_);
    sync_crew();
    if (warp_ == 0 && lane_ == 0) tables_.control->stamp = stamp_;
  }
  __device__ static void add_up(uint64_t& to, uint64_t mine) {
    for (int step = 16; step > 0; step /= 2) mine += __shfl_xor_sync(~0u, mine, step);
    if (threadIdx.x % 32 == 0 && mine != 0) add(&to, int64_t(mine));
  }

  const TilesTables& tables_;
  Part part_;
  Shared& shared_;
  const SharedRound* round_;
  Word* sites_;
  ActMeans means_;
  uint32_t lane_, warp_;
  TargetLoader loader_;
  const Word* words_;  // surroundings of targets
  Record* ready_;      // in the ring: not used while attempts are judged
  OpenList open_;
  uint32_t count_ = 0;  // of attempts in the list
  Sizes sizes_;
  crew::CrewBarrier barrier_;
  uint32_t stamp_;  // of this pass
  uint32_t clock_ = 0;
  uint32_t live_ = 0, accepted_ = 0;  // of one launch
  uint64_t end_ = 0;                  // the first round behind this launch
};

// Fills the tables that a block keeps in shared memory.
__device__ __forceinline__ void fill_tables(Shared& shared) {
  shared.logs.fill();
  if (threadIdx.x < kNeighbours) {
    const Vec3i step = Moore<kDim>::offset(int(threadIdx.x));
    shared.toward[threadIdx.x] = in_slot(step);
    shared.offset[threadIdx.x] = offset_of(step);
  }
  if (threadIdx.x == 0) shared.flags.open = 0;
  __syncthreads();
}

}  // namespace kiln::device
