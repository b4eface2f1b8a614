#include "model/initial/region.hpp"

#include <algorithm>

#include "model/initial/capsule.hpp"

namespace kiln {

bool Region::holds_inside(const Vec3d& p) const {
  const auto holds = [&p](const Region& part) { return part.contains(p); };
  switch (shape) {
    case Shape::tube:
      return Capsule{from, to, radius}.contains(p);
    case Shape::set_union:
      return std::any_of(of.begin(), of.end(), holds);
    case Shape::intersection:
      return std::all_of(of.begin(), of.end(), holds);
    case Shape::difference:
      return !of.empty() && holds(of.front()) && std::none_of(of.begin() + 1, of.end(), holds);
    default:
      return true;
  }
}

}  // namespace kiln
