// Small random lattices and a naive World: every value is looked up or counted from scratch, with none of the
// engines' shortcuts. What the terms and engines are compared with.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "core/state.hpp"
#include "terms/hamiltonian.hpp"

namespace kiln::test {

// A state with its physics, owning everything that the views point at.
struct SmallWorld {
  State state;
  std::vector<TypePhysics> types;
  std::vector<double> j;  // types x types
  std::vector<int32_t> j_units;
  std::vector<int32_t> act_logs;
  std::vector<VectorField> fields;
  Neighbourhood adhesion_neighbours, perimeter_neighbours;
  float temperature = 10;
  float unit = 0x1p-10f;

  std::vector<bool> frozen() const {
    std::vector<bool> result;
    for (const TypePhysics& t : types) result.push_back(t.frozen);
    return result;
  }

  int largest_act() const {
    float most = 0;
    for (const TypePhysics& t : types) most = std::max(most, t.act.max);
    return int(most);
  }

  Physics physics() {
    const int n = int(types.size());
    j_units.resize(j.size());
    for (std::size_t i = 0; i < j.size(); ++i) j_units[i] = int32_t(std::lround(j[i] / unit));
    if (act_logs.empty()) act_logs.assign(std::size_t(std::max(largest_act(), 255)) + 1, 0);
    for (std::size_t v = 1; v < act_logs.size(); ++v) act_logs[v] = act::log_units(ActValue(v));
    Physics p;
    p.temperature = temperature;
    p.lattice = state.lattice;
    p.types.first = types.data();
    p.adhesion = {j_units.data(), n, unit};
    p.adhesion_neighbours = &adhesion_neighbours;
    p.perimeter_neighbours = &perimeter_neighbours;
    p.adhesion_is_moore = adhesion_neighbours.is_moore(state.lattice.dimension);
    p.perimeter_is_moore = perimeter_neighbours.is_moore(state.lattice.dimension);
    p.fields = fields.data();
    p.act_logs = act_logs.data();
    for (const TypePhysics& t : types) {
      Terms::each([&](auto term) {
        p.uses.*decltype(term)::kUse |= decltype(term)::acts(t.*decltype(term)::kParams);
      });
      p.uses.frozen |= t.frozen;
      p.uses.targets |= has_own_targets(t);
      p.uses.own_lambdas |= has_own_lambdas(t);
    }
    return p;
  }

  void recount() { kiln::recount(state, perimeter_neighbours, frozen(), false); }
};

// A place of the box, or none beyond a closed wall: written out per axis, without Lattice::wrap.
inline bool naive_place(const Lattice& lattice, const Vec3i& from, const Vec3i& offset, Vec3i& to) {
  for (int axis = 0; axis < 3; ++axis) {
    int at = from[axis] + offset[axis];
    const int length = lattice.size[axis];
    if (lattice.periodic[axis]) {
      while (at < 0) at += length;
      while (at >= length) at -= length;
    } else if (at < 0 || at >= length) {
      return false;
    }
    to[axis] = at;
  }
  return true;
}

inline std::vector<Vec3i> moore_offsets(int dimension) {
  std::vector<Vec3i> result;
  for (int z = (dimension == 3 ? -1 : 0); z <= (dimension == 3 ? 1 : 0); ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x)
        if (x != 0 || y != 0 || z != 0) result.push_back({x, y, z});
  return result;
}

template <int Dim>
class NaiveWorld {
 public:
  NaiveWorld(const SmallWorld& world, const Copy& copy, const Vec3i& target)
      : world_(world), copy_(copy), target_(target) {
    for (CellId& id : patch_.ids) id = kNowhere;
    for (const Vec3i& o : moore_offsets(Dim)) {
      Vec3i p;
      const int lane = 4 * ((Dim == 3 ? (o.z + 1) * 3 : 0) + o.y + 1) + o.x + 1;
      if (naive_place(world.state.lattice, target, o, p)) patch_.ids[lane] = id_at(p);
    }
    tally_ = kiln::tally(patch_, copy.winner, copy.loser);
  }

