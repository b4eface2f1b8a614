// The `tiles` schedule on a processor's cores. The result does not depend on how many of them there are.
#pragma once

#include <atomic>
#include <vector>

#include "engine/engine.hpp"
#include "engine/host/attempt.hpp"
#include "engine/host/between_mcs.hpp"
#include "engine/schedule/tiles_plan.hpp"

namespace kiln {

template <int Dim>
class ThreadsEngine : public Engine {
 public:
  ThreadsEngine(State state, const Physics& physics, uint64_t seed, const tiles::Settings& settings,
                int threads);

  void set_physics(const Physics& physics) override { physics_ = physics; }
  void advance(int64_t mcs) override;
  const State& state() override { return state_; }
  AttemptCounts counts() const override;
  std::string name() const override { return "threads"; }
  int threads() const override { return team_.members(); }
  std::string schedule() const override { return "tiles"; }
  std::string settings() const override { return tiles::describe(settings_, Dim); }

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
    uint32_t stamp = 0;  // of the claims of this pass: the same for all
    // Groups of this thread's range that were taken, by any thread, in even and in odd rounds.
    alignas(64) std::atomic<uint32_t> taken[2] = {0, 0};
  };

  // With a physics as narrow as the model allows (engine/host/narrow_physics.hpp).
  template <class Physics>
  void play_round(const Physics& physics, int member, uint64_t number);
  template <class Physics>
  void judge_all(const Physics& physics, Member& me, const tiles::Round& round, uint64_t number);
  template <class Physics>
  void judge_group(const Physics& physics, Member& me, const tiles::Round& round, uint64_t number,
                   uint32_t first);
  template <class Physics>
  void judge(const Physics& physics, Member& me, const Vec3i& place, int direction, float threshold,
             uint32_t priority);
  template <class Physics>
  bool accepts_now(const Physics& physics, const Open& attempt) const;
  void claim(const Member& me, const Open& attempt);
  template <class Physics>
  void judge_again(const Physics& physics, Member& me);
  template <class Physics>
  void carry_out_owned(const Physics& physics, Member& me);
  void drop_unclaimed(Member& me);
  void fill_outboxes(Member& me);
  template <class Physics>
  void carry_out_all(const Physics& physics, Member& me);
  bool any_open() const;
  // The thread that applies all changes to a cell which several copies may change.
  Member& owner_of(CellId cell) { return members_[std::size_t(cell * members_per_cell_ >> 32)]; }

  State state_;
  Physics physics_;
  uint64_t seed_;
  tiles::Settings settings_;
  tiles::Clock clock_;
  StateReader<Dim> reader_;
  Team team_;
  BetweenMcs between_mcs_;
  std::vector<Member> members_;
  uint64_t members_per_cell_;     // times 2^32
  std::vector<uint64_t> claims_;  // per cell
};

}  // namespace kiln
