#include "output/picture/solid_volume.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/parallel.hpp"

namespace kiln {
namespace {

constexpr int kReach = 2;  // of the smoothing kernel
constexpr int kWeight = 16;
constexpr std::array<int, 2 * kReach + 1> kKernel{1, 4, 6, 4, 1};

// Smoothing must not remove thin threads and lonely voxels: where that much is missing to the surface's
// value, and no surface is next to it, a voxel of matter is put back just inside. (Next to a surface it is
// the corner of something thick, and putting it back would grow a horn.)
constexpr int kMissing = 12;
constexpr int kInside = 16;

constexpr double kMostVoxels = 0x1p30;
constexpr uint8_t kLeastInside = uint8_t(SolidVolume::kSurface) + 1;

int step_for(const Vec3i& size, double sites_per_pixel) {
  int step = std::max(1, int(sites_per_pixel));
  while (double(size.x) / step * size.y / step * size.z / step > kMostVoxels) ++step;
  return step;
}

int blocks_in(int length, int block) { return (length + block - 1) / block; }

// Means of blocks of voxels of `from`, for one layer of `to`. What lies beyond [low, high) counts as empty.
void average_layer(const ByteGrid& from, ByteGrid& to, int block, int z, const Vec3i& low,
                   const Vec3i& high) {
  const auto begin = [&](int i, int axis) { return std::max(i * block, low[axis]); };
  const auto end = [&](int i, int axis) { return std::min((i + 1) * block, high[axis]); };
  for (int y = 0; y < to.size.y; ++y)
    for (int x = 0; x < to.size.x; ++x) {
      uint32_t sum = 0;
      for (int k = begin(z, 2); k < end(z, 2); ++k)
        for (int j = begin(y, 1); j < end(y, 1); ++j)
          for (int i = begin(x, 0); i < end(x, 0); ++i) sum += from.values[from.index(i, j, k)];
      to.values[to.index(x, y, z)] = uint8_t(sum / uint32_t(block * block * block));
    }
}

}  // namespace

void ByteGrid::resize(const Vec3i& new_size) {
  size = new_size;
  values.assign(index(0, 0, size.z), 0);
}

float ByteGrid::at(const Vec3f& p) const {
  Vec3i low, high;
  Vec3f f;
  for (int axis = 0; axis < 3; ++axis) {
    const float v = std::clamp(p[axis], 0.0f, float(size[axis] - 1));
    low[axis] = int(v);
    high[axis] = std::min(low[axis] + 1, size[axis] - 1);
    f[axis] = v - float(low[axis]);
  }
  const auto along_x = [&](int y, int z) {
    const uint8_t* row = values.data() + index(0, y, z);
    return float(row[low.x]) + f.x * float(row[high.x] - row[low.x]);
  };
  const auto along_y = [&](int z) {
    const float a = along_x(low.y, z);
    return a + f.y * (along_x(high.y, z) - a);
  };
  const float a = along_y(low.z);
  return a + f.z * (along_y(high.z) - a);
}

SolidVolume::SolidVolume(const State& state, std::vector<uint8_t> visible, double sites_per_pixel,
                         int threads)
    : state_(state),
      step_(step_for(state.lattice.size, sites_per_pixel)),
      stride_{1, state.lattice.size.x, Site(state.lattice.size.x) * state.lattice.size.y},
      visible_(std::move(visible)) {
  for (int axis = 0; axis < 3; ++axis) voxels_[axis] = std::max(1, state.lattice.size[axis] / step_);
  fine_.resize(voxels_ + Vec3i{2 * kPadding, 2 * kPadding, 2 * kPadding});
  const Vec3i size = state.lattice.size;
  low_wall_ = place({-0.5, -0.5, -0.5});
  high_wall_ = place({size.x - 0.5, size.y - 0.5, size.z - 0.5});
  constexpr int kPlanes = 16;  // per task
  const int tasks = blocks_in(fine_.size.z, kPlanes);
  std::vector<std::vector<Vec3i>> thin(tasks);
  parallel_for(tasks, threads, [&](int task) {
    smooth_planes(task * kPlanes, std::min((task + 1) * kPlanes, fine_.size.z), thin[task]);
  });
  parallel_for(tasks, threads, [&](int task) {
    std::erase_if(thin[task], [&](const Vec3i& voxel) { return is_at_surface(voxel); });
  });
  for (const std::vector<Vec3i>& voxels : thin)
    for (const Vec3i& v : voxels) fine_.values[fine_.index(v.x, v.y, v.z)] = uint8_t(int(kSurface) + kInside);

  const auto coarser = [](const Vec3i& grid) {
    return Vec3i{blocks_in(grid.x, kBlock), blocks_in(grid.y, kBlock), blocks_in(grid.z, kBlock)};
  };
  near_.resize(coarser(fine_.size));
  crossed_.resize(near_.values.size());
  parallel_for(near_.size.z, threads, [&](int z) { summarise_blocks(z); });
  measure_distances();
  far_.resize(coarser(near_.size));
  for (int z = 0; z < far_.size.z; ++z) average_layer(near_, far_, kBlock, z, {}, near_.size);
}

Vec3d SolidVolume::place(const Vec3d& p) const {
  const auto along = [&](double v) { return (v - step_ / 2) / step_ + kPadding; };
  return {along(p.x), along(p.y), along(p.z)};
}

Site SolidVolume::offset(int axis, int voxel) const {
  if (voxel < kPadding || voxel >= kPadding + voxels_[axis]) return -1;
  const int32_t along = (voxel - kPadding) * step_ + step_ / 2;
  return std::min(along, state_.lattice.size[axis] - 1) * stride_[axis];
}

int SolidVolume::nearest_inside(int axis, int voxel) const {
  return std::clamp(voxel, kPadding, kPadding + voxels_[axis] - 1);
}

bool SolidVolume::matter(int x, int y, int z) const {
  const Site site =
      offset(0, nearest_inside(0, x)) + offset(1, nearest_inside(1, y)) + offset(2, nearest_inside(2, z));
  return visible_[state_.ids[site]] != 0;
}

float SolidVolume::near(const Vec3f& p) const {
  constexpr float kMiddle = (kBlock - 1) / 2.0f;
  return near_.at({(p.x - kMiddle) / kBlock, (p.y - kMiddle) / kBlock, (p.z - kMiddle) / kBlock});
}

float SolidVolume::far(const Vec3f& p) const {
  constexpr float kSide = kBlock * kBlock, kMiddle = (kSide - 1) / 2;
  return far_.at({(p.x - kMiddle) / kSide, (p.y - kMiddle) / kSide, (p.z - kMiddle) / kSide});
}

// Matter of plane z, smoothed along x and y: 0 to kWeight^2.
void SolidVolume::blur_plane(int z, Plane& plane) const {
  const int width = fine_.size.x, height = fine_.size.y;
  plane.assign(std::size_t(width) * height, 0);
  std::vector<uint16_t> row(width + 2 * kReach);
  Plane along_x(std::size_t(width) * voxels_.y);
  for (int y = 0; y < voxels_.y; ++y) {
    for (int x = kPadding; x < kPadding + voxels_.x; ++x)
      row[x + kReach] = matter(x, y + kPadding, z) ? 1 : 0;
    for (int x = -kReach; x < width + kReach; ++x) row[x + kReach] = row[nearest_inside(0, x) + kReach];
    uint16_t* out = along_x.data() + std::size_t(y) * width;
    for (int k = 0; k < 2 * kReach + 1; ++k)
      for (int x = 0; x < width; ++x) out[x] = uint16_t(out[x] + kKernel[k] * row[x + k]);
  }
  for (int y = 0; y < height; ++y)
    for (int k = 0; k < 2 * kReach + 1; ++k) {
      const int from = nearest_inside(1, y + k - kReach) - kPadding;
      const uint16_t* in = along_x.data() + std::size_t(from) * width;
      uint16_t* out = plane.data() + std::size_t(y) * width;
      for (int x = 0; x < width; ++x) out[x] = uint16_t(out[x] + kKernel[k] * in[x]);
    }
}

void SolidVolume::smooth_planes(int first, int last, std::vector<Vec3i>& thin) {
  std::array<Plane, 2 * kReach + 1> planes;  // plane z in slot z modulo their number
  const auto slot = [&](int z) -> Plane& { return planes[(z + int(planes.size())) % planes.size()]; };
  for (int z = first - kReach; z < first + kReach; ++z) blur_plane(z, slot(z));
  for (int z = first; z < last; ++z) {
    blur_plane(z + kReach, slot(z + kReach));
    for (int y = 0; y < fine_.size.y; ++y)
      for (int x = 0; x < fine_.size.x; ++x) {
        const std::size_t i = std::size_t(y) * fine_.size.x + x;
        int sum = 0;
        for (int k = -kReach; k <= kReach; ++k) sum += kKernel[k + kReach] * slot(z + k)[i];
        const int value = sum * 255 / (kWeight * kWeight * kWeight);
        if (value > 0 && value < kSurface - kMissing && matter(x, y, z)) thin.push_back({x, y, z});
        fine_.values[fine_.index(x, y, z)] = uint8_t(value);
      }
  }
}

// Whether a voxel that touches this one is inside of something.
bool SolidVolume::is_at_surface(const Vec3i& voxel) const {
  const auto begin = [&](int axis) { return std::max(voxel[axis] - 1, 0); };
  const auto end = [&](int axis) { return std::min(voxel[axis] + 2, fine_.size[axis]); };
  for (int z = begin(2); z < end(2); ++z)
    for (int y = begin(1); y < end(1); ++y)
      for (int x = begin(0); x < end(0); ++x)
        if (float(fine_.values[fine_.index(x, y, z)]) >= kSurface) return true;
  return false;
}

void SolidVolume::summarise_blocks(int z) {
  const Vec3i padding{kPadding, kPadding, kPadding};
  average_layer(fine_, near_, kBlock, z, padding, padding + voxels_);
  for (int plane = z * kBlock; plane < std::min((z + 1) * kBlock, fine_.size.z - 1); ++plane)
    mark_crossed(plane);
}

// All of a block's cubes with a corner inside of something. Deep inside that is all of them, but no ray comes
// there.
void SolidVolume::mark_crossed(int z) {
  const int width = fine_.size.x;
  std::vector<uint8_t> inside(width);
  for (int y = 0; y + 1 < fine_.size.y; ++y) {
    const uint8_t* rows[] = {&fine_.values[fine_.index(0, y, z)], &fine_.values[fine_.index(0, y + 1, z)],
                             &fine_.values[fine_.index(0, y, z + 1)],
                             &fine_.values[fine_.index(0, y + 1, z + 1)]};
    for (int x = 0; x < width; ++x)
      inside[x] = std::max({rows[0][x], rows[1][x], rows[2][x], rows[3][x]}) >= kLeastInside ? 1 : 0;
    uint64_t* blocks = &crossed_[near_.index(0, y / kBlock, z / kBlock)];
    const int first_bit = (z % kBlock * kBlock + y % kBlock) * kBlock;
    for (int x = 0; x + 1 < width; ++x)
      blocks[x / kBlock] |= uint64_t(inside[x] | inside[x + 1]) << (first_bit + x % kBlock);
  }
}

// Grows what is not empty by one block at a time; a block that it has not reached is that much farther away.
void SolidVolume::measure_distances() {
  const Vec3i size = near_.size;
  std::vector<uint8_t> reached(crossed_.size()), grown;
  for (std::size_t i = 0; i < reached.size(); ++i) reached[i] = crossed_[i] != 0;
  distance_.assign(reached.size(), 0);
  const auto grow = [&](std::size_t stride, int length) {
    grown = reached;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const int place = int(i / stride) % length;
      if (place > 0) grown[i] |= reached[i - stride];
      if (place + 1 < length) grown[i] |= reached[i + stride];
    }
    reached.swap(grown);
  };
  for (int away = 1; away <= kFarthest; ++away) {
    for (std::size_t i = 0; i < reached.size(); ++i) distance_[i] = uint8_t(distance_[i] + (reached[i] ^ 1));
    grow(1, size.x);
    grow(std::size_t(size.x), size.y);
    grow(std::size_t(size.x) * size.y, size.z);
  }
}

}  // namespace kiln
