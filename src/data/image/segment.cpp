#include "data/image/segment.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "core/math.hpp"

namespace kiln {
namespace {

constexpr int kBins = 1024;

// Calls row(y, z) for all rows along x, on several threads.
template <class Row>
void for_rows(const Vec3i& size, const Row& row) {
  in_parallel(int64_t(size.y) * size.z, all_threads(), [&](int, int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) row(int32_t(i % size.y), int32_t(i / size.y));
  });
}

template <class T, class Get>
Grid<T> part_of(const Array& values, const Vec3i& low, const Vec3i& high, const Get& get) {
  const std::size_t width = std::size_t(values.shape[2]), height = std::size_t(values.shape[1]);
  Grid<T> result(high - low);
  for_rows(result.size, [&](int32_t y, int32_t z) {
    const std::size_t from =
        (std::size_t(z + low.z) * height + std::size_t(y + low.y)) * width + std::size_t(low.x);
    T* to = &result.at(0, y, z);
    for (int32_t x = 0; x < result.size.x; ++x) to[x] = T(get(from + std::size_t(x)));
  });
  return result;
}

// Which old voxels a new one is made of along one axis, and with which weights.
struct Taps {
  int32_t first;
  std::vector<float> weights;
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

// Along one axis; the others stay.
Volume resampled_along(const Volume& volume, int axis, double scale) {
  Vec3i size = volume.size;
  size[axis] = resampled_size(volume.size, {scale, scale, scale})[axis];
  const std::vector<Taps> taps = taps_of(volume.size[axis], size[axis], scale);
  Volume result(size);
  const std::size_t stride = volume.stride(axis);
  for_rows(size, [&](int32_t y, int32_t z) {
    float* to = &result.at(0, y, z);
    for (int32_t x = 0; x < size.x; ++x) {
      Vec3i from{x, y, z};
      const Taps& t = taps[std::size_t(from[axis])];
      from[axis] = t.first;
      const float* value = &volume.at(from.x, from.y, from.z);
      float sum = 0;
      for (std::size_t k = 0; k < t.weights.size(); ++k) sum += t.weights[k] * value[k * stride];
      to[x] = sum;
    }
  });
  return result;
}

// The right half of a Gaussian, the middle first, cut where it is below a thousandth.
std::vector<float> half_gaussian(double sigma) {
  std::vector<double> half{1};
  for (int k = 1; double(k) <= 3.7 * sigma; ++k)
    half.push_back(double(exp2_of(float(-0.72134752044448170 * double(k) * double(k) / (sigma * sigma)))));
  double sum = half[0];
  for (std::size_t k = 1; k < half.size(); ++k) sum += 2 * half[k];
  std::vector<float> result;
  for (const double w : half) result.push_back(float(w / sum));
  return result;
}

void smooth_along(Volume& volume, int axis, double sigma) {
  if (!(sigma > 0) || volume.size[axis] < 2) return;
  const std::vector<float> half = half_gaussian(sigma);
  const Volume before = volume;
  const int32_t length = volume.size[axis], reach = int32_t(half.size()) - 1;
  const std::size_t stride = volume.stride(axis);
  for_rows(volume.size, [&](int32_t y, int32_t z) {
    float* to = &volume.at(0, y, z);
    for (int32_t x = 0; x < volume.size.x; ++x) {
      Vec3i place{x, y, z};
      const int32_t at = place[axis];
      place[axis] = 0;
      const float* line = &before.at(place.x, place.y, place.z);
      const auto value = [&](int64_t k) { return line[std::size_t(mirrored(k, length)) * stride]; };
      float sum = half[0] * value(at);
      if (at >= reach && at + reach < length)
        for (int32_t k = 1; k <= reach; ++k)
          sum += half[std::size_t(k)] *
                 (line[std::size_t(at - k) * stride] + line[std::size_t(at + k) * stride]);
      else
        for (int32_t k = 1; k <= reach; ++k) sum += half[std::size_t(k)] * (value(at - k) + value(at + k));
      to[x] = sum;
    }
  });
}

// Squared distances to the nearest set voxel along lines, one axis after the other (Felzenszwalb and
// Huttenlocher 2012): the lower envelope of parabolas.
class DistanceLine {
 public:
  explicit DistanceLine(std::size_t longest) : apex_(longest), begin_(longest + 1), result_(longest) {}

