#include "fidelity/scenarios.hpp"

#include <fmt/format.h>

#include "simulation/bench_cases.hpp"

namespace kiln {
namespace {

// Limits as the project promises them; resolutions so that a change of displacement of 2% or of a standard
// deviation of 5% is seen.
constexpr Tolerance kMean{0.01, 0.01};
constexpr Tolerance kDisplacement{0.03, 0.02};
constexpr Tolerance kPersistentDisplacement{0.04, 0.02};
constexpr Tolerance kDeviation{0.10, 0.05};
constexpr double kCloseDeviation = 0.05, kClosePersistentDisplacement = 0.02;
constexpr Tolerance kCurve{0.03, 0.10};
constexpr Tolerance kOrder{0.03, 0.20};  // runs differ much near the transition

// Edges of the full boxes. Not 30 or 60, where boxes of 5 x 5 x 6 start, and stay, as a perfect
// crystal. All edges are multiples of 8, which the checkerboard schedule needs.
constexpr int kQuickBox = 40, kBox = 64;

FidelityQuantity number(std::string name, Tolerance tolerance, double Observation::*member) {
  return {std::move(name),
          tolerance,
          [member](const Observation& seen) { return std::vector<double>{seen.*member}; },
          false,
          {},
          {},
          ""};
}

FidelityQuantity curve(std::string name, std::vector<double> Observation::*member, std::vector<double> x,
                       std::string x_label) {
  // Runs that end early (all cells gone) leave shorter curves: the missing points are undefined.
  const auto of = [member, points = x.size()](const Observation& seen) {
    std::vector<double> values = seen.*member;
    values.resize(points, kUndefined);
    return values;
  };
  return {std::move(name), kCurve, of, true, {}, std::move(x), std::move(x_label)};
}

// Cells that fill the lattice have the same mean volume whatever they do.
enum class Filling { whole_lattice, part };

std::vector<FidelityQuantity> sizes(Filling filling) {
  std::vector<FidelityQuantity> result = {number("acceptance", kMean, &Observation::acceptance),
                                          number("volume, sd", kDeviation, &Observation::volume_sd),
                                          number("perimeter, mean", kMean, &Observation::perimeter_mean),
                                          number("perimeter, sd", kDeviation, &Observation::perimeter_sd)};
  if (filling == Filling::part) result.push_back(number("volume, mean", kMean, &Observation::volume_mean));
  return result;
}

std::vector<double> as_numbers(const std::vector<int64_t>& times) { return {times.begin(), times.end()}; }

FidelityScenario dense3d(bool quick) {
  FidelityScenario s;
  s.name = "dense3d";
  s.what = "static cells that fill the box";
  s.points = {{0, bench_model("dense3d", quick ? kQuickBox : kBox), {}}};
  s.protocol.burn_in = quick ? 50 : 100;
  s.protocol.mcs = s.protocol.burn_in + (quick ? 300 : 400);
  s.protocol.track_every = 10;
  s.runs = quick ? 8 : 12;
  s.quantities = sizes(Filling::whole_lattice);
  s.quantities.push_back(number("displacement in 100 MCS", kDisplacement, &Observation::displacement));
  return s;
}

FidelityScenario act3d(bool quick) {
  FidelityScenario s;
  s.name = "act3d";
  s.what = "cells that crawl by the Act model, in a full box";
  s.parameter = "lambda_act";
  const std::vector<double> lambdas =
      quick ? std::vector<double>{1000, 2600} : std::vector<double>{500, 1300, 2600};
  for (const double lambda : lambdas)
    s.points.push_back({lambda,
                        bench_model("act3d", quick ? kQuickBox : kBox),
                        {fmt::format("types.cell.act.lambda={}", lambda)}});
  s.protocol.burn_in = quick ? 50 : 100;
  s.protocol.mcs = s.protocol.burn_in + (quick ? 150 : 400);
  s.protocol.track_every = 5;
  s.protocol.lags = {5, 10, 15, 20, 30, 40, 60};
  s.runs = quick ? 8 : 12;
  s.quantities = sizes(Filling::whole_lattice);
  s.quantities.push_back(number("displacement in 100 MCS", kDisplacement, &Observation::displacement));
  s.quantities.push_back(curve("direction autocorrelation", &Observation::autocorrelation,
                               as_numbers(s.protocol.lags), "lag (MCS)"));
  s.quantities.back().scale = 1;
  return s;
}

FidelityScenario chemotaxis2d(bool quick) {
  FidelityScenario s;
  s.name = "chemotaxis2d";
  s.what = "large cells in a circular field";
  s.parameter = "lambda_volume";
  for (const double lambda : quick ? std::vector<double>{20} : std::vector<double>{20, 40})
    s.points.push_back(
        {lambda, bench_model("chemotaxis2d", 296), {fmt::format("types.cell.volume.lambda={}", lambda)}});
  s.protocol.burn_in = 100;
  s.protocol.mcs = quick ? 600 : 2000;
  s.protocol.size_every = 2;
  s.protocol.track_every = 20;
  s.protocol.times = {10, 30, 100, 300};
  if (!quick) s.protocol.times.push_back(1000);
  s.protocol.occupancy = true;
  s.runs = quick ? 12 : 64;
  s.map_runs = quick ? 16 : 64;
  s.quantities = sizes(Filling::part);
  s.quantities.push_back(number("displacement in 100 MCS", kDisplacement, &Observation::displacement));
  s.quantities.push_back(
      curve("cross-entropy", &Observation::cross_entropy, as_numbers(s.protocol.times), "time (MCS)"));
  return s;
}

FidelityScenario sorting2d(bool quick) {
  FidelityScenario s;
  s.name = "sorting2d";
  s.what = "two types of small cells that sort themselves";
  s.points = {{0, bench_model("sorting2d", quick ? 120 : 184), {}}};
  s.protocol.times = {1, 10, 100, 1000};
  if (!quick) s.protocol.times.push_back(10000);
  s.protocol.mcs = s.protocol.times.back();
  s.protocol.burn_in = 100;
  s.protocol.size_every = 20;
  s.protocol.initial_seed = 1;  // one mixture for all: what differs is only how it sorts
  s.runs = quick ? 8 : 24;
  s.quantities = sizes(Filling::whole_lattice);
  s.quantities.push_back(
      curve("heterotypic share", &Observation::heterotypic, as_numbers(s.protocol.times), "time (MCS)"));
  return s;
}

// Adhesion is weak, so that cells change their size as often as they can: then they feel it most that they
// are judged on the sizes at the start of a round. One site weighs a fifth of the temperature.
std::string soft_cells(int dimension, int size, int edge) {
  const auto cube = [&](int side) {
    return dimension == 2 ? fmt::format("[{0}, {0}]", side) : fmt::format("[{0}, {0}, {0}]", side);
  };
  const int temperature = dimension == 2 ? 10 : 20;
  return fmt::format(R"(temperature = {}
[lattice]
size = {}
[types.cell]
volume = {{target = {}, lambda = {}}}
[adhesion]
cell.cell = 2
[[initial]]
kind = "boxes"
types = {{cell = 1}}
box = {}
)",
                     temperature, cube(size), dimension == 2 ? edge * edge : edge * edge * edge,
                     temperature / 10, cube(edge));
}

FidelityScenario soft2d(bool quick) {
  FidelityScenario s;
  s.name = "soft2d";
  s.what = "soft cells, whose sizes change often";
  s.parameter = "volume";
  for (const int edge : quick ? std::vector<int>{20} : std::vector<int>{6, 20})
    s.points.push_back({double(edge * edge), soft_cells(2, quick ? 160 : 240, edge), {}});
  s.protocol.burn_in = quick ? 100 : 500;
  s.protocol.mcs = s.protocol.burn_in + (quick ? 300 : 2000);
  s.protocol.size_every = 5;
  s.protocol.track_every = 20;
  s.runs = quick ? 8 : 30;
  s.quantities = sizes(Filling::whole_lattice);
  s.quantities.push_back(number("displacement in 100 MCS", kDisplacement, &Observation::displacement));
  return s;
}

FidelityScenario soft3d(bool quick) {
  FidelityScenario s;
  s.name = "soft3d";
  s.what = "soft cells in a full box";
  s.parameter = "volume";
  for (const int edge : quick ? std::vector<int>{8} : std::vector<int>{4, 8})
    s.points.push_back({double(edge * edge * edge), soft_cells(3, quick ? kQuickBox : kBox, edge), {}});
  s.protocol.burn_in = quick ? 50 : 100;
  s.protocol.mcs = s.protocol.burn_in + (quick ? 150 : 400);
  s.protocol.size_every = 5;
  s.protocol.track_every = 20;
  s.runs = quick ? 8 : 18;
  s.quantities = sizes(Filling::whole_lattice);
  s.quantities.push_back(number("displacement in 100 MCS", kDisplacement, &Observation::displacement));
  return s;
}

// Long cells: their ends weigh more than a site's share of the volume. Surface tension keeps them smooth:
// where it is weak against the temperature they branch, and branches that may not break are frozen for longer
// than a run, which then counts as one sample. They avoid each other, as tangles are slow, too.
FidelityScenario length2d(bool quick) {
  FidelityScenario s;
  s.name = "length2d";
  s.what = "cells held at a length, from soft to stiff";
  s.parameter = "lambda_length";
  for (const double lambda : quick ? std::vector<double>{5} : std::vector<double>{1, 5, 25})
    s.points.push_back({lambda,
                        fmt::format(R"(temperature = 10
[lattice]
size = [{0}, {0}]
[types.cell]
volume = {{target = 60, lambda = 1}}
length = {{target = 20, lambda = {1}}}
connectivity = {{penalty = 1000}}
[adhesion]
cell.cell = 40
cell.medium = 10
[[initial]]
kind = "boxes"
types = {{cell = 1}}
box = [8, 8]
spacing = [20, 20]
)",
                                    quick ? 160 : 240, lambda),
                        {}});
  s.protocol.burn_in = quick ? 300 : 1000;
  s.protocol.mcs = s.protocol.burn_in + (quick ? 600 : 2000);
  s.protocol.size_every = 5;
  s.protocol.track_every = 20;
  s.runs = quick ? 12 : 18;
  s.quantities = sizes(Filling::part);
  s.quantities.push_back(number("length, mean", kMean, &Observation::length_mean));
  s.quantities.push_back(number("length, sd", kDeviation, &Observation::length_sd));
  s.quantities.push_back(number("displacement in 100 MCS", kDisplacement, &Observation::displacement));
  return s;
}

