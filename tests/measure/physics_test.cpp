// What the model is known to do, measured: sorting sorts, Act cells persist, cells keep their volumes, fields
// steer. Fixed seeds: no test here can fail by chance, only by a change. The margins are far beyond the
// spread over seeds.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/engine.hpp"
#include "measure/contacts.hpp"
#include "measure/motility/tracks.hpp"
#include "measure/shape.hpp"
#include "measure/statistics.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

struct Simulation {
  explicit Simulation(const std::string& text)
      : model(parse_model(text, "test", ".")),
        engine(make_engine(model, model.phases[0].physics.view(), initial_state(model), {})) {}
  Model model;
  std::unique_ptr<Engine> engine;
};

// Graner and Glazier 1992: dark cells, which stick to each other most, gather inside; the interface between
// light and dark falls steadily, and the outside becomes light.
TEST(Physics, SortingSorts) {
  Simulation run(R"(
temperature = 10
[lattice]
size = [110, 110]
[types.light]
volume = {target = 40, lambda = 1}
[types.dark]
volume = {target = 40, lambda = 1}
[adhesion]
light.light = 14
dark.dark = 2
light.dark = 11
light.medium = 16
dark.medium = 16
[[initial]]
kind = "boxes"
types = {light = 0.5, dark = 0.5}
box = [6, 6]
region = {shape = "ball", centre = [54.5, 54.5], radius = 42}
)");
  const auto heterotypic = [&] {
    const ContactMatrix contacts = contact_matrix(run.engine->state(), int(run.model.types.size()));
    return double(interface_by_kind(contacts, run.model.frozen_types()).heterotypic);
  };
  run.engine->advance(10);  // the boxes have become cells
  const double mixed = heterotypic();
  run.engine->advance(990);
  const double early = heterotypic();
  run.engine->advance(5000);
  const double late = heterotypic();
  EXPECT_LT(early, 0.85 * mixed);
  EXPECT_LT(late, 0.85 * early);
}

// A cell that crawls keeps its direction; without Act it diffuses. The larger lambda, the farther it gets.
TEST(Physics, ActCellsPersistMoreWithLargerLambda) {
  const auto msd_after = [](double lambda) {
    Simulation run(R"(
temperature = 10
[lattice]
size = [240, 240]
[types.cell]
volume = {target = 400, lambda = 5}
perimeter = {target = 300, lambda = 0.5}
act = {max = 40, lambda = )" +
                   std::to_string(lambda) + R"(}
[adhesion]
cell.medium = 10
[[initial]]
kind = "boxes"
type = "cell"
box = [20, 20]
spacing = [60, 60]
)");
    Tracks tracks(run.model.units, run.model.frozen_types());
    run.engine->advance(50);
    tracks.add(run.engine->state());
    run.engine->advance(400);
    return tracks.add(run.engine->state()).msd_um2;
  };
  const double still = msd_after(0), slow = msd_after(60), fast = msd_after(240);
  EXPECT_GT(slow, 2 * still);
  EXPECT_GT(fast, 2 * slow);
}

// The spread of whole numbers V with the weights exp(-lambda (V - Vt)^2 / T).
double spread_of_volumes(double temperature, double lambda) {
  double sum = 0, squares = 0;
  for (int off = -50; off <= 50; ++off) {
    const double weight = std::exp(-lambda * off * off / temperature);
    sum += weight;
    squares += weight * off * off;
  }
  return std::sqrt(squares / sum);
}

// Dense static cells: the mean stays at the target, and the spread is that of the volume term alone, 0.629
// (sqrt(T / 2 lambda) = 0.632 for real numbers): a copy between cells is tried as often as its reverse.
// 11,520 volumes, nearly independent: the standard error is 0.7%, the bound seven of them.
TEST(Physics, CellsKeepTheirTargetVolumes) {
  Simulation run(R"(
temperature = 20
[lattice]
size = [40, 40, 36]
[types.cell]
volume = {target = 150, lambda = 25}
perimeter = {target = 1500, lambda = 0.2}
[adhesion]
cell.cell = 10
cell.medium = 10
[[initial]]
kind = "boxes"
type = "cell"
box = [5, 5, 6]
)");
  run.engine->advance(60);
  constexpr int kSamples = 30;
  double variance = 0;
  for (int sample = 0; sample < kSamples; ++sample) {
    run.engine->advance(10);
    const SizeStatistics sizes = size_statistics(run.engine->state(), run.model.frozen_types());
    EXPECT_NEAR(sizes.all.volume.mean, 150, 0.01);
    variance += sizes.all.volume.sd * sizes.all.volume.sd / kSamples;
  }
  const double expected = spread_of_volumes(20, 25);
  EXPECT_NEAR(std::sqrt(variance), expected, 0.05 * expected);
}

