// Chemotaxis, persistence, Act, connectivity and the rules of frozen types: compared with the formula written
// out, on random lattices, and with values derived by hand.
#include <gtest/gtest.h>

#include <array>

#include <cmath>
#include <queue>

#include "support/small_world.hpp"

namespace kiln {
namespace {

using test::SmallWorld;

Vec3d naive_unit(const Vec3i& step) {
  const double length = std::sqrt(double(step.x * step.x + step.y * step.y + step.z * step.z));
  return {step.x / length, step.y / length, step.z / length};
}

template <int Dim, class Check>
void for_random_copies(const Check& check) {
  std::mt19937 rng(11);
  int checked = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    SmallWorld w = test::random_world(Dim, seed);
    for (int k = 0; k < 5; ++k) {
      Copy copy;
      Vec3i target;
      if (!test::random_copy<Dim>(w, rng, copy, target)) continue;
      check(w, copy, target, rng);
      ++checked;
    }
  }
  EXPECT_GT(checked, 250);
}

template <int Dim>
void check_chemotaxis() {
  for_random_copies<Dim>([](SmallWorld& w, const Copy& copy, const Vec3i&, std::mt19937&) {
    const chemotaxis::Params p{7.5f, 0};
    VectorField circular;
    circular.shape = VectorField::Shape::circular;
    circular.centre = {3.5, 2.25, 0};
    circular.strength = 2;
    const Vec3f at = circular.at(w.state.lattice, copy.source);
    const double rx = copy.source.x - 3.5, ry = copy.source.y - 2.25, r = std::sqrt(rx * rx + ry * ry);
    const Vec3d d = naive_unit(copy.step);
    const double expected = -7.5 * (d.x * 2 * -ry / r + d.y * 2 * rx / r);
    EXPECT_NEAR(chemotaxis::delta(p, copy, at), expected, 1e-4);
  });
}
TEST(Chemotaxis, IsTheFormula2D) { check_chemotaxis<2>(); }
TEST(Chemotaxis, IsTheFormula3D) { check_chemotaxis<3>(); }

TEST(Chemotaxis, MovingAlongTheFieldLowersTheEnergy) {
  // Copying from (3,3) to (4,3) in a field along +x, lambda 10: dH = -10. Against it: +10; across: 0.
  const chemotaxis::Params p{10, 0};
  const Vec3f field{1, 0, 0};
  EXPECT_EQ(chemotaxis::delta(p, {1, 0, 1, 0, {3, 3, 0}, {1, 0, 0}}, field), -10);
  EXPECT_EQ(chemotaxis::delta(p, {1, 0, 1, 0, {3, 3, 0}, {-1, 0, 0}}, field), 10);
  EXPECT_EQ(chemotaxis::delta(p, {1, 0, 1, 0, {3, 3, 0}, {0, 1, 0}}, field), 0);
  EXPECT_NEAR(chemotaxis::delta(p, {1, 0, 1, 0, {3, 3, 0}, {1, 1, 0}}, field), -10 / std::sqrt(2.0), 1e-6);
  EXPECT_NEAR(chemotaxis::delta(p, {1, 0, 1, 0, {3, 3, 3}, {1, 1, -1}}, field), -10 / std::sqrt(3.0), 1e-6);
}

TEST(Chemotaxis, TheSourcesTypeSteersUnlessItIsMedium) {
  EXPECT_EQ((Copy{1, 2, 3, 4, {}, {1, 0, 0}}.steering_type()), 3);
  EXPECT_EQ((Copy{1, 0, 3, 0, {}, {1, 0, 0}}.steering_type()), 3);
  EXPECT_EQ((Copy{0, 2, 0, 4, {}, {1, 0, 0}}.steering_type()), 4);
}

// dH of one copy in a substance that is c(x) = x, read exactly at sites.
float delta_in_ramp(const chemotaxis::Params& winner, const chemotaxis::Params& loser, const Copy& copy) {
  const Lattice lattice{{16, 8, 1}, {true, false, false}, 2};
  Substance ramp;
  ramp.voxels = lattice;
  for (Site site = 0; site < lattice.sites(); ++site) ramp.values.push_back(lattice.position(site).x);
  ramp.show();
  const SubstanceView view = ramp.view();
  std::vector<TypePhysics> types(3);
  types[1].chemotaxis = winner;
  types[2].chemotaxis = loser;
  Physics physics;
  physics.lattice = lattice;
  physics.uses.chemotaxis = physics.uses.substances = true;
  physics.types.first = types.data();
  physics.substances = &view;
  float dh = 0;
  const struct {
    OwnLambdas own_lambdas(CellId) const { return {}; }
  } world;
  EXPECT_TRUE(chemotaxis::Term::add<2>(physics, world, copy, dh));
  return dh;
}

TEST(Chemotaxis, FollowsTheResponseToASubstance) {
  const Copy copy{1, 2, 1, 2, {3, 4, 0}, {1, 1, 0}};
  const chemotaxis::Params none{0, -1, 0};
  const auto delta = [&](chemotaxis::Response response, float half) {
    return delta_in_ramp({10, -1, 0, float(response), half}, none, copy);
  };
  using enum chemotaxis::Response;
  EXPECT_EQ(delta(linear, 1), -10);
  EXPECT_NEAR(delta(saturated, 2), -10 * (4.0 / 6 - 3.0 / 5), 1e-5);
  EXPECT_NEAR(delta(saturated_linear, 2), -10 * (4.0 / 3 - 3.0 / 2.5), 1e-5);
  EXPECT_NEAR(delta(logarithmic, 2), -10 * (std::log(3.0) - std::log(2.5)), 1e-5);
  // Over a periodic side, from 15 to 0.
  EXPECT_EQ(delta_in_ramp({10, -1, 0}, none, {1, 2, 1, 2, {15, 4, 0}, {1, 0, 0}}), 150);
}

// The winner's 10 and the loser's 1, by who has a say and where.
TEST(Chemotaxis, IsSteeredByThoseWhoAreAsked) {
  const Copy between{1, 2, 1, 2, {3, 4, 0}, {1, 0, 0}}, into_medium{1, 0, 1, 0, {3, 4, 0}, {1, 0, 0}},
      out_of_medium{0, 2, 0, 2, {3, 4, 0}, {1, 0, 0}};
  const auto delta = [](chemotaxis::Who who, chemotaxis::At at, const Copy& copy) {
    return delta_in_ramp({10, -1, 0, 0, 1, float(who), float(at)}, {1, -1, 0, 0, 1, float(who), float(at)},
                         copy);
  };
  using enum chemotaxis::Who;
  using chemotaxis::At;
  const auto row = [&](chemotaxis::Who who, At at) {
    return std::array{delta(who, at, between), delta(who, at, into_medium), delta(who, at, out_of_medium)};
  };
  EXPECT_EQ(row(winner_or_loser, At::all), (std::array{-10.0f, -10.0f, -1.0f}));
  EXPECT_EQ(row(winner, At::all), (std::array{-10.0f, -10.0f, 0.0f}));
  EXPECT_EQ(row(both, At::all), (std::array{-11.0f, -10.0f, -1.0f}));
  EXPECT_EQ(row(winner_or_loser, At::medium), (std::array{0.0f, -10.0f, -1.0f}));
  EXPECT_EQ(row(winner, At::medium), (std::array{0.0f, -10.0f, 0.0f}));
  EXPECT_EQ(row(both, At::medium), (std::array{0.0f, -10.0f, -1.0f}));
}

TEST(Persistence, IsTheFormula) {
  for_random_copies<3>([](SmallWorld&, const Copy& copy, const Vec3i&, std::mt19937& rng) {
    const persistence::Params p{40, 0.95f, 15};
    const Vec3f direction{float(rng() % 100) / 100, float(rng() % 100) / 100, float(rng() % 100) / -100};
    const Vec3d d = naive_unit(copy.step);
    const double expected = -40 * (d.x * direction.x + d.y * direction.y + d.z * direction.z);
    EXPECT_NEAR(persistence::delta(p, copy, direction), expected, 1e-4);
  });
}

TEST(Persistence, TurnsTowardsTheLastDisplacement) {
  const persistence::Params p{40, 0.6f, 15};
  // Heading (0.6, 0.8) after a move of (3, 4); p was (1, 0): 0.4 (0.6, 0.8) + 0.6 (1, 0) = (0.84, 0.32).
  const Vec3f turned = persistence::turned(p, {1, 0, 0}, {13, 24, 5}, {10, 20, 5});
  const double length = std::sqrt(0.84 * 0.84 + 0.32 * 0.32);
  EXPECT_NEAR(turned.x, 0.84 / length, 1e-6);
  EXPECT_NEAR(turned.y, 0.32 / length, 1e-6);
  EXPECT_EQ(turned.z, 0);
}

TEST(Persistence, KeepsItsDirectionWhenNothingMovesOrAllCancels) {
  const Vec3f old{0, 1, 0};
  EXPECT_EQ(persistence::turned({40, 0.6f, 15}, old, {3, 3, 3}, {3, 3, 3}), old);
  EXPECT_EQ(persistence::turned({40, 0.5f, 15}, old, {3, 2, 3}, {3, 3, 3}),
            old);  // 0.5 (0,-1) + 0.5 (0,1) = 0
}

template <int Dim>
void check_geometric_mean() {
  for_random_copies<Dim>([](SmallWorld& w, const Copy& copy, const Vec3i& target, std::mt19937& rng) {
    const Physics physics = w.physics();
    w.state.act = HugeVector<ActValue>(w.state.ids.size());
    for (ActValue& v : w.state.act) v = ActValue(rng() % 40 == 0 ? 0 : 1 + rng() % 50);
    const test::NaiveWorld<Dim> world(w, copy, target);
    uint32_t values[Patch<Dim>::kLanes] = {};
    for (const Vec3i& o : test::moore_offsets(Dim)) {
      Vec3i at;
      if (test::naive_place(w.state.lattice, target, o, at))
        values[4 * ((Dim == 3 ? (o.z + 1) * 3 : 0) + o.y + 1) + o.x + 1] =
            w.state.act[std::size_t(w.state.lattice.index(at))];
    }
    const ActValue own = w.state.act[std::size_t(w.state.lattice.index(target))];
    const float mean = act::geometric_mean(world.around_target(), values, copy.loser, own, physics.act_logs);
    EXPECT_NEAR(mean, world.mean_act(target, copy.loser), 2e-5 * 50);
  });
}
TEST(Act, GeometricMeanIsTheFormula2D) { check_geometric_mean<2>(); }
TEST(Act, GeometricMeanIsTheFormula3D) { check_geometric_mean<3>(); }

TEST(Act, DeltaByHand) {
  // lambda 200, Max 50: GM(s) = 30, GM(t) = 10: dH = -4 * 20.
  EXPECT_EQ(act::delta({200, 50, 0}, 30, 10), -80);
  EXPECT_EQ(act::delta({200, 50, 0}, 0, 25), 100);
}

TEST(Act, MeanByHand) {
  // In 2-D, own value 8, two neighbours of the same cell with 4 and 16, one of another cell with 0:
  // (8*4*16)^(1/3) = 8.
  SmallWorld w;
  w.types.resize(1);
  w.j = {0};
  const Physics physics = w.physics();
  Patch<2> patch;
  uint32_t values[Patch<2>::kLanes] = {};
  for (CellId& id : patch.ids) id = 9;
  patch.ids[Patch<2>::kCentre] = kNowhere;
  patch.ids[0] = 5;
  values[0] = 4;
  patch.ids[9] = 5;
  values[9] = 16;
  EXPECT_NEAR(act::geometric_mean(patch, values, 5, 8, physics.act_logs), 8, 1e-4);
  EXPECT_EQ(act::geometric_mean(patch, values, 5, 0, physics.act_logs), 0);
  values[9] = 0;
  EXPECT_EQ(act::geometric_mean(patch, values, 5, 8, physics.act_logs), 0);
  EXPECT_EQ(act::geometric_mean(patch, values, kMedium, 8, physics.act_logs), 0);
}

template <int Dim>
int naive_components(const Patch<Dim>& patch, CellId cell) {
  std::vector<Vec3i> left;
  for (const Vec3i& o : test::moore_offsets(Dim))
    if (patch.ids[4 * ((Dim == 3 ? (o.z + 1) * 3 : 0) + o.y + 1) + o.x + 1] == cell) left.push_back(o);
  int found = 0;
  while (!left.empty()) {
    ++found;
    std::queue<Vec3i> front;
    front.push(left.back());
    left.pop_back();
    while (!front.empty()) {
      const Vec3i a = front.front();
      front.pop();
      for (std::size_t i = 0; i < left.size();) {
        const Vec3i d = left[i] - a;
        if (std::abs(d.x) <= 1 && std::abs(d.y) <= 1 && std::abs(d.z) <= 1) {
          front.push(left[i]);
          left.erase(left.begin() + long(i));
        } else {
          ++i;
        }
      }
    }
  }
  return found;
}

TEST(Connectivity, ComponentsAreTheNaiveOnes) {
  const auto check = []<int Dim>(std::integral_constant<int, Dim>) {
    int split = 0;
    for_random_copies<Dim>([&](SmallWorld& w, const Copy& copy, const Vec3i& target, std::mt19937&) {
      const test::NaiveWorld<Dim> world(w, copy, target);
      const int expected = naive_components<Dim>(world.around_target(), copy.loser);
      EXPECT_EQ(connectivity::components<Dim>(world.around_target(), copy.loser), expected);
      EXPECT_EQ(connectivity::splits<Dim>(world.around_target(), copy.loser),
                copy.loser != kMedium && expected > 1);
      split += expected > 1 ? 1 : 0;
    });
    EXPECT_GT(split, 10);
  };
  check(std::integral_constant<int, 2>{});
  check(std::integral_constant<int, 3>{});
}

TEST(Connectivity, ABridgeOfOneSiteIsSeen) {
  // 1 . .      cell 1 at two corners: only the centre joins them
  // . t .
  // . . 1
  Patch<2> patch;
  for (CellId& id : patch.ids) id = 0;
  patch.ids[Patch<2>::kCentre] = kNowhere;
  patch.ids[0] = patch.ids[10] = 1;
  EXPECT_TRUE(connectivity::splits<2>(patch, 1));
  patch.ids[1] = patch.ids[6] = 1;  // the upper edge's middle and the right edge's middle touch at a corner
  EXPECT_FALSE(connectivity::splits<2>(patch, 1));
}

TEST(Connectivity, HardRuleForbidsAndPenaltyCosts) {
  SmallWorld w;
  w.state.lattice = {{3, 3, 1}, {false, false, false}, 2};
  w.state.ids = HugeVector<CellId>(9);
  const CellId ids[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::copy(ids, ids + 9, w.state.ids.begin());
  w.state.cells.add(0);
  w.state.cells.add(1);
  w.types.resize(2);
  w.j = {0, 0, 0, 0};
  w.adhesion_neighbours = w.perimeter_neighbours = neighbourhood_of_order(2, 2);
  w.recount();
  const Copy copy{0, 1, 0, 1, {1, 0, 0}, {0, 1, 0}};
  const auto accepted_at = [&](float threshold) {
    const Physics physics = w.physics();
    test::NaiveWorld<2> world(w, copy, {1, 1, 0});
    CopyChange change;
    return accepts<2>(physics, world, copy, threshold, change);
  };
  EXPECT_TRUE(accepted_at(0));
  w.types[1].connectivity = {25, 0};
  EXPECT_FALSE(accepted_at(24.9f));
  EXPECT_TRUE(accepted_at(25));
  w.types[1].connectivity = {0, 1};
  EXPECT_FALSE(accepted_at(1e9f));
}

TEST(Frozen, TheRules) {
  EXPECT_FALSE(frozen::is_live(3, true, 4, false));  // a frozen target rejects
  EXPECT_TRUE(frozen::is_live(3, false, 4, true));   // a cell may let go of a frozen one
  EXPECT_EQ(frozen::effective_source(4, true), kMedium);
  EXPECT_FALSE(frozen::is_live(0, false, 4, true));  // medium takes medium: nothing happens
  EXPECT_FALSE(frozen::is_live(3, false, 3, false));
  EXPECT_TRUE(frozen::is_live(3, false, 0, false));
}

}  // namespace
}  // namespace kiln
