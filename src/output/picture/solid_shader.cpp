#include "output/picture/solid_shader.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace kiln {
namespace {

Vec3f to_float(const Vec3d& v) { return {float(v.x), float(v.y), float(v.z)}; }

Vec3f unit(const Vec3f& v) {
  const float length = std::sqrt(dot(v, v));
  return length > 0 ? v * (1 / length) : Vec3f{};
}

Vec3f mix(const Vec3f& a, const Vec3f& b, float share) { return a + (b - a) * share; }

// A bell of radius 2.5 voxels, and its slope, at the five voxels around a place at offset f from the middle
// one.
constexpr int kBell = 5;
struct Bell {
  std::array<float, kBell> weight, slope;

  explicit Bell(float f) {
    constexpr float kRadius2 = 6.25f;
    for (int i = 0; i < kBell; ++i) {
      const float d = f - float(i - kBell / 2);
      const float rest = std::max(0.0f, 1 - d * d / kRadius2);
      weight[i] = rest * rest * rest;
      slope[i] = -6 * d / kRadius2 * rest * rest;
    }
  }
  float all_weights() const { return weight[0] + weight[1] + weight[2] + weight[3] + weight[4]; }
  float all_slopes() const { return slope[0] + slope[1] + slope[2] + slope[3] + slope[4]; }
};

// The light comes over the left shoulder of the viewer.
constexpr Vec3d kLightInView{-0.55, 0.65, 0.75};
constexpr float kPillow = 0.25f;  // how much a cell's own roundness bends the normal of the tissue's surface
constexpr float kHaze = 0.22f;    // share of white at the far side

}  // namespace

void SolidSurroundings::cut(const Octant& octant, const SolidVolume* standing) {
  corner_ = to_float(volume_->place(octant.corner));
  side_ = octant.side;
  standing_ = standing;
}

bool SolidSurroundings::is_cut(const Vec3f& p) const {
  for (int axis = 0; axis < 3; ++axis)
    if ((p[axis] - corner_[axis]) * float(side_[axis]) <= 0) return false;
  return true;
}

float SolidSurroundings::near(const Vec3f& p) const {
  const SolidVolume* volume = is_cut(p) ? standing_ : volume_;
  return volume != nullptr ? volume->near(p) / 255 : 0.0f;
}

float SolidSurroundings::far(const Vec3f& p) const {
  const SolidVolume* volume = is_cut(p) ? standing_ : volume_;
  return volume != nullptr ? volume->far(p) / 255 : 0.0f;
}

SolidShader::SolidShader(const SolidVolume& volume, const SolidSurroundings& surroundings,
                         const Palette& palette, const State& state, const Camera& camera)
    : volume_(volume), surroundings_(surroundings), palette_(palette), state_(state) {
  to_light_ = unit(
      to_float(camera.right * kLightInView.x + camera.up * kLightInView.y - camera.forward * kLightInView.z));
  up_ = to_float(camera.up);
  const double distance = std::sqrt(dot(camera.target - camera.eye, camera.target - camera.eye));
  nearest_ = distance - camera.radius;
  farthest_ = distance + camera.radius;
}

// Adds up, per cell, the bell-shaped weights of its sites around a place.
class SolidShader::Ballot {
 public:
  Ballot(const SolidVolume& volume, const State& state, bool with_act)
      : volume_(volume), state_(state), with_act_(with_act) {}

  Owner count(const Vec3f& place) {
    const Vec3i middle{int(place.x + 0.5f), int(place.y + 0.5f), int(place.z + 0.5f)};
    const Bell bx(place.x - float(middle.x)), by(place.y - float(middle.y)), bz(place.z - float(middle.z));
    std::array<Site, kBell> columns, rows;
    for (int i = 0; i < kBell; ++i) {
      columns[i] = volume_.offset(0, middle.x + i - kBell / 2);
      rows[i] = volume_.offset(1, middle.y + i - kBell / 2);
    }
    // Most rows lie in one cell, or in the medium.
    const bool adjacent = columns[0] >= 0 && columns[kBell - 1] == columns[0] + kBell - 1 && !with_act_;
    const float weight = bx.all_weights(), slope = bx.all_slopes();
    for (int z = 0; z < kBell; ++z) {
      const Site layer = volume_.offset(2, middle.z + z - kBell / 2);
      if (layer < 0) continue;
      for (int y = 0; y < kBell; ++y) {
        if (rows[y] < 0) continue;
        const Vec3f factors{by.weight[y] * bz.weight[z], by.slope[y] * bz.weight[z],
                            by.weight[y] * bz.slope[z]};
        const CellId* ids = state_.ids.data() + layer + rows[y] + columns[0];
        if (adjacent && are_alike(ids))
          add(ids[0], weight, slope, 0, factors);
        else
          add_row(layer + rows[y], columns, bx, factors);
      }
    }
    return winner();
  }

 private:
  // `factors`: what the sums of x's slopes, weights and weights along the row count for in the gradient.
  void add_row(Site row, const std::array<Site, kBell>& columns, const Bell& bx, const Vec3f& factors) {
    for (int x = 0; x < kBell;) {
      if (columns[x] < 0) {
        ++x;
        continue;
      }
      const CellId cell = state_.ids[row + columns[x]];
      float weight = 0, slope = 0, act = 0;
      for (; x < kBell && columns[x] >= 0 && state_.ids[row + columns[x]] == cell; ++x) {
        weight += bx.weight[x];
        slope += bx.slope[x];
        if (with_act_) act += bx.weight[x] * float(state_.act[row + columns[x]]);
      }
      add(cell, weight, slope, act, factors);
    }
  }