// In a field along +x every cell goes that way.
TEST(Physics, ChemotaxisFollowsTheField) {
  Simulation run(R"(
temperature = 10
[lattice]
size = [200, 100]
[fields.east]
shape = "uniform"
direction = [1, 0]
[types.cell]
volume = {target = 100, lambda = 5}
chemotaxis = {lambda = 20, field = "east"}
[adhesion]
cell.medium = 10
cell.cell = 10
[[initial]]
kind = "boxes"
type = "cell"
box = [10, 10]
spacing = [50, 25]
)");
  const auto places = [&] {
    std::vector<Vec3d> result;
    for (CellId c = 1; c < run.engine->state().cells.count(); ++c)
      result.push_back(run.engine->state().cells.position(c));
    return result;
  };
  const auto before = places();
  run.engine->advance(150);
  const auto after = places();
  ASSERT_EQ(before.size(), 16u);
  for (std::size_t i = 0; i < before.size(); ++i) {
    EXPECT_GT(after[i].x - before[i].x, 5) << i;
    EXPECT_LT(std::abs(after[i].y - before[i].y), after[i].x - before[i].x) << i;
  }
}

// Persistent cells get farther than others, and the straighter the longer they keep their direction. (How
// fast they go along it: row_test.cpp.) Over seeds, mean squared displacements are about 18, 125 and 780, and
// the straightness 0.22, 0.29 and 0.86; the seed's part in each is below a fifth.
TEST(Physics, PersistentCellsGoStraight) {
  struct Motion {
    double msd = 0, straightness = 0;
  };
  const auto motion_with = [](double lambda, double mu) {
    Simulation run(R"(
temperature = 20
[lattice]
size = [240, 240]
[types.cell]
volume = {target = 100, lambda = 5}
persistence = {dt = 10, lambda = )" +
                   std::to_string(lambda) + ", mu = " + std::to_string(mu) + R"(}
[adhesion]
cell.medium = 10
[[initial]]
kind = "boxes"
type = "cell"
box = [10, 10]
spacing = [48, 48]
)");
    run.engine->advance(50);
    const Cells start = run.engine->state().cells;
    Cells last = start;
    double path = 0, net = 0, squares = 0;
    const auto length = [](const Vec3d& v) { return std::sqrt(v.x * v.x + v.y * v.y); };
    for (int i = 0; i < 20; ++i) {
      run.engine->advance(20);
      const Cells& now = run.engine->state().cells;
      for (CellId c = 1; c < now.count(); ++c) path += length(now.position(c) - last.position(c));
      last = now;
    }
    for (CellId c = 1; c < last.count(); ++c) {
      const double moved = length(last.position(c) - start.position(c));
      net += moved;
      squares += moved * moved;
    }
    return Motion{squares / double(last.count() - 1), net / path};
  };
  const Motion still = motion_with(0, 0.99), fickle = motion_with(20, 0.3), steady = motion_with(20, 0.99);
  EXPECT_GT(fickle.msd, 3 * still.msd);
  EXPECT_GT(steady.msd, 3 * fickle.msd);
  EXPECT_GT(steady.straightness, 2 * fickle.straightness);
  EXPECT_GT(steady.straightness, 2 * still.straightness);
}

// Cells that must stay in one piece do; without the rule, hot soft cells fall apart.
TEST(Physics, ConnectivityKeepsCellsWhole) {
  const auto pieces_with = [](const std::string& rule) {
    Simulation run(R"(
temperature = 60
[lattice]
size = [90, 90]
[types.cell]
volume = {target = 60, lambda = 1}
)" + rule + R"(
[adhesion]
cell.cell = 4
cell.medium = 4
[[initial]]
kind = "boxes"
type = "cell"
box = [7, 7]
spacing = [15, 15]
)");
    run.engine->advance(60);
    return fragmented_cells(run.engine->state(), run.model.frozen_types());
  };
  EXPECT_EQ(pieces_with("connectivity = {hard = true}"), 0);
  EXPECT_GT(pieces_with(""), 5);
}

}  // namespace
}  // namespace kiln