std::string collective_at(double density, int size) {
  return fmt::format(R"(temperature = 20
[lattice]
size = [{0}, {0}, {0}]
[types.cell]
volume = {{target = 150, lambda = 25}}
perimeter = {{target = 1500, lambda = 0.2}}
persistence = {{lambda = 40, mu = 0.95, dt = 15}}
[adhesion]
cell.cell = 10
cell.medium = 0
[[initial]]
kind = "seeds"
type = "cell"
radius = 2
density = {1}
)",
                     size, density);
}

FidelityScenario collective3d(bool quick) {
  FidelityScenario s;
  s.name = "collective3d";
  s.what = "persistent cells that come to move together where they are dense";
  s.parameter = "density";
  const std::vector<double> densities =
      quick ? std::vector<double>{0.3, 0.8} : std::vector<double>{0.2, 0.35, 0.5, 0.65, 0.8};
  for (const double density : densities)
    s.points.push_back({density, collective_at(density, quick ? 32 : 40), {}});
  s.protocol.burn_in = quick ? 400 : 1500;
  s.protocol.mcs = s.protocol.burn_in + (quick ? 200 : 500);
  s.protocol.track_every = 50;
  s.protocol.order_samples = quick ? 4 : 10;
  s.runs = quick ? 8 : 24;
  s.quantities = sizes(Filling::part);
  FidelityQuantity order = number("order index", kOrder, &Observation::order_index);
  order.curve = true;  // not normal near the transition: judged by the permutation test
  order.scale = 1;
  s.quantities.push_back(order);
  return s;
}

