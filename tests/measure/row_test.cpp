// Cells in a row: on a lattice one site high a cell is an interval, its two ends move one site at a time, and
// every end tries to advance as often as to retreat. So volume and drift are a chain of births and deaths
// whose stationary state is known exactly, and every engine is held to it.
//
// Seeds are fixed; over other seeds a test here would fail about once in ten thousand times. The standard
// error of an sd is below 0.8%, against a bound of 5%, and that of a mean volume below 0.022 sites, against
// 0.1; drifts are held to five standard errors.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "engine/engine.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

constexpr int kTarget = 20;    // sites
constexpr int kSpacing = 120;  // cells never meet: an end moves by some ten sites in a thousand MCS
constexpr int kTries = 8;      // neighbours of a site, of which two lie in the lattice

struct Row {
  int cells;
  double temperature, lambda;
  std::string persistence;

  Model model() const {
    return parse_model("temperature = " + std::to_string(temperature) + "\n[lattice]\nsize = [" +
                           std::to_string(cells * kSpacing) +
                           ", 1]\nboundary = [\"periodic\", \"closed\"]\n[types.cell]\nvolume = {target = " +
                           std::to_string(kTarget) + ", lambda = " + std::to_string(lambda) + "}\n" +
                           persistence + "\n[[initial]]\nkind = \"boxes\"\ntype = \"cell\"\nbox = [" +
                           std::to_string(kTarget) + ", 1]\nspacing = [" + std::to_string(kSpacing) +
                           ", 1]\n",
                       "row", ".");
  }
};

// The chain of one cell, which is pushed to the right by `push` (lambda of persistence times the direction).
class Chain {
 public:
  Chain(const Row& row, double push) : row_(row), push_(push), weight_(2 * kTarget, 0.0) {
    // In the stationary state as many cells grow from V to V + 1 as shrink back.
    weight_[kTarget] = 1;
    for (int v = kTarget; v + 1 < 2 * kTarget; ++v)
      weight_[at(v + 1)] = weight_[at(v)] * growth(v) / shrinkage(v + 1);
    for (int v = kTarget; v > 1; --v) weight_[at(v - 1)] = weight_[at(v)] * shrinkage(v) / growth(v - 1);
    double sum = 0;
    for (const double w : weight_) sum += w;
    for (double& w : weight_) w /= sum;
  }

  double mean(const std::function<double(int)>& value) const {
    double sum = 0;
    for (int v = 1; v < 2 * kTarget; ++v) sum += weight_[at(v)] * value(v);
    return sum;
  }
  double volume_sd() const {
    const double middle = mean([](int v) { return v; });
    return std::sqrt(mean([&](int v) { return (v - middle) * (v - middle); }));
  }
  // Of the centroid, in sites per MCS. Ends retreat alike, so only the difference of their advances counts.
  double drift() const {
    return mean([&](int v) { return 0.5 * (advance(v, push_) - advance(v, -push_)) / kTries; });
  }

 private:
  static std::size_t at(int v) { return std::size_t(v); }
  double accepted(double dh) const { return dh <= 0 ? 1 : std::exp(-dh / row_.temperature); }
  double energy(int v) const { return row_.lambda * (v - kTarget) * (v - kTarget); }
  double advance(int v, double push) const { return accepted(energy(v + 1) - energy(v) - push); }
  double growth(int v) const { return advance(v, push_) + advance(v, -push_); }
  double shrinkage(int v) const { return 2 * accepted(energy(v - 1) - energy(v)); }

  Row row_;
  double push_;
  std::vector<double> weight_;
};

std::vector<EngineOptions> engines() { return {{.engine = "serial"}, {.engine = "threads", .threads = 2}}; }

std::unique_ptr<Engine> engine_of(const Model& model, const EngineOptions& options) {
  return make_engine(model, model.phases[0].physics.view(), initial_state(model), options);
}

// Soft cells (single pass), stiff ones, and so stiff that the volume takes three or four values.
TEST(CellsInARow, HaveTheSpreadOfVolumesOfTheChain) {
  for (const auto& [temperature, lambda] : {std::pair{20.0, 2.0}, {10.0, 2.5}, {20.0, 25.0}})
    for (const EngineOptions& options : engines()) {
      const Row row{300, temperature, lambda, ""};
      const Model model = row.model();
      const auto engine = engine_of(model, options);
      engine->advance(100);
      double sum = 0, squares = 0;
      int count = 0;
      for (int sample = 0; sample < 80; ++sample) {
        engine->advance(20);  // about two correlation times
        const Cells& cells = engine->state().cells;
        for (CellId c = 1; c < cells.count(); ++c, ++count) {
          sum += cells.extent[c].volume;
          squares += double(cells.extent[c].volume) * cells.extent[c].volume;
        }
      }
      const double mean = sum / count, sd = std::sqrt(squares / count - mean * mean);
      const double exact = Chain(row, 0).volume_sd();
      EXPECT_NEAR(sd, exact, 0.05 * exact) << options.engine << ", lambda " << lambda;
      EXPECT_NEAR(mean, kTarget, 0.1) << options.engine << ", lambda " << lambda;
    }
}

// With mu = 1 cells keep their directions. Each goes its own way, as fast as the chain says; the tiles
// schedule may be off by 2%.
TEST(CellsInARow, DriftAlongTheirDirections) {
  for (const double lambda : {0.001, 5.0, 20.0})  // the first hardly anything, as a control
    for (const EngineOptions& options : engines()) {
      const Row row{600, 10, 1, "persistence = {mu = 1, dt = 5, lambda = " + std::to_string(lambda) + "}"};
      const Model model = row.model();
      const auto engine = engine_of(model, options);
      engine->advance(100);
      const Cells before = engine->state().cells;
      constexpr int kMcs = 300;
      engine->advance(kMcs);
      const Cells& after = engine->state().cells;
      // Along the direction of each cell, so that what all cells have in common cancels: in the tiles
      // schedule they share the shifts of rounds.
      double moved = 0, expected = 0, squares = 0;
      for (CellId c = 1; c < after.count(); ++c) {
        const double along = double(before.direction[c].x), sign = along < 0 ? -1 : 1;
        const double d = sign * (after.position(c).x - before.position(c).x);
        const double e = sign * Chain(row, lambda * along).drift() * kMcs;
        moved += d;
        expected += e;
        squares += (d - e) * (d - e);
      }
      const double error = std::sqrt(squares);
      EXPECT_NEAR(moved, expected, 5 * error + 0.02 * expected) << options.engine << ", lambda " << lambda;
      if (lambda > 1) {
        EXPECT_GT(moved, 15 * error) << options.engine << ", lambda " << lambda;
      }
    }
}

}  // namespace
}  // namespace kiln
