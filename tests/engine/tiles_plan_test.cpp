// What the `tiles` schedule derives from a model: how far apart attempts are, how often they are judged, how
// many rounds make an MCS.
#include "engine/schedule/tiles_plan.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

#include "base/error.hpp"
#include "model/file/read.hpp"

namespace kiln {
namespace {

struct Tissue {
  std::string top = "temperature = 20\n";  // what comes before the first section
  std::string lattice = "size = [120, 120]\n";
  std::string volume = "{target = 100, lambda = 25}";
  std::string further = "";
};

tiles::Settings settings_of(const Tissue& t) {
  return tiles::settings_for(parse_model(
      fmt::format("{}[lattice]\n{}[types.cell]\nvolume = {}\n{}", t.top, t.lattice, t.volume, t.further),
      "m.toml", "."));
}

std::string message_of(const Tissue& t) {
  try {
    settings_of(t);
  } catch (const UserError& e) {
    return e.what();
  }
  return "";
}

void expect_settings(const Tissue& tissue, int x, int y, int passes, int apart = 2) {
  const tiles::Settings settings = settings_of(tissue);
  EXPECT_EQ(settings.tile.x, x);
  EXPECT_EQ(settings.tile.y, y);
  EXPECT_EQ(settings.passes, passes);
  EXPECT_EQ(settings.apart, apart);
}

// Stiffness is 2 lambda / T: soft up to 0.25.
TEST(TilesPlan, SoftCellsAreJudgedOnce) {
  expect_settings({.volume = "{target = 20, lambda = 2.5}"}, 2, 4, 1);
  expect_settings({.volume = "{target = 20, lambda = 2.625}"}, 2, 4, 4);
  expect_settings({.volume = "{target = 10000, lambda = 0}"}, 2, 4, 1);
  // No temperature softens anything.
  expect_settings({.top = "temperature = 0\n", .volume = "{target = 20, lambda = 0.001}"}, 2, 4, 4);
}

// With stiffness 0.2, 4 sqrt(V) <= 3.2 x y: up to V = 40.96 at 2 x 4, 163.84 at 4 x 4, 400 at 5 x 5; half as
// stiff, up to 163.84 at 2 x 4. In 3-D, 4 V^(2/3) <= 2.125 x y z: up to 29.6 at 2 x 3 x 3, 54.3 at 3 x 3 x 3,
// 128.8 at 3 x 4 x 4.
TEST(TilesPlan, LargeSoftCellsKeepAttemptsFartherApart) {
  const auto volume = [](int target, double lambda) {
    return fmt::format("{{target = {}, lambda = {}}}", target, lambda);
  };
  expect_settings({.volume = volume(40, 2)}, 2, 4, 1);
  expect_settings({.volume = volume(41, 2)}, 4, 4, 1);
  expect_settings({.volume = volume(164, 2)}, 5, 5, 1);
  expect_settings({.volume = volume(163, 1)}, 2, 4, 1);
  expect_settings({.volume = volume(164, 1)}, 4, 4, 1);
  const std::string lattice = "size = [40, 40, 40]\n";
  expect_settings({.lattice = lattice, .volume = volume(29, 2)}, 2, 3, 1);
  expect_settings({.lattice = lattice, .volume = volume(30, 2)}, 3, 3, 1);
  expect_settings({.lattice = lattice, .volume = volume(55, 2)}, 3, 4, 1);
  expect_settings({.lattice = lattice, .volume = volume(129, 2)}, 4, 4, 1);
}

// 2 lambda (0.4 x 8 neighbours)^2 / T = 1.024 lambda at T = 20.
TEST(TilesPlan, PerimetersCountAsWell) {
  const std::string volume = "{target = 20, lambda = 0.1}";
  expect_settings({.volume = volume, .further = "perimeter = {target = 30, lambda = 0.24}\n"}, 2, 4, 1);
  expect_settings({.volume = volume, .further = "perimeter = {target = 30, lambda = 0.25}\n"}, 2, 4, 4);
}

// A tenth of the push of Act adds to the temperature: 2 x 25 / (20 + 0.1 lambda). In several passes, Act's
// attempts keep clear of the neighbours of each other's sources.
TEST(TilesPlan, ActSoftensCells) {
  const std::string volume = "{target = 20, lambda = 25}";
  expect_settings({.volume = volume, .further = "act = {lambda = 1800, max = 10}\n"}, 2, 4, 1);
  expect_settings({.volume = volume, .further = "act = {lambda = 1700, max = 10}\n"}, 3, 5, 4, 3);
}

// In 2-D, sqrt(V) <= 0.8 x y: up to V = 40.96 at 2 x 4, 163.84 at 4 x 4, 400 at 5 x 5, 2621.44 at 8 x 8.
TEST(TilesPlan, LargeStiffCellsKeepAttemptsFartherApart) {
  const auto volume = [](int target) { return fmt::format("{{target = {}, lambda = 25}}", target); };
  expect_settings({.volume = volume(40)}, 2, 4, 4);
  expect_settings({.volume = volume(41)}, 4, 4, 4);
  expect_settings({.volume = volume(163)}, 4, 4, 4);
  expect_settings({.volume = volume(164)}, 5, 5, 4);
  expect_settings({.volume = volume(401)}, 6, 6, 4);
  expect_settings({.volume = volume(2500)}, 8, 8, 4);
}

// In 3-D, V^(2/3) <= 1.75 x y z: up to V = 176.8 at 2 x 3 x 3, 324.8 at 3 x 3 x 3, 1185.3 at 4 x 4 x 4.
TEST(TilesPlan, LargeStiffCellsKeepAttemptsFartherApartIn3D) {
  const std::string lattice = "size = [40, 40, 40]\n";
  const auto volume = [](int target) { return fmt::format("{{target = {}, lambda = 25}}", target); };
  expect_settings({.lattice = lattice, .volume = volume(176)}, 2, 3, 4);
  expect_settings({.lattice = lattice, .volume = volume(177)}, 3, 3, 4);
  expect_settings({.lattice = lattice, .volume = volume(324)}, 3, 3, 4);
  expect_settings({.lattice = lattice, .volume = volume(325)}, 4, 4, 4);
  expect_settings({.lattice = lattice, .volume = volume(1186)}, 5, 5, 4);
}

// With stiffness 0.2, 4 sqrt(V) <= 2.125 x y: up to V = 18.1 at 2 x 4, 40.6 at 3 x 4, 72.3 at 4 x 4; half as
// stiff, up to 72.3 at 2 x 4. In 3-D all soft cells are bound like this.
TEST(TilesPlan, CloseSoftCellsKeepAttemptsStillFartherApart) {
  const auto cells = [](int target, double lambda, const char* lattice = "size = [120, 120]\n") {
    return Tissue{.top = "temperature = 20\nfidelity = \"close\"\n",
                  .lattice = lattice,
                  .volume = fmt::format("{{target = {}, lambda = {}}}", target, lambda)};
  };
  expect_settings(cells(18, 2), 2, 4, 1);
  expect_settings(cells(19, 2), 3, 4, 1);
  expect_settings(cells(40, 2), 3, 4, 1);
  expect_settings(cells(41, 2), 4, 4, 1);
  expect_settings(cells(73, 2), 4, 5, 1);
  expect_settings(cells(72, 1), 2, 4, 1);
  expect_settings(cells(73, 1), 3, 4, 1);
  expect_settings(cells(129, 2, "size = [40, 40, 40]\n"), 4, 4, 1);
}

// In 2-D, 4 sqrt(V) <= 2.4 x y: up to V = 23.04 at 2 x 4, 51.84 at 3 x 4. In 3-D, 4 V^(2/3) <= 2.4 x y z: up
// to 35.5 at 2 x 3 x 3, 65.2 at 3 x 3 x 3, 154.5 at 3 x 4 x 4, 237.9 at 4 x 4 x 4; strict ones <= 0.9 x y z:
// up to 149.2 at 5 x 5 x 5.
TEST(TilesPlan, ClosePersistentCellsHaveFewerPassesAndKeepAttemptsFartherApart) {
  const std::string flat = "size = [120, 120]\n", box = "size = [40, 40, 40]\n";
  const auto persistent = [](int target, const std::string& lattice, double lambda = 25) {
    return Tissue{.top = "temperature = 20\nfidelity = \"close\"\n",
                  .lattice = lattice,
                  .volume = fmt::format("{{target = {}, lambda = {}}}", target, lambda),
                  .further = "persistence = {lambda = 40}\n"};
  };
  expect_settings(persistent(23, flat), 2, 4, 2);
  expect_settings(persistent(50, flat), 3, 4, 2);
  expect_settings(persistent(52, flat), 4, 4, 2);
  expect_settings(persistent(35, box), 2, 3, 2);
  expect_settings(persistent(65, box), 3, 3, 2);
  expect_settings(persistent(150, box), 3, 4, 2);
  expect_settings(persistent(155, box), 4, 4, 2);
  Tissue tissue = persistent(150, box);
  tissue.top = "temperature = 20\n";
  expect_settings(tissue, 2, 3, 4);
  tissue.top = "temperature = 20\nfidelity = \"strict\"\n";
  expect_settings(tissue, 5, 6, 0);
  tissue.volume = "{target = 149, lambda = 25}";
  expect_settings(tissue, 5, 5, 0);
  // Soft ones are as other soft ones, and a lambda of 0 does nothing.
  expect_settings(persistent(26, box, 2), 2, 3, 1);
  tissue = persistent(150, box);
  tissue.further = "persistence = {lambda = 0}\n";
  expect_settings(tissue, 2, 3, 4);
  // With Act, too, they are as without persistence.
  tissue.further = "persistence = {lambda = 40}\nact = {lambda = 500, max = 10}\n";
  expect_settings(tissue, 3, 4, 4, 3);
}

// Cells that keep their start volumes are as large as the initial state makes them; what an image holds is
// not known from the model, and 1000 sites are assumed.
TEST(TilesPlan, StartVolumesComeFromTheInitialState) {
  const auto start = [](const std::string& initial) {
    return Tissue{.volume = "{target = \"start\", lambda = 25}", .further = "[[initial]]\n" + initial};
  };
  expect_settings(start("box = [10, 10]"), 4, 4, 4);
  expect_settings(start("kind = \"voronoi\"\nvolume = 500"), 6, 6, 4);
  expect_settings(start("kind = \"voronoi\"\ncount = 5"), 7, 7, 4);
}

TEST(TilesPlan, StrictSettlesEverythingOneSiteFartherApart) {
  const std::string strict = "temperature = 20\nfidelity = \"strict\"\n";
  expect_settings({.top = strict, .volume = "{target = 100, lambda = 1}"}, 5, 5, 0);
  expect_settings({.top = strict, .volume = "{target = 100, lambda = 25}"}, 5, 5, 0);
  expect_settings({.top = strict, .volume = "{target = 2500, lambda = 25}"}, 8, 8, 0);
  expect_settings(
      {.top = strict, .volume = "{target = 100, lambda = 1}", .further = "act = {lambda = 1800, max = 10}\n"},
      6, 6, 0, 3);
}

// The shells of a 2-D lattice end at (1, 0), (1, 1), (2, 0), (2, 1), (2, 2), (3, 0).
TEST(TilesPlan, FartherNeighboursKeepAttemptsFartherApart) {
  const std::string soft = "{target = 100, lambda = 1}";
  for (const char* term : {"adhesion", "perimeter"})
    for (const auto& [order, apart] : {std::pair{1, 2}, {2, 2}, {5, 3}, {6, 4}})
      expect_settings({.volume = soft, .further = fmt::format("[neighbourhood]\n{} = {}\n", term, order)},
                      apart, apart + 2, 1, apart);
}

// The stiffest and largest type of all phases decides; frozen ones do not change.
TEST(TilesPlan, EveryPhaseAndTypeThatCanMoveCounts) {
  const std::string soft = "{target = 100, lambda = 1}";
  expect_settings({.volume = soft, .further = "[types.wall]\nfrozen = true\n"}, 2, 4, 1);
  expect_settings({.volume = soft, .further = "[types.big]\nvolume = {target = 500, lambda = 25}\n"}, 6, 6,
                  4);
  const std::string phases = "[[phases]]\nmcs = 5\n[[phases]]\nmcs = 5\nset = {temperature = 5}\n";
  expect_settings({.volume = soft, .further = phases}, 4, 4, 4);
}

TEST(TilesPlan, PhasesThatOnlyPrepareDoNotCount) {
  const std::string soft = "{target = 100, lambda = 1}";
  const std::string stiff_phase = "[[phases]]\nmcs = 5\nset = {temperature = 5}\nmeasure = false\n";
  expect_settings({.volume = soft, .further = stiff_phase + "[[phases]]\nmcs = 5\n"}, 2, 4, 1);
  expect_settings({.volume = soft, .further = stiff_phase}, 4, 4, 4);  // there is no other
}

// A periodic axis has to hold a tile; a closed one need not.
TEST(TilesPlan, ShortPeriodicAxesLimitTheTiles) {
  const std::string large = "{target = 2500, lambda = 25}";
  expect_settings({.lattice = "size = [120, 5]\n", .volume = large}, 8, 5, 4);
  expect_settings({.lattice = "size = [3, 120]\n", .volume = large}, 3, 8, 4);
  expect_settings({.lattice = "size = [120, 5]\nboundary = [\"periodic\", \"closed\"]\n", .volume = large}, 8,
                  8, 4);
}

// 500,000 x 25,000 tiles have numbers of more than 32 bits; a GPU has no such. There is an end to them, and
// to those of rows.
TEST(TilesPlan, MoreTilesThanCanBeNumberedAreRefused) {
  const std::string soft = "{target = 100, lambda = 1}";
  EXPECT_EQ(message_of({.lattice = "size = [1000000, 100000]\n", .volume = soft}), "");
  EXPECT_EQ(
      message_of({.lattice = "size = [40000, 40000, 40000]\n", .volume = soft}),
      "m.toml: lattice.size is 40000 x 40000 x 40000, more than the tiles schedule can number: 2^39 tiles "
      "of 3 x 3 x 3 sites in 2^32 rows. --engine serial can run it.");
  EXPECT_NE(message_of({.lattice = "size = [3, 400000, 400000]\n", .volume = soft}), "");
  EXPECT_EQ(message_of({.lattice = "size = [3, 40000, 40000]\n", .volume = soft}), "");
}

TEST(TilesPlan, AGpuHasShortNumbersOnly) {
  const auto of_size = [](const char* size) {
    return parse_model(std::string("mcs = 1\n[lattice]\nsize = ") + size +
                           "\n[types.cell]\nvolume = {target = 100, lambda = 1}\n[adhesion]\ncell.cell = "
                           "1\n[[initial]]\nkind = \"boxes\"\ntype = \"cell\"\nbox = [5, 5, 5]\n",
                       "m.toml", ".");
  };
  tiles::require_short_numbers(of_size("[1000, 1000, 1000]"));
  EXPECT_THROW(tiles::require_short_numbers(of_size("[10000, 10000, 10000]")), UserError);
}

// Numbers of tiles that differ only above 32 bits draw other words, also where rounds are many.
TEST(TilesPlan, DrawsAreApartForAllTiles) {
  const uint64_t many = uint64_t(1) << 32;
  std::set<uint64_t> seen;
  for (const uint64_t round : {uint64_t(3), many + 3, 5 * many + 3})
    for (const uint64_t tile : {uint64_t(7), uint64_t(39), many + 7, 12 * many + 7, 127 * many + 7})
      seen.insert(tiles::draw_index(round, tile));
  EXPECT_EQ(seen.size(), 3u * 4u);                              // tiles 7 and 39 have words of one draw
  EXPECT_EQ(tiles::draw_index(5 * many + 3, 7), 5 * many + 7);  // as ever
}

// Rows of targets lie in a GPU's shared memory, so there is a limit to their width.
TEST(TilesPlan, HugeCellsHaveTilesThatAreHigherThanWide) {
  expect_settings({.volume = "{target = 100000, lambda = 25}"}, 8, 50, 4);
}

TEST(TilesPlan, SettingsAreSaidInWords) {
  EXPECT_EQ(tiles::describe({{2, 3, 3}, 2, 1}, 2),
            "one attempt per tile of 2 x 3 sites and round; all attempts of a round are judged on the sizes "
            "that cells have at its start");
  EXPECT_EQ(tiles::describe({{3, 4, 4}, 2, 4}, 3),
            "one attempt per tile of 3 x 4 x 4 sites and round; attempts that share a cell are settled in 4 "
            "passes");
  EXPECT_EQ(tiles::describe({{6, 6, 6}, 2, 0}, 2),
            "one attempt per tile of 6 x 6 sites and round; attempts that share a cell are settled one after "
            "the other");
}

}  // namespace
}  // namespace kiln
