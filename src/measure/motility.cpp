#include "measure/motility.hpp"

#include <utility>

namespace kiln {
namespace {

SpeedSettings speed_settings(const Model& model) {
  return {model.units.voxel_um, model.units.seconds_per_mcs, model.measure.speed_interval_mcs,
          model.measure.arrest_below_um_per_min};
}

}  // namespace

Motility::Motility(const Model& model, MotilityData data)
    : frozen_(model.frozen_types()), speeds_(speed_settings(model), std::move(data.speeds)) {}

void Motility::watch(const State& state, int phase) {
  if (speeds_.is_due(state.mcs, phase)) speeds_.add(state.mcs, tracked_places(state.cells, frozen_), phase);
}

}  // namespace kiln
