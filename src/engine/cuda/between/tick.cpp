#include "engine/cuda/between/tick.hpp"

namespace kiln::cuda {

struct DeviceTick::Stages {
  DeviceTick& tick;
  const Stream& stream;

  void age_act() {}  // stamps tell how old a site is
  void live(int64_t mcs) { tick.live_(mcs); }
  void count_sums() { tick.count_all_sums(stream); }
  void move_anchors() { tick.move_anchors(stream); }
  void turn_cells(int64_t mcs) {
    tick.turn_.launch(tick.state_.grid_stride(), stream, tick.state_.tables(), mcs);
  }
};

DeviceTick::DeviceTick(DeviceState& state, CentroidSums sums)
    : state_(state),
      tick_{mcs_between_anchor_checks(state.lattice()), state.history_length() > 0,
            sums == CentroidSums::counted},
      refreshed_at_(state.mcs()) {
  if (tick_.counts) state_.count_sums_with([this](const Stream& stream) { count_all_sums(stream); });
}

void DeviceTick::use(const Module& module) {
  turn_ = module.function("turn");
  move_anchors_ = module.function("move_anchors");
  count_sums_ = module.function("count_sums");
  refresh_stamps_ = module.function("refresh_stamps");
}

void DeviceTick::begin(int64_t mcs, const Stream& stream) {
  const SiteLayout& layout = state_.layout();
  if (layout.max_act == 0 || state_.mcs() + mcs - refreshed_at_ <= layout.mcs_between_refreshes()) return;
  refresh_stamps_.launch(state_.grid_stride(), stream, state_.tables(), uint32_t(state_.mcs()));
  refreshed_at_ = state_.mcs();
}

void DeviceTick::finish(int64_t mcs, const Stream& stream) {
  state_.advanced(mcs);
  Stages stages{*this, stream};
  play_tick(tick_, state_.mcs(), stages);
}

void DeviceTick::count_all_sums(const Stream& stream) {
  state_.columns().clear_sums(stream);
  count_sums_.launch(state_.grid_stride(), stream, state_.tables(), false);
}

void DeviceTick::move_anchors(const Stream& stream) {
  move_anchors_.launch(state_.grid_stride(), stream, state_.tables());
  uint32_t any = 0;
  state_.anchors_moved().download(&any, 1);
  if (any == 0) return;
  count_sums_.launch(state_.grid_stride(), stream, state_.tables(), true);
  state_.anchors_moved().fill(0);
}

}  // namespace kiln::cuda