// Persistence amplifies what little a schedule adds to the motion of cells.
FidelityScenario persistent3d(bool quick) {
  FidelityScenario s;
  s.name = "persistent3d";
  s.what = "persistent cells that fill the box";
  s.points = {{0, bench_model("collective3d", quick ? kQuickBox : kBox), {}}};
  s.protocol.burn_in = quick ? 50 : 100;
  s.protocol.mcs = s.protocol.burn_in + (quick ? 200 : 400);
  s.protocol.track_every = 10;
  s.runs = quick ? 8 : 16;
  s.quantities = sizes(Filling::whole_lattice);
  s.quantities.push_back(
      number("displacement in 100 MCS", kPersistentDisplacement, &Observation::displacement));
  return s;
}

// Cells that come and go until as many come as go: growth stops where there is no room, and deaths make some.
FidelityScenario growth2d(bool quick) {
  FidelityScenario s;
  s.name = "growth2d";
  s.what = "cells that grow, divide and die";
  s.parameter = "deaths per hour";
  for (const double deaths : quick ? std::vector<double>{0.5} : std::vector<double>{0.25, 0.5})
    s.points.push_back({deaths,
                        fmt::format(R"toml(temperature = 10
[lattice]
size = [{0}, {0}]
[units]
seconds_per_mcs = 60
[types.cell]
volume = {{target = 30, lambda = 2}}
growth = {{rate = 40, up_to = 60}}
[adhesion]
cell.cell = 6
cell.medium = 10
[[initial]]
kind = "boxes"
types = {{cell = 1}}
box = [5, 5]
spacing = [7, 7]
[[rules]]
types = "cell"
when = "volume >= 50"
do = "divide"
[[rules]]
types = "cell"
rate = "{1} / h(1)"
do = "die"
over = "h(0.5)"
)toml",
                                    quick ? 120 : 200, deaths),
                        {}});
  s.protocol.burn_in = quick ? 200 : 500;
  s.protocol.mcs = s.protocol.burn_in + (quick ? 300 : 1000);
  s.protocol.size_every = 10;
  s.runs = quick ? 8 : 24;
  s.quantities = sizes(Filling::part);
  s.quantities.push_back(number("cells", kMean, &Observation::cells));
  return s;
}

