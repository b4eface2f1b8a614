#include "engine/schedule/checkerboard_plan.hpp"

#include <fmt/format.h>

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
    : settings_(settings), seed_(seed), dimension_(lattice.dimension) {
  const int side = settings.per_thread;
  double blocks = 1;
  for (int axis = 0; axis < dimension_; ++axis) {
    blocks_[axis] = (lattice.size[axis] + side - 1) / side;
    blocks *= blocks_[axis];
    steps_per_mcs_ *= uint64_t(side);
    regions_ *= uint32_t(side / settings.region);
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

Vec3i Plan::active_region(uint64_t step) const {
  const uint64_t number = step / uint64_t(settings_.switch_every);
  uint32_t region = uint32_t(number % regions_);
  if (settings_.random_order)
    region = Digits{draw(seed_, Stream::checkerboard_regions, number, 0).ab()}.take(regions_);
  Vec3i corner;
  for (int axis = 0; axis < dimension_; ++axis) {
    const uint32_t along = uint32_t(settings_.per_thread / settings_.region);
    corner[axis] = int32_t(region % along) * settings_.region;
    region /= along;
  }
  return corner;
}

uint64_t Plan::steps_until_switch(uint64_t step) const {
  return uint64_t(settings_.switch_every) - step % uint64_t(settings_.switch_every);
}

std::string Plan::describe() const {
  const CheckerboardSettings& s = settings_;
  return fmt::format(
      "blocks of {} sites per axis with an active region of {}, switched {} after every {}; {}", s.per_thread,
      s.region, s.random_order ? "at random" : "in turn",
      s.switch_every == 1 ? "attempt" : fmt::format("{} attempts", s.switch_every),
      s.mutex ? "one accepted copy per cell between two barriers" : "all copies of a step count");
}

}  // namespace kiln::checkerboard
