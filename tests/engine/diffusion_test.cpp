// Substances against what is known of diffusion: heat kernels, steady profiles, budgets, orders of
// convergence.
#include "engine/substances/diffusion.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <numeric>
#include <random>

#include "base/error.hpp"

namespace kiln::substances {
namespace {

using Field = std::vector<double>;

Lattice box(int dimension, int32_t length, bool periodic) {
  return {{length, length, dimension == 3 ? length : 1},
          {periodic, periodic, periodic && dimension == 3},
          dimension};
}
double sum(const Field& field) { return std::accumulate(field.begin(), field.end(), 0.0); }
double least(const Field& field) { return *std::min_element(field.begin(), field.end()); }

// Distance from a place, in voxels, on the shortest way round.
double distance(const Lattice& voxels, Site voxel, const Vec3d& from) {
  const Vec3i p = voxels.position(voxel);
  double square = 0;
  for (int axis = 0; axis < voxels.dimension; ++axis) {
    double d = std::fabs(p[axis] - from[axis]);
    if (voxels.periodic[axis]) d = std::min(d, voxels.size[axis] - d);
    square += d * d;
  }
  return std::sqrt(square);
}

TEST(Diffusion, TakesAsManyStagesAsAreNeeded) {
  const auto passes = [](double alpha) {
    const Stages stages = stages_for({3, alpha, 0}, 1);
    return std::pair(stages.steps, int(stages.stages.size()));
  };
  EXPECT_EQ(passes(0), std::pair(1, 1));
  EXPECT_EQ(passes(1), std::pair(7, 1));
  EXPECT_EQ(passes(6), std::pair(40, 1));
  EXPECT_EQ(passes(6.25), std::pair(4, 6));
  EXPECT_EQ(passes(25), std::pair(4, 11));
  EXPECT_EQ(passes(100), std::pair(4, 22));
  // What there is, is kept: values' weights add up to one in every stage.
  for (const double alpha : {25.0, 100.0})
    for (const Stage& stage : stages_for({3, alpha, 0}, 1).stages)
      EXPECT_NEAR(stage.keep + stage.older, 1, 1e-14);
}

// A release widens as the heat kernel does: by 2 D t along every axis. In 1-D: three rows that are alike.
TEST(Diffusion, WidensAsTheHeatKernel) {
  Team team(1);
  for (const int dimension : {1, 2, 3})
    for (const double alpha : {0.2, 25.0, 100.0}) {
      const int rows = dimension == 1 ? 3 : 1;
      const Lattice voxels = dimension == 1 ? Lattice{{96, rows, 1}, {true, true, false}, 2}
                                            : box(dimension, dimension == 3 ? 48 : 96, true);
      const Vec3d middle{24, 24, dimension == 3 ? 24.0 : 0.0};
      const double seconds = 12 / alpha, before = 9, after = before + 2 * alpha * seconds;  // variances
      const auto gaussian = [&](Site voxel, double variance) {
        const Vec3d row{middle.x, double(voxels.position(voxel).y), middle.z};
        const double r = distance(voxels, voxel, dimension == 1 ? row : middle);
        return std::exp(-r * r / (2 * variance)) / std::pow(2 * M_PI * variance, dimension / 2.0);
      };
      Field c(std::size_t(voxels.sites()));
      for (Site v = 0; v < voxels.sites(); ++v) c[std::size_t(v)] = gaussian(v, before);
      Diffusion diffusion(voxels, 1, {alpha, 0, {}});
      for (int part = 0; part < 4; ++part) diffusion.advance(c, {}, seconds / 4, team);
      double off = 0;
      for (Site v = 0; v < voxels.sites(); ++v) off += std::fabs(c[std::size_t(v)] - gaussian(v, after));
      EXPECT_LT(off / rows, 0.03) << dimension << "-D, alpha " << alpha;
      EXPECT_GE(least(c), 0) << dimension << "-D, alpha " << alpha;
    }
}

TEST(Diffusion, LosesNothing) {
  Team team(2);
  std::mt19937 rng(4);
  std::uniform_real_distribution<double> any(0, 1);
  for (const int dimension : {2, 3})
    for (const bool periodic : {false, true})
      for (const double alpha : {0.1, 6.0, 100.0})
        for (const bool obstacles : {false, true}) {
          const Lattice voxels = box(dimension, 19, periodic);
          std::vector<bool> open(std::size_t(voxels.sites()), true);
          if (obstacles)
            for (std::size_t i = 0; i < open.size(); ++i) open[i] = rng() % 4 != 0;
          Field c(open.size());
          for (std::size_t i = 0; i < c.size(); ++i) c[i] = open[i] ? any(rng) : 0;
          Diffusion diffusion(voxels, 2, {4 * alpha, 0, {}},
                              obstacles ? openness_of(voxels, 1, open) : Openness{});
          const double before = diffusion.total(c);
          EXPECT_NEAR(before, sum(c), 1e-9);
          for (int i = 0; i < 50; ++i) diffusion.advance(c, {}, 1, team);
          EXPECT_NEAR(diffusion.total(c) / before, 1, 1e-12) << dimension << "-D, alpha " << alpha;
          EXPECT_GE(least(c), 0);
          for (std::size_t i = 0; i < c.size(); ++i) EXPECT_TRUE(open[i] || c[i] == 0);
        }
}

// Voxels of three sites, some of them closed, and cut at the end of the box.
TEST(Diffusion, LosesNothingInCoarseVoxelsWithObstacles) {
  Team team(1);
  std::mt19937 rng(6);
  for (const int dimension : {2, 3}) {
    const Lattice sites{{20, 18, dimension == 3 ? 13 : 1}, {false, true, false}, dimension};
    std::vector<bool> open;
    for (Site s = 0; s < sites.sites(); ++s) open.push_back(rng() % 3 != 0);
    const Openness openness = openness_of(sites, 3, open);
    const Lattice voxels{{7, 6, dimension == 3 ? 5 : 1}, sites.periodic, dimension};
    ASSERT_EQ(openness.volume.size(), std::size_t(voxels.sites()));
    for (std::size_t v = 0; v < openness.volume.size(); ++v) {
      EXPECT_LE(openness.volume[v], 1);
      for (int axis = 0; axis < dimension; ++axis)
        EXPECT_LE(openness.low[std::size_t(axis)][v], openness.volume[v]);
    }
    Diffusion diffusion(voxels, 3, {200, 0, {}}, openness);
    Field c(openness.volume.size(), 0);
    const auto fullest =
        std::max_element(openness.volume.begin(), openness.volume.end()) - openness.volume.begin();
    c[std::size_t(fullest)] = 10;
    const double before = diffusion.total(c);
    for (int i = 0; i < 100; ++i) diffusion.advance(c, {}, 1, team);
    EXPECT_NEAR(diffusion.total(c) / before, 1, 1e-12);
    EXPECT_GE(least(c), 0);
    EXPECT_LT(*std::max_element(c.begin(), c.end()), 1);  // it has spread
  }
}

// Two chambers, with a wall between them.
TEST(Diffusion, DoesNotPassObstacles) {
  Team team(1);
  const Lattice voxels = box(3, 15, false);
  std::vector<bool> open(std::size_t(voxels.sites()), true);
  Field c(open.size(), 0);
  for (Site v = 0; v < voxels.sites(); ++v) {
    const int32_t y = voxels.position(v).y;
    open[std::size_t(v)] = y != 7;
    if (y < 7) c[std::size_t(v)] = 2;
  }
  c[std::size_t(voxels.index({3, 3, 3}))] = 100;
  Diffusion diffusion(voxels, 1, {30, 0, {}}, openness_of(voxels, 1, open));
  for (int i = 0; i < 100; ++i) diffusion.advance(c, {}, 1, team);
  const double even = 2 + 98.0 / (15 * 15 * 7);
  for (Site v = 0; v < voxels.sites(); ++v)
    EXPECT_NEAR(c[std::size_t(v)], voxels.position(v).y < 7 ? even : 0, 1e-9);
}

TEST(Diffusion, DecaysWhereNothingMoves) {
  Team team(1);
  const Lattice voxels = box(2, 4, false);
  for (const double k : {0.01, 3.0, 80.0}) {
    Field c(16, 1.0);
    Diffusion(voxels, 1, {0, k, {}}).advance(c, {}, 1, team);
    EXPECT_GE(c[5], 0);
    EXPECT_NEAR(c[5], std::exp(-k), k < 1 ? 1e-4 : 0.02);
  }
  // Of first order: half the step, half the error.
  const auto error = [&](int parts) {
    Field c(16, 1.0);
    Diffusion diffusion(voxels, 1, {0, 0.1, {}});
    for (int i = 0; i < parts; ++i) diffusion.advance(c, {}, 4.0 / parts, team);
    return std::fabs(c[0] - std::exp(-0.4));
  };
  EXPECT_NEAR(error(8) / error(16), 2, 0.1);
}

// What is secreted and decays: S/k (1 - e^(-kt)).
TEST(Diffusion, FillsUpToWhatDecays) {
  Team team(1);
  const Lattice voxels = box(3, 12, true);
  for (const double alpha : {1.0, 50.0}) {
    Sources sources{Field(std::size_t(voxels.sites()), 0), {}};
    sources.secretion[100] = 3;
    Field c(sources.secretion.size(), 0);
    Diffusion diffusion(voxels, 1, {alpha, 0.05, {}});
    for (int i = 0; i < 40; ++i) diffusion.advance(c, sources, 1, team);
    EXPECT_NEAR(sum(c), 3 / 0.05 * (1 - std::exp(-0.05 * 40)), 0.1) << alpha;
  }
}

// A fixed concentration at either end: a straight line, by sweeps and by waiting.
TEST(Diffusion, IsLinearBetweenWalls) {
  Team team(1);
  const Lattice voxels{{4, 5, 20}, {true, false, false}, 3};
  Properties p{10, 0, {}};
  p.sides[4] = {Side::Kind::value, 2};
  p.sides[5] = {Side::Kind::value, 6};
  for (const bool sweeps : {false, true}) {
    Field c(std::size_t(voxels.sites()), 1);
    Diffusion diffusion(voxels, 1, p);
    if (sweeps) diffusion.settle(c, {}, 1e-12, team);
    for (int i = 0; i < 400 && !sweeps; ++i) diffusion.advance(c, {}, 1, team);
    for (Site v = 0; v < voxels.sites(); ++v)
      EXPECT_NEAR(c[std::size_t(v)], 2 + 4 * (voxels.position(v).z + 0.5) / 20, 1e-9);
  }
  Field c(std::size_t(voxels.sites()), 1);
  EXPECT_THROW(Diffusion(voxels, 1, {10, 0, {}}).settle(c, {}, 1e-6, team), UserError);
}

// What comes in through one side, whatever the diffusion, and leaves by decay.
TEST(Diffusion, TakesAFluxThroughAWall) {
  Team team(1);
  const Lattice voxels = box(3, 10, false);
  for (const double d : {0.0, 20.0}) {
    Properties p{d, 0, {}};
    p.sides[1] = {Side::Kind::flux, 0.5};  // into 100 faces of 2 x 2 um
    Field c(std::size_t(voxels.sites()), 0);
    Diffusion diffusion(voxels, 2, p);
    Budget budget;
    for (int i = 0; i < 8; ++i) diffusion.advance(c, {}, 1, team, &budget);
    EXPECT_NEAR(sum(c), 8 * 0.5 / 2 * 100, 1e-9) << d;
    EXPECT_NEAR(budget.crossed_walls, sum(c), 1e-9) << d;
  }
}

// Steady profiles of a source that decays: S l/(2D) e^(-x/l) of a sheet, S/(2 pi D) K0(r/l) of a line, S/(4
// pi D r) e^(-r/l) of a point.
TEST(Diffusion, HasTheRightSteadyProfiles) {
  Team team(2);
  const double d = 4, k = 4.0 / 36, length = 6;  // sqrt(D/k)
  const Lattice sheet{{100, 6, 1}, {true, true, false}, 2}, line = box(2, 121, true),
                                                            point = box(3, 73, true);
  struct Case {
    Lattice voxels;
    Vec3i source;
    double (*profile)(double r, double l);
    double tolerance;
  };
  const Case cases[] = {
      {sheet, {50, -1, 0}, [](double r, double l) { return l / (2 * 4.0) * std::exp(-r / l); }, 0.01},
      {line,
       {60, 60, 0},
       [](double r, double l) { return std::cyl_bessel_k(0, r / l) / (2 * M_PI * 4.0); },
       0.03},
      {point, {36, 36, 36}, [](double r, double l) { return std::exp(-r / l) / (4 * M_PI * 4.0 * r); }, 0.04},
  };
  for (const Case& one : cases) {
    const Lattice& v = one.voxels;
    Sources sources{Field(std::size_t(v.sites()), 0), {}};
    for (Site s = 0; s < v.sites(); ++s) {
      const Vec3i p = v.position(s);
      if (p.x == one.source.x && (one.source.y < 0 || (p.y == one.source.y && p.z == one.source.z)))
        sources.secretion[std::size_t(s)] = 1;
    }
    Field c(sources.secretion.size(), 0);
    Diffusion(v, 1, {d, k, {}}).settle(c, sources, 1e-8, team);
    for (const int32_t r : {4, 8, 14}) {
      const double along =
          c[std::size_t(v.index({one.source.x + r, std::max(0, one.source.y), one.source.z}))];
      EXPECT_NEAR(along / one.profile(r, length), 1, one.tolerance) << v.dimension << "-D, " << r;
    }
    if (one.source.y < 0) continue;
    // As far along the diagonal as along an axis.
    const double diagonal = c[std::size_t(v.index(one.source + Vec3i{6, 6, 0}))];
    EXPECT_NEAR(diagonal / one.profile(6 * std::sqrt(2.0), length), 1, 0.02) << v.dimension << "-D";
  }
}

// A sphere that takes all up: the rate of a perfect absorber is 4 pi D R c.
TEST(Diffusion, IsTakenUpByASphere) {
  Team team(2);
  const Lattice voxels = box(3, 61, false);
  Properties p{50, 0, {}};
  for (Side& side : p.sides) side = {Side::Kind::value, 1};
  Uptake uptake{400, 1e9, Field(std::size_t(voxels.sites()), 0)};
  const double radius = 6;
  for (Site v = 0; v < voxels.sites(); ++v)
    if (distance(voxels, v, {30, 30, 30}) <= radius) uptake.share[std::size_t(v)] = 1;
  Field c(uptake.share.size(), 1);
  Diffusion diffusion(voxels, 1, p);
  const Sources sources{{}, {uptake}};
  for (int i = 0; i < 60; ++i) diffusion.advance(c, sources, 1, team);
  Budget budget;
  diffusion.advance(c, sources, 1, team, &budget);
  // The walls are a cube at 30.5: a ball as large as it lies between the largest in it and the smallest
  // around.
  const double most = 4 * M_PI * 50 / (1 / radius - 1 / 30.5),
               fewest = 4 * M_PI * 50 / (1 / radius - 1 / 52.0);
  EXPECT_GT(budget.taken_up, 0.97 * fewest);
  EXPECT_LT(budget.taken_up, 1.03 * most);
}

TEST(Diffusion, TakesUpNoMoreThanItsCeiling) {
  Team team(1);
  const Lattice voxels = box(2, 8, true);
  const Sources sources{{}, {{0.5, 0.1, Field(64, 1)}}};
  Field c(64, 10);
  Budget budget;
  Diffusion(voxels, 1, {1, 0, {}}).advance(c, sources, 2, team, &budget);
  EXPECT_NEAR(budget.taken_up, 64 * 0.1 * 2, 1e-12);
  EXPECT_NEAR(c[0], 9.8, 1e-12);
}

// Everything at once, by steps and by supersteps: what there is, is what came and did not go.
TEST(Diffusion, HasABudgetThatCloses) {
  std::mt19937 rng(3);
  std::uniform_real_distribution<double> any(0, 1);
  for (const double alpha : {0.3, 30.0, 120.0})
    for (const bool obstacles : {false, true}) {
      Team team(2);
      const Lattice voxels{{23, 17, 11}, {false, true, false}, 3};
      const auto count = std::size_t(voxels.sites());
      Properties p{alpha, 0.02, {}};
      p.sides = {Side{Side::Kind::value, 0.7}, Side{}, Side{}, Side{}, Side{Side::Kind::flux, 0.3},
                 Side{Side::Kind::value, 0}};
      std::vector<bool> open(count, true);
      for (std::size_t i = 0; i < count && obstacles; ++i) open[i] = rng() % 5 != 0;
      Sources sources{Field(count), {{0.4, 0.15, Field(count)}, {2, 0.05, Field(count)}}};
      Field c(count, 0);
      for (std::size_t i = 0; i < count; ++i) {
        sources.secretion[i] = rng() % 10 == 0 ? any(rng) : 0;
        sources.uptake[0].share[i] = any(rng);
        sources.uptake[1].share[i] = rng() % 2 == 0 ? any(rng) : 0;
        if (open[i]) c[i] = any(rng);
      }
      Diffusion diffusion(voxels, 1, p, obstacles ? openness_of(voxels, 1, open) : Openness{});
      const double before = diffusion.total(c);
      Budget budget;
      for (int i = 0; i < 30; ++i) diffusion.advance(c, sources, 1, team, &budget);
      for (const double part : {budget.secreted, budget.taken_up, budget.decayed, budget.crossed_walls})
        EXPECT_GT(std::fabs(part), 1);
      const double moved =
          budget.secreted + budget.taken_up + budget.decayed + std::fabs(budget.crossed_walls);
      EXPECT_NEAR(diffusion.total(c), before + budget.gain(), 1e-12 * moved) << alpha;
      EXPECT_GE(least(c), 0);
    }
}

// A wave between two walls: half the edge, a quarter of the error.
TEST(Diffusion, IsOfSecondOrderInSpace) {
  Team team(1);
  const auto error = [&](int32_t n) {
    const double edge = 32.0 / n, d = 1, seconds = 20;
    const Lattice voxels{{n, 3, 1}, {false, true, false}, 2};
    Properties p{d, 0, {}};
    p.sides[0] = p.sides[1] = {Side::Kind::value, 0};
    Field c(std::size_t(voxels.sites()));
    for (Site v = 0; v < voxels.sites(); ++v)
      c[std::size_t(v)] = std::sin(M_PI * (voxels.position(v).x + 0.5) / n);
    Diffusion diffusion(voxels, edge, p);
    for (int i = 0; i < 4000; ++i) diffusion.advance(c, {}, seconds / 4000, team);
    const double exact = std::exp(-d * std::pow(M_PI / 32, 2) * seconds);
    return std::fabs(c[std::size_t(n / 2)] / std::sin(M_PI * (n / 2 + 0.5) / n) - exact);
  };
  EXPECT_NEAR(error(8) / error(16), 4, 0.4);
}

// A wave that flattens and decays, by supersteps: half the step, half the error. In space it is exact: the
// wave is an eigenvector of the differences between voxels.
TEST(Diffusion, IsOfFirstOrderInSupersteps) {
  Team team(1);
  const int32_t n = 64;
  const double d = 40, decay = 0.3, seconds = 1;
  for (const int dimension : {2, 3}) {
    const Lattice voxels{{n, 3, dimension == 3 ? 3 : 1}, {true, true, dimension == 3}, dimension};
    const auto error = [&](int parts) {
      const Stages stages = stages_for({dimension, d, decay}, seconds / parts);
      EXPECT_EQ(stages.steps, 4) << parts;
      EXPECT_GT(stages.stages.size(), 4u) << parts;
      Field c(std::size_t(voxels.sites()));
      for (Site v = 0; v < voxels.sites(); ++v)
        c[std::size_t(v)] = 2 + std::cos(2 * M_PI * voxels.position(v).x / n);
      Diffusion diffusion(voxels, 1, {d, decay, {}});
      for (int i = 0; i < parts; ++i) diffusion.advance(c, {}, seconds / parts, team);
      const double flattens = 2 * d * (1 - std::cos(2 * M_PI / n));
      return std::fabs(c[0] - c[n / 2] - 2 * std::exp(-(decay + flattens) * seconds));
    };
    EXPECT_GT(error(4), 1e-5);  // not rounding
    EXPECT_NEAR(error(1) / error(2), 2, 0.2) << dimension << "-D";
    EXPECT_NEAR(error(2) / error(4), 2, 0.2) << dimension << "-D";
  }
}

TEST(Diffusion, GivesTheSameBitsForAnyNumberOfThreads) {
  std::mt19937 rng(9);
  std::uniform_real_distribution<double> any(0, 1);
  for (const int dimension : {2, 3}) {
    const Lattice voxels{{33, 14, dimension == 3 ? 9 : 1}, {true, false, true}, dimension};
    const auto count = std::size_t(voxels.sites());
    Properties p{40, 0.1, {}};
    p.sides[2] = {Side::Kind::value, 1};
    Sources sources{Field(count), {{0.4, 0.15, Field(count, 0.5)}}};
    Field first(count);
    for (std::size_t i = 0; i < count; ++i) first[i] = any(rng), sources.secretion[i] = any(rng);
    std::vector<Field> results;
    std::vector<Budget> budgets(3);
    for (const int threads : {1, 2, 5}) {
      Team team(threads);
      Field c = first;
      Diffusion diffusion(voxels, 1, p);
      for (int i = 0; i < 5; ++i) diffusion.advance(c, sources, 1, team, &budgets[results.size()]);
      results.push_back(c);
    }
    for (std::size_t t : {1, 2}) {
      for (std::size_t i = 0; i < count; ++i)
        ASSERT_EQ(std::bit_cast<uint64_t>(results[t][i]), std::bit_cast<uint64_t>(results[0][i]));
      EXPECT_EQ(budgets[t].gain(), budgets[0].gain());
    }
  }
}

}  // namespace
}  // namespace kiln::substances
