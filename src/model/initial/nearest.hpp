// Sites by the nearest of many points. All arithmetic is on integers, so every platform finds the same.
#pragma once

#include <vector>

#include "model/initial/step.hpp"

namespace kiln {

// In units of 1/kFine of a site, from the lattice's corner: site x has its middle at x kFine + kFine/2.
using FinePoint = Vec3<int64_t>;
inline constexpr int64_t kFine = 1024;

// The middle of a site.
FinePoint fine_point(const Vec3i& place, int dimension);

// The cells of a set of points: each free site of a step's region belongs to the nearest point, around
// periodic axes, too; at equal distance to the one of lower index. Points are kept in bins of about one each,
// and a block of sites looks only at those that can be the nearest to one of its sites.
class NearestPoints {
 public:
  NearestPoints(StepBuilder& builder, std::vector<FinePoint> points);

  std::size_t size() const { return points_.size(); }
  // Gives every site the id first + index of its point; returns the number of sites of each.
  std::vector<int64_t> assign(CellId first);
  // Moves every point to the centroid of its sites (Lloyd), which makes cells rounder and more alike.
  void relax();

 private:
  struct Candidate {
    uint32_t point;
    FinePoint at;  // the image that is meant
  };
  struct Totals {
    std::vector<int64_t> sites;
    std::vector<FinePoint>
        sums;  // over the sites of a point, of their differences to it; empty where not asked for
  };
  struct Block;

  void sort_into_bins();
  std::size_t bin_index(const Vec3i& bin) const;
  std::size_t bin_of(const FinePoint& point) const;
  int32_t bin_at(int axis, int64_t coordinate) const;
  int32_t edge(int axis, int32_t bin) const { return int32_t(int64_t(size_[axis]) * bin / bins_[axis]); }
  // Calls visit(index, place of the image) for the points of all bins that are `ring` bins away along some
  // axis and no farther along the others.
  template <class Visit>
  void visit_shell(const Vec3i& bin, int32_t ring, const Visit& visit) const;
  // What can be the nearest to a site of a bin, by rising index.
  void find_candidates(const Vec3i& bin, std::vector<Candidate>& found) const;
  void visit_block(const Vec3i& bin, CellId first, Block& block, Totals& totals);
  Totals visit_all(CellId first, bool with_sums);

  StepBuilder& builder_;
  Vec3i size_;
  std::vector<FinePoint> points_;
  Vec3i bins_{1, 1, 1};
  int64_t least_edge_ = 1;            // of a bin, along axes with several
  std::vector<uint32_t> bin_starts_;  // into binned_, one more than there are bins
  std::vector<uint32_t> binned_;      // points by bin
};

}  // namespace kiln
