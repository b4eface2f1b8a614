// The assembled Hamiltonian against the formulas of docs/terms, written out here a second time: energies are
// summed over the whole lattice before and after a copy, and terms without an energy are evaluated by their
// definition, in double precision. Nothing here calls a term.
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <map>
#include <set>

#include "support/full_world.hpp"

namespace kiln {
namespace {

using test::SmallWorld;

// Offsets of the nearest `order` shells of equal distance.
std::vector<Vec3i> shells(int dimension, int order) {
  std::map<int, std::vector<Vec3i>> by_distance;
  for (int z = dimension == 3 ? -4 : 0; z <= (dimension == 3 ? 4 : 0); ++z)
    for (int y = -4; y <= 4; ++y)
      for (int x = -4; x <= 4; ++x)
        if (x != 0 || y != 0 || z != 0) by_distance[x * x + y * y + z * z].push_back({x, y, z});
  std::vector<Vec3i> result;
  for (auto shell = by_distance.begin(); order > 0; ++shell, --order)
    result.insert(result.end(), shell->second.begin(), shell->second.end());
  return result;
}

// One part of dH per term, so that the test can tell that each of them was at work.
enum Part {
  adhesion_part,
  volume_part,
  perimeter_part,
  length_part,
  chemotaxis_part,
  persistence_part,
  act_part,
  connectivity_part,
  parts
};
constexpr const char* kNames[parts] = {"adhesion",   "volume",      "perimeter", "length",
                                       "chemotaxis", "persistence", "act",       "connectivity"};
using Parts = std::array<double, parts>;

struct Orders {
  int adhesion, perimeter;
};

// The definitions, over a whole lattice.
class Formulas {
 public:
  Formulas(const SmallWorld& world, const Orders& orders)
      : world_(world),
        lattice_(world.state.lattice),
        adhesion_offsets_(shells(lattice_.dimension, orders.adhesion)),
        perimeter_offsets_(shells(lattice_.dimension, orders.perimeter)) {}

  // The changes that a copy from `source` to `target` makes; `winner` is the medium where the source is
  // frozen. `forbidden`: by a hard rule.
  Parts delta(CellId winner, const Vec3i& source, const Vec3i& target, const Vec3i& step,
              bool& forbidden) const {
    std::vector<CellId> after(world_.state.ids.begin(), world_.state.ids.end());
    const CellId loser = id_at(target);
    after[std::size_t(lattice_.index(target))] = winner;
    Parts result = energies(after);
    const Parts before = energies({world_.state.ids.begin(), world_.state.ids.end()});
    for (int k = 0; k < parts; ++k) result[std::size_t(k)] -= before[std::size_t(k)];

    const double length = std::sqrt(double(step.x * step.x + step.y * step.y + step.z * step.z));
    const auto along = [&](const Vec3f& v) {
      return (double(v.x) * step.x + double(v.y) * step.y + double(v.z) * step.z) / length;
    };
    const TypePhysics& steering = type_of(winner != kMedium ? winner : loser);
    result[chemotaxis_part] =
        -double(steering.chemotaxis.lambda) * along(field_at(int(steering.chemotaxis.field), source));
    if (winner != kMedium || steering.persistence.retraction != 0)
      result[persistence_part] = -double(steering.persistence.lambda) *
                                 along(world_.state.cells.direction[winner != kMedium ? winner : loser]);
    result[act_part] = -double(steering.act.lambda) / double(steering.act.max) *
                       (mean_act(source, winner) - mean_act(target, loser));
    forbidden = false;
    if (loser != kMedium && pieces_around(target, loser) > 1) {
      forbidden = type_of(loser).connectivity.hard != 0;
      result[connectivity_part] = double(type_of(loser).connectivity.penalty);
    }
    return result;
  }

