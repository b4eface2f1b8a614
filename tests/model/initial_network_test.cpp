// The random stroma network.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/initial/network.hpp"
#include "model/initial/nodes.hpp"
#include "model/initial/phantom.hpp"
#include "model/initial_helpers.hpp"

namespace kiln {
namespace {

using namespace test;
using Kind = InitialStep::Kind;

Model network_of(Vec3i size, double radius, double spacing, double fraction, bool periodic = false) {
  Model model = model_of(size, periodic);
  InitialStep step = step_of(Kind::network, kWall);
  step.radius = radius;
  step.node_spacing = spacing;
  step.fraction = fraction;
  model.initial = {step};
  return model;
}

TEST(InitialNetwork, TakesTheFractionAskedFor) {
  const struct {
    Vec3i size;
    double radius, spacing, fraction;
    bool periodic;
  } cases[] = {
      {{60, 60, 60}, 1.5, 15, 0.05, false},
      {{60, 60, 60}, 1.5, 15, 0.05, true},
      {{64, 50, 40}, 1.0, 10, 0.08, true},
      {{60, 60, 60}, 1.0, 30, 0.10, false},   // far more than the edges of nodes 30 apart take
      {{120, 100, 1}, 1.0, 12, 0.25, false},  // 2-D
      {{120, 100, 1}, 2.0, 12, 0.60, true},
      {{30, 30, 30}, 1.5, 100, 0.05, false},  // nodes farther apart than the lattice is wide
      {{40, 40, 1}, 1.0, 0.1, 0.30, false},   // nodes closer than sites
  };
  for (const auto& c : cases) {
    const State state = initial_state(network_of(c.size, c.radius, c.spacing, c.fraction, c.periodic));
    ASSERT_EQ(state.cells.count(), 2u);
    EXPECT_EQ(state.cells.type[1], kWall);
    const double taken = double(sites_of(state, 1)) / double(state.lattice.sites());
    EXPECT_NEAR(taken / c.fraction, 1.0, 0.021) << c.size.x << ' ' << c.spacing << ' ' << c.fraction;
  }
}

TEST(InitialNetwork, StaysInItsRegionAndOffTakenSites) {
  Model model = network_of({50, 50, 50}, 1.5, 12, 0.06);
  model.initial[0].region = ball_region({24.5, 24.5, 24.5}, 22);
  InitialStep cell = step_of(Kind::fill);
  cell.region = box_region({20, 20, 20}, {30, 30, 30});
  model.initial.insert(model.initial.begin(), cell);
  const State state = initial_state(model);
  EXPECT_EQ(sites_of(state, 1), 1000);
  int64_t region = 0;
  for (Site site = 0; site < state.lattice.sites(); ++site) {
    const Vec3i p = state.lattice.position(site);
    const bool inside = model.initial[1].region.contains({double(p.x), double(p.y), double(p.z)});
    region += inside ? 1 : 0;
    ASSERT_TRUE(inside || state.ids[std::size_t(site)] != 2);
  }
  EXPECT_NEAR(double(sites_of(state, 2)) / double(region) / 0.06, 1.0, 0.021);
}

TEST(InitialNetwork, IsAFunctionOfTheSeed) {
  Model model = network_of({40, 40, 40}, 1.5, 12, 0.06, true);
  const State first = initial_state(model), second = initial_state(model);
  EXPECT_EQ(first.ids, second.ids);
  model.seed = 8;
  EXPECT_FALSE(initial_state(model).ids == first.ids);
}

// Sites of cell 1 on the two faces across an axis that touch, (a site at 0, one at L - 1 in the same row).
int64_t touching_across(const State& state, int axis) {
  int64_t touching = 0;
  for (Site site = 0; site < state.lattice.sites(); ++site) {
    Vec3i p = state.lattice.position(site);
    if (p[axis] != 0 || state.ids[std::size_t(site)] == kMedium) continue;
    p[axis] = state.lattice.size[axis] - 1;
    touching += state.ids[std::size_t(state.lattice.index(p))] != kMedium ? 1 : 0;
  }
  return touching;
}

TEST(InitialNetwork, GoesOnAroundPeriodicAxes) {
  // A tube across the edge meets itself on the other side: its cross-section of radius 2, about 13 sites,
  // lies on both faces. Tubes that know nothing of each other cover 5% of either face, and coincide on 0.25%
  // of 2500 sites.
  const State periodic = initial_state(network_of({50, 50, 50}, 2, 14, 0.05, true));
  const State closed = initial_state(network_of({50, 50, 50}, 2, 14, 0.05, false));
  for (int axis = 0; axis < 3; ++axis) {
    EXPECT_GT(touching_across(periodic, axis), 40) << axis;
    EXPECT_LT(touching_across(closed, axis), 25) << axis;
  }
}

TEST(InitialNetwork, SaysWhyItCannot) {
  // A ball of radius 3 has 123 sites, and 1% of 1000 is 10.
  EXPECT_EQ(
      error_of(network_of({10, 10, 10}, 3, 5, 0.01)),
      "test.toml: initial.0 (network) cannot take the fraction 0.01 of its region's 1000 "
      "sites, "
      "that is 10, with tubes of radius 3 between nodes 5 apart: it ends with 0; choose another radius, "
      "node_spacing or region.");
  Model taken = network_of({10, 10, 10}, 1, 5, 0.1);
  taken.initial.insert(taken.initial.begin(), step_of(Kind::fill));
  EXPECT_NE(error_of(taken).find("it ends with 0;"), std::string::npos);
  EXPECT_NE(error_of(network_of({10, 10, 10}, 1, 5, 0)).find("above 0"), std::string::npos);
}

int root_of(std::vector<int>& parent, int node) {
  while (parent[node] != node) node = parent[node] = parent[parent[node]];
  return node;
}

// The figures in docs/tissues.md.
TEST(InitialNetwork, OfALymphNodeHasTheNodesAndEdgesThatWereStated) {
  const PhantomKind& kind = kPhantoms[1];
  ASSERT_EQ(std::string(kind.name), "reticulum");
  const double um = 0.5;  // per site
  Model model = network_of({260, 260, 220}, kind.radius_um / um, kind.spacing_um / um, kind.fraction);
  FirstSites sites(model.lattice);
  std::vector<TypeId> types = {0};
  StepBuilder builder(model, 0, sites, types);
  const NetworkGraph graph = grow_network(builder);

  std::vector<int> parent(graph.nodes.size()), members(graph.nodes.size());
  for (std::size_t i = 0; i < parent.size(); ++i) parent[i] = int(i);
  double length = 0;
  for (const auto& [a, b] : graph.edges) {
    const Vec3d way = graph.nodes[b] - graph.nodes[a];
    length += std::sqrt(dot(way, way)) * um;
    parent[root_of(parent, int(a))] = root_of(parent, int(b));
  }
  for (std::size_t i = 0; i < parent.size(); ++i) ++members[root_of(parent, int(i))];
  const double nodes = double(graph.nodes.size()), edges = double(graph.edges.size());
  const double volume = 130.0 * 130 * 110, largest = *std::max_element(members.begin(), members.end());
  EXPECT_NEAR(nodes / volume * 1e6, 343, 15);
  EXPECT_NEAR(length / edges, 17.3, 0.5);    // µm
  EXPECT_NEAR(2 * edges / nodes, 3.1, 0.2);  // edges at a node
  EXPECT_NEAR(largest / nodes, 0.77, 0.05);  // of the nodes hang together
}

TEST(InitialNodes, KeepTheirDistanceAndKnowTheirNeighbours) {
  for (const bool periodic : {false, true})
    for (const Vec3i size : {Vec3i{40, 30, 20}, Vec3i{80, 60, 1}}) {
      const Lattice lattice = model_of(size, periodic).lattice;
      const Region all;
      NodeSet nodes(lattice, all);
      StepDraws draws(3, Stream::initial_network, 0);
      const double distance = size.z == 1 ? 6.5 : 4.5;
      nodes.add(60, distance, draws);
      ASSERT_EQ(nodes.size(), 60u);
      for (std::size_t i = 0; i < nodes.size(); ++i) {
        std::vector<std::pair<double, uint32_t>> all_others;
        for (uint32_t j = 0; j < nodes.size(); ++j) {
          const Vec3d between = nodes.way(nodes[i], nodes[j]);
          for (int axis = 0; axis < 3; ++axis) {
            const double plain = nodes[j][axis] - nodes[i][axis], length = lattice.size[axis];
            const double boxes = (plain - between[axis]) / length;
            ASSERT_NEAR(boxes, double(int(boxes > 0 ? boxes + 0.5 : boxes - 0.5)), 1e-9);
            if (lattice.periodic[axis]) {
              ASSERT_LE(std::abs(between[axis]), length / 2 + 1e-9);
            } else {
              ASSERT_EQ(between[axis], plain);
            }
          }
          if (j == i) continue;
          ASSERT_GE(dot(between, between), distance * distance);
          all_others.emplace_back(dot(between, between), j);
        }
        std::sort(all_others.begin(), all_others.end());
        const std::vector<uint32_t> found = nodes.nearest(i, 4);
        ASSERT_EQ(found.size(), 4u);
        for (std::size_t k = 0; k < 4; ++k) EXPECT_EQ(found[k], all_others[k].second);
      }
    }
}

}  // namespace
}  // namespace kiln
