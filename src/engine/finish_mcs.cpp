#include <algorithm>

#include "engine/bookkeeping.hpp"

namespace kiln {
namespace {

void decay_act(State& state) {
  for (ActValue& value : state.act) value = ActValue(value - (value > 0 ? 1 : 0));
}

// A centroid sum is right only while the cell stays within half a box of its anchor, so cells that have moved
// an eighth of the box get a new one. Rarely: the sums are then counted anew from the lattice, which keeps
// them exact even for a cell that is wider than half the box.
int64_t mcs_between_anchor_checks(const Lattice& lattice) {
  int32_t shortest = 256;
  for (int axis = 0; axis < lattice.dimension; ++axis)
    if (lattice.periodic[axis]) shortest = std::min(shortest, lattice.size[axis]);
  return std::clamp(shortest / 16, 1, 16);
}

int64_t rounded_quotient(int64_t sum, int64_t volume) {
  const int64_t twice = 2 * sum + volume, whole = 2 * volume;
  return twice >= 0 ? twice / whole : -((-twice + whole - 1) / whole);
}

void move_anchors(State& state) {
  const Lattice& lattice = state.lattice;
  Cells& cells = state.cells;
  std::vector<CellId> moved;
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    const int64_t volume = cells.extent[cell].volume;
    if (volume == 0) continue;
    Cells::Centroid& centroid = cells.centroid[cell];
    bool far = false;
    for (int axis = 0; axis < lattice.dimension; ++axis)
      far |= lattice.periodic[axis] && 8 * std::abs(centroid.sum[axis]) > volume * lattice.size[axis];
    if (!far) continue;
    for (int axis = 0; axis < lattice.dimension; ++axis)
      if (lattice.periodic[axis])
        centroid.anchor[axis] += int32_t(rounded_quotient(centroid.sum[axis], volume));
    centroid.sum = {};
    moved.push_back(cell);
  }
  if (moved.empty()) return;
  std::vector<bool> is_moved(cells.count(), false);
  for (const CellId cell : moved) is_moved[cell] = true;
  Site site = 0;
  for (int32_t z = 0; z < lattice.size.z; ++z)
    for (int32_t y = 0; y < lattice.size.y; ++y)
      for (int32_t x = 0; x < lattice.size.x; ++x, ++site) {
        const CellId cell = state.ids[std::size_t(site)];
        if (!is_moved[cell]) continue;
        Cells::Centroid& centroid = cells.centroid[cell];
        const Vec3i d = offset_from_anchor(lattice, centroid.anchor, {x, y, z});
        for (int axis = 0; axis < 3; ++axis) centroid.sum[axis] += d[axis];
      }
}

void turn_persistent_cells(State& state, const Physics& physics) {
  const std::size_t slots = std::size_t(state.history_length);
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    const persistence::Params& p = physics.types[state.cells.type[cell]].persistence;
    const bool persistent = !(state.direction[cell] == Vec3f{});  // keeps turning in phases where lambda is 0
    if (!persistent || state.cells.extent[cell].volume == 0) continue;
    const Vec3d now = state.cells.position(cell);
    const int64_t lag = int64_t(p.dt);
    Vec3d* past = state.history.data() + cell * slots;
    const Vec3d before = state.mcs < lag ? past[0] : past[state.mcs % lag];
    state.direction[cell] = persistence::turned(p, state.direction[cell], now, before);
    past[state.mcs % lag] = now;
  }
}

}  // namespace

void finish_mcs(State& state, const Physics& physics) {
  state.mcs += 1;
  decay_act(state);
  if (state.mcs % mcs_between_anchor_checks(state.lattice) == 0) move_anchors(state);
  if (state.history_length > 0) turn_persistent_cells(state, physics);
}

}  // namespace kiln
