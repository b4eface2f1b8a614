// The `checkerboard` schedule of a model: its blocks, its steps, and which region is active when.
#pragma once

#include <string>

#include "engine/schedule/checkerboard.hpp"
#include "model/model.hpp"

namespace kiln::checkerboard {

// Throws UserError where a periodic side of the lattice does not hold a whole number of blocks.
void require_whole_blocks(const Model& model);

class Plan {
 public:
  Plan(const Lattice& lattice, const CheckerboardSettings& settings, uint64_t seed);

  const CheckerboardSettings& settings() const { return settings_; }
  const Vec3i& blocks() const { return blocks_; }  // per axis; the last may be cut by a closed wall
  uint32_t block_count() const;
  // The first site of a block, as if it were whole.
  Vec3i corner_of(uint32_t block) const;
  uint64_t steps_per_mcs() const { return steps_per_mcs_; }
  // Steps are counted from MCS 0. Regions drawn at random are those of another one where they are replayed.
  uint64_t drawn_as(uint64_t step) const;
  bool replays() const { return settings_.replayed_mcs > 0; }
  // With the same random numbers in all its MCS.
  uint64_t call_of(uint64_t step) const { return step / steps_per_mcs_ / uint64_t(settings_.replayed_mcs); }
  const Turns& turns() const { return turns_; }
  // From the corner of a block to that of the region which is active in this step.
  Vec3i active_region(uint64_t step) const;
  // Steps from this one on, itself included, before the active region may change; within its MCS.
  uint64_t steps_until_switch(uint64_t step) const;
  // Likewise, before all blocks wait for each other.
  uint64_t steps_until_barrier(uint64_t step) const;
  // Whether an attempt may see another's target before a barrier, for terms that read sites so far from it.
  bool attempts_may_meet(int reach) const;
  // A sentence for summaries.
  std::string describe() const;

 private:
  CheckerboardSettings settings_;
  Turns turns_;
  Vec3i blocks_{1, 1, 1};
  uint64_t steps_per_mcs_ = 1;
};

}  // namespace kiln::checkerboard