 private:
  Parts energies(const std::vector<CellId>& ids) const {
    Parts sum{};
    std::vector<std::vector<Vec3i>> sites(world_.state.cells.count());
    std::vector<double> perimeter(world_.state.cells.count(), 0.0);
    for (Site site = 0; site < lattice_.sites(); ++site) {
      const Vec3i here = lattice_.position(site);
      const CellId cell = ids[std::size_t(site)];
      sites[cell].push_back(here);
      for_each_neighbour(here, adhesion_offsets_, [&](const Vec3i& there) {
        const CellId other = ids[std::size_t(lattice_.index(there))];
        const std::size_t types = world_.types.size();
        if (other != cell)  // every pair is met from both sides
          sum[adhesion_part] +=
              0.5 * world_.j[world_.state.cells.type[cell] * types + world_.state.cells.type[other]];
      });
      for_each_neighbour(here, perimeter_offsets_, [&](const Vec3i& there) {
        if (ids[std::size_t(lattice_.index(there))] != cell) perimeter[cell] += 1;
      });
    }
    const auto square = [](double x) { return x * x; };
    for (CellId cell = 1; cell < world_.state.cells.count(); ++cell) {
      const TypePhysics& p = type_of(cell);
      if (p.frozen) continue;
      const bool own = p.volume.target < 0;  // "start"; see FullWorld
      const Cells::Targets targets =
          own ? world_.state.cells.targets[cell] : Cells::Targets{p.volume.target, p.perimeter.target};
      sum[volume_part] +=
          double(p.volume.lambda) * square(double(sites[cell].size()) - double(targets.volume));
      sum[perimeter_part] += double(p.perimeter.lambda) * square(perimeter[cell] - double(targets.perimeter));
      const auto [longest, shortest] = axes(cell, sites[cell]);
      sum[length_part] += double(p.length.lambda) * square(longest - double(p.length.target)) +
                          double(p.length.minor_lambda) * square(shortest - double(p.length.minor_target));
    }
    return sum;
  }

  // 4 sqrt(l) in 2-D, 2 sqrt(5 l) in 3-D, of the largest and the smallest eigenvalue l of the covariance.
  // Sites are unwrapped around the cell's anchor.
  std::pair<double, double> axes(CellId cell, const std::vector<Vec3i>& sites) const {
    const int dimension = lattice_.dimension;
    if (sites.size() < 2) return {0, 0};
    double mean[3] = {}, c[3][3] = {};
    std::vector<std::array<double, 3>> places;
    for (const Vec3i& site : sites) {
      std::array<double, 3> place{};
      for (int axis = 0; axis < dimension; ++axis) {
        int d = site[axis] - world_.state.cells.centroid[cell].anchor[axis];
        if (lattice_.periodic[axis]) {
          while (2 * d < -lattice_.size[axis]) d += lattice_.size[axis];
          while (2 * d >= lattice_.size[axis]) d -= lattice_.size[axis];
        }
        place[std::size_t(axis)] = d;
        mean[axis] += d / double(sites.size());
      }
      places.push_back(place);
    }
    for (const auto& place : places)
      for (int a = 0; a < dimension; ++a)
        for (int b = 0; b < dimension; ++b)
          c[a][b] +=
              (place[std::size_t(a)] - mean[a]) * (place[std::size_t(b)] - mean[b]) / double(sites.size());
    diagonalise(c, dimension);
    double most = c[0][0], least = c[0][0];
    for (int a = 1; a < dimension; ++a) {
      most = std::max(most, c[a][a]);
      least = std::min(least, c[a][a]);
    }
    const double factor = dimension == 2 ? 4 : 2 * std::sqrt(5.0);
    return {factor * std::sqrt(std::max(most, 0.0)), factor * std::sqrt(std::max(least, 0.0))};
  }
  // Jacobi's rotations.
  static void diagonalise(double (&c)[3][3], int dimension) {
    for (int sweep = 0; sweep < 30; ++sweep)
      for (int p = 0; p < dimension; ++p)
        for (int q = p + 1; q < dimension; ++q) {
          const double angle = 0.5 * std::atan2(2 * c[p][q], c[q][q] - c[p][p]);
          const double cosine = std::cos(angle), sine = std::sin(angle);
          for (int k = 0; k < dimension; ++k) {
            const double first = c[k][p], second = c[k][q];
            c[k][p] = cosine * first - sine * second;
            c[k][q] = sine * first + cosine * second;
          }
          for (int k = 0; k < dimension; ++k) {
            const double first = c[p][k], second = c[q][k];
            c[p][k] = cosine * first - sine * second;
            c[q][k] = sine * first + cosine * second;
          }
        }
  }

