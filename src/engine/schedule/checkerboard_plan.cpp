#include "engine/schedule/checkerboard_plan.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/error.hpp"

namespace kiln::checkerboard {
namespace {

// More blocks than that would need more memory than there is; their numbers are 32 bits wide.
constexpr double kMostBlocks = 4e9;

}  // namespace

void require_whole_blocks(const Model& model) {
  const int side = model.checkerboard.per_thread;
  for (int axis = 0; axis < model.lattice.dimension; ++axis) {
    const int32_t length = model.lattice.size[axis], rest = length % side;
    if (!model.lattice.periodic[axis] || rest == 0) continue;
    const std::string nearest = length < side ? fmt::format("{}", side)
                                              : fmt::format("{} or {}", length - rest, length - rest + side);
    throw UserError(
        fmt::format("{}: lattice.size is {} along {}, but with --schedule checkerboard a periodic side must "
                    "be a multiple "
                    "of schedule.checkerboard.per_thread ({}), such as {}.",
                    model.source, length, "xyz"[axis], side, nearest));
  }
}

Plan::Plan(const Lattice& lattice, const CheckerboardSettings& settings, uint64_t seed)
    : settings_(settings),
      turns_{seed, uint32_t(settings.per_thread / settings.region), settings.region, lattice.dimension,
             settings.random_order} {
  const int side = settings.per_thread;
  double blocks = 1;
  for (int axis = 0; axis < lattice.dimension; ++axis) {
    blocks_[axis] = (lattice.size[axis] + side - 1) / side;
    blocks *= blocks_[axis];
    steps_per_mcs_ *= uint64_t(side);
  }
  if (blocks > kMostBlocks)
    throw UserError(fmt::format(
        "the checkerboard schedule takes at most {:g} blocks, but schedule.checkerboard.per_thread = {} "
        "makes {:g} of them.",
        kMostBlocks, side, blocks));
}

uint32_t Plan::block_count() const { return uint32_t(blocks_.x) * uint32_t(blocks_.y) * uint32_t(blocks_.z); }

Vec3i Plan::corner_of(uint32_t block) const {
  const uint32_t row = block / uint32_t(blocks_.x);
  return Vec3i{int32_t(block % uint32_t(blocks_.x)), int32_t(row % uint32_t(blocks_.y)),
               int32_t(row / uint32_t(blocks_.y))} *
         settings_.per_thread;
}

uint64_t Plan::drawn_as(uint64_t step) const {
  if (settings_.replayed_mcs == 0) return step;
  const uint64_t mcs = step / steps_per_mcs_, replayed = mcs - mcs % uint64_t(settings_.replayed_mcs);
  return step % steps_per_mcs_ + replayed * steps_per_mcs_;
}

Vec3i Plan::active_region(uint64_t step) const {
  return turns_.active_region(drawn_as(step) / uint64_t(settings_.switch_every));
}

uint64_t Plan::steps_until_switch(uint64_t step) const {
  const uint64_t every = uint64_t(settings_.switch_every);
  return std::min(every - drawn_as(step) % every, steps_per_mcs_ - step % steps_per_mcs_);
}

uint64_t Plan::steps_until_barrier(uint64_t step) const {
  switch (settings_.barriers) {
    case CheckerboardSettings::Barriers::attempt:
      return 1;
    case CheckerboardSettings::Barriers::region:
      return steps_until_switch(step);
    default:
      return steps_per_mcs_ - step % steps_per_mcs_;
  }
}

bool Plan::attempts_may_meet(int reach) const {
  // The reader of the model keeps active regions `reach` sites apart.
  const int beyond = settings_.draws_source ? 2 : 0;
  return settings_.barriers == CheckerboardSettings::Barriers::none ||
         settings_.per_thread < settings_.region + reach + beyond;
}

std::string Plan::describe() const {
  using Barriers = CheckerboardSettings::Barriers;
  const CheckerboardSettings& s = settings_;
  std::string text =
      fmt::format("blocks of {} sites per axis with an active region of {}, switched {} after every {}; {}",
                  s.per_thread, s.region, s.random_order ? "at random" : "in turn",
                  s.switch_every == 1 ? "attempt" : fmt::format("{} attempts", s.switch_every),
                  s.mutex ? "one accepted copy per cell between two barriers" : "all copies of a step count");
  if (s.draws_source) text += "; sources are drawn in the active region";
  if (s.barriers == Barriers::region) text += "; blocks wait for each other when regions switch";
  if (s.barriers == Barriers::none) text += "; blocks wait for each other at the end of an MCS only";
  if (s.replayed_mcs > 0)
    text += fmt::format("; FAULT: {} MCS in a row have the same random numbers", s.replayed_mcs);
  return text;
}

}  // namespace kiln::checkerboard