  TypeId type(CellId cell) const { return world_.state.cells.type[cell]; }
  int32_t volume(CellId cell) const { return world_.state.cells.extent[cell].volume; }
  int32_t perimeter(CellId cell) const { return world_.state.cells.extent[cell].perimeter; }
  Vec3i anchor(CellId cell) const { return world_.state.cells.centroid[cell].anchor; }
  Vec3<int64_t> sum(CellId cell) const { return world_.state.cells.centroid[cell].sum; }
  Moments moments(CellId cell) const { return world_.state.cells.moments[cell]; }
  Cells::Targets targets(CellId cell) const { return world_.state.cells.targets[cell]; }
  Vec3f direction(CellId cell) const { return world_.state.cells.direction[cell]; }
  OwnLambdas own_lambdas(CellId cell) const { return world_.state.cells.own_lambdas[cell]; }
  const Vec3i& target_place() const { return target_; }
  const Patch<Dim>& around_target() const { return patch_; }
  const Tally& tally() const { return tally_; }
  const FarPatch& far_around_target(const Neighbourhood& n) {
    far_.count = n.count;
    for (int k = 0; k < n.count; ++k) {
      Vec3i p;
      const Vec3i o{n.offset[k].x, n.offset[k].y, n.offset[k].z};
      far_.ids[k] = naive_place(world_.state.lattice, target_, o, p) ? id_at(p) : kNowhere;
    }
    return far_;
  }
  float mean_act_at_target() const { return float(mean_act(target_, copy_.loser)); }
  float mean_act_at_source() const { return float(mean_act(copy_.source, copy_.winner)); }

  // The definition, with pow.
  double mean_act(const Vec3i& at, CellId cell) const {
    if (cell == kMedium) return 0;
    double product = act_at(at);
    int count = 1;
    for (const Vec3i& o : moore_offsets(Dim)) {
      Vec3i p;
      if (!naive_place(world_.state.lattice, at, o, p) || id_at(p) != cell) continue;
      product *= act_at(p);
      ++count;
    }
    return std::pow(product, 1.0 / count);
  }

 private:
  CellId id_at(const Vec3i& p) const { return world_.state.ids[std::size_t(world_.state.lattice.index(p))]; }
  double act_at(const Vec3i& p) const {
    return world_.state.act.empty() ? 0 : world_.state.act[std::size_t(world_.state.lattice.index(p))];
  }

