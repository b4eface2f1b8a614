// Small worlds where every term is at work, for comparing engines.
#pragma once

#include "support/small_world.hpp"

namespace kiln::test {

// Gives a world the terms that random_world leaves out. Some types are frozen in some worlds.
inline void add_all_terms(SmallWorld& w, unsigned seed) {
  std::mt19937 rng(seed + 1000);
  w.temperature = 15;
  VectorField field;
  field.shape = VectorField::Shape::radial;
  field.centre = {3, 3, 1};
  w.fields = {field};
  for (std::size_t t = 1; t < w.types.size(); ++t) {
    TypePhysics& p = w.types[t];
    p.chemotaxis = {float(rng() % 10), 0};
    p.persistence = {float(rng() % 20), 0.8f, float(1 + rng() % 4), float(seed % 2)};
    p.act = {float(rng() % 60), float(5 + rng() % 20), 0};
    p.connectivity = {float(rng() % 3) * 5, float(rng() % 4 == 0)};
    p.frozen = t > 1 && rng() % 3 == 0;
  }
  State& s = w.state;
  if (seed % 3 == 0) {  // cells of the first type want to be what others are
    w.types[1].volume.target = w.types[1].perimeter.target = kOwnTarget;
    for (CellId c = 0; c < s.cells.count(); ++c)
      s.cells.targets.push_back({float(5 + rng() % 20), float(20 + rng() % 60)});
  }
  if (seed % 5 == 4) {  // those of the last type have lambdas of their own
    TypePhysics& last = w.types.back();
    last.chemotaxis.lambda = last.persistence.lambda = last.act.lambda = kOwnLambda;
    for (CellId c = 0; c < s.cells.count(); ++c)
      s.cells.own_lambdas.push_back({float(rng() % 20) - 10, float(rng() % 20), float(rng() % 60)});
  }
  s.act = HugeVector<ActValue>(s.ids.size());
  s.cells.history_length = 4;
  s.cells.direction.assign(s.cells.count(), Vec3f{});
  for (CellId c = 1; c < s.cells.count(); ++c)
    s.cells.direction[c] = c % 2 == 0 ? Vec3f{1, 0, 0} : Vec3f{0, 1, 0};
  w.recount();
  s.cells.history.assign(s.cells.count() * 4, Vec3d{});
  for (CellId c = 1; c < s.cells.count(); ++c)
    for (int k = 0; k < 4; ++k)
      if (s.cells.extent[c].volume > 0) s.cells.history[c * 4 + std::size_t(k)] = s.cells.position(c);
}

// What few models have: cells held at their lengths, and a field that is stored site by site.
struct RareTerms {
  SmallWorld world;
  std::vector<float> field;

  explicit RareTerms(SmallWorld w) : world(std::move(w)) {
    std::mt19937 rng(77);
    const auto upto = [&](float most) { return most * float(rng()) / float(std::mt19937::max()); };
    State& s = world.state;
    field.resize(std::size_t(3 * s.lattice.sites()));
    for (float& value : field) value = upto(2) - 1;
    world.fields[0].shape = VectorField::Shape::stored;
    world.fields[0].data = field.data();
    for (std::size_t t = 1; t < world.types.size(); ++t)
      world.types[t].length = {2 + upto(13), 0.5f + upto(4), 1 + upto(4), 0.5f + upto(4)};
    s.cells.moments.resize(s.cells.count());
    world.recount();
  }
  RareTerms(const RareTerms&) = delete;  // the world points at the field
};

// On a random lattice; every fourth world has von Neumann adhesion, every fourth neighbours two sites away.
inline SmallWorld everything(int dimension, unsigned seed) {
  const int orders[4][2] = {{0, 0}, {0, 0}, {1, 0}, {4, 5}};
  SmallWorld w = random_world(dimension, seed, orders[seed % 4][0], orders[seed % 4][1]);
  add_all_terms(w, seed);
  return w;
}

inline SmallWorld everything_in(const Lattice& lattice, unsigned seed, int order_adhesion = 0,
                                int order_perimeter = 0) {
  std::mt19937 rng(seed);
  SmallWorld w = random_world_in(lattice, rng, order_adhesion, order_perimeter);
  add_all_terms(w, seed);
  return w;
}

// Cells in boxes of `edge` sites per axis that fill the lattice, of the types of a random world. With an edge
// of 1 every site is a cell of its own: as many cells at stake in a round as there can be.
inline SmallWorld tissue(const Lattice& lattice, int edge, unsigned seed) {
  std::mt19937 rng(seed);
  SmallWorld w = random_world_in(lattice, rng, 0, 0);
  State& s = w.state;
  const unsigned types = unsigned(w.types.size()) - 1;
  Vec3i boxes;
  for (int axis = 0; axis < 3; ++axis) boxes[axis] = (lattice.size[axis] + edge - 1) / edge;
  const CellId count = CellId(boxes.x * boxes.y * boxes.z);
  while (s.cells.count() <= count) s.cells.add(TypeId(1 + s.cells.count() % types));
  for (Site site = 0; site < lattice.sites(); ++site) {
    const Vec3i p = lattice.position(site);
    const int box = ((p.z / edge) * boxes.y + p.y / edge) * boxes.x + p.x / edge;
    s.ids[std::size_t(site)] = CellId(box + 1);
  }
  const float volume = float(lattice.dimension == 2 ? edge * edge : edge * edge * edge);
  for (TypePhysics& t : w.types) {
    t.volume = {volume, 1};
    t.perimeter.lambda = 0.015625f;
  }
  for (double& j : w.j) j = std::fabs(j) / 4;
  add_all_terms(w, seed);
  return w;
}

}  // namespace kiln::test