  double mean_act(const Vec3i& at, CellId cell) const {
    if (cell == kMedium) return 0;
    double logs = std::log(act_at(at));
    int count = 1;
    for_each_neighbour(at, shells(lattice_.dimension, lattice_.dimension), [&](const Vec3i& there) {
      if (id_at(there) != cell) return;
      logs += std::log(act_at(there));
      ++count;
    });
    return std::exp(logs / count);
  }

  // The cell's sites around the target, grouped by whether they touch each other in the block.
  int pieces_around(const Vec3i& target, CellId cell) const {
    std::vector<Vec3i> left;
    for (const Vec3i& offset : shells(lattice_.dimension, lattice_.dimension)) {
      Vec3i there;
      if (place(target, offset, there) && id_at(there) == cell) left.push_back(offset);
    }
    int pieces = 0;
    while (!left.empty()) {
      ++pieces;
      std::vector<Vec3i> piece{left.back()};
      left.pop_back();
      for (std::size_t i = 0; i < piece.size(); ++i)
        for (std::size_t k = left.size(); k-- > 0;) {
          const Vec3i d = left[k] - piece[i];
          if (std::abs(d.x) > 1 || std::abs(d.y) > 1 || std::abs(d.z) > 1) continue;
          piece.push_back(left[k]);
          left.erase(left.begin() + std::ptrdiff_t(k));
        }
    }
    return pieces;
  }

  Vec3f field_at(int field, const Vec3i& place) const {
    const float* v = world_.fields[std::size_t(field)].data + 3 * lattice_.index(place);
    return {v[0], v[1], v[2]};
  }
  bool place(const Vec3i& from, const Vec3i& offset, Vec3i& to) const {
    return test::naive_place(lattice_, from, offset, to);
  }
  template <class Visit>
  void for_each_neighbour(const Vec3i& from, const std::vector<Vec3i>& offsets, const Visit& visit) const {
    for (const Vec3i& offset : offsets) {
      Vec3i to;
      if (place(from, offset, to)) visit(to);
    }
  }
  CellId id_at(const Vec3i& p) const { return world_.state.ids[std::size_t(lattice_.index(p))]; }
  double act_at(const Vec3i& p) const { return world_.state.act[std::size_t(lattice_.index(p))]; }
  const TypePhysics& type_of(CellId cell) const { return world_.types[world_.state.cells.type[cell]]; }

