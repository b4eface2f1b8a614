// Volumes that come plane by plane: an image may cover more sites than memory holds.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <utility>

#include "data/image/grid.hpp"

namespace kiln {

// each(visit) calls visit(z, plane) for all planes, which are one voxel high, from the lowest z on. It can be
// called several times, and says the same each time.
struct Planes {
  using Visit = std::function<void(int32_t z, Volume plane)>;

  Vec3i size{0, 0, 0};
  std::function<void(const Visit& visit)> each;
};

// Refers to the volume, which must outlive it.
Planes planes_of(const Volume& volume);
Volume gathered(const Planes& planes);

inline constexpr int64_t kSmallVolume = int64_t(1) << 26;  // voxels
// Caches the planes of small volumes when they are first visited; others are made anew at every visit.
Planes kept_where_small(Planes from);

// The planes of a volume that the next ones of another are made of.
class PlaneWindow {
 public:
  const Volume& operator[](int32_t z) const { return planes_[std::size_t(z - first_)]; }
  int32_t end() const { return first_ + int32_t(planes_.size()); }
  void add(Volume plane) { planes_.push_back(std::move(plane)); }
  void forget_before(int32_t z) {
    for (; first_ < z; ++first_) planes_.pop_front();
  }

 private:
  std::deque<Volume> planes_;
  int32_t first_ = 0;
};

// Calls work(z, window) for all z below `count`: the window has the planes from first(z) to last(z), which do
// not fall as z rises.
template <class First, class Last, class Work>
void for_each_window(const Planes& from, int32_t count, const First& first, const Last& last,
                     const Work& work) {
  PlaneWindow window;
  int32_t z = 0;
  from.each([&](int32_t, Volume plane) {
    window.add(std::move(plane));
    for (; z < count && last(z) < window.end(); ++z) {
      window.forget_before(first(z));
      work(z, std::as_const(window));
    }
  });
}

// On a grid whose voxels are `scale` times as wide, covering the same box: the mean of what a new voxel
// covers where they are wider, linear between the nearest where they are narrower.
Planes resampled(Planes from, const Vec3d& scale);
// Of the grid that `resampled` makes: at least 1 along every axis.
Vec3i resampled_size(const Vec3i& size, const Vec3d& scale);

// Gaussian of this standard deviation, in voxels, along every axis; 0 leaves an axis as it is. Beyond the
// walls lies the mirror image.
Planes smoothed(Planes from, const Vec3d& sigma);
// How far it reaches.
int32_t reach_of_smoothing(double sigma);

// Where along an axis of `length` voxels the mirror images, one after the other, have place `at`.
inline int32_t mirrored(int64_t at, int32_t length) {
  const int64_t period = 2 * int64_t(length), place = ((at % period) + period) % period;
  return int32_t(place < length ? place : period - 1 - place);
}

}  // namespace kiln
