#include "engine/host/checkerboard_engine.hpp"

#include <algorithm>

#include "engine/host/bookkeeping.hpp"
#include "engine/host/narrow_physics.hpp"

namespace kiln {
namespace {

// Fewer blocks than that are not worth a thread: it would only wait at barriers.
constexpr uint32_t kBlocksPerThread = 1024;
constexpr uint32_t kBlocksPerDraw = 64;

bool plays_in_sequence(const checkerboard::Plan& plan, const Physics& physics) {
  return plan.settings().barriers != CheckerboardSettings::Barriers::attempt || plan.replays() ||
         plan.attempts_may_meet(longest_reach(*physics.adhesion_neighbours, *physics.perimeter_neighbours));
}

int useful_threads(const checkerboard::Plan& plan, int threads) {
  return std::clamp(int(std::min(plan.block_count() / kBlocksPerThread, 1024u)), 1, threads);
}

}  // namespace

template <int Dim>
CheckerboardEngine<Dim>::CheckerboardEngine(State state, const Physics& physics, uint64_t seed,
                                            const CheckerboardSettings& settings, int threads,
                                            const Model* living)
    : state_(std::move(state)),
      physics_(physics),
      seed_(seed),
      plan_(state_.lattice, settings, seed),
      in_sequence_(plays_in_sequence(plan_, physics)),
      reader_(state_),
      team_(in_sequence_ ? 1 : useful_threads(plan_, threads)),
      living_(living == nullptr ? nullptr : std::make_unique<LivingStage>(*living, state_, team_.members())),
      between_mcs_(team_, frame_of_whole(state_.lattice), {}, living_.get()),
      members_(std::size_t(team_.members())) {
  // Two blocks share a draw, so shares are whole pairs.
  const uint64_t pairs = (uint64_t(plan_.block_count()) + 1) / 2, parts = members_.size();
  for (uint64_t i = 0; i < parts; ++i) {
    members_[i].first_block = uint32_t(2 * (pairs * i / parts));
    members_[i].last_block = uint32_t(std::min<uint64_t>(2 * (pairs * (i + 1) / parts), plan_.block_count()));
  }
  if (settings.mutex) locked_at_.assign(state_.cells.count(), ~uint64_t(0));
}

template <int Dim>
void CheckerboardEngine<Dim>::fit_to_cells() {
  reader_ = StateReader<Dim>(state_);
  if (!locked_at_.empty()) locked_at_.resize(state_.cells.count(), ~uint64_t(0));
}

template <int Dim>
AttemptCounts CheckerboardEngine<Dim>::counts() const {
  AttemptCounts sum;
  for (const Member& m : members_) {
    sum.attempts += m.attempts;
    sum.live += m.live;
  }
  sum.accepted = accepted_;
  return sum;
}

template <int Dim>
void CheckerboardEngine<Dim>::advance(int64_t mcs) {
  with_narrow_physics(physics_, state_, [&](const auto& physics) {
    team_.run([&](int member) {
      for (int64_t done = 0; done < mcs; ++done) {
        play_mcs(physics, member);
        between_mcs_.finish_mcs(state_, physics, member);
        if (living_ == nullptr) continue;
        if (living_->has_failed()) return;
        if (!living_->changed_lattice()) continue;
        if (member == 0) fit_to_cells();
        team_.wait();
      }
    });
  });
  if (living_ != nullptr) living_->require_success();
}

template <int Dim>
template <class Physics>
void CheckerboardEngine<Dim>::play_mcs(const Physics& physics, int member) {
  const uint64_t first = uint64_t(state_.mcs) * plan_.steps_per_mcs(), end = first + plan_.steps_per_mcs();
  if (plan_.replays()) taken_.assign(plan_.block_count(), 0);
  for (uint64_t step = first, count; step < end; step += count) {
    count = plan_.steps_until_barrier(step);
    if (count > 1 || plan_.replays())
      play_block_by_block(physics, step, count);
    else
      play_step(physics, member, step);
  }
}

template <int Dim>
template <class Physics>
void CheckerboardEngine<Dim>::play_step(const Physics& physics, int member, uint64_t step) {
  judge_blocks(physics, members_[std::size_t(member)], step);
  team_.wait();
  if (member == 0)
    for (Member& m : members_) settle(physics, m, step);
  team_.wait();
}

template <int Dim>
template <class Physics>
void CheckerboardEngine<Dim>::play_block_by_block(const Physics& physics, uint64_t first, uint64_t steps) {
  std::vector<Vec3i> regions;
  for (uint64_t step = first; step < first + steps; ++step) regions.push_back(plan_.active_region(step));
  for (uint32_t block = 0; block < plan_.block_count(); ++block) {
    const Vec3i corner = plan_.corner_of(block);
    playing_ = block;
    for (uint64_t i = 0; i < steps; ++i) {
      const uint64_t bits =
          plan_.replays() ? next_number(first) : checkerboard::bits_for(seed_, first + i, block);
      const auto attempt = checkerboard::attempt_of<Dim>(bits, plan_.settings().region);
      judge(physics, members_[0], corner + regions[i] + attempt.drawn, attempt);
      settle(physics, members_[0], first);
    }
  }
}

template <int Dim>
template <class Physics>
void CheckerboardEngine<Dim>::judge_blocks(const Physics& physics, Member& me, uint64_t step) {
  const Vec3i region = plan_.active_region(step);
  uint64_t bits[kBlocksPerDraw];
  for (uint32_t first = me.first_block; first < me.last_block; first += kBlocksPerDraw) {
    const uint32_t count = std::min(kBlocksPerDraw, me.last_block - first);
    draw_many(seed_, Stream::checkerboard_attempts, checkerboard::draw_index(step, first), uint32_t(step),
              int(count + 1) / 2, bits);
    Vec3i corner = plan_.corner_of(first);
    for (uint32_t i = 0; i < count; ++i) {
      const auto attempt = checkerboard::attempt_of<Dim>(bits[i], plan_.settings().region);
      judge(physics, me, corner + region + attempt.drawn, attempt);
      if (in_sequence_) settle(physics, me, step);
      corner.x += plan_.settings().per_thread;
      if (corner.x >= state_.lattice.size.x) corner = plan_.corner_of(first + i + 1);
    }
  }
}

template <int Dim>
template <class Physics>
KILN_FLAT void CheckerboardEngine<Dim>::judge(const Physics& physics, Member& me, Vec3i place,
                                              const checkerboard::Attempt& attempt) {
  if (!state_.lattice.contains(place)) return;  // of a block that a wall cuts short
  me.attempts += 1;
  if (!checkerboard::move_to_target<Dim>(state_.lattice, attempt, plan_.settings().draws_source, place))
    return;
  const HostAttempt<Dim> between = attempt_at(reader_, place, attempt.direction);
  if (between.is_null()) return;
  Copy copy;
  typename HostWorld<Dim>::Place source;
  if (!copy_of(reader_, physics, between, copy, source)) return;
  me.live += 1;
  typename HostWorld<Dim>::Scratch scratch;
  HostWorld<Dim> world(reader_, physics, copy, between.target, source, scratch);
  float surroundings;
  if (!local_delta<Dim>(physics, world, copy, surroundings)) return;
  const CopyChange change = change_of(physics, world, copy);
  me.open.push_back(
      {{place, copy, change, surroundings, acceptance_threshold(physics.temperature, attempt.threshold_bits)},
       act_delta(physics, world, copy)});
}

template <int Dim>
template <class Physics>
float CheckerboardEngine<Dim>::act_delta(const Physics& physics, const HostWorld<Dim>& world,
                                         const Copy& copy) const {
  if (!physics.template in_use<act::Term>()) return 0.0f;
  const act::Params p = params_of<act::Term>(physics, world, copy.steering_type(), copy.steering_cell());
  if (p.lambda == 0) return 0.0f;
  return act::delta(p, world.mean_act_at_source(), world.mean_act_at_target());
}

template <int Dim>
template <class Physics>
void CheckerboardEngine<Dim>::settle(const Physics& physics, Member& me, uint64_t barrier) {
  for (const Open& attempt : me.open) settle(physics, attempt, barrier);
  me.open.clear();
}

template <int Dim>
template <class Physics>
KILN_FLAT void CheckerboardEngine<Dim>::settle(const Physics& physics, const Open& a, uint64_t barrier) {
  if (is_locked(a.winner, barrier) || is_locked(a.loser, barrier)) return;
  const Copy copy = a.copy();
  const float dh = a.surroundings + cells_delta(physics, reader_, copy, a.change());
  const float threshold = !plan_.replays() ? a.threshold
                          : dh + a.act <= 0
                              ? 0
                              : acceptance_threshold(physics.temperature, uint32_t(next_number(barrier)));
  if (!(dh + a.act <= threshold)) return;
  apply_copy<Dim>(state_, physics, copy, state_.lattice.index(a.target), a.target, a.change());
  accepted_ += 1;
  if (locked_at_.empty()) return;
  locked_at_[a.winner] = barrier;
  locked_at_[a.loser] = barrier;
}

template <int Dim>
uint64_t CheckerboardEngine<Dim>::next_number(uint64_t step) {
  return checkerboard::replayed_bits(seed_, plan_.call_of(step), playing_, taken_[playing_]++);
}

// The medium has no sizes, so it is never locked.
template <int Dim>
bool CheckerboardEngine<Dim>::is_locked(CellId cell, uint64_t barrier) const {
  return !locked_at_.empty() && cell != kMedium && locked_at_[cell] == barrier;
}

template class CheckerboardEngine<2>;
template class CheckerboardEngine<3>;

}  // namespace kiln