// Cells that follow what they secrete, but not where they touch: they spread out into strands.
FidelityScenario substance2d(bool quick) {
  FidelityScenario s;
  s.name = "substance2d";
  s.what = "cells that follow what they secrete";
  s.parameter = "lambda_chemotaxis";
  for (const double lambda : quick ? std::vector<double>{300} : std::vector<double>{100, 300})
    s.points.push_back({lambda,
                        fmt::format(R"toml(temperature = 10
[lattice]
size = [{0}, {0}]
[substances.vegf]
diffusion = 1
[types.medium]
takes_up.vegf = 0.01
[types.cell]
volume = {{target = 50, lambda = 5}}
secretes.vegf = 0.02
chemotaxis = {{lambda = {1}, substance = "vegf", response = "saturated-linear", half = 10, at = "medium"}}
[adhesion]
cell.cell = 5
cell.medium = 5
[[initial]]
kind = "boxes"
types = {{cell = 1}}
box = [7, 7]
spacing = [12, 12]
)toml",
                                    quick ? 120 : 192, lambda),
                        {}});
  s.protocol.burn_in = quick ? 100 : 200;
  s.protocol.mcs = s.protocol.burn_in + (quick ? 200 : 800);
  s.protocol.track_every = 20;
  s.runs = quick ? 8 : 96;  // cells that gather have a long memory
  s.quantities = sizes(Filling::part);
  s.quantities.push_back(number("displacement in 100 MCS", kDisplacement, &Observation::displacement));
  return s;
}

}  // namespace

std::vector<FidelityScenario> fidelity_scenarios(bool quick, bool closely) {
  std::vector<FidelityScenario> all = {dense3d(quick),   act3d(quick),        chemotaxis2d(quick),
                                       sorting2d(quick), soft2d(quick),       soft3d(quick),
                                       length2d(quick),  collective3d(quick), persistent3d(quick),
                                       growth2d(quick),  substance2d(quick)};
  if (!closely) return all;
  for (FidelityScenario& scenario : all)
    for (FidelityQuantity& quantity : scenario.quantities) {
      double& limit = quantity.tolerance.limit;
      if (limit == kDeviation.limit) limit = kCloseDeviation;
      if (limit == kPersistentDisplacement.limit) limit = kClosePersistentDisplacement;
    }
  return all;
}

}  // namespace kiln
