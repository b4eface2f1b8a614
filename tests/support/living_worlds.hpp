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

}  // namespace kiln::test
