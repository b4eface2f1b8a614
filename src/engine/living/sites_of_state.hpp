// The lattice of a state, as events change it.
#pragma once

#include "engine/living/events.hpp"

namespace kiln {

// Around a site of a cell.
inline int32_t unlike_neighbours(const Lattice& lattice, const CellId* ids, const Vec3i& place, CellId cell,
                                 const Neighbourhood& perimeter) {
  int32_t count = 0;
  for (int k = 0; k < perimeter.count; ++k) {
    Vec3i other = place + Vec3i{perimeter.offset[k].x, perimeter.offset[k].y, perimeter.offset[k].z};
    count += lattice.wrap(other) && ids[lattice.index(other)] != cell ? 1 : 0;
  }
  return count;
}

class SitesOfState : public TissueSites {
 public:
  SitesOfState(State& state, const Neighbourhood& perimeter) : state_(state), perimeter_(perimeter) {}

  void change(const Cells&, const CellChanges& changes) override {
    for (const TouchedSite& touched : changes.sites) {
      state_.ids[std::size_t(touched.site)] = touched.cell;
      if (touched.cell == kMedium && !state_.act.empty()) state_.act[std::size_t(touched.site)] = 0;
    }
  }
  void count_perimeters(Cells& cells, const CellChanges& changes) override {
    for (const std::size_t i : changes.of_born) {
      const auto& [cell, site] = changes.sites[i];
      cells.extent[cell].perimeter += unlike_neighbours(state_.lattice, state_.ids.data(),
                                                        state_.lattice.position(site), cell, perimeter_);
    }
  }

 private:
  State& state_;
  const Neighbourhood& perimeter_;
};

}  // namespace kiln
