// The tick of a single simulation on a device: the stages of engine/schedule/tick.hpp as kernels.
#pragma once

#include <functional>

#include "engine/cuda/state/device_state.hpp"
#include "engine/schedule/tick.hpp"

namespace kiln::cuda {

// Where centroid sums come from: kept up to date copy by copy by the schedule's kernels, or counted from the
// lattice whenever they are needed: for anchors now and then, for persistence after every MCS.
enum class CentroidSums { kept, counted };

class DeviceTick {
 public:
  DeviceTick(DeviceState& state, CentroidSums sums);

  const Tick& stages() const { return tick_; }
  // What happens at the end of every MCS beside motion.
  void live_with(std::function<void(int64_t)> live) {
    live_ = std::move(live);
    tick_.lives = true;
  }
  // Takes the kernels of between/kernels.cuh from a module compiled for the model.
  void use(const Module& module);
  // Before and after `mcs` MCS are played in the stream; stages are due at the end of the last alone.
  void begin(int64_t mcs, const Stream& stream);
  void finish(int64_t mcs, const Stream& stream);

 private:
  struct Stages;
  void count_all_sums(const Stream& stream);
  void move_anchors(const Stream& stream);

  DeviceState& state_;
  Tick tick_;
  std::function<void(int64_t)> live_;
  int64_t refreshed_at_;  // MCS when stale stamps of Act were last set back
  Function turn_, move_anchors_, count_sums_, refresh_stamps_;
};

}  // namespace kiln::cuda