  void add(CellId cell, float weight, float slope, float act, const Vec3f& factors) {
    if (!volume_.visible(cell)) return;
    const Vec3f gradient{slope * factors.x, weight * factors.y, weight * factors.z};
    const int share = share_of(cell);
    weights_[share] += weight * factors.x;
    acts_[share] += act * factors.x;
    for (int axis = 0; axis < 3; ++axis) slopes_[share][axis] += gradient[axis];
    slope_of_all_ = slope_of_all_ + gradient;
  }

  static bool are_alike(const CellId* ids) {
    CellId differs = 0;
    for (int i = 1; i < kBell; ++i) differs |= ids[i] ^ ids[0];
    return differs == 0;
  }

  int share_of(CellId cell) {
    int i = 0;
    while (i < count_ && cells_[i] != cell) ++i;
    if (i < count_) return i;
    cells_[i] = cell;
    weights_[i] = acts_[i] = slopes_[i][0] = slopes_[i][1] = slopes_[i][2] = 0;
    return count_++;
  }

  Owner winner() const {
    Owner owner;
    float most = 0;
    for (int i = 0; i < count_; ++i) {
      if (weights_[i] <= most) continue;
      most = weights_[i];
      const Vec3f slope{slopes_[i][0], slopes_[i][1], slopes_[i][2]};
      owner = {cells_[i], acts_[i] / most, slope_of_all_ - slope};
    }
    return owner;
  }

  const SolidVolume& volume_;
  const State& state_;
  bool with_act_;
  // Of each cell that was met. Not cleared ahead: there are few, and room for one per site.
  static constexpr int kMost = kBell * kBell * kBell;
  CellId cells_[kMost];
  float weights_[kMost], acts_[kMost], slopes_[kMost][3];
  int count_ = 0;
  Vec3f slope_of_all_;
};

Vec3f SolidShader::normal_at(const Vec3f& place, const Vec3f& to_others) const {
  const ByteGrid& fine = volume_.fine();
  Vec3f slope;
  for (int axis = 0; axis < 3; ++axis) {
    Vec3f ahead = place, behind = place;
    ahead[axis] += 1;
    behind[axis] -= 1;
    slope[axis] = fine.at(behind) - fine.at(ahead);
  }
  return unit(unit(slope) + to_others * kPillow);
}

float SolidShader::openness(const Vec3f& place, const Vec3f& normal) const {
  const float close = volume_.fine().at(place + normal * 2) / 255;
  const float middle = surroundings_.near(place + normal * 5);
  const float wide = surroundings_.far(place + normal * 14);
  return std::clamp(1 - 0.8f * close - 0.55f * middle - 0.5f * wide, 0.2f, 1.0f);
}

float SolidShader::lit_share(const Vec3f& place, const Vec3f& normal) const {
  constexpr int kSamples = 9;
  float share = 1, distance = 3;
  const Vec3f start = place + normal * 2;
  for (int i = 0; i < kSamples; ++i, distance *= 1.35f) {
    // Shadows fade with the distance of what casts them, so that no sample shows as an edge.
    const float strength = 1.1f * (1 - float(i) / kSamples);
    const float matter = surroundings_.near(start + to_light_ * distance);
    share *= 1 - std::clamp(strength * (matter - 0.15f), 0.0f, 1.0f);
  }
  return share;
}

Vec3f SolidShader::light_on_cut(const Vec3f& base, const Ray& ray, const Hit& hit) const {
  Vec3f normal;
  normal[hit.cut_axis] = ray.direction[hit.cut_axis] > 0 ? -1.0f : 1.0f;
  const float lit = hit.on_wall ? 1.0f : lit_share(hit.place, normal);  // nothing is outside of a wall
  return base * ((0.82f + 0.2f * dot(normal, to_light_)) * (0.6f + 0.4f * lit));
}

Vec3f SolidShader::light_on_surface(const Vec3f& base, const Ray& ray, const Vec3f& place,
                                    const Vec3f& normal) const {
  const Vec3f view = to_float(ray.direction) * -1;
  const float open = openness(place, normal);
  const float facing = std::max(0.0f, dot(normal, view));
  const float lambert = std::max(0.0f, dot(normal, to_light_));
  const float lit = lambert > 0 ? lit_share(place, normal) : 0;
  const float sky = 0.5f + 0.5f * dot(normal, up_);
  const float gloss = std::pow(std::max(0.0f, dot(normal, unit(view + to_light_))), 24.0f);
  const float rim = (1 - facing) * (1 - facing);
  const float brightness = (0.29f + 0.22f * sky) * open + 0.68f * lambert * lit + 0.1f * facing * open;
  return base * (brightness * (1 - 0.3f * rim)) + Vec3f{1, 1, 1} * (0.07f * gloss * lit);
}

Shaded SolidShader::shade(const Ray& ray, const Hit& hit) const {
  const Owner owner = Ballot(volume_, state_, palette_.by_act()).count(hit.place);
  if (owner.cell == kNowhere) return {};
  const Vec3f base = to_linear(palette_.colour(owner.cell, state_.cells.type[owner.cell], owner.act));
  const Vec3f light = hit.cut_axis >= 0
                          ? light_on_cut(base, ray, hit)
                          : light_on_surface(base, ray, hit.place, normal_at(hit.place, owner.to_others));
  const double depth = std::clamp((hit.distance - nearest_) / (farthest_ - nearest_), 0.0, 1.0);
  return {owner.cell, mix(light, Vec3f{1, 1, 1}, kHaze * float(depth * depth)), float(hit.distance)};
}

}  // namespace kiln
