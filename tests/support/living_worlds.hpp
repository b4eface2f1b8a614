// Tissues in which much happens between two MCS.
#pragma once

#include <string>

namespace kiln::test {

// Cells that grow, divide, differ, die in three ways, and move by Act or persistently.
inline constexpr const char* kColony = R"toml(
seed = 5
temperature = 10
[lattice]
size = SIZE
boundary = "closed"
[units]
seconds_per_mcs = 60
[types.cell]
volume = { target = 30, lambda = 12 }
growth = { rate = "30 + 5 * gene", up_to = 90 }
properties.gene = { start = "normal(0, 1)" }
properties.dye = { start = "100 + x", extensive = true }
properties.clock = 0
equations.clock = "1 / h(2) - 0.1 * clock * gene / h(1)"
equations.steps = 2
act = { lambda = 20, max = 8 }
[types.old]
volume = { target = 30, lambda = 12 }
persistence = { lambda = 5, mu = 0.5, dt = 3 }
properties.clock = 0
[types.debris]
frozen = true
[adhesion]
default = 4
[[initial]]
kind = "seeds"
type = "cell"
count = 6
radius = 3
[[rules]]
types = "cell"
when = "volume >= 60"
do = "divide"
daughters = { 2 = { gene = "gene + normal(0, 0.2)" } }
[[rules]]
types = ["cell"]
rate = "0.4 / h(1)"
do = "become"
type = "old"
set = { clock = "clock + 100" }
[[rules]]
types = ["cell", "old"]
rate = "0.3 / h(1)"
do = "die"
over = "min(20)"
[[rules]]
types = "old"
rate = "0.5 / h(1)"
do = "die"
how = "become"
type = "debris"
[tick]
every = 3
)toml";

inline std::string colony(const std::string& size) {
  std::string text = kColony;
  return text.replace(text.find("SIZE"), 4, size);
}

// Two substances, in voxels of two sizes; a frozen source, one that holds, an obstacle; cells that take up,
// secrete by their own formula, follow in two ways, divide.
inline std::string tissue(const std::string& size, const std::string& corner, const std::string& far) {
  return R"toml(
seed = 7
temperature = 15
[lattice]
size = )toml" +
         size + R"toml(
boundary = "closed"
[units]
voxel_um = 2
seconds_per_mcs = 3
[substances.food]
diffusion = 12
decay = 0.02
coarsen = 2
start = "0.1 + 0.001 * x"
boundary = { x_low = 0.5, y = "periodic", x_high = { flux = 0.02 } }
impermeable = "bone"
[substances.signal]
diffusion = 3
decay = 0.05
update_every = 2
[types.source]
frozen = true
secretes.food = 0.3
[types.bone]
frozen = true
[types.vessel]
frozen = true
holds.food = 0.8
[types.cell]
volume = { target = 24, lambda = 6 }
growth = { rate = "200 * hill(mean(food), 0.3, 2)", up_to = 60 }
properties.taste = "uniform(0, 1)"
takes_up.food = { rate = 0.2, at_most = 0.1 }
secretes.signal = { rate = "taste * 3 + abs(gradient_x(food))", per = "cell" }
chemotaxis = { lambda = 900, substance = "food", response = "saturated", half = 0.3 }
[types.other]
volume = { target = 30, lambda = 6 }
secretes.signal = { rate = 2, per = "cell" }
takes_up.food = 0.05
chemotaxis = { lambda = 300, substance = "signal", response = "logarithmic", half = 0.1, who = "both", at = "medium" }
[adhesion]
default = 4
[[initial]]
kind = "fill"
type = "source"
region = { shape = "box", low = )toml" +
         corner + R"toml(, high = )toml" + far + R"toml( }
[[initial]]
kind = "seeds"
type = "bone"
count = 3
radius = 3
[[initial]]
kind = "seeds"
type = "vessel"
count = 2
radius = 2
[[initial]]
kind = "seeds"
types = { cell = 2, other = 1 }
count = 12
radius = 2
[[rules]]
types = "cell"
when = "volume >= 48"
do = "divide"
)toml";
}
inline const std::string kFlat = tissue("[48, 40]", "[0, 0]", "[5, 9]"),
                         kSolid = tissue("[20, 16, 12]", "[0, 0, 0]", "[4, 4, 5]");

// Everything that formulas can ask of more than their cell, at every MCS and at every fourth.
inline std::string curious(const std::string& size) {
  return R"toml(
seed = 4
temperature = 12
[lattice]
size = )toml" +
         size + R"toml(
boundary = ["closed", "periodic")toml" +
         (size.find(',') == size.rfind(',') ? "]" : ", \"periodic\"]") + R"toml(
[units]
seconds_per_mcs = 2
[substances.food]
diffusion = 3
decay = 0.03
coarsen = 4
start = "0.2 + 0.01 * y"
[types.a]
volume = { target = 22, lambda = 4 }
growth = { rate = "900 * contact(b) + 200 * mean(food) + 3 * x", up_to = 60 }
properties = { v = "uniform(-3, 5)", mine = 0, near = 0 }
equations.v = "(neighbours_mean(v) - v) / 20 + gradient_y(food) - 0.001 * age"
secretes.food = { rate = "0.01 * max(v, 0) + 0.001 * neighbours(b)", per = "site" }
takes_up.food = 0.03
persistence = { lambda = 6, mu = 0.7, dt = 4 }
chemotaxis = { lambda = 300, substance = "food" }
[types.b]
volume = { target = 20, lambda = 4 }
perimeter = { target = "start", lambda = 0.2 }
act = { lambda = 10, max = 6 }
properties.v = 2
takes_up.food = 0.2
[adhesion]
default = 5
[[initial]]
box = 4
spacing = 5
types = { a = 2, b = 1 }
[[rules]]
types = "a"
when = "volume >= 34"
do = "divide"
plane = "random"
daughters = { 1 = { type = "b" }, 2 = { mine = "uniform(0, 1)" } }
[[rules]]
types = "a"
set = { near = "neighbours(a) + contact(medium)", mine = "mine + generation + time / 100 + perimeter / 7", "volume.target" = "target + uniform(0, 1)" }
[[rules]]
types = "a"
set = { "persistence.lambda" = "max(0, 2 * v)", "chemotaxis.lambda" = "200 * v" }
[[rules]]
types = "b"
rate = 0.1
set = { "act.lambda" = "30 * uniform(0, 1)" }
[[rules]]
types = "b"
when = "gradient_x(food) < 0 and y > 3"
rate = 0.02
do = "become"
type = "a"
set = { "persistence.lambda" = 9 }
[[rules]]
types = ["a", "b"]
rate = 0.004
do = "die"
how = "remove"
[tick]
every = 4
)toml";
}

}  // namespace kiln::test
