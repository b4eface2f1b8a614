#include "model/explain.hpp"

#include <gtest/gtest.h>

#include "base/error.hpp"
#include "base/wording.hpp"
#include "model/file/read.hpp"
#include "model/file/term_registry.hpp"

namespace kiln {
namespace {

Model parsed(const std::string& text) { return parse_model(text, "m.toml", ""); }

TEST(Explain, SaysWhatTheNumbersMean) {
  const std::string text = explain(parsed(R"(
title = "Sample"
mcs = 600
[lattice]
size = [20, 30, 40]
boundary = ["periodic", "closed", "closed"]
[units]
voxel_um = 2
seconds_per_mcs = 10
[types.tcell]
volume = { target = 150, lambda = 25 }
act = { lambda = 200, max = 30 }
[adhesion]
tcell.tcell = 4
tcell.medium = 7
)"));
  const auto has = [&text](const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  };
  has("Sample (m.toml)\n");
  has("20 x 30 x 40 sites = 40 x 60 x 80 µm, periodic x closed x closed\n");
  has("600 MCS of 10 s = 100 min\n");
  // 150 sites of 8 µm³ each; a ball of 1200 µm³ is (6 * 1200 / pi)^(1/3) = 13.18 µm across.
  has("target 150 sites = 1200 µm³, a ball 13.2 µm across; lambda 25\n");
  has("lambda 200; max 30 MCS = 5 min; start_full false\n");
  has("surface tension: tcell-medium 5\n");  // 7 - 4/2
  has("1. tcell: boxes of 5 x 5 x 6 sites\n");
  EXPECT_EQ(text.find("note:"), std::string::npos) << text;
}

// Only a target volume is the volume of a ball; other numbers of sites, lengths say, are not.
TEST(Explain, AMeaningDoesNotHangOnAUnit) {
  const Model model = parsed("lattice.size = [20, 20]\n[types.cell]\nvolume = { target = 20, lambda = 1 }\n");
  const TypePhysics& type = model.phases.front().physics.types[1];
  for (const Term& term : all_terms()) {
    if (std::string_view(term.name) != "volume") continue;
    EXPECT_EQ(parameter_text(term, 0, type, model), "target 20 sites = 20 µm², a disc 5.05 µm across");
    Term length = term;
    length.name = "length";
    EXPECT_EQ(parameter_text(length, 0, type, model), "target 20 sites");
    return;
  }
  FAIL() << "no term is called volume";
}

TEST(Explain, PhasesSayWhatTheyChange) {
  const std::string text = explain(parsed(R"(
lattice.size = [20, 20]
[[phases]]
mcs = 5
[[phases]]
name = "stiff"
mcs = 7
measure = false
set = { types.cell.volume.lambda = 4, adhesion.cell.medium = 3 }
)"));
  EXPECT_NE(text.find("  2. stiff: 7 MCS = 7 s, not measured\n     cell volume.lambda 1 -> 4\n     J "
                      "cell-medium 20 -> 3\n"),
            std::string::npos)
      << text;
}

// All that can be said of a living model, with units and without.
TEST(Explain, LivingModelsInWords) {
  const std::string text = explain(parsed(R"toml(
mcs = 10
lattice.size = [48, 40]
lattice.boundary = "closed"
units = { voxel_um = 2, seconds_per_mcs = 60 }
tick.every = 3
[substances.food]
diffusion = 12
decay = 0.03
coarsen = 2
start = "0.1 + 0.001 * x"
boundary = { x_low = 0.5, y = "periodic", x_high = { flux = 0.02 } }
impermeable = ["bone", "vessel"]
unit = "nM"
[substances.signal]
diffusion = 3
mode = "steady"
update_every = 2
boundary = { x = 0, y_low = { flux = -1 }, y_high = "closed" }
[types.medium]
takes_up.signal = 0.01
[types.bone]
frozen = true
[types.vessel]
frozen = true
holds.signal = 0.8
[types.cell]
volume = { target = 30, lambda = 2 }
growth = { rate = "20 * hill(mean(food), 0.3, 2)", up_to = 60 }
properties.dye = { start = "normal(10, 2)", extensive = true, unit = "au" }
properties.clock = 0
equations.clock = "1 / h(2) - 0.1 * clock / h(1)"
equations.steps = 2
takes_up.food = { rate = 0.2, at_most = 0.1 }
secretes.signal = { rate = "0.1 * dye", per = "cell" }
chemotaxis = { lambda = 900, substance = "food", response = "saturated", half = 0.3 }
[types.old]
volume = { target = 30, lambda = 2 }
properties.clock = 0
secretes.food = 0.5
secretes.signal = 3
holds.food = 2
chemotaxis = { lambda = 300, substance = "signal", who = "both", at = "medium" }
[types.debris]
frozen = true
[[rules]]
types = "cell"
when = "volume >= 60 and age > h(8)"
do = "divide"
daughters = { 1 = { type = "old" }, 2 = { type = "cell", dye = "dye / 2" } }
set = { clock = 0 }
[[rules]]
types = "old"
do = "divide"
plane = "random"
rate = 1e-5
[[rules]]
types = "old"
do = "divide"
plane = [0, 1]
when = "time == 60"
[[rules]]
types = ["cell", "old"]
rate = "0.25 / h(1)"
do = "die"
over = "min(20)"
[[rules]]
types = "cell"
when = "mean(food) < 0.01"
rate = "clock / h(1)"
do = "die"
how = "remove"
[[rules]]
types = "old"
when = "contact(cell) > 0.5"
do = "die"
how = "become"
type = "debris"
[[rules]]
types = "cell"
do = "become"
type = "old"
set = { "volume.target" = "target", "chemotaxis.lambda" = "30 * clock" }
[[rules]]
types = ["cell", "old"]
set = { clock = "clock + 1" }
)toml"));
  const std::string expected = R"say(
Cell types
  bone, frozen
  vessel, frozen
  cell
    volume       target 30 sites = 120 µm², a disc 12.4 µm across; lambda 2
    chemotaxis   lambda 900; substance food; response saturated; half 0.3 nM; who winner-or-loser; at all
    dye          starts with normal(10, 2) au, shared by daughters
    clock        starts with 0
    d clock/dt   1 / h(2) - 0.1 * clock / h(1) per second
    equations    solved in 2 steps per MCS
    growth       20 * hill(mean(food), 0.3, 2) sites/h, up to 60 sites
  old
    volume       target 30 sites = 120 µm², a disc 12.4 µm across; lambda 2
    chemotaxis   lambda 300; substance signal; response linear; who both; at medium
    clock        starts with 0
  debris, frozen

Substances
  food
    diffusion 12 µm²/s, decay 0.03 per second (reaches 20 µm)
    voxels of 2 sites = 4 µm, in time, 48 steps per MCS
    starts with 0.1 + 0.001 * x nM
    boundary: y periodic, x_low at 0.5 nM, x_high lets in 0.02 nM x µm/s
    cannot enter bone, vessel
    cell takes up 0.2 times what is there per second, at most 0.1 nM per second
    old secretes 0.5 nM per second at each of its sites
    old holds it at 2 nM
  signal
    diffusion 3 µm²/s, decay 0 per second
    voxels of 1 site = 2 µm, steady state, every 2 MCS, 314 steps per update
    starts with 0
    boundary: x at 0, y_low lets out 1 concentration x µm/s, y_high closed
    medium takes up 0.01 times what is there per second
    vessel holds it at 0.8
    cell secretes 0.1 * dye per second and cell, spread over its sites
    old secretes 3 per second at each of its sites

Rules, every 3 MCS
  1. cell where volume >= 60 and age > h(8): divide across the longest axis; daughter 1 with type old; daughter 2 with type cell, dye = dye / 2; clock = 0
  2. old, at a rate of 1e-05 per second, once in 27.8 h on average: divide by a plane of random direction
  3. old where time == 60: divide by a plane with the normal [0, 1]
  4. cell, old, at a rate of 0.25 / h(1) per second, once in 4 h on average: die, and shrink over 20 min, gone at 2 sites
  5. cell where mean(food) < 0.01, at a rate of clock / h(1) per second: die, and are gone at once
  6. old where contact(cell) > 0.5: die, and become debris
  7. cell: become old; volume.target = target; chemotaxis.lambda = 30 * clock
  8. cell, old: clock = clock + 1
)say";
  const std::size_t begin = text.find("\nCell types\n"), substances = text.find("\nSubstances\n"),
                    state = text.find("\nInitial state\n"), rules = text.find("\nRules"),
                    phases = text.find("\nPhases\n");
  ASSERT_LT(begin, text.find("\nAdhesion J"));
  EXPECT_EQ(text.substr(begin, text.find("\nAdhesion J") - begin) +
                text.substr(substances, state - substances) + text.substr(rules, phases - rules),
            expected);
}

TEST(Explain, RegionsAndPackingsInWords) {
  const std::string text = explain(parsed(R"(
lattice.size = [60, 60, 60]
units.voxel_um = 2
[types.a]
volume = { target = 100 }
[[initial]]
kind = "hexagonal"
region = { shape = "difference", of = [{ shape = "ball", radius = 20 }, { shape = "ball", radius = 15 }, { shape = "box", low = [30, 0, 0] }] }
[[initial]]
kind = "voronoi"
count = 40
relax = 2
slivers = "drop"
region = { shape = "union", outside = true, of = [{ shape = "tube", from = [0, 0, 0], to = [9, 9, 9], radius = 3 }, { shape = "ball", radius = 2, outside = true }] }
[[initial]]
kind = "boxes"
slivers = "give"
smallest_share = 0.25
region = { shape = "intersection", of = [{ shape = "ball", radius = 4 }, { shape = "all" }] }
)"));
  const auto has = [&text](const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << part << "\nis not in\n" << text;
  };
  has("1. a: a hexagonal close packing of cells of about 100 sites, those below 40% of one given to a "
      "neighbour in a "
      "ball of radius 20 sites = 40 µm at (29.5, 29.5, 29.5) without a ball of radius 15 sites = 30 µm at "
      "(29.5, "
      "29.5, 29.5) and a box from (30, 0, 0) to (60, 60, 60)\n");
  has("2. a: Voronoi cells of 40 random seeds, relaxed 2 times, those below 40% of one left out outside a "
      "tube of "
      "radius 3 sites = 6 µm from (0, 0, 0) to (9, 9, 9) or (what lies outside of a ball of radius 2 sites = "
      "4 µm at "
      "(29.5, 29.5, 29.5))\n");
  has("3. a: boxes of 4 x 5 x 5 sites, those below 25% of one given to a neighbour in what lies in a ball of "
      "radius 4 "
      "sites = 8 µm at (29.5, 29.5, 29.5) and in the lattice\n");
}

TEST(Notes, RandomNumbersThatRepeat) {
  const auto notes = [](const std::string& reseed) {
    return model_notes(parsed(R"(
lattice.size = [64, 64]
schedule.checkerboard = { reseed = ")" +
                              reseed + R"(" }
[types.a]
volume = { target = 20, lambda = 1 }
[[initial]]
kind = "boxes"
types = { a = 1 }
box = [4, 5]
)"),
                       1e15);
  };
  EXPECT_EQ(notes("run"), std::vector<std::string>{});
  EXPECT_EQ(
      notes("launch"),
      std::vector<std::string>{
          "with --schedule checkerboard random numbers begin anew with every MCS (reseed = \"launch\"): a "
          "fault, kept to see what it does, and no way to simulate a tissue "
          "(docs/replayed-random-numbers.md)."});
}

TEST(Notes, PlacesWithoutASite) {
  const std::vector<std::string> notes = model_notes(parsed(R"(
lattice.size = [64, 64]
[[initial]]
region = { shape = "box", low = [103, 103], high = [153, 153] }
[[initial]]
region = { shape = "difference", of = [{ shape = "ball", radius = 9 }, { shape = "ball", radius = 10 }] }
[[initial]]
kind = "seeds"
count = 4e9
)"),
                                                     1e15);
  EXPECT_EQ(notes,
            (std::vector<std::string>{
                "initial.0 places nothing: its region holds no site of the lattice, which has 64 x 64.",
                "initial.1 places nothing: its region holds no site of the lattice, which has 64 x 64.",
                "initial.2.count is 4000000000, but the lattice has only 4,096 sites.",
            }));
}

TEST(Notes, EveryOddThingHasOne) {
  const std::vector<std::string> notes = model_notes(parsed(R"(
temperature = 0
mcs = 0
lattice.size = [20, 20]
[types.a]
volume = { target = 30 }
perimeter = { target = 20 }
[types.b]
[types.c]
act = { lambda = 3, max = 4 }
[fields.f]
shape = "radial"
[[initial]]
type = "a"
box = [40, 5]
[[initial]]
kind = "fill"
type = "b"
[[pictures]]
animation = true
)"),
                                                     1.0);
  const std::vector<std::string> expected{
      // A disc of 30 sites has a circumference of 19.4, and 3.07 pairs per unit of length.
      "the target perimeter of type a, 20 pairs, cannot be reached at its target volume: a disc of 30 sites "
      "has about "
      "60.",
      "type b has no volume term: its cells can vanish or take over.",
      "no step of the initial state places cells of type c.",
      "type c has Act but no volume term: its cells spread without limit.",
      "initial.0.box is 40 sites along x, more than the lattice has (20).",
      "initial.1 makes one single cell of type b, which is not frozen.",
      "the temperature of phase run is 0: no copy that costs energy ever happens.",
      "the run is 0 MCS long: only the initial state is made.",
      "the animation of picture slice-type has two frames only; set `every`.",
      "no cell type follows the field f.",
  };
  ASSERT_EQ(notes.size(), expected.size() + 1);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(notes[i], expected[i]);
  EXPECT_TRUE(notes.back().ends_with(" of memory, but there are 1 bytes here.")) << notes.back();
}

// Crofton's value for a disc of radius 40, against a count.
TEST(Notes, RoundPerimeterAgreesWithACount) {
  const Neighbourhood moore = neighbourhood_of_order(2, 2);
  constexpr int kRadius = 40;
  const auto inside = [](int x, int y) { return x * x + y * y <= kRadius * kRadius; };
  int volume = 0, pairs = 0;
  for (int y = -kRadius; y <= kRadius; ++y)
    for (int x = -kRadius; x <= kRadius; ++x) {
      if (!inside(x, y)) continue;
      ++volume;
      for (int i = 0; i < moore.count; ++i)
        pairs += inside(x + moore.offset[i].x, y + moore.offset[i].y) ? 0 : 1;
    }
  EXPECT_NEAR(round_perimeter(moore, 2, volume), pairs, 0.02 * pairs);
}

TEST(Memory, CountsSitesCellsAndHistory) {
  const Model plain = parsed("lattice.size = [100, 100]");
  EXPECT_EQ(memory_need(plain, 10).total(), 10000 * 4.25 + 10 * (72 + 64));
  const Model silent = parsed("lattice.size = [100, 100]\nmeasure.every = 0");
  EXPECT_EQ(memory_need(silent, 10).total(), 10000 * 4.25 + 10 * 72);
  const Model explored = parsed("lattice.size = [100, 100]\nmeasure.explored = true");
  EXPECT_EQ(memory_need(explored, 10).sites, 10000 * (4.25 + 0.125));
  const Model full = parsed(R"(
lattice.size = [100, 100]
[types.a]
act = { lambda = 1, max = 5 }
persistence = { lambda = 1, dt = 20 }
)");
  EXPECT_EQ(memory_need(full, 10).sites, 10000 * 6.25);
  EXPECT_EQ(memory_need(full, 10).history, 10 * (12 + 20 * 24));
}

// As many as engines take: see Stages in engine/diffusion_test.cpp.
TEST(Explain, SaysHowManyStepsASubstanceTakes) {
  const auto says = [](const std::string& substance, const std::string& words) {
    const std::string text =
        explain(parsed("lattice.size = [96, 96]\n[substances.s]\ncoarsen = 1\n" + substance));
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says("diffusion = 0\n", "= 1 µm, in time, 1 step per MCS\n");
  says("diffusion = 2\n", "= 1 µm, in time, 9 steps per MCS\n");  // 4 D dt / 0.9
  says("diffusion = 2\nupdate_every = 4\n", "in time, every 4 MCS, 36 steps per update\n");
  says("diffusion = 100\n", "in time, 72 steps per MCS\n");  // four times sqrt(800 / 4 * 1.5 / tanh 3)
  says("diffusion = 1\ndecay = 0.08\nmode = \"steady\"\n", "steady state, 73 steps per MCS\n");
}

// Lives and properties by cell; substances by voxel, with what is done with them.
TEST(Memory, CountsLivesPropertiesAndSubstances) {
  const auto need = [](const std::string& more) {
    return memory_need(parsed("lattice.size = [96, 96]\nmeasure.every = 0\n" + more), 10);
  };
  const double cells = need("").cells;
  EXPECT_EQ(need("[types.a.properties]\np = 1\nq = { start = 2 }\n").cells,
            cells + 10 * double(sizeof(Cells::Life) + 16));
  EXPECT_EQ(need("").fields, 0);
  const std::string substance = "[substances.s]\ndiffusion = 1\n";
  EXPECT_EQ(need(substance + "coarsen = 1\n").fields, 96 * 96 * 20);
  EXPECT_EQ(need(substance + "coarsen = 4\n").fields, 24 * 24 * 20);
  const std::string cell = "[types.a]\nvolume = { target = 50, lambda = 1 }\n";
  EXPECT_EQ(need(substance + "coarsen = 4\n" + cell + "secretes.s = 1\n").fields, 24 * 24 * 28);
  EXPECT_EQ(
      need(substance + "coarsen = 4\n" + cell + "takes_up.s = 1\n[types.medium]\ntakes_up.s = 2\n").fields,
      24 * 24 * 36);
  EXPECT_EQ(need(substance + "coarsen = 4\n" + cell + "holds.s = 1\n").fields, 24 * 24 * 29);
  EXPECT_EQ(need(substance + "coarsen = 4\nimpermeable = [\"bone\"]\n[types.bone]\nfrozen = true\n").fields,
            24 * 24 * 44);
}

TEST(Memory, SubstancesThatDoNotFitAreNamed) {
  const Model m = parsed("lattice.size = [500, 500]\n[substances.s]\ndiffusion = 1\ncoarsen = 1\n");
  EXPECT_NO_THROW(require_memory(m, 8e6));
  try {
    require_memory(m, 2e6);
    ADD_FAILURE() << "5 MB do not fit into 2";
  } catch (const UserError& error) {
    const std::string message = error.what();
    EXPECT_TRUE(message.starts_with("m.toml: a run needs about 6")) << message;
    EXPECT_TRUE(
        message.ends_with(" of memory, 5 MB of it for [substances], but there are 2 MB; a larger coarsen "
                          "takes less."))
        << message;
  }
}

TEST(Memory, ExpectedCells) {
  EXPECT_EQ(expected_cells(parsed("lattice.size = [64, 64]")), 100);  // boxes of 7 x 7, the last ones cut
  EXPECT_EQ(expected_cells(parsed("lattice.size = [64, 64]\n[[initial]]\nkind = \"seeds\"\ncount = 12")), 12);
  EXPECT_EQ(expected_cells(parsed("lattice.size = [50, 60]\n[[initial]]\nkind = \"seeds\"\ndensity = 0.5")),
            30);
}

TEST(Memory, TooLargeALatticeIsRefusedWithBothNumbers) {
  const Model m = parsed("lattice.size = [1000, 1000, 1000]\n[[initial]]\nkind = \"seeds\"\ncount = 10");
  EXPECT_NO_THROW(require_memory(m, 8e9));
  try {
    require_memory(m, 4e9);
    ADD_FAILURE() << "4.25 GB do not fit into 4 GB";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "m.toml: lattice.size is 1000 x 1000 x 1000, which needs about 4.25 GB of memory, but there "
                 "are 4 GB.");
  }
}

TEST(Memory, TooManyCellsAreNotTheLatticesFault) {
  const auto message = [](const std::string& initial) {
    try {
      require_memory(parsed("lattice.size = [64, 64]\n[[initial]]\n" + initial), 1e5);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message("kind = \"seeds\"\ncount = 4e9"),
            "m.toml: initial.0.count is 4000000000, but the lattice has only 4,096 sites.");
  EXPECT_EQ(message("box = 1"),
            "m.toml: the steps of [[initial]] ask for about 4,096 cells, which need about 574 kB of memory, "
            "but there "
            "are 100 kB.");
}

TEST(Wording, Numbers) {
  EXPECT_EQ(grouped(0), "0");
  EXPECT_EQ(grouped(999), "999");
  EXPECT_EQ(grouped(1234567), "1,234,567");
  EXPECT_EQ(grouped(-1234), "-1,234");
  EXPECT_EQ(grouped(-123), "-123");
  EXPECT_EQ(bytes_text(999), "999 bytes");
  EXPECT_EQ(bytes_text(6.96e9), "6.96 GB");
  EXPECT_EQ(duration_text(90), "90 s");
  EXPECT_EQ(duration_text(3600), "60 min");
  EXPECT_EQ(duration_text(86400), "24 h");
  EXPECT_EQ(duration_text(259200), "3 days");
}

}  // namespace
}  // namespace kiln