  const std::vector<float>& transform(const std::vector<float>& squared, std::size_t length) {
    std::size_t last = 0;
    bool any = false;
    for (std::size_t q = 0; q < length; ++q) {
      if (squared[q] == kFar) continue;
      if (!any) {
        apex_[0] = q;
        begin_[0] = -std::numeric_limits<double>::infinity();
        any = true;
        continue;
      }
      double meet = crossing(squared, apex_[last], q);
      while (last > 0 && meet <= begin_[last]) meet = crossing(squared, apex_[--last], q);
      apex_[++last] = q;
      begin_[last] = meet;
    }
    std::size_t k = 0;
    for (std::size_t q = 0; q < length; ++q) {
      while (any && k < last && begin_[k + 1] < double(q)) ++k;
      const double away = any ? double(q) - double(apex_[k]) : 0;
      result_[q] = any ? float(away * away + double(squared[apex_[k]])) : kFar;
    }
    return result_;
  }

  static constexpr float kFar = 3e38f;

 private:
  static double crossing(const std::vector<float>& squared, std::size_t p, std::size_t q) {
    const double a = double(p), b = double(q);
    return ((double(squared[q]) + b * b) - (double(squared[p]) + a * a)) / (2 * (b - a));
  }

  std::vector<std::size_t> apex_;
  std::vector<double> begin_;
  std::vector<float> result_;
};

void transform_along(Volume& squared, int axis) {
  const Vec3i size = squared.size;
  if (size[axis] < 2) return;
  const std::size_t length = std::size_t(size[axis]);
  const int u = axis == 0 ? 1 : 0, v = axis == 2 ? 1 : 2;
  const std::size_t stride = squared.stride(axis);
  in_parallel(int64_t(size[u]) * size[v], all_threads(), [&](int, int64_t begin, int64_t end) {
    DistanceLine line(length);
    std::vector<float> values(length);
    for (int64_t i = begin; i < end; ++i) {
      Vec3i place{0, 0, 0};
      place[u] = int32_t(i % size[u]);
      place[v] = int32_t(i / size[u]);
      float* first = &squared.at(place.x, place.y, place.z);
      for (std::size_t k = 0; k < length; ++k) values[k] = first[k * stride];
      const std::vector<float>& result = line.transform(values, length);
      for (std::size_t k = 0; k < length; ++k) first[k * stride] = result[k];
    }
  });
}

// Sets all voxels within the radius of one that has this value. At a wall the mirror image is never nearer
// than what it mirrors.
void grow(Mask& mask, uint8_t value, double radius) {
  Volume squared(mask.size);
  for (std::size_t i = 0; i < mask.values.size(); ++i)
    squared.values[i] = mask.values[i] == value ? 0.0f : DistanceLine::kFar;
  for (int axis = 0; axis < 3; ++axis) transform_along(squared, axis);
  const float limit = float(radius * radius);
  for (std::size_t i = 0; i < mask.values.size(); ++i)
    if (squared.values[i] <= limit) mask.values[i] = value;
}

}  // namespace

Volume volume_of(const Array& values, const Vec3i& low, const Vec3i& high) {
  return part_of<float>(values, low, high, [&](std::size_t i) { return values.real(i); });
}

Grid<int64_t> labels_of(const Array& values, const Vec3i& low, const Vec3i& high) {
  if (values.kind() == Array::Kind::real)
    return part_of<int64_t>(values, low, high, [&](std::size_t i) { return int64_t(values.real(i)); });
  return part_of<int64_t>(values, low, high, [&](std::size_t i) { return values.integer(i); });
}

Vec3i resampled_size(const Vec3i& size, const Vec3d& scale) {
  Vec3i result;
  for (int axis = 0; axis < 3; ++axis)
    result[axis] = std::max(1, int32_t(double(size[axis]) / scale[axis] + 0.5));
  return result;
}

Volume resampled(Volume volume, const Vec3d& scale) {
  for (int axis = 0; axis < 3; ++axis)
    if (scale[axis] != 1) volume = resampled_along(volume, axis, scale[axis]);
  return volume;
}

Grid<int64_t> resampled(const Grid<int64_t>& labels, const Vec3d& scale) {
  Grid<int64_t> result(resampled_size(labels.size, scale));
  const auto nearest = [&](int32_t at, int axis) {
    return nearest_voxel(at, scale[axis], labels.size[axis]);
  };
  for_rows(result.size, [&](int32_t y, int32_t z) {
    for (int32_t x = 0; x < result.size.x; ++x)
      result.at(x, y, z) = labels.at(nearest(x, 0), nearest(y, 1), nearest(z, 2));
  });
  return result;
}

void smooth(Volume& volume, const Vec3d& sigma) {
  for (int axis = 0; axis < 3; ++axis) smooth_along(volume, axis, sigma[axis]);
}

float otsu_threshold(const Volume& volume) {
  const auto [low, high] = std::minmax_element(volume.values.begin(), volume.values.end());
  if (low == volume.values.end() || !(*low < *high)) return low == volume.values.end() ? 0 : *low;
  const double width = (double(*high) - double(*low)) / kBins;
  std::vector<int64_t> counts(kBins);
  for (const float v : volume.values)
    counts[std::size_t(std::min(kBins - 1, int((double(v) - double(*low)) / width)))] += 1;
  double all = 0;
  for (int k = 0; k < kBins; ++k) all += double(k) * double(counts[std::size_t(k)]);
  const double total = double(volume.values.size());
  double below = 0, sum = 0, best = -1;
  int first = 0, last = 0;  // several cuts may be equally good: take the middle
  for (int k = 0; k + 1 < kBins; ++k) {
    below += double(counts[std::size_t(k)]);
    sum += double(k) * double(counts[std::size_t(k)]);
    if (below == 0 || below == total) continue;
    const double apart = sum / below - (all - sum) / (total - below);
    const double between = below * (total - below) * apart * apart;
    if (between > best) {
      best = between;
      first = k;
    }
    if (between >= best) last = k;
  }
  return float(double(*low) + width * (double(first + last) / 2 + 1));
}

Mask above(const Volume& volume, float threshold) {
  Mask mask(volume.size);
  for (std::size_t i = 0; i < mask.values.size(); ++i) mask.values[i] = volume.values[i] > threshold ? 1 : 0;
  return mask;
}

void invert(Mask& mask) {
  for (uint8_t& value : mask.values) value = value == 0 ? 1 : 0;
}

int64_t remove_specks(Mask& mask, int64_t least) {
  if (least <= 1) return 0;
  constexpr uint8_t kSeen = 2;
  int64_t removed = 0;
  std::vector<std::size_t> piece;
  const auto visit = [&](int32_t x, int32_t y, int32_t z) {
    if (x < 0 || y < 0 || z < 0 || x >= mask.size.x || y >= mask.size.y || z >= mask.size.z) return;
    const std::size_t i = mask.index(x, y, z);
    if (mask.values[i] != 1) return;
    mask.values[i] = kSeen;
    piece.push_back(i);
  };
  for (std::size_t start = 0; start < mask.values.size(); ++start) {
    if (mask.values[start] != 1) continue;
    piece.assign(1, start);
    mask.values[start] = kSeen;
    for (std::size_t next = 0; next < piece.size(); ++next) {
      const std::size_t row = piece[next] / std::size_t(mask.size.x);
      const int32_t x = int32_t(piece[next] % std::size_t(mask.size.x)),
                    y = int32_t(row % std::size_t(mask.size.y)), z = int32_t(row / std::size_t(mask.size.y));
      for (int32_t dz = -1; dz <= 1; ++dz)
        for (int32_t dy = -1; dy <= 1; ++dy)
          for (int32_t dx = -1; dx <= 1; ++dx) visit(x + dx, y + dy, z + dz);
    }
    if (int64_t(piece.size()) >= least) continue;
    for (const std::size_t i : piece) mask.values[i] = 0;
    removed += int64_t(piece.size());
  }
  for (uint8_t& value : mask.values) value = value != 0 ? 1 : 0;
  return removed;
}

void close_gaps(Mask& mask, double radius) {
  if (!(radius > 0)) return;
  grow(mask, 1, radius);
  grow(mask, 0, radius);
}

}  // namespace kiln
