#include <algorithm>

#include "engine/bookkeeping.hpp"

namespace kiln {
namespace {

// At sites first to last - 1.
void decay_act(State& state, Site first, Site last) {
  for (Site site = first; site < last; ++site) {
    ActValue& value = state.act[std::size_t(site)];
    value = ActValue(value - (value > 0 ? 1 : 0));
  }
}

void move_anchors(State& state) {
  const Lattice& lattice = state.lattice;
  Cells& cells = state.cells;
  std::vector<bool> moved(cells.count(), false);
  bool any = false;
  for (CellId cell = 1; cell < cells.count(); ++cell) {
    Cells::Centroid& centroid = cells.centroid[cell];
    moved[cell] = move_anchor(lattice, cells.extent[cell].volume, centroid.anchor, centroid.sum);
    any |= moved[cell];
  }
  if (!any) return;
  Site site = 0;
  for (int32_t z = 0; z < lattice.size.z; ++z)
    for (int32_t y = 0; y < lattice.size.y; ++y)
      for (int32_t x = 0; x < lattice.size.x; ++x, ++site) {
        const CellId cell = state.ids[std::size_t(site)];
        if (!moved[cell]) continue;
        Cells::Centroid& centroid = cells.centroid[cell];
        const Vec3i d = offset_from_anchor(lattice, centroid.anchor, {x, y, z});
        for (int axis = 0; axis < 3; ++axis) centroid.sum[axis] += d[axis];
      }
}

void turn_persistent_cells(State& state, const Physics& physics) {
  for (CellId cell = 1; cell < state.cells.count(); ++cell) {
    if (state.cells.extent[cell].volume == 0) continue;
    persistence::turn(physics.types[state.cells.type[cell]].persistence, state.mcs,
                      state.cells.position(cell), state.direction[cell],
                      state.history.data() + cell * std::size_t(state.history_length));
  }
}

}  // namespace

// Rarely, for it may take a look at the whole lattice; often enough for a short box.
int64_t mcs_between_anchor_checks(const Lattice& lattice) {
  int32_t shortest = 4096;
  for (int axis = 0; axis < lattice.dimension; ++axis)
    if (lattice.periodic[axis]) shortest = std::min(shortest, lattice.size[axis]);
  return std::max(shortest / 16, 1);
}

namespace {

void finish_after_decay(State& state, const Physics& physics) {
  state.mcs += 1;
  if (state.mcs % mcs_between_anchor_checks(state.lattice) == 0) move_anchors(state);
  if (state.history_length > 0) turn_persistent_cells(state, physics);
}

}  // namespace

void finish_mcs(State& state, const Physics& physics) {
  decay_act(state, 0, Site(state.act.size()));
  finish_after_decay(state, physics);
}

void finish_mcs(State& state, const Physics& physics, Team& team, int member) {
  const Site sites = Site(state.act.size()), parts = team.members();
  decay_act(state, sites * member / parts, sites * (member + 1) / parts);
  team.wait();
  if (member == 0) finish_after_decay(state, physics);
  team.wait();
}

}  // namespace kiln
