#include "model/initial/first_sites.hpp"

namespace kiln {

FirstSites::FirstSites(const Lattice& lattice)
    : lattice_(lattice), window_{{0, 0, 0}, lattice.size}, ids_(std::size_t(lattice.sites())) {}

FirstSites::FirstSites(const Lattice& lattice, const Box& window)
    : lattice_(lattice), window_(window), taken_(lattice) {
  for (int axis = 0; axis < 3; ++axis) {
    if (lattice.periodic[axis]) continue;
    window_.low[axis] = std::max(window_.low[axis], 0);
    window_.high[axis] = std::min(window_.high[axis], lattice.size[axis]);
  }
  const Vec3i size = window_.size();
  ids_ = HugeVector<CellId>(std::size_t(size.x) * std::size_t(size.y) * std::size_t(size.z));
}

// At every image of the place that the window shows.
void FirstSites::give_in_window(const Vec3i& place, CellId cell) {
  const Vec3i size = window_.size();
  Vec3i first, step;
  for (int axis = 0; axis < 3; ++axis) {
    const int32_t length = lattice_.size[axis];
    first[axis] = place[axis] - window_.low[axis];
    step[axis] = lattice_.periodic[axis] ? length : size[axis] + 1;
    if (lattice_.periodic[axis]) first[axis] = ((first[axis] % length) + length) % length;
    if (first[axis] < 0) return;
  }
  for (int32_t z = first.z; z < size.z; z += step.z)
    for (int32_t y = first.y; y < size.y; y += step.y)
      for (int32_t x = first.x; x < size.x; x += step.x)
        ids_[(std::size_t(z) * std::size_t(size.y) + std::size_t(y)) * std::size_t(size.x) + std::size_t(x)] =
            cell;
}

}  // namespace kiln
