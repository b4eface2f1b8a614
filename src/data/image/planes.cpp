#include "data/image/planes.hpp"

#include <memory>
#include <vector>

#include "core/math.hpp"

namespace kiln {
namespace {

// Which old voxels a new one is made of along one axis, and with which weights.
struct Taps {
  int32_t first;
  std::vector<float> weights;

  int32_t last() const { return first + int32_t(weights.size()) - 1; }
};

std::vector<Taps> taps_of(int32_t old_length, int32_t new_length, double scale) {
  std::vector<Taps> result;
  for (int32_t i = 0; i < new_length; ++i) {
    Taps taps{0, {}};
    if (scale > 1) {
      const double begin = double(i) * scale, end = std::min(double(i + 1) * scale, double(old_length));
      taps.first = std::min(int32_t(begin), old_length - 1);
      for (int32_t k = taps.first; k < old_length && (k == taps.first || double(k) < end); ++k)
        taps.weights.push_back(float(std::min(end, double(k + 1)) - std::max(begin, double(k))));
    } else {
      const double at = std::clamp((double(i) + 0.5) * scale - 0.5, 0.0, double(old_length - 1));
      taps.first = std::min(int32_t(at), std::max(old_length - 2, 0));
      const float second = float(at - double(taps.first));
      taps.weights.push_back(1.0f - second);
      if (old_length > 1) taps.weights.push_back(second);
    }
    double sum = 0;
    for (const float w : taps.weights) sum += double(w);
    for (float& w : taps.weights) w = float(double(w) / sum);
    result.push_back(std::move(taps));
  }
  return result;
}

// Along x or y.
Volume resampled_across(const Volume& plane, int axis, const std::vector<Taps>& taps) {
  Vec3i size = plane.size;
  size[axis] = int32_t(taps.size());
  Volume result(size);
  const std::size_t stride = plane.stride(axis);
  for_rows(size, [&](int32_t y, int32_t) {
    float* to = &result.at(0, y, 0);
    for (int32_t x = 0; x < size.x; ++x) {
      Vec3i from{x, y, 0};
      const Taps& t = taps[std::size_t(from[axis])];
      from[axis] = t.first;
      const float* value = &plane.at(from.x, from.y, 0);
      float sum = 0;
      for (std::size_t k = 0; k < t.weights.size(); ++k) sum += t.weights[k] * value[k * stride];
      to[x] = sum;
    }
  });
  return result;
}

// The right half of a Gaussian, the middle first.
std::vector<float> half_gaussian(double sigma) {
  std::vector<double> half{1};
  for (int k = 1; k <= reach_of_smoothing(sigma); ++k)
    half.push_back(double(exp2_of(float(-0.72134752044448170 * double(k) * double(k) / (sigma * sigma)))));
  double sum = half[0];
  for (std::size_t k = 1; k < half.size(); ++k) sum += 2 * half[k];
  std::vector<float> result;
  for (const double w : half) result.push_back(float(w / sum));
  return result;
}

// value(k) is that at place k of a line.
template <class Value>
float weighted(const std::vector<float>& half, int32_t at, int32_t length, const Value& value) {
  const auto reach = int32_t(half.size()) - 1;
  float sum = half[0] * value(at);
  if (at >= reach && at + reach < length)
    for (int32_t k = 1; k <= reach; ++k) sum += half[std::size_t(k)] * (value(at - k) + value(at + k));
  else
    for (int32_t k = 1; k <= reach; ++k)
      sum += half[std::size_t(k)] * (value(mirrored(at - k, length)) + value(mirrored(at + k, length)));
  return sum;
}

// Along x or y.
Volume smoothed_across(const Volume& plane, int axis, const std::vector<float>& half) {
  Volume result(plane.size);
  const std::size_t stride = plane.stride(axis);
  for_rows(plane.size, [&](int32_t y, int32_t) {
    float* to = &result.at(0, y, 0);
    for (int32_t x = 0; x < plane.size.x; ++x) {
      Vec3i place{x, y, 0};
      const int32_t at = place[axis];
      place[axis] = 0;
      const float* line = &plane.at(place.x, place.y, 0);
      to[x] = weighted(half, at, plane.size[axis], [&](int32_t k) { return line[std::size_t(k) * stride]; });
    }
  });
  return result;
}

// The same volume with planes that `change` makes of its own.
Planes changed(Planes from, const Vec3i& size, std::function<Volume(Volume plane)> change) {
  return {size, [from = std::move(from), change = std::move(change)](const Planes::Visit& visit) {
            from.each([&](int32_t z, Volume plane) { visit(z, change(std::move(plane))); });
          }};
}

// Row y of the planes from `first` to `last`.
std::vector<const float*> rows_of(const PlaneWindow& window, int32_t y, int32_t first, int32_t last) {
  std::vector<const float*> rows;
  for (int32_t z = first; z <= last; ++z) rows.push_back(&window[z].at(0, y, 0));
  return rows;
}

Planes resampled_along_z(Planes from, int32_t length, double scale) {
  const Vec3i size{from.size.x, from.size.y, length};
  return {size, [from = std::move(from), size, scale](const Planes::Visit& visit) {
            const std::vector<Taps> taps = taps_of(from.size.z, size.z, scale);
            const auto first = [&](int32_t z) { return taps[std::size_t(z)].first; };
            const auto last = [&](int32_t z) { return taps[std::size_t(z)].last(); };
            for_each_window(from, size.z, first, last, [&](int32_t z, const PlaneWindow& window) {
              const Taps& t = taps[std::size_t(z)];
              Volume plane({size.x, size.y, 1});
              for_rows(plane.size, [&](int32_t y, int32_t) {
                const std::vector<const float*> rows = rows_of(window, y, t.first, t.last());
                float* to = &plane.at(0, y, 0);
                for (int32_t x = 0; x < size.x; ++x) {
                  float sum = 0;
                  for (std::size_t k = 0; k < rows.size(); ++k) sum += t.weights[k] * rows[k][x];
                  to[x] = sum;
                }
              });
              visit(z, std::move(plane));
            });
          }};
}

Planes smoothed_along_z(Planes from, double sigma) {
  const Vec3i size = from.size;
  return {size, [from = std::move(from), size, sigma](const Planes::Visit& visit) {
            const std::vector<float> half = half_gaussian(sigma);
            const auto reach = int32_t(half.size()) - 1;
            const auto first = [&](int32_t z) { return std::max(z - reach, 0); };
            const auto last = [&](int32_t z) { return std::min(z + reach, size.z - 1); };
            for_each_window(from, size.z, first, last, [&](int32_t z, const PlaneWindow& window) {
              Volume plane({size.x, size.y, 1});
              const int32_t lowest = first(z);
              for_rows(plane.size, [&](int32_t y, int32_t) {
                const std::vector<const float*> rows = rows_of(window, y, lowest, last(z));
                float* to = &plane.at(0, y, 0);
                for (int32_t x = 0; x < size.x; ++x)
                  to[x] =
                      weighted(half, z, size.z, [&](int32_t k) { return rows[std::size_t(k - lowest)][x]; });
              });
              visit(z, std::move(plane));
            });
          }};
}

}  // namespace

Planes planes_of(const Volume& volume) {
  return {volume.size, [&volume](const Planes::Visit& visit) {
            for (int32_t z = 0; z < volume.size.z; ++z) {
              Volume plane({volume.size.x, volume.size.y, 1});
              std::copy_n(&volume.at(0, 0, z), plane.values.size(), plane.values.begin());
              visit(z, std::move(plane));
            }
          }};
}

Volume gathered(const Planes& planes) {
  Volume volume(planes.size);
  planes.each([&](int32_t z, Volume plane) {
    std::copy(plane.values.begin(), plane.values.end(), &volume.at(0, 0, z));
  });
  return volume;
}

Planes kept_where_small(Planes from) {
  if (double(from.size.x) * from.size.y * from.size.z > double(kSmallVolume)) return from;
  auto kept = std::make_shared<std::vector<Volume>>();
  const Vec3i size = from.size;
  return {size, [from = std::move(from), kept](const Planes::Visit& visit) {
            if (kept->empty()) from.each([&](int32_t, Volume plane) { kept->push_back(std::move(plane)); });
            for (std::size_t z = 0; z < kept->size(); ++z) visit(int32_t(z), (*kept)[z]);
          }};
}

Vec3i resampled_size(const Vec3i& size, const Vec3d& scale) {
  Vec3i result;
  for (int axis = 0; axis < 3; ++axis)
    result[axis] = std::max(1, int32_t(double(size[axis]) / scale[axis] + 0.5));
  return result;
}

// Axis by axis.
Planes resampled(Planes from, const Vec3d& scale) {
  const Vec3i all = resampled_size(from.size, scale);
  for (int axis = 0; axis < 2; ++axis) {
    if (scale[axis] == 1) continue;
    Vec3i size = from.size;
    size[axis] = all[axis];
    auto across = [axis, taps = taps_of(from.size[axis], size[axis], scale[axis])](const Volume& plane) {
      return resampled_across(plane, axis, taps);
    };
    from = changed(std::move(from), size, std::move(across));
  }
  return scale.z == 1 ? from : resampled_along_z(std::move(from), all.z, scale.z);
}

// Cut where it is below a thousandth.
int32_t reach_of_smoothing(double sigma) { return int32_t(std::min(3.7 * sigma, 1e9)); }

// Axis by axis.
Planes smoothed(Planes from, const Vec3d& sigma) {
  const Vec3i size = from.size;
  for (int axis = 0; axis < 2; ++axis)
    if (sigma[axis] > 0 && size[axis] > 1)
      from = changed(std::move(from), size, [axis, half = half_gaussian(sigma[axis])](const Volume& plane) {
        return smoothed_across(plane, axis, half);
      });
  return sigma.z > 0 && size.z > 1 ? smoothed_along_z(std::move(from), sigma.z) : from;
}

}  // namespace kiln
