#include "measure/energy.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "engine/engine.hpp"
#include "model/file/read.hpp"
#include "support/full_world.hpp"

namespace kiln {
namespace {

using test::SmallWorld;

std::size_t number_of(const char* term) {
  const std::vector<const char*> names = energy_terms();
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::string(names[i]) == term) return i;
  ADD_FAILURE() << term;
  return 0;
}

// Every site with every neighbour, and every cell counted from the lattice, straight from the formulas.
struct Naive {
  double adhesion = 0, volume = 0, perimeter = 0;

  explicit Naive(SmallWorld& w) {
    const State& s = w.state;
    const std::size_t types = w.types.size();
    std::vector<double> volumes(s.cells.count()), perimeters(s.cells.count());
    for (Site site = 0; site < s.lattice.sites(); ++site) {
      const CellId id = s.ids[std::size_t(site)];
      ++volumes[id];
      const auto each = [&](const Neighbourhood& n, const auto& visit) {
        for (int k = 0; k < n.count; ++k) {
          Vec3i there;
          const Vec3i offset{n.offset[k].x, n.offset[k].y, n.offset[k].z};
          if (!test::naive_place(s.lattice, s.lattice.position(site), offset, there)) continue;
          if (const CellId other = s.ids[std::size_t(s.lattice.index(there))]; other != id) visit(other);
        }
      };
      each(w.adhesion_neighbours, [&](CellId other) {
        const double j = w.j[s.cells.type[id] * types + s.cells.type[other]];
        adhesion += 0.5 * std::round(j / double(w.unit)) * double(w.unit);
      });
      each(w.perimeter_neighbours, [&](CellId) { ++perimeters[id]; });
    }
    for (CellId cell = 1; cell < s.cells.count(); ++cell) {
      const TypePhysics& type = w.types[s.cells.type[cell]];
      if (type.frozen || volumes[cell] == 0) continue;
      const auto off = [&](double is, float target, float own) {
        return is - double(target == kOwnTarget ? own : target);
      };
      const Cells::Targets own = s.cells.targets.empty() ? Cells::Targets{} : s.cells.targets[cell];
      volume += double(type.volume.lambda) * std::pow(off(volumes[cell], type.volume.target, own.volume), 2);
      perimeter += double(type.perimeter.lambda) *
                   std::pow(off(perimeters[cell], type.perimeter.target, own.perimeter), 2);
    }
  }
};

void expect_naive(int dimension) {
  for (unsigned seed = 0; seed < 24; ++seed) {
    SCOPED_TRACE(testing::Message() << "world " << seed);
    SmallWorld w = test::everything(dimension, seed);
    const Naive naive(w);
    const Look look(w.state);
    const ContactMatrix contacts = contact_matrix(look, int(w.types.size()));
    const Energy energy = energy_of(look, w.physics(), contacts, true);
    EXPECT_NEAR(energy.adhesion, naive.adhesion, 1e-9 * (1 + std::fabs(naive.adhesion)));
    EXPECT_NEAR(energy.of_terms[number_of("volume")], naive.volume, 1e-9 * (1 + naive.volume));
    EXPECT_NEAR(energy.of_terms[number_of("perimeter")], naive.perimeter, 1e-9 * (1 + naive.perimeter));
    EXPECT_DOUBLE_EQ(energy.sum(),
                     energy.adhesion + energy.of_terms[0] + energy.of_terms[1] + energy.of_terms[2]);
    if (w.adhesion_neighbours.is_moore(dimension)) continue;
    EXPECT_TRUE(std::isnan(energy_of(look, w.physics(), contacts, false).adhesion));
  }
}
TEST(Energy, IsThatOfTheFormulas2D) { expect_naive(2); }
TEST(Energy, IsThatOfTheFormulas3D) { expect_naive(3); }

// At temperature 0 nothing happens that costs energy; and threads do not show.
TEST(Energy, NeverRisesAtTemperatureZero) {
  const Model model = parse_model(R"(temperature = 0
[lattice]
size = [60, 50]
[types.a]
volume = {target = 60, lambda = 1}
length = {target = 14, lambda = 3}
[types.b]
volume = {target = 30, lambda = 2}
perimeter = {target = 60, lambda = 0.1}
[adhesion]
default = 12
a.a = 3
[[initial]]
kind = "voronoi"
types = {a = 1, b = 1}
volume = 45
)",
                                  "test", ".");
  EngineOptions serial;
  serial.engine = "serial";
  const Physics physics = model.phases[0].physics.view();
  const auto engine = make_engine(model, physics, initial_state(model), serial);
  double before = std::numeric_limits<double>::infinity(), first = 0;
  for (int k = 0; k < 12; ++k) {
    const Look look(engine->state());
    const ContactMatrix contacts = contact_matrix(look, int(model.types.size()));
    const Energy energy = energy_of(look, physics, contacts, true);
    EXPECT_EQ(energy_of(look, physics, contacts, true, 3).sum(), energy.sum());
    for (const double of_term : energy.of_terms) EXPECT_GT(of_term, 0);
    EXPECT_LE(energy.sum(), before + 1e-3);  // dH is a float
    before = energy.sum();
    if (k == 0) first = before;
    engine->advance(3);
  }
  EXPECT_LT(before, 0.5 * first);
}

}  // namespace
}  // namespace kiln
