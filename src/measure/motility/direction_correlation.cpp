#include "measure/motility/direction_correlation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/parallel.hpp"
#include "core/math.hpp"
#include "measure/cell_table.hpp"

namespace kiln {
namespace {

constexpr double kParts = 1 << 30;  // of a dot product: sums of integers do not depend on their order

struct Mover {
  CellId cell;
  Vec3d place;  // wrapped
  Vec3d direction;
};

double wrapped(const Lattice& lattice, int axis, double at) {
  const double length = lattice.size[axis];
  if (!lattice.periodic[axis]) return at;
  const double inside = at - std::floor(at / length) * length;
  return inside < length ? inside : 0;
}

std::vector<Mover> movers(const Lattice& lattice, std::span<const Vec3d> from, std::span<const Vec3d> to) {
  std::vector<Mover> result;
  for (std::size_t cell = 0; cell < std::min(from.size(), to.size()); ++cell) {
    const Vec3d step = to[cell] - from[cell];
    if (!is_known(step) || dot(step, step) == 0) continue;
    const Vec3d& at = to[cell];
    result.push_back({CellId(cell),
                      {wrapped(lattice, 0, at.x), wrapped(lattice, 1, at.y), wrapped(lattice, 2, at.z)},
                      unit_vector(step)});
  }
  return result;
}

// Sorts cells into buckets that are at least as wide as the largest distance, so that all partners of a cell
// are in its own bucket and those around it.
class Buckets {
 public:
  Buckets(const Lattice& lattice, double distance, std::vector<Mover> movers)
      : lattice_(lattice), movers_(std::move(movers)) {
    for (int axis = 0; axis < 3; ++axis)
      count_[axis] = int32_t(std::max(1.0, std::floor(lattice.size[axis] / distance)));
    const auto most = int64_t(2 * movers_.size() + 1);
    while (int64_t(count_.x) * count_.y * count_.z > most) {
      const int axis = count_.x >= std::max(count_.y, count_.z) ? 0 : count_.y >= count_.z ? 1 : 2;
      count_[axis] = std::max(1, count_[axis] / 2);
    }
    std::stable_sort(movers_.begin(), movers_.end(), [this](const Mover& a, const Mover& b) {
      return index(bucket_of(a.place)) < index(bucket_of(b.place));
    });
    start_.resize(std::size_t(count_.x) * count_.y * count_.z + 1);
    for (const Mover& mover : movers_) ++start_[index(bucket_of(mover.place)) + 1];
    for (std::size_t i = 1; i < start_.size(); ++i) start_[i] += start_[i - 1];
  }

  const std::vector<Mover>& movers() const { return movers_; }

  template <class Visit>
  void for_each_near(const Vec3d& place, const Visit& visit) const {
    const Vec3i at = bucket_of(place);
    const Near x(*this, 0, at.x), y(*this, 1, at.y), z(*this, 2, at.z);
    for (int k = 0; k < z.count; ++k)
      for (int j = 0; j < y.count; ++j)
        for (int i = 0; i < x.count; ++i) {
          const std::size_t bucket = index({x.bucket[i], y.bucket[j], z.bucket[k]});
          for (std::size_t m = start_[bucket]; m < start_[bucket + 1]; ++m) visit(movers_[m]);
        }
  }

 private:
  // A bucket and its neighbours along an axis, each once however few there are.
  struct Near {
    int count = 0;
    std::array<int32_t, 3> bucket{};

    Near(const Buckets& buckets, int axis, int32_t at) {
      const int32_t length = buckets.count_[axis];
      for (const int32_t shift : {-1, 0, 1}) {
        int32_t next = at + shift;
        if (buckets.lattice_.periodic[axis]) next = (next + length) % length;
        if (next < 0 || next >= length) continue;
        if (std::find(bucket.begin(), bucket.begin() + count, next) == bucket.begin() + count)
          bucket[count++] = next;
      }
    }
  };

  Vec3i bucket_of(const Vec3d& place) const {
    Vec3i result;
    for (int axis = 0; axis < 3; ++axis)
      result[axis] =
          std::clamp(int32_t(place[axis] / lattice_.size[axis] * count_[axis]), 0, count_[axis] - 1);
    return result;
  }
  std::size_t index(const Vec3i& b) const { return (std::size_t(b.z) * count_.y + b.y) * count_.x + b.x; }

  const Lattice& lattice_;
  std::vector<Mover> movers_;
  Vec3i count_;
  std::vector<std::size_t> start_;
};

// The square of the distance between two places inside the lattice, or their nearest images.
class SquaredDistance {
 public:
  explicit SquaredDistance(const Lattice& lattice) {
    for (int axis = 0; axis < 3; ++axis)
      length_[axis] = lattice.periodic[axis] ? lattice.size[axis] : std::numeric_limits<double>::infinity();
  }

  double operator()(const Vec3d& a, const Vec3d& b) const {
    const double x = along(a.x, b.x, length_.x), y = along(a.y, b.y, length_.y),
                 z = along(a.z, b.z, length_.z);
    return x * x + y * y + z * z;
  }

 private:
  static double along(double a, double b, double length) {
    const double way = std::abs(b - a);
    return std::min(way, length - way);
  }

  Vec3d length_;
};

struct Sums {
  std::vector<int64_t> pairs, parts;
  explicit Sums(std::size_t bins) : pairs(bins), parts(bins) {}
};

}  // namespace

std::vector<CorrelationBin> direction_correlation(const Lattice& lattice, std::span<const Vec3d> from,
                                                  std::span<const Vec3d> to,
                                                  const CorrelationSettings& settings) {
  const auto bins = std::size_t(std::ceil(settings.distance / settings.bin));
  const Buckets buckets(lattice, settings.distance, movers(lattice, from, to));
  const SquaredDistance squared_distance(lattice);
  Sums total(bins);
  std::mutex adding;
  in_parallel(int64_t(buckets.movers().size()), settings.threads, [&](int, int64_t begin, int64_t end) {
    Sums own(bins);
    for (int64_t i = begin; i < end; ++i) {
      const Mover& origin = buckets.movers()[std::size_t(i)];
      if (!is_sampled(origin.cell, settings.stride)) continue;
      buckets.for_each_near(origin.place, [&](const Mover& other) {
        const double square = squared_distance(origin.place, other.place);
        if (square >= settings.distance * settings.distance || other.cell == origin.cell) return;
        // Of a pair of two origins only one looks at the other.
        if (other.cell < origin.cell && is_sampled(other.cell, settings.stride)) return;
        const std::size_t bin = std::min(bins - 1, std::size_t(sqrt_of(square) / settings.bin));
        ++own.pairs[bin];
        own.parts[bin] += std::llround(dot(origin.direction, other.direction) * kParts);
      });
    }
    const std::scoped_lock lock(adding);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      total.pairs[bin] += own.pairs[bin];
      total.parts[bin] += own.parts[bin];
    }
  });

  std::vector<CorrelationBin> result;
  for (std::size_t bin = 0; bin < bins; ++bin) {
    CorrelationBin row{double(bin) * settings.bin,
                       std::min(double(bin + 1) * settings.bin, settings.distance), total.pairs[bin]};
    if (row.pairs > 0) row.correlation = double(total.parts[bin]) / kParts / double(row.pairs);
    result.push_back(row);
  }
  return result;
}

}  // namespace kiln
