#include "model/initial/nodes.hpp"

#include <algorithm>
#include <limits>

namespace kiln {
namespace {

constexpr uint32_t kNoNode = std::numeric_limits<uint32_t>::max();
constexpr double kMostBins = 0x1p26;

}  // namespace

NodeSet::NodeSet(const Lattice& lattice, const Region& region)
    : lattice_(lattice), region_(region), box_(bounding_box(region, lattice)) {}

// Sites are the middle of unit cubes, so the lattice reaches from -1/2 to L - 1/2.
int32_t NodeSet::bin(int axis, double coordinate) const {
  const double share = (coordinate + 0.5) / double(lattice_.size[axis]);
  return std::clamp(int32_t(share * bins_[axis]), 0, bins_[axis] - 1);
}

void NodeSet::put_into_bin(uint32_t node) {
  const Vec3d& p = nodes_[node];
  const std::size_t at =
      (std::size_t(bin(2, p.z)) * std::size_t(bins_.y) + std::size_t(bin(1, p.y))) * std::size_t(bins_.x) +
      std::size_t(bin(0, p.x));
  next_.push_back(first_[at]);
  first_[at] = node;
}

void NodeSet::make_bins(double edge) {
  edge = std::max(edge, 0.5);
  double count = kMostBins + 1;
  for (; count > kMostBins; edge *= 1.25) {
    count = 1;
    edge_ = std::numeric_limits<double>::max();
    for (int axis = 0; axis < 3; ++axis) {
      const double length = lattice_.size[axis];
      bins_[axis] = std::max(1, int32_t(length / edge));
      count *= bins_[axis];
      if (axis < lattice_.dimension) edge_ = std::min(edge_, length / bins_[axis]);
    }
  }
  first_.assign(std::size_t(count), kNoNode);
  next_.clear();
  for (uint32_t node = 0; node < nodes_.size(); ++node) put_into_bin(node);
}

// All nodes of the bins at most `rings` away; every bin once.
template <class Visit>
void NodeSet::for_each_near(const Vec3d& p, int32_t rings, Visit&& visit) const {
  Vec3i first, last;
  for (int axis = 0; axis < 3; ++axis) {
    const int32_t own = bin(axis, p[axis]);
    first[axis] = own - rings;
    last[axis] = own + rings;
    if (!lattice_.periodic[axis] || 2 * rings + 1 >= bins_[axis]) {
      const bool all = lattice_.periodic[axis];
      first[axis] = all ? 0 : std::max(0, first[axis]);
      last[axis] = all ? bins_[axis] - 1 : std::min(bins_[axis] - 1, last[axis]);
    }
  }
  const auto wrapped = [&](int axis, int32_t b) {
    return std::size_t(b < 0 ? b + bins_[axis] : b >= bins_[axis] ? b - bins_[axis] : b);
  };
  for (int32_t z = first.z; z <= last.z; ++z)
    for (int32_t y = first.y; y <= last.y; ++y)
      for (int32_t x = first.x; x <= last.x; ++x) {
        const std::size_t row = wrapped(2, z) * std::size_t(bins_.y) + wrapped(1, y);
        for (uint32_t node = first_[row * std::size_t(bins_.x) + wrapped(0, x)]; node != kNoNode;
             node = next_[node])
          visit(node);
      }
}

Vec3d NodeSet::way(const Vec3d& from, const Vec3d& to) const {
  Vec3d result = to - from;
  for (int axis = 0; axis < 3; ++axis) {
    const double length = lattice_.size[axis];
    if (!lattice_.periodic[axis]) continue;
    if (2 * result[axis] >= length) result[axis] -= length;
    if (2 * result[axis] < -length) result[axis] += length;
  }
  return result;
}

void NodeSet::add(std::size_t wanted, double distance, StepDraws& draws) {
  constexpr int64_t kThrowsPerNode = 200;
  make_bins(distance);
  int64_t throws_left = kThrowsPerNode * int64_t(wanted - std::min(wanted, size()));
  for (; size() < wanted && throws_left > 0; --throws_left) {
    const Draw d = draws.next();
    const auto in_span = [](uint32_t bits, Span span) {
      return span.begin - 0.5 + (double(bits) + 0.5) * 0x1p-32 * double(span.length());
    };
    const Vec3d p{in_span(d.a, box_.x), in_span(d.b, box_.y),
                  lattice_.dimension == 3 ? in_span(d.c, box_.z) : 0.0};
    if (!region_.contains(p)) continue;
    bool free = true;
    for_each_near(p, 1, [&](uint32_t node) {
      const Vec3d between = way(p, nodes_[node]);
      free &= dot(between, between) >= distance * distance;
    });
    if (!free) continue;
    nodes_.push_back(p);
    put_into_bin(uint32_t(nodes_.size() - 1));
  }
}

std::vector<uint32_t> NodeSet::nearest(std::size_t node, std::size_t count) const {
  std::vector<std::pair<double, uint32_t>> found;
  const int32_t all_rings = std::max({bins_.x, bins_.y, bins_.z});
  for (int32_t rings = 1;; ++rings) {
    found.clear();
    for_each_near(nodes_[node], rings, [&](uint32_t other) {
      const Vec3d between = way(nodes_[node], nodes_[other]);
      if (other != node) found.emplace_back(dot(between, between), other);
    });
    std::sort(found.begin(), found.end());
    // Nodes that were not looked at are at least this far away.
    const double seen = double(rings) * edge_;
    if (rings >= all_rings || (found.size() >= count && found[count - 1].first <= seen * seen)) break;
  }
  std::vector<uint32_t> result;
  for (std::size_t i = 0; i < std::min(count, found.size()); ++i) result.push_back(found[i].second);
  return result;
}

}  // namespace kiln
