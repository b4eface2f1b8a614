// The lattice of a state, as events change it.
#pragma once

#include "engine/living/events.hpp"

namespace kiln {

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
    const Lattice& lattice = state_.lattice;
    for (const std::size_t i : changes.of_born) {
      const TouchedSite& touched = changes.sites[i];
      const Vec3i place = lattice.position(touched.site);
      for (int k = 0; k < perimeter_.count; ++k) {
        Vec3i other = place + Vec3i{perimeter_.offset[k].x, perimeter_.offset[k].y, perimeter_.offset[k].z};
        if (lattice.wrap(other) && state_.ids[std::size_t(lattice.index(other))] != touched.cell)
          cells.extent[touched.cell].perimeter += 1;
      }
    }
  }

 private:
  State& state_;
  const Neighbourhood& perimeter_;
};

}  // namespace kiln