  const SmallWorld& world_;
  const Lattice lattice_;
  const std::vector<Vec3i> adhesion_offsets_, perimeter_offsets_;
};

// A random lattice with every term, each type with numbers of its own.
struct FullWorld {
  FullWorld(int dimension, unsigned seed) {
    std::mt19937 rng(seed);
    const auto real = [&](double low, double high) {
      return float(low + (high - low) * double(rng()) / double(std::mt19937::max()));
    };
    const Orders choices[4] = {{dimension, dimension}, {dimension, dimension}, {1, dimension}, {4, 5}};
    orders = choices[seed % 4];
    w = test::random_world(dimension, seed, orders.adhesion, orders.perimeter);
    for (auto& values : field_values) {
      for (Site i = 0; i < 3 * w.state.lattice.sites(); ++i) values.push_back(real(-1, 1));
      VectorField field;
      field.shape = VectorField::Shape::stored;
      field.data = values.data();
      w.fields.push_back(field);
    }
    for (std::size_t t = 1; t < w.types.size(); ++t) {
      TypePhysics& p = w.types[t];
      p.volume = {real(5, 30), real(0.1, 4)};
      p.perimeter = {real(10, 90), real(0.01, 0.5)};
      p.length = {real(2, 15), real(0.5, 5), real(1, 5), real(0.5, 5)};
      p.chemotaxis = {real(-20, 20), float(t % 2)};
      p.persistence = {real(5, 30), 0.9f, 1, float(t % 2)};
      p.act = {real(20, 100), float(10 + 20 * t), 0};
      p.connectivity = {real(5, 30), seed % 3 == 0 ? 1.0f : 0.0f};
      p.frozen = t == 3;
    }
    State& s = w.state;
    if (seed % 2 == 0) {  // cells of the first type have targets of their own
      w.types[1].volume.target = w.types[1].perimeter.target = kOwnTarget;
      for (CellId c = 0; c < s.cells.count(); ++c) s.cells.targets.push_back({real(5, 30), real(10, 90)});
    }
    s.cells.moments.resize(s.cells.count());
    for (CellId c = 0; c < s.cells.count(); ++c) s.cells.direction.push_back(unit_vector(real));
    s.act = HugeVector<ActValue>(s.ids.size());
    for (std::size_t i = 0; i < s.ids.size(); ++i) {
      const int most = int(w.types[s.cells.type[s.ids[i]]].act.max);
      s.act[i] = ActValue(most == 0 || rng() % 30 == 0 ? 0 : 1 + rng() % unsigned(most));
    }
    w.recount();
  }

  template <class Real>
  static Vec3f unit_vector(const Real& real) {
    const Vec3f v{real(0.1, 1), real(-1, 1), real(-1, 1)};
    const float length = std::sqrt(v.x * v.x + v.y * v.y + v.z * v.z);
    return {v.x / length, v.y / length, v.z / length};
  }

  SmallWorld w;
  Orders orders;
  std::vector<float> field_values[2];
};

// `accepts` is asked just below and just above the sum of the formulas. Floats carry 24 bits, Act's mean
// about 20.
template <int Dim>
void compare_with_formulas() {
  std::array<int, parts> at_work{};
  int forbidden_copies = 0, from_frozen = 0;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    FullWorld full(Dim, seed);
    const Physics physics = full.w.physics();
    const Formulas formulas(full.w, full.orders);
    std::mt19937 rng(seed);
    for (int i = 0; i < 25; ++i) {
      Copy copy;
      Vec3i target;
      if (!test::random_copy<Dim>(full.w, rng, copy, target) || full.w.types[copy.loser_type].frozen)
        continue;
      if (full.w.types[copy.winner_type].frozen) {
        copy.winner = kMedium;
        copy.winner_type = 0;
        if (copy.loser == kMedium) continue;
        ++from_frozen;
      }
      bool forbidden;
      const Parts expected = formulas.delta(copy.winner, copy.source, target, copy.step, forbidden);
      double dh = 0, size = 1;
      std::string text;
      for (std::size_t k = 0; k < parts; ++k) {
        dh += expected[k];
        size += std::fabs(expected[k]);
        at_work[k] += std::fabs(expected[k]) > 0.5 ? 1 : 0;
        text += std::string(kNames[k]) + " " + std::to_string(expected[k]) + ", ";
      }
      test::NaiveWorld<Dim> world(full.w, copy, target);
      const float near = float(1e-5 * size);
      CopyChange change;
      EXPECT_FALSE(accepts<Dim>(physics, world, copy, float(dh) - near, change)) << seed << ": " << text;
      EXPECT_EQ(accepts<Dim>(physics, world, copy, float(dh) + near, change), !forbidden)
          << seed << ": " << text;
      forbidden_copies += forbidden ? 1 : 0;
    }
  }
  for (std::size_t k = 0; k < parts; ++k) EXPECT_GT(at_work[k], 50) << kNames[k];
  EXPECT_GT(forbidden_copies, 10);
  EXPECT_GT(from_frozen, 10);
}

TEST(Hamiltonian, IsTheSumOfTheFormulas2D) { compare_with_formulas<2>(); }
TEST(Hamiltonian, IsTheSumOfTheFormulas3D) { compare_with_formulas<3>(); }

}  // namespace
}  // namespace kiln
