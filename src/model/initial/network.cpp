// A random stroma network: nodes, each joined to the nearest few by tubes, all one cell.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "model/initial/capsule.hpp"
#include "model/initial/network.hpp"
#include "model/initial/nodes.hpp"

namespace kiln {
namespace {

// A node's share of space is node_spacing^dimension, and no two are closer than this share of node_spacing.
// Darts fill that easily: they jam only at 0.83 (2-D) or 0.90 (3-D).
constexpr double kLeastDistance = 0.75;
// The network is done within this share of the sites asked for; an edge that would go beyond is cut.
constexpr double kAim = 0.02;
// What may be missing or too much in the end.
constexpr double kTolerance = 0.1;

class Network {
 public:
  explicit Network(StepBuilder& builder)
      : builder_(builder),
        draws_(builder.draws(Stream::initial_network)),
        nodes_(builder.lattice(), builder.step().region),
        region_sites_(builder.region_sites()),
        target_(builder.step().fraction * double(region_sites_)) {}

  NetworkGraph grow() {
    const InitialStep& step = builder_.step();
    if (!(step.fraction > 0 && step.node_spacing > 0 && step.radius > 0))
      builder_.fail("needs fraction, node_spacing and radius above 0");
    const bool is_flat = builder_.lattice().dimension == 2;
    const double spacing = step.node_spacing;
    const double most_nodes = std::max(16.0, std::min(0x1p26, double(region_sites_)));
    double wanted = double(region_sites_) / (is_flat ? spacing * spacing : spacing * spacing * spacing);
    wanted = std::clamp(wanted, 2.0, most_nodes);
    double distance = kLeastDistance * spacing;
    // Where all edges do not suffice, as many nodes again go between those that are there.
    for (bool grows = true; grows && wanted <= most_nodes && !is_done(); wanted *= 2) {
      const std::size_t old = nodes_.size();
      nodes_.add(std::size_t(wanted), distance, draws_);
      const std::vector<Edge> edges = edges_from(old);
      const int64_t before = taken_;
      add_edges(edges);
      grows = edges.empty() || taken_ > before;
      distance *= is_flat ? 0.70710678118654752 : 0.79370052598409974;  // 2^(-1/dimension)
    }
    if (double(taken_) < (1 - kTolerance) * target_ || double(taken_) > (1 + kTolerance) * target_) fail();
    builder_.add_cell();
    NetworkGraph graph{{}, std::move(drawn_)};
    for (std::size_t node = 0; node < nodes_.size(); ++node) graph.nodes.push_back(nodes_[node]);
    return graph;
  }

 private:
  using Edge = std::pair<uint32_t, uint32_t>;

  bool is_done() const { return double(taken_) >= (1 - kAim) * target_; }

  // Edges from every node added since `first` to its nearest ones, each once, in random order.
  std::vector<Edge> edges_from(std::size_t first) {
    const std::size_t links = builder_.lattice().dimension == 2 ? 3 : 4;
    std::vector<Edge> edges;
    for (std::size_t node = first; node < nodes_.size(); ++node)
      for (const uint32_t other : nodes_.nearest(node, links))
        edges.emplace_back(std::min(uint32_t(node), other), std::max(uint32_t(node), other));
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    for (std::size_t i = edges.size(); i > 1; --i)
      std::swap(edges[i - 1], edges[std::size_t(draws_.below(i))]);
    return edges;
  }

  void add_edges(const std::vector<Edge>& edges) {
    constexpr int kParts = 16;
    for (const Edge& edge : edges) {
      if (is_done()) return;
      const Vec3d from = nodes_[edge.first], way = nodes_.way(from, nodes_[edge.second]);
      // Whole, or the longest part that does not take too much.
      int part = kParts;
      while (part >= 0 && !add_tube({from, from + way * (double(part) / kParts), builder_.step().radius}))
        --part;
      if (part == kParts) drawn_.push_back(edge);
    }
  }

  // False, and nothing has changed, where it would take too much.
  bool add_tube(const Capsule& tube) {
    const Lattice& lattice = builder_.lattice();
    const Region& region = builder_.step().region;
    new_sites_.clear();
    for_each_site(tube, lattice, [&](const Vec3i& place) {
      if (!region.contains({double(place.x), double(place.y), double(place.z)})) return;
      if (builder_.take(place)) new_sites_.push_back(place);
    });
    if (double(taken_) + double(new_sites_.size()) > (1 + kAim) * target_) {
      for (const Vec3i& place : new_sites_) builder_.give(place, kMedium);
      return false;
    }
    taken_ += int64_t(new_sites_.size());
    return true;
  }

  [[noreturn]] void fail() const {
    const InitialStep& step = builder_.step();
    builder_.fail(fmt::format(
        "cannot take the fraction {} of its region's {} sites, that is {:.0f}, with tubes of radius "
        "{} between nodes {} apart: it ends with {}; choose another radius, node_spacing or region",
        step.fraction, region_sites_, target_, step.radius, step.node_spacing, taken_));
  }

  StepBuilder& builder_;
  StepDraws draws_;
  NodeSet nodes_;
  int64_t region_sites_;
  double target_;
  int64_t taken_ = 0;
  std::vector<Edge> drawn_;
  std::vector<Vec3i> new_sites_;
};

}  // namespace

NetworkGraph grow_network(StepBuilder& builder) { return Network(builder).grow(); }

void add_network(StepBuilder& builder) { grow_network(builder); }

}  // namespace kiln
