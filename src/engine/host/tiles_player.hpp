// Plays the `tiles` schedule on a processor's cores: on a lattice that lies in one memory, or on a brick of
// it that hears of the others. The result depends neither on the number of cores nor on how the lattice is
// cut.
#pragma once

#include <atomic>
#include <exception>
#include <vector>

#include "engine/engine.hpp"
#include "engine/host/attempt.hpp"
#include "engine/host/between_mcs.hpp"
#include "engine/schedule/tiles_plan.hpp"

namespace kiln {

// What a player knows of its part of the tissue. The whole: there is nobody else.
struct WholeLattice {
  static constexpr bool kCut = false;
};

// A `Part` that is cut (engine/ranks/brick_part.hpp) also tells which sites are its own, takes copies and
// claims that concern others, and brings theirs.
template <int Dim, class Part>
class TilesPlayer {
 public:
  // Of the state's lattice where that is the whole; `part` has to stay.
  TilesPlayer(State& state, const SiteFrame& frame, uint64_t seed, const tiles::Settings& settings,
              int threads, Part& part, std::unique_ptr<LivingStage> living = nullptr);

  void advance(const Physics& physics, int64_t mcs);
  AttemptCounts counts() const;
  int threads() const { return team_.members(); }

 private:
  // A live attempt that has not been settled yet.
  struct Open : OpenCopy {
    uint32_t priority;
    uint8_t direction;      // from target to source
    bool accepted = false;  // on the sizes as they were when it was last judged
  };

  // One half of a copy, gain or loss of the site, to be applied by the thread that owns the cell.
  struct HalfCopy {
    uint32_t open;  // index in `open` of the thread that judged it
    bool wins;
  };

  // Data of one thread.
  struct alignas(64) Member {
    std::vector<Open> open;
    // Outbox per thread: halves of copies for the cells it owns.
    std::vector<std::vector<HalfCopy>> outbox;
    AttemptCounts counts;
    std::size_t still_open = 0;
    uint32_t stamp = 0;   // of the claims of this pass: the same for all
    uint64_t rounds = 0;  // played; the same for all
    // Ranges of this thread, in groups or rows, that were taken, by any thread, in even and in odd rounds.
    alignas(64) std::atomic<uint32_t> taken[2] = {0, 0};
  };

  // With a physics as narrow as the model allows (engine/host/narrow_physics.hpp).
  template <class Physics>
  void play(const Physics& physics, int member, int64_t mcs);
  template <class Physics>
  void play_round(const Physics& physics, int member, uint64_t number);
  template <class Physics>
  void judge_all(const Physics& physics, Member& me, const tiles::Round& round, uint64_t number);
  template <class Work>
  void share_work(Member& me, uint64_t number, uint32_t units, const Work& work);
  template <class Physics>
  void judge_group(const Physics& physics, Member& me, const tiles::Round& round, uint64_t number,
                   uint64_t first);
  template <class Physics>
  void judge_own_row(const Physics& physics, Member& me, const tiles::Round& round, uint64_t number,
                     uint32_t j, uint32_t k);
  struct Stretch;
  struct GroupWords;
  static uint32_t find_live(const StateReader<Dim>& reader, const CellId* ids, const Stretch& stretch,
                            const uint32_t* words, uint8_t* __restrict live);
  template <class Physics>
  void judge_stretch(const Physics& physics, Member& me, const tiles::Round& round, const Stretch& stretch,
                     const GroupWords& words);
  template <class Physics>
  void judge(const Physics& physics, Member& me, const Vec3i& place, int direction, float threshold,
             uint32_t priority);
  template <class Physics>
  bool accepts_now(const Physics& physics, const Open& attempt) const;
  void claim(const Member& me, CellId cell, uint32_t priority);
  void claim(const Member& me, const Open& attempt);
  template <class Physics>
  void judge_again(const Physics& physics, Member& me);
  template <class Physics>
  void carry_out_owned(const Physics& physics, Member& me);
  void drop_unclaimed(Member& me);
  void fill_outboxes(Member& me);
  template <class Physics>
  void carry_out_all(const Physics& physics, Member& me);
  // On a brick: claims and copies of others. All members call them.
  void hear_claims(Member& me) requires(Part::kCut);
  template <class Physics>
  void hear_copies(const Physics& physics, Member& me);
  void meet_newcomers(int member) requires(Part::kCut);
  bool any_open(const Member& me);
  // One member does something that may fail, after which nothing more is done; all others wait.
  template <class Work>
  void one_of_all(const Member& me, const Work& work);
  template <class Work>
  void attempt(const Work& work);
  void fit_to_cells();
  BetweenMcs::Unite how_to_unite();

  // The thread that applies all changes to a cell which several copies may change.
  Member& owner_of(CellId cell) { return members_[std::size_t(cell * members_per_cell_ >> 32)]; }
  bool is_first(const Member& me) const { return &me == members_.data(); }

  State& state_;
  SiteFrame frame_;
  uint64_t seed_;
  tiles::Settings settings_;
  tiles::Clock clock_;
  StateReader<Dim> reader_;
  Team team_;
  Part& part_;
  std::unique_ptr<LivingStage> living_;
  BetweenMcs between_mcs_;
  std::vector<Member> members_;
  uint64_t members_per_cell_ = 0;  // times 2^32
  std::vector<uint64_t> claims_;   // per cell
  bool some_open_ = false;         // anywhere; of the last pass
  std::exception_ptr failure_;     // of what one member did for all
};

}  // namespace kiln
