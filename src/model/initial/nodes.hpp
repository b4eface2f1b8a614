// Random points with a least distance, and who is next to whom.
#pragma once

#include <vector>

#include "model/initial/step.hpp"

namespace kiln {

class NodeSet {
 public:
  NodeSet(const Lattice& lattice, const Region& region);

  std::size_t size() const { return nodes_.size(); }
  const Vec3d& operator[](std::size_t node) const { return nodes_[node]; }

  // Throws points into the region, each at least `distance` away from all others, until there are `wanted` in
  // all or it takes too many throws.
  void add(std::size_t wanted, double distance, StepDraws& draws);

  // The `count` nearest others, nearest first; of two as near the one with the lower index.
  std::vector<uint32_t> nearest(std::size_t node, std::size_t count) const;

  // The shortest way from one to the other, around periodic axes where that is shorter.
  Vec3d way(const Vec3d& from, const Vec3d& to) const;

 private:
  void make_bins(double edge);
  void put_into_bin(uint32_t node);
  int32_t bin(int axis, double coordinate) const;
  template <class Visit>
  void for_each_near(const Vec3d& p, int32_t rings, Visit&& visit) const;

  const Lattice& lattice_;
  const Region& region_;
  SiteBox box_;
  std::vector<Vec3d> nodes_;
  // Bins of equal size over the lattice, each a chain of nodes.
  Vec3i bins_{1, 1, 1};
  double edge_ = 1;  // the shortest edge of a bin
  std::vector<uint32_t> first_, next_;
};

}  // namespace kiln
