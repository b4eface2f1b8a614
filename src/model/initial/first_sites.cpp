#include "model/initial/first_sites.hpp"

namespace kiln {

void SiteStretches::Row::set(int32_t x, bool value) {
  if (has(x) == value) return;
  bits[std::size_t(x / 64)] ^= uint64_t(1) << (x % 64);
  begin += value ? 1 : -1;
}

// False where what is set would not be one stretch any more.
bool SiteStretches::set_in_stretch(Row& row, int32_t x, bool value) const {
  const bool was_set = x >= row.begin && x < row.end;
  if (was_set == value) return true;
  if (row.begin == row.end) row.begin = row.end = x;
  if (value && x == row.end) return ++row.end, true;
  if (value && x == row.begin - 1) return --row.begin, true;
  if (!value && x == row.end - 1) return --row.end, true;
  if (!value && x == row.begin) return ++row.begin, true;
  return false;
}

void SiteStretches::take_bits(Row& row) const {
  row.bits = std::make_unique<uint64_t[]>(std::size_t(length_ + 63) / 64);
  const int32_t begin = row.begin, end = row.end;
  row.begin = row.end = 0;
  for (int32_t x = begin; x < end; ++x) row.set(x, true);
}

// Bits go when all or none of a row's sites are set.
void SiteStretches::set(const Vec3i& place, bool value) {
  Row& row = rows_[number(place)];
  if (row.bits == nullptr && set_in_stretch(row, place.x, value)) return;
  if (row.bits == nullptr) take_bits(row);
  row.set(place.x, value);
  if (row.begin > 0 && row.begin < length_) return;
  row = {0, row.begin, nullptr};
}

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
