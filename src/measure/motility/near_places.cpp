#include "measure/motility/near_places.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"

namespace kiln {

Vec3d wrapped(const Lattice& lattice, const Vec3d& place) {
  Vec3d result = place;
  for (int axis = 0; axis < 3; ++axis) {
    if (!lattice.periodic[axis]) continue;
    const double length = lattice.size[axis];
    const double inside = place[axis] - std::floor(place[axis] / length) * length;
    result[axis] = inside < length ? inside : 0;
  }
  return result;
}

NearPlaces::NearPlaces(const Lattice& lattice, double distance, std::span<const Vec3d> places, int threads)
    : lattice_(lattice), square_(distance * distance) {
  for (int axis = 0; axis < 3; ++axis) {
    count_[axis] =
        int32_t(std::clamp(std::floor(lattice.size[axis] / distance), 1.0, double(lattice.size[axis])));
    period_[axis] = lattice.periodic[axis] ? lattice.size[axis] : std::numeric_limits<double>::infinity();
  }
  const auto most = int64_t(2 * places.size() + 1);
  while (int64_t(count_.x) * count_.y * count_.z > most) {
    const int axis = count_.x >= std::max(count_.y, count_.z) ? 0 : count_.y >= count_.z ? 1 : 2;
    count_[axis] = std::max(1, count_[axis] / 2);
  }
  const std::size_t buckets = std::size_t(count_.x) * count_.y * count_.z;

  // How many each bucket gets, where each begins, and then each place into the next free one of its bucket.
  std::vector<std::atomic<uint32_t>> filled(buckets);
  const auto for_each_known = [&](const auto& work) {
    in_parallel(int64_t(places.size()), threads, [&](int, int64_t begin, int64_t end) {
      for (auto number = std::size_t(begin); number < std::size_t(end); ++number)
        if (is_known(places[number])) work(number, wrapped(lattice_, places[number]));
    });
  };
  for_each_known([&](std::size_t, const Vec3d& place) {
    filled[index(bucket_of(place))].fetch_add(1, std::memory_order_relaxed);
  });
  start_.resize(buckets + 1);
  for (std::size_t bucket = 0; bucket < buckets; ++bucket)
    start_[bucket + 1] = start_[bucket] + filled[bucket].exchange(0, std::memory_order_relaxed);
  entries_.resize(start_[buckets]);
  for_each_known([&](std::size_t number, const Vec3d& place) {
    const std::size_t bucket = index(bucket_of(place));
    entries_[start_[bucket] + filled[bucket].fetch_add(1, std::memory_order_relaxed)] = {place,
                                                                                         CellId(number)};
  });
  // Which of a bucket came first depends on the threads.
  in_parallel(int64_t(buckets), threads, [&](int, int64_t begin, int64_t end) {
    for (auto bucket = std::size_t(begin); bucket < std::size_t(end); ++bucket)
      std::sort(entries_.begin() + long(start_[bucket]), entries_.begin() + long(start_[bucket + 1]),
                [](const Entry& a, const Entry& b) { return a.number < b.number; });
  });
}

Vec3i NearPlaces::bucket_of(const Vec3d& place) const {
  Vec3i result;
  for (int axis = 0; axis < 3; ++axis)
    result[axis] = std::clamp(int32_t(place[axis] / lattice_.size[axis] * count_[axis]), 0, count_[axis] - 1);
  return result;
}

}  // namespace kiln
