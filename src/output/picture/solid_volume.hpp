// The lattice as the ray caster sees it: how much of the neighbourhood of every site is visible matter,
// smoothed so that surfaces are round instead of made of cubes.
#pragma once

#include <vector>

#include "core/state.hpp"
#include "output/picture/image.hpp"

namespace kiln {

// A box of bytes that is read between its points.
struct ByteGrid {
  Vec3i size;
  std::vector<uint8_t> values;

  void resize(const Vec3i& new_size);
  std::size_t index(int x, int y, int z) const { return (std::size_t(z) * size.y + y) * size.x + x; }
  // Trilinear, 0 to 255; outside of the box its nearest face.
  float at(const Vec3f& p) const;
};

// The unit of length is the voxel, which is `step` sites wide; voxel i has its centre at i. Around the
// lattice its outermost voxels are continued by kPadding more, so that smoothing does not round off what the
// wall cuts.
class SolidVolume {
 public:
  static constexpr int kPadding = 2;
  static constexpr int kBlock = 4;  // voxels along the side of a block
  static constexpr int kFarthest = 8;
  // The surface is where the smooth value is this, of 255. A little less than one half: smoothing shrinks
  // what is convex, and this gives a ball of radius 7 its size back.
  static constexpr float kSurface = 113.5f;

  // `visible`: per cell, 0 or 1.
  SolidVolume(const State& state, std::vector<uint8_t> visible, double sites_per_pixel, int threads);

  int step() const { return step_; }
  Vec3d place(const Vec3d& lattice_place) const;
  // The lattice's walls: nothing beyond them is matter.
  const Vec3d& low_wall() const { return low_wall_; }
  const Vec3d& high_wall() const { return high_wall_; }

  bool visible(CellId cell) const { return visible_[cell] != 0; }
  // The site at voxel (x, y, z) is offset(0, x) + offset(1, y) + offset(2, z); beyond the lattice one of them
  // is -1.
  Site offset(int axis, int voxel) const;

  const ByteGrid& fine() const { return fine_; }
  // The mean over blocks, and over blocks of blocks; empty beyond the walls.
  float near(const Vec3f& p) const;
  float far(const Vec3f& p) const;
  // Cubes between voxels that the surface may pass through, one bit each, of the block that begins at voxel
  // kBlock * (x, y, z). The cube at voxel (i, j, k) of it has bit (k * kBlock + j) * kBlock + i.
  uint64_t crossed(const Vec3i& block) const { return crossed_[near_.index(block.x, block.y, block.z)]; }
  // How many blocks away in any direction the next one is that has such a cube; at most kFarthest.
  int blocks_to_surface(const Vec3i& block) const {
    return distance_[near_.index(block.x, block.y, block.z)];
  }

 private:
  using Plane = std::vector<uint16_t>;

  bool matter(int x, int y, int z) const;
  int nearest_inside(int axis, int voxel) const;
  // The places of voxels of matter that smoothing has taken below the surface are added to `thin`.
  void smooth_planes(int first, int last, std::vector<Vec3i>& thin);
  void blur_plane(int z, Plane& plane) const;
  bool is_at_surface(const Vec3i& voxel) const;
  void summarise_blocks(int z);
  void mark_crossed(int z);
  void measure_distances();

  const State& state_;
  int step_ = 1;
  Vec3i voxels_;  // without the padding
  Vec3d low_wall_, high_wall_;
  Vec3<Site> stride_;             // sites from one to the next along an axis
  std::vector<uint8_t> visible_;  // per cell
  ByteGrid fine_, near_, far_;
  std::vector<uint64_t> crossed_;  // per block
  std::vector<uint8_t> distance_;  // per block
};

}  // namespace kiln