  const SmallWorld& world_;
  Copy copy_;
  Vec3i target_;
  Patch<Dim> patch_;
  Tally tally_;
  FarPatch far_;
};

// The energy of a whole lattice, pair by pair and cell by cell.
inline double adhesion_energy(SmallWorld& w) {
  const Physics physics = w.physics();
  const State& s = w.state;
  double sum = 0;
  for (Site site = 0; site < s.lattice.sites(); ++site) {
    const Vec3i here = s.lattice.position(site);
    for (int k = 0; k < w.adhesion_neighbours.count; ++k) {
      Vec3i there;
      const auto o = w.adhesion_neighbours.offset[k];
      if (!naive_place(s.lattice, here, {o.x, o.y, o.z}, there)) continue;
      const CellId a = s.ids[std::size_t(site)], b = s.ids[std::size_t(s.lattice.index(there))];
      if (a == b) continue;
      const adhesion::Table& j = physics.adhesion;
      sum +=
          0.5 * double(j.row(s.cells.type[a])[s.cells.type[b]]) * double(j.unit);  // every pair comes twice
    }
  }
  return sum;
}

inline double volume_energy(const SmallWorld& w) {
  double sum = 0;
  for (CellId cell = 1; cell < w.state.cells.count(); ++cell)
    sum += volume::energy(w.types[w.state.cells.type[cell]].volume, w.state.cells.extent[cell].volume);
  return sum;
}

inline double perimeter_energy(const SmallWorld& w) {
  double sum = 0;
  for (CellId cell = 1; cell < w.state.cells.count(); ++cell)
    sum +=
        perimeter::energy(w.types[w.state.cells.type[cell]].perimeter, w.state.cells.extent[cell].perimeter);
  return sum;
}

// A few cells of a few types in clumps, on a given lattice. Parameters are multiples of 1/8 so that float
// arithmetic on them is exact. An order of 0 is Moore's.
inline SmallWorld random_world_in(const Lattice& lattice, std::mt19937& rng, int order_adhesion,
                                  int order_perimeter) {
  const auto pick = [&](int low, int high) { return low + int(rng() % unsigned(high - low + 1)); };
  const auto eighth = [&](int low, int high) { return float(pick(low * 8, high * 8)) / 8.0f; };
  const int dimension = lattice.dimension;
  SmallWorld w;
  w.state.lattice = lattice;
  w.adhesion_neighbours =
      neighbourhood_of_order(dimension, order_adhesion ? order_adhesion : moore_order(dimension));
  w.perimeter_neighbours =
      neighbourhood_of_order(dimension, order_perimeter ? order_perimeter : moore_order(dimension));
  const int type_count = pick(2, 4);
  w.types.resize(std::size_t(type_count));
  for (int t = 1; t < type_count; ++t) {
    TypePhysics& p = w.types[std::size_t(t)];
    p.volume = {eighth(0, 30), eighth(0, 4)};
    p.perimeter = {eighth(0, 90), eighth(0, 2)};
  }
  w.j.assign(std::size_t(type_count * type_count), 0);
  for (int a = 0; a < type_count; ++a)
    for (int b = 0; b <= a; ++b)
      w.j[std::size_t(a * type_count + b)] = w.j[std::size_t(b * type_count + a)] = eighth(-20, 20);
  w.state.cells.add(0);
  const int cells = pick(2, 6);
  for (int c = 0; c < cells; ++c) w.state.cells.add(TypeId(pick(1, type_count - 1)));
  w.state.ids = HugeVector<CellId>(std::size_t(lattice.sites()));
  for (std::size_t i = 0; i < w.state.ids.size(); ++i)
    w.state.ids[i] = i > 0 && pick(0, 2) > 0 ? w.state.ids[i - 1] : CellId(pick(0, cells));
  w.recount();
  return w;
}

// The same on a random lattice of the given dimension: sizes 7 to 9, walls at random.
inline SmallWorld random_world(int dimension, unsigned seed, int order_adhesion = 0,
                               int order_perimeter = 0) {
  std::mt19937 rng(seed);
  const auto pick = [&](int low, int high) { return low + int(rng() % unsigned(high - low + 1)); };
  Lattice l;
  const int least = 7;  // more than twice the reach of any order: no site is its own neighbour
  l.dimension = dimension;
  l.size = {pick(least, 9), pick(least, 9), dimension == 3 ? pick(least, 9) : 1};
  for (int axis = 0; axis < dimension; ++axis) l.periodic[axis] = pick(0, 1) == 1;
  return random_world_in(l, rng, order_adhesion, order_perimeter);
}

// A random attempt between two different cells; false where the lattice gave none in many tries.
template <int Dim>
bool random_copy(const SmallWorld& w, std::mt19937& rng, Copy& copy, Vec3i& target) {
  const Lattice& l = w.state.lattice;
  const auto offsets = moore_offsets(Dim);
  for (int tries = 0; tries < 1000; ++tries) {
    target = l.position(Site(rng() % unsigned(l.sites())));
    const Vec3i offset = offsets[rng() % offsets.size()];
    Vec3i source;
    if (!naive_place(l, target, offset, source)) continue;
    const CellId winner = w.state.ids[std::size_t(l.index(source))];
    const CellId loser = w.state.ids[std::size_t(l.index(target))];
    if (winner == loser) continue;
    copy = {winner, loser, w.state.cells.type[winner], w.state.cells.type[loser], source, offset * -1};
    return true;
  }
  return false;
}

}  // namespace kiln::test
