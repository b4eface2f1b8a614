// Which of many places lie near one: places sorted into buckets that are at least as wide as the distance in
// question, so that all within it are in a bucket or in those around it.
#pragma once

#include <span>
#include <vector>

#include "core/lattice.hpp"
#include "measure/places.hpp"

namespace kiln {

// A place in lattice units, brought inside where an axis is periodic.
Vec3d wrapped(const Lattice& lattice, const Vec3d& place);

class NearPlaces {
 public:
  struct Entry {
    Vec3d place;    // wrapped
    CellId number;  // in the list that was given
  };

  // Of those places that are known. Takes time and memory in proportion to their number, on all threads; the
  // order of entries does not depend on how many.
  NearPlaces(const Lattice& lattice, double distance, std::span<const Vec3d> places, int threads = 1);

  // By bucket, then by number.
  const std::vector<Entry>& entries() const { return entries_; }

  // Calls visit(index of the entry, square of its distance to a wrapped place) for all entries closer than,
  // or as close as, the distance; on a periodic axis that to the nearest image.
  template <class Visit>
  void for_each(const Vec3d& place, const Visit& visit) const {
    const Vec3i at = bucket_of(place);
    const Around x(*this, 0, at.x), y(*this, 1, at.y), z(*this, 2, at.z);
    for (int k = 0; k < z.count; ++k)
      for (int j = 0; j < y.count; ++j)
        for (int i = 0; i < x.count;) {
          // Buckets that follow each other along x are one stretch of entries.
          int next = i + 1;
          while (next < x.count && x.bucket[next] == x.bucket[next - 1] + 1) ++next;
          const std::size_t first = index({x.bucket[i], y.bucket[j], z.bucket[k]});
          const std::size_t end = start_[first + std::size_t(next - i)];
          for (std::size_t entry = start_[first]; entry < end; ++entry) {
            const double square = squared_distance(place, entries_[entry].place);
            if (square <= square_) visit(entry, square);
          }
          i = next;
        }
  }

 private:
  // A bucket and its neighbours along an axis, each once however few there are.
  struct Around {
    int count = 0;
    int32_t bucket[3] = {};

    Around(const NearPlaces& of, int axis, int32_t at) {
      const int32_t length = of.count_[axis];
      const bool periodic = of.lattice_.periodic[axis];
      for (int32_t shift = -1; shift <= 1; ++shift) {
        int32_t next = at + shift;
        if (periodic) next = (next + length) % length;
        bool is_new = next >= 0 && next < length;
        for (int i = 0; i < count; ++i) is_new = is_new && bucket[i] != next;
        if (is_new) bucket[count++] = next;
      }
    }
  };

  double squared_distance(const Vec3d& a, const Vec3d& b) const {
    double sum = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double way = a[axis] < b[axis] ? b[axis] - a[axis] : a[axis] - b[axis];
      const double around = period_[axis] - way;
      const double least = way < around ? way : around;
      sum += least * least;
    }
    return sum;
  }
  Vec3i bucket_of(const Vec3d& place) const;
  std::size_t index(const Vec3i& b) const { return (std::size_t(b.z) * count_.y + b.y) * count_.x + b.x; }

  Lattice lattice_;
  double square_;         // of the distance
  Vec3d period_;          // infinite where an axis is closed
  Vec3i count_{1, 1, 1};  // of buckets, per axis
  std::vector<Entry> entries_;
  std::vector<std::size_t> start_;  // per bucket: its first entry
};

}  // namespace kiln
