#include "simulation/bench_cases.hpp"

#include <fmt/format.h>

#include "base/error.hpp"

namespace kiln {
namespace {

std::string cubic(int size) { return fmt::format("[lattice]\nsize = [{0}, {0}, {0}]\n", size); }

constexpr const char* kCell3d = R"(
[types.cell]
volume = {target = 150, lambda = 25}
perimeter = {target = 1500, lambda = 0.2}
)";

std::string boxes_3d(double j_medium, const std::string& further_term) {
  return fmt::format(
      "{}{}\n[adhesion]\ncell.cell = 10\ncell.medium = {}\n[[initial]]\nkind = \"boxes\"\n"
      "type = \"cell\"\nbox = [5, 5, 6]\n",
      kCell3d, further_term, j_medium);
}

std::string sorting2d(int size) {
  return fmt::format(R"(temperature = 10
[lattice]
size = [{0}, {0}]
[types.light]
volume = {{target = 40, lambda = 1}}
[types.dark]
volume = {{target = 40, lambda = 1}}
[adhesion]
light.light = 14
dark.dark = 2
light.dark = 11
light.medium = 16
dark.medium = 16
[[initial]]
kind = "boxes"
types = {{light = 0.5, dark = 0.5}}
box = [6, 6]
)",
                     size);
}

std::string chemotaxis2d(int size) {
  return fmt::format(R"(temperature = 10
[lattice]
size = [{0}, {0}]
[fields.ring]
shape = "circular"
[types.cell]
volume = {{target = 2500, lambda = 20}}
perimeter = {{target = 600, lambda = 2}}
chemotaxis = {{lambda = 10, field = "ring"}}
[adhesion]
cell.cell = 10
cell.medium = 10
[[initial]]
kind = "boxes"
type = "cell"
box = [50, 50]
spacing = [100, 100]
)",
                     size);
}

// models/act-cell.toml
std::string actcell2d(int size) {
  const int low = (size - 50) / 2;
  return fmt::format(R"(temperature = 10
[lattice]
size = [{0}, {0}]
[types.cell]
volume = {{target = 2500, lambda = 20}}
perimeter = {{target = 600, lambda = 2}}
act = {{lambda = 200, max = 50}}
[adhesion]
cell.cell = 10
cell.medium = 10
[[initial]]
kind = "boxes"
type = "cell"
box = [50, 50]
region = {{shape = "box", low = [{1}, {1}], high = [{2}, {2}]}}
)",
                     size, low, low + 50);
}

std::string lymphnode(int size) {
  const double centre = (size - 1) / 2.0;
  const std::string ball =
      fmt::format("{{shape = \"ball\", centre = [{0}, {0}, {0}], radius = {1}}}", centre, size / 2.0);
  const std::string outside = fmt::format(
      "{{shape = \"ball\", centre = [{0}, {0}, {0}], radius = {1}, outside = true}}", centre, size / 2.0);
  return fmt::format(R"(temperature = 20
{0}boundary = "closed"
[types.outside]
frozen = true
[types.stroma]
frozen = true
{1}act = {{lambda = 2600, max = 10}}
[adhesion]
cell.cell = 10
[[initial]]
kind = "fill"
type = "outside"
region = {3}
[[initial]]
kind = "network"
type = "stroma"
region = {2}
fraction = 0.06
[[initial]]
kind = "seeds"
type = "cell"
radius = 2
density = 0.96
region = {2}
)",
                     cubic(size), kCell3d, ball, outside);
}

std::string act3d(int size) {
  return "temperature = 20\n" + cubic(size) + boxes_3d(0, "act = {lambda = 2600, max = 10}");
}

// Five properties in a ring, each held back by the one before it.
std::string equations(int size) {
  std::string text;
  for (int i = 0; i < 5; ++i)
    text += fmt::format(
        "properties.p{0} = \"uniform(0, 1)\"\nequations.p{0} = \"hill_down(p{1}, 0.5, 2) - p{0} / 2\"\n", i,
        (i + 4) % 5);
  return "temperature = 20\n" + cubic(size) +
         boxes_3d(0, "act = {lambda = 2600, max = 10}\n" + text + "equations.steps = 4");
}

// As far as they are already: cells that really grow need larger tiles, which is not what is asked here.
std::string growth(int size) {
  return "temperature = 20\n" + cubic(size) +
         boxes_3d(0, "act = {lambda = 2600, max = 10}\ngrowth = { rate = \"150 / 24\", up_to = 150 }");
}

// A day between two divisions.
std::string division(int size) {
  return act3d(size) + R"toml(
[[rules]]
types = "cell"
rate = "1 / h(24)"
do = "divide"
[tick]
every = 10
)toml";
}

// What the stroma secretes all cells take up and follow.
std::string substance(int size) {
  std::string text = lymphnode(size) + R"toml(
[substances.chemokine]
diffusion = 100
decay = 0.01
coarsen = 4
)toml";
  const auto add = [&](const std::string& type, const std::string& what) {
    const std::size_t at = text.find("[types." + type + "]\n");
    text.insert(at + type.size() + 9, what);
  };
  add("stroma", "secretes.chemokine = 0.1\n");
  add("cell", "takes_up.chemokine = 0.01\nchemotaxis = {lambda = 20, substance = \"chemokine\"}\n");
  return text;
}

}  // namespace

const std::vector<BenchCase>& bench_cases() {
  static const std::vector<BenchCase> cases = {
      {"sorting2d", "two types of small cells that fill the plane", 512},
      {"dense3d", "static cells that fill the box", 64},
      {"act3d", "the same, crawling by the Act model", 64},
      {"collective3d", "the same, moving with persistence", 64},
      {"chemotaxis2d", "large cells in a circular field", 512},
      {"actcell2d", "a single large cell that crawls by the Act model", 256},
      {"lymphnode", "Act cells in a ball with a stroma network", 128},
      {"equations3d", "act3d, with five equations per cell in four steps", 64},
      {"growth3d", "act3d, with a target volume per cell that growth is worked out for", 64},
      {"division3d", "act3d, with cells that divide once a day", 64},
      {"substance3d", "lymphnode, with a substance that stroma secretes and cells follow", 128},
  };
  return cases;
}

std::string bench_model(const std::string& name, int size) {
  if (name == "sorting2d") return sorting2d(size);
  if (name == "chemotaxis2d") return chemotaxis2d(size);
  if (name == "actcell2d") return actcell2d(size);
  if (name == "lymphnode") return lymphnode(size);
  if (name == "dense3d") return "temperature = 20\n" + cubic(size) + boxes_3d(10, "");
  if (name == "act3d") return act3d(size);
  if (name == "equations3d") return equations(size);
  if (name == "growth3d") return growth(size);
  if (name == "division3d") return division(size);
  if (name == "substance3d") return substance(size);
  if (name == "collective3d")
    return "temperature = 20\n" + cubic(size) +
           boxes_3d(0, "persistence = {lambda = 40, mu = 0.95, dt = 15}");
  std::string known;
  for (const BenchCase& c : bench_cases()) known += (known.empty() ? "" : ", ") + c.name;
  throw UserError(fmt::format("there is no bench case \"{}\"; there are {}.", name, known));
}

}  // namespace kiln
