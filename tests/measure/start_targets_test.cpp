// target = "start": every cell keeps the sizes that it began with. Fixed seeds: nothing here fails by chance.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/engine.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

// Voronoi cells of very different sizes.
std::string tissue(int dimension, const std::string& target) {
  return "seed = 3\n[lattice]\nsize = " + std::string(dimension == 2 ? "[120, 100]" : "[36, 32, 30]") +
         "\n[types.a]\nvolume = {target = " + target +
         ", lambda = 5}\n[adhesion]\ndefault = 10\n[[initial]]\nkind = \"voronoi\"\nvolume = 120\n";
}

// Mean square difference between the volumes now and at the start, and the variance at the start.
struct Spread {
  double strayed = 0, at_start = 0;
};
Spread spread_after(const Model& model, const EngineOptions& choice, int64_t mcs) {
  const State start = initial_state(model);
  const auto engine = make_engine(model, model.phases[0].physics.view(), start, choice);
  engine->advance(mcs);
  const State& now = engine->state();
  EXPECT_EQ(audit(now, model.perimeter_neighbours, model.frozen_types()), "");
  const double cells = double(start.cells.count() - 1), mean = double(model.lattice.sites()) / cells;
  Spread result;
  for (CellId cell = 1; cell < start.cells.count(); ++cell) {
    const double began = start.cells.extent[cell].volume, is = now.cells.extent[cell].volume;
    result.strayed += (is - began) * (is - began) / cells;
    result.at_start += (began - mean) * (began - mean) / cells;
  }
  return result;
}

class StartTargets : public testing::TestWithParam<int> {};

TEST_P(StartTargets, HoldEveryCellWhereItBegan) {
  const Model own = parse_model(tissue(GetParam(), "\"start\""), "test", ".");
  const Model common = parse_model(tissue(GetParam(), "120"), "test", ".");
  for (const char* engine : {"serial", "threads"}) {
    EngineOptions choice;
    choice.engine = engine;
    // sd of the volume term alone: sqrt(T / 2 lambda) = 1.4 sites.
    const Spread held = spread_after(own, choice, 100), free = spread_after(common, choice, 100);
    EXPECT_GT(held.at_start, 400);
    EXPECT_LT(held.strayed, 6);
    EXPECT_GT(held.strayed, 1);
    EXPECT_GT(free.strayed, 0.5 * free.at_start);
  }
}

INSTANTIATE_TEST_SUITE_P(Dimensions, StartTargets, testing::Values(2, 3));

// A phase may give a type a common target, and another take the cells' own up again.
TEST(StartTargets, MayBeOfSomePhasesOnly) {
  const Model model = parse_model(tissue(2, "120") + "[[phases]]\nmcs = 5\n[[phases]]\nmcs = 5\n" +
                                      "set = {\"types.a.volume.target\" = \"start\"}\n",
                                  "test", ".");
  EXPECT_FALSE(model.phases[0].physics.uses.targets);
  EXPECT_TRUE(model.phases[1].physics.uses.targets);
  const State start = initial_state(model);
  ASSERT_EQ(start.cells.targets.size(), start.cells.count());
  for (CellId cell = 1; cell < start.cells.count(); ++cell) {
    EXPECT_EQ(start.cells.targets[cell].volume, float(start.cells.extent[cell].volume));
    EXPECT_EQ(start.cells.targets[cell].perimeter, float(start.cells.extent[cell].perimeter));
  }
}

}  // namespace
}  // namespace kiln
