// A physics for places as a brick stores them. Read by both compilers.
#pragma once

#include "terms/physics.hpp"

namespace kiln {

template <class Base>
struct PlacedPhysics : Base {
  Vec3i origin;

  KILN_HD PlacedPhysics(const Base& base, const Vec3i& where) : Base(base), origin(where) {}
  KILN_HOT Vec3f field_at(int field, const Vec3i& place) const {
    Vec3i there = place + origin;
    this->lattice.wrap(there);
    return this->fields[field].at(this->lattice, there);
  }
  template <int Dim>
  KILN_HOT float concentration(int substance, const Vec3i& place) const {
    Vec3i there = place + origin;
    this->lattice.wrap(there);
    return Base::template concentration<Dim>(substance, there);
  }
};

}  // namespace kiln
